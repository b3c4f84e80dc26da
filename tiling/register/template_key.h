#pragma once
// The tiling key of a kernel template: which value each of its parameters has, in 64 bits.
#include <cstdint>
#include <string>
#include <vector>

namespace tilesim {

// How the values of a whole-number parameter are listed.
enum class TemplateValues : uint8_t {
  kRanges,         // how many, then the first and the last value of each
  kList,           // each value
  kRangesAndList,  // as kRanges, then each further value
};

// A parameter as a kernel's header declares it.
struct TemplateParameter {
  enum class Kind : uint8_t {
    kNumber,  // has `bits`, which hold the place of the value in the declaration
    kFlag,    // has one bit
    kCode,    // of a type, a format or a kernel type: has 8 bits, which hold the code itself
  };
  // From here on a value of kCode is not a code: it stands for the type of an input or an output, whatever
  // that is.
  static constexpr uint64_t kLeastPlaceholder = 100000000;

  std::string name;
  Kind kind = Kind::kNumber;
  unsigned bits = 0;
  TemplateValues how = TemplateValues::kList;
  std::vector<uint64_t> values = {};  // as `how` says; of kFlag and kCode: each

  template <class... Values>
  static TemplateParameter Number(const char* name, unsigned bits, TemplateValues how, Values... values) {
    return {name, Kind::kNumber, bits, how, {static_cast<uint64_t>(values)...}};
  }
  template <class... Values>
  static TemplateParameter Flag(const char* name, Values... values) {
    return {name, Kind::kFlag, 1, TemplateValues::kList, {static_cast<uint64_t>(values)...}};
  }
  template <class... Values>
  static TemplateParameter Code(const char* name, Values... values) {
    return {name, Kind::kCode, 8, TemplateValues::kList, {static_cast<uint64_t>(values)...}};
  }
};

// All parameters of a kernel, in their order. Knows nothing of the kernel itself.
class TemplateKey {
 public:
  // What no combination of values has.
  static constexpr uint64_t kNone = ~uint64_t{0};

  // Throws UserError for ranges that are not pairs.
  TemplateKey(const char* op, std::vector<TemplateParameter> parameters);

  // The key of a value for each parameter: the first in the lowest bits. kNone where a value is not declared,
  // does not fit its bits, or all together need more than 64; throws UserError for another number of values.
  template <class... Values>
  [[nodiscard]] uint64_t Of(Values... values) const {
    return Encode({static_cast<uint64_t>(values)...});
  }

 private:
  [[nodiscard]] uint64_t Encode(const std::vector<uint64_t>& values) const;

  std::string op_;
  std::vector<TemplateParameter> parameters_;
};

}  // namespace tilesim
