// Element types, as host programs hand them to functions of the library.
#pragma once

#include <cstdint>

namespace ge {

// A unit that has these words as macros (sim/ascendc/type_macros.h) has their numbers.
enum DataType : int32_t {
#ifndef DT_FLOAT16
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_BOOL = 12,
  DT_BF16 = 27,
  DT_INT4 = 29,
#endif
};

}  // namespace ge

namespace AscendC {

using TensorDataType = ge::DataType;

namespace simulator {

// Of the types that reductions take; 4 for others.
constexpr uint32_t TypeBytes(ge::DataType type) {
  const auto number = static_cast<int32_t>(type);
  const bool of_a_byte = number == 2 || number == 4 || number == 12;
  const bool of_two = number == 1 || number == 6 || number == 7 || number == 27;
  return of_a_byte ? 1 : of_two ? 2 : 4;
}

}  // namespace simulator
}  // namespace AscendC
