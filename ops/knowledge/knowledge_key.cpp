#include "ops/knowledge/knowledge_key.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <variant>

#include "formats/error.h"
#include "formats/shown_text.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "tiling/conv_backprop/gradient_knowledge.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kMend = "; tune the case again";

std::string Word(auto value) { return std::string(Name(value)); }

KnowledgeRows PoolInfo(const PoolProblem& p, bool argmax_given) {
  const Windows& w = p.windows;
  return {{"dtype", Word(p.dtype)},
          {"layout", Word(p.layout)},
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
          {"rounding", Word(p.rounding)},
          {"nan", Word(p.nan)},
          {"argmax", Word(p.argmax)},
          {"argmax_given", argmax_given}};
}

KnowledgeRows MatmulInfo(const MatmulProblem& p) {
  return {
      {"dtype", Word(p.dtype)},       {"out", Word(p.out)},           {"m", p.m},      {"n", p.n}, {"k", p.k},
      {"transpose_a", p.transpose_a}, {"transpose_b", p.transpose_b}, {"hf32", p.hf32}};
}

ordered_json ValueJson(const KnowledgeValue& value) {
  return std::visit([](const auto& given) { return ordered_json(given); }, value);
}

template <class Problem, class Tiling>
KnowledgeParts PartsOf(std::span<const KnowledgeField<Problem, Tiling>> fields, const Problem& problem,
                       const Tiling& tiling) {
  ordered_json rest = ordered_json::parse(JsonOf(tiling));
  ordered_json knowledge;
  for (const KnowledgeField<Problem, Tiling>& field : fields) {
    ordered_json& to = knowledge[std::string(field.name)];
    if (!field.section.empty()) {
      ordered_json& section = rest.at(std::string(field.section));
      to = section.at(std::string(field.field));
      section.erase(std::string(field.field));
    } else {
      to = field.value == nullptr ? ordered_json(0) : ValueJson(field.value(problem, tiling));
    }
  }
  return {.knowledge = knowledge.dump(), .rest = rest.dump()};
}

template <class Problem, class Tiling>
std::string Whole(std::span<const KnowledgeField<Problem, Tiling>> fields, const KnowledgeParts& parts) {
  ordered_json text = ordered_json::parse(parts.rest);
  const ordered_json knowledge = ordered_json::parse(parts.knowledge);
  for (const KnowledgeField<Problem, Tiling>& field : fields) {
    if (!field.section.empty()) {
      text[std::string(field.section)][std::string(field.field)] = knowledge.at(std::string(field.name));
    }
  }
  return text.dump();
}

}  // namespace

bool operator==(const KnowledgeKey& a, const KnowledgeKey& b) {
  return a.op == b.op && std::ranges::is_permutation(a.info, b.info);
}

std::string TextOf(const KnowledgeKey& key) {
  std::string text = key.op;
  for (const KnowledgeRow& row : key.info) {
    text += std::visit([&](const auto& value) { return Say(" ", row.name, "=", value); }, row.value);
  }
  return text;
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

std::string PlainText(std::string_view what) {
  const size_t number_end = what.find("] ");
  return std::string(number_end == what.npos ? what : what.substr(number_end + 2));
}

KnowledgeParts PartsOf(const Case& problem, const AnyTiling& tiling) {
  if (const auto* const filter = std::get_if<FilterTiling>(&tiling)) {
    return PartsOf(FilterKnowledge(), ToFilterProblem(problem.conv()), *filter);
  }
  if (const auto* const input = std::get_if<InputTiling>(&tiling)) {
    return PartsOf(InputKnowledge(), ToInputProblem(problem.conv()), *input);
  }
  return {.knowledge = JsonOf(tiling), .rest = "{}"};
}

std::string JsonOf(const KnowledgeParts& parts, const Case& problem, std::string_view place) {
  if (!std::holds_alternative<ConvCase>(problem.problem)) {
    return parts.knowledge;
  }
  try {
    return problem.gradient() == ConvGradient::kFilter ? Whole(FilterKnowledge(), parts)
                                                       : Whole(InputKnowledge(), parts);
  } catch (const nlohmann::json::exception& error) {
    throw UserError(Say(place, ": its tiling: ", PlainText(error.what()), kMend));
  }
}

void RequireSameKnowledge(const KnowledgeParts& record, const KnowledgeParts& computed,
                          std::string_view place) {
  const ordered_json there = ordered_json::parse(record.knowledge);
  const ordered_json needed = ordered_json::parse(computed.knowledge);
  for (const auto& [name, value] : needed.items()) {
    const auto found = there.find(name);
    RequireUser(found != there.end(), place, ": knowledge lacks '", name, "'", kMend);
    RequireUser(*found == value, place, ": knowledge.", name, ": found ", found->dump(), ", must be ",
                value.dump(), ", which follows from the other fields", kMend);
  }
  for (const auto& [name, value] : there.items()) {
    RequireUser(needed.contains(name), place, ": knowledge has '", Shown(name),
                "', which a tiling of this operator has not", kMend);
  }
}

}  // namespace tilesim
