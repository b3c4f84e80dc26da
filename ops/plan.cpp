#include "ops/plan.h"

#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>

#include "tiling/conv_backprop/filter_fields.h"
#include "tiling/conv_backprop/filter_text.h"
#include "tiling/conv_backprop/input_fields.h"
#include "tiling/conv_backprop/input_text.h"
#include "tiling/elementwise/elementwise_fields.h"
#include "tiling/matmul/matmul_fields.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/max_pool/max_pool_fields.h"
#include "tiling/max_pool/max_pool_grad_fields.h"
#include "tiling/max_pool/max_pool_grad_text.h"
#include "tiling/max_pool/max_pool_text.h"
#include "tiling/rearrange/rearrange_fields.h"
#include "tiling/tiling_bytes.h"

namespace tilesim {
namespace {

// f(tiling) of the alternative that is there, `otherwise` of none.
template <class F, class Result>
Result Visit(const AnyTiling& any, Result otherwise, F&& f) {
  return std::visit(
      [&]<class T>(const T& tiling) -> Result {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return otherwise;
        } else {
          return f(tiling);
        }
      },
      any);
}

template <class Data>
std::optional<int64_t> Named(const Data& data, const auto& fields, std::string_view section,
                             std::string_view name) {
  for (const auto& field : fields) {
    if (field.section == section && field.name == name) {
      return static_cast<int64_t>(Get(data, field));
    }
  }
  return std::nullopt;
}

std::optional<int64_t> FieldIn(const FilterTiling& tiling, std::string_view name) {
  return Named(tiling.data, FilterFields(), "dwTiling", name);
}
std::optional<int64_t> FieldIn(const InputTiling& tiling, std::string_view name) {
  return Named(tiling.data, InputFields(), "conv3DDxTiling", name);
}

std::optional<int64_t> Named(const void* data, std::span<const TilingField> fields, std::string_view name) {
  for (const TilingField& field : fields) {
    if (field.name == name) {
      return static_cast<int64_t>(ReadField(data, field));
    }
  }
  return std::nullopt;
}

template <class Split>
std::optional<int64_t> NamedOfSplit(const Split& split, const auto& fields, std::string_view name) {
  for (const auto& field : fields) {
    if (field.name == name) {
      return split.*field.member;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> FieldIn(const MaxPoolTiling& tiling, std::string_view name) {
  const std::optional<int64_t> value = Named(&tiling.data, MaxPoolFields(), name);
  return value ? value : NamedOfSplit(tiling.split, MaxPoolSplitFields(), name);
}
std::optional<int64_t> FieldIn(const MaxPoolGradTiling& tiling, std::string_view name) {
  const std::optional<int64_t> value = Named(&tiling.data, PoolGradFields(), name);
  return value ? value : NamedOfSplit(tiling.split, PoolGradSplitFields(), name);
}

std::optional<int64_t> FieldIn(const ElementwiseTiling& tiling, std::string_view name) {
  return Named(&tiling.data, ElementwiseFields(), name);
}
auto ToBytes(const ElementwiseTilingData& data) { return BytesOf(data, ElementwiseFields()); }
std::optional<int64_t> FieldIn(const RearrangeTiling& tiling, std::string_view name) {
  return Named(&tiling.data, RearrangeFields(), name);
}
auto ToBytes(const RearrangeTilingData& data) { return BytesOf(data, RearrangeFields()); }

std::optional<int64_t> FieldIn(const MatmulTiling& tiling, std::string_view name) {
  const std::optional<int64_t> value = Named(&tiling.data, MatmulFields(), name);
  return value ? value : NamedOfSplit(tiling.split, MatmulSplitFields(), name);
}

template <class Tiling>
int64_t CoresOf(const Tiling& tiling) {
  return tiling.split.used_cores;
}
int64_t CoresOf(const MaxPoolGradTiling& tiling) { return LaunchedCores(tiling); }

std::string_view StrategyIn(const auto& tiling) { return Name(tiling.split.strategy); }
std::string_view StrategyIn(const MatmulTiling& tiling) { return Name(tiling.split.order); }

}  // namespace

int64_t Plan::UsedCores() const {
  return Visit(tiling, int64_t{0}, [](const auto& given) { return CoresOf(given); });
}

nlohmann::ordered_json ToJson(const AnyTiling& tiling) {
  return Visit(tiling, nlohmann::ordered_json(nullptr), [](const auto& given) { return ToJson(given); });
}

std::vector<std::byte> ToBytes(const AnyTiling& tiling) {
  return Visit(tiling, std::vector<std::byte>(), []<class T>(const T& given) {
    if constexpr (std::is_same_v<T, MaxPoolGradTiling>) {
      return ToBytes(given);  // maybe of two phases
    } else {
      const auto bytes = ToBytes(given.data);
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    }
  });
}

std::optional<int64_t> FieldOf(const AnyTiling& tiling, std::string_view name) {
  return Visit(tiling, std::optional<int64_t>(), [&](const auto& given) { return FieldIn(given, name); });
}

std::string_view StrategyOf(const AnyTiling& tiling) {
  return Visit(tiling, std::string_view(), [](const auto& given) { return StrategyIn(given); });
}

}  // namespace tilesim
