#include "ops/knowledge/knowledge_key.h"

#include <algorithm>

#include "formats/error.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "tiling/conv_backprop/filter_knowledge.h"
#include "tiling/conv_backprop/input_knowledge.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;

ordered_json PoolInfo(const PoolProblem& p, bool argmax_given) {
  const Windows& w = p.windows;
  return {{"dtype", Name(p.dtype)},
          {"layout", Name(p.layout)},
          {"batch", p.batch},
          {"channels", p.channels},
          {"di", w.in.d},
          {"hi", w.in.h},
          {"wi", w.in.w},
          {"dout", p.out.d},
          {"ho", p.out.h},
          {"wo", p.out.w},
          {"dk", w.kernel.d},
          {"hk", w.kernel.h},
          {"wk", w.kernel.w},
          {"stride_d", w.stride.d},
          {"stride_h", w.stride.h},
          {"stride_w", w.stride.w},
          {"dilation_d", w.dilation.d},
          {"dilation_h", w.dilation.h},
          {"dilation_w", w.dilation.w},
          {"pad_front", w.pad.front},
          {"pad_back", w.pad.back},
          {"pad_top", w.pad.top},
          {"pad_bottom", w.pad.bottom},
          {"pad_left", w.pad.left},
          {"pad_right", w.pad.right},
          {"rounding", Name(p.rounding)},
          {"nan", Name(p.nan)},
          {"argmax", Name(p.argmax)},
          {"argmax_given", argmax_given}};
}

ordered_json MatmulInfo(const MatmulProblem& p) {
  return {
      {"dtype", Name(p.dtype)},       {"out", Name(p.out)},           {"m", p.m},      {"n", p.n}, {"k", p.k},
      {"transpose_a", p.transpose_a}, {"transpose_b", p.transpose_b}, {"hf32", p.hf32}};
}

}  // namespace

bool operator==(const KnowledgeKey& a, const KnowledgeKey& b) {
  return a.op == b.op && a.info.size() == b.info.size() &&
         std::ranges::all_of(a.info.items(), [&](const auto& item) {
           const auto found = b.info.find(item.key());
           return found != b.info.end() && *found == item.value();
         });
}

std::string TextOf(const KnowledgeKey& key) {
  std::string text = key.op;
  for (const auto& [name, value] : key.info.items()) {
    text += Say(" ", name, "=", value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::string PlainText(const nlohmann::json::exception& error) {
  const std::string text = error.what();
  const size_t number_end = text.find("] ");
  return number_end == std::string::npos ? text : text.substr(number_end + 2);
}

std::optional<KnowledgeKey> KeyOf(const Case& problem) {
  if (const auto* const convolution = std::get_if<ConvCase>(&problem.problem)) {
    if (convolution->gradient == ConvGradient::kFilter) {
      return KnowledgeKey{"Conv3DBackpropFilterV2", FilterInfo(ToFilterProblem(convolution->conv))};
    }
    return KnowledgeKey{"Conv3DBackpropInputV2", InputInfo(ToInputProblem(convolution->conv))};
  }
  if (const auto* const pooling = std::get_if<PoolCase>(&problem.problem)) {
    return KnowledgeKey{pooling->is_gradient ? "max_pool_grad" : "max_pool",
                        PoolInfo(pooling->pool, !problem.argmax_file.empty())};
  }
  if (const auto* const product = std::get_if<MatmulCase>(&problem.problem)) {
    return KnowledgeKey{"matmul", MatmulInfo(product->matmul)};
  }
  return std::nullopt;
}

KnowledgeParts PartsOf(const Case& problem, const AnyTiling& tiling) {
  if (const auto* const filter = std::get_if<FilterTiling>(&tiling)) {
    return PartsOf(FilterKnowledge(), ToFilterProblem(problem.conv()), *filter, ToJson(tiling));
  }
  if (const auto* const input = std::get_if<InputTiling>(&tiling)) {
    return PartsOf(InputKnowledge(), ToInputProblem(problem.conv()), *input, ToJson(tiling));
  }
  return {.knowledge = ToJson(tiling), .rest = ordered_json::object()};
}

ordered_json TilingTextOf(const Case& problem, const KnowledgeParts& parts) {
  if (!std::holds_alternative<ConvCase>(problem.problem)) {
    return parts.knowledge;
  }
  return problem.gradient() == ConvGradient::kFilter ? TextOf(FilterKnowledge(), parts)
                                                     : TextOf(InputKnowledge(), parts);
}

}  // namespace tilesim
