#include "ops/plans/plan.h"

#include <span>
#include <type_traits>

#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/elementwise/elementwise_planner.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/max_pool/pool_text.h"
#include "tiling/rearrange/rearrange_planner.h"
#include "tiling/tiling_text.h"

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

// A number by its name; of `section` where one is given.
std::optional<int64_t> Named(const void* data, std::span<const TilingField> fields, std::string_view name,
                             std::string_view section = {}) {
  for (const TilingField& field : fields) {
    if (field.name == name && field.words.empty() && (section.empty() || field.section == section)) {
      return static_cast<int64_t>(ReadField(data, field));
    }
  }
  return std::nullopt;
}

template <class Tiling>
std::optional<int64_t> FieldIn(const Tiling& tiling, std::string_view name) {
  return Named(&tiling.data, FieldsIn<decltype(tiling.data)>(), name);
}
std::optional<int64_t> FieldIn(const FilterTiling& tiling, std::string_view name) {
  return Named(&tiling.data, FieldsIn<Conv3DBackpropFilterTilingData>(), name, "dwTiling");
}
// The data's, or else the split's.
template <class Tiling>
std::optional<int64_t> FieldInBoth(const Tiling& tiling, std::string_view name) {
  const std::optional<int64_t> value = FieldIn<Tiling>(tiling, name);
  return value ? value : Named(&tiling.split, FieldsIn<decltype(tiling.split)>(), name);
}
std::optional<int64_t> FieldIn(const MaxPoolTiling& tiling, std::string_view name) {
  return FieldInBoth(tiling, name);
}
std::optional<int64_t> FieldIn(const MaxPoolGradTiling& tiling, std::string_view name) {
  return FieldInBoth(tiling, name);
}
std::optional<int64_t> FieldIn(const MatmulTiling& tiling, std::string_view name) {
  return FieldInBoth(tiling, name);
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

std::string JsonOf(const AnyTiling& tiling) {
  return Visit(tiling, std::string("null"), [](const auto& given) { return JsonOf(given); });
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
