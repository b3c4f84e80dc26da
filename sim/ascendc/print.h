// What a kernel prints: printf and DumpTensor. The text of a core comes in its program order, cores one after
// another (LaunchResult::printed; ICPU_RUN_KF writes it to stdout), each line behind "[AIV Block i/n] ",
// where i is GetBlockIdx and n the number of such cores. Nothing is printed where instructions do not
// compute, or with ASCENDC_DUMP 0. It takes no time and orders nothing: tensors are printed as program order
// has them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <type_traits>

#include "sim/ascendc/shape_info.h"
#include "sim/ascendc/tensor.h"
#include "sim/core/source_line.h"

#ifndef ASCENDC_DUMP
#define ASCENDC_DUMP 1
#endif

namespace AscendC {
namespace simulator {

// A value to print.
struct PrintValue {
  enum class Kind : uint8_t { kSigned, kUnsigned, kReal, kText, kPointer };

  template <class T>
  PrintValue(const T& value) {  // converts whatever printf is given
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>) {
      SetReal(static_cast<float>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      SetReal(static_cast<double>(value));
    } else if constexpr (std::is_enum_v<T>) {
      *this = PrintValue(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_integral_v<T>) {
      kind = std::is_signed_v<T> ? Kind::kSigned : Kind::kUnsigned;
      bits = static_cast<uint64_t>(static_cast<int64_t>(value));
    } else if constexpr (std::is_convertible_v<T, const char*>) {
      kind = Kind::kText;
      text = value;
    } else if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T> || std::is_array_v<T>) {
      kind = Kind::kPointer;
      bits = reinterpret_cast<uint64_t>(static_cast<const void*>(value));
    } else {  // a tensor's element, tensor(i)
      *this = PrintValue(static_cast<typename T::T>(value));
    }
  }

  Kind kind = Kind::kSigned;
  uint64_t bits = 0;
  double real = 0;
  const char* text = nullptr;

 private:
  void SetReal(double value) {
    kind = Kind::kReal;
    real = value;
  }
};

// A format, and the line that names it.
struct PrintFormat {
  PrintFormat(const char* format, tilesim::SourceLine line = tilesim::SourceLine::Here())
      : text(format), where(line) {}
  const char* text;
  tilesim::SourceLine where;
};

// The text of a format.
std::string FormatText(const char* format, std::initializer_list<PrintValue> values);

// Prints to the core that runs; outside of a launch to stdout. Gives the number of characters.
int Print(const PrintFormat& format, std::initializer_list<PrintValue> values);
// What DumpTensor prints: `count` elements from byte `begin` of a memory on.
struct Dump {
  const char* call = "DumpTensor";
  const char* number_name = "desc";
  uint32_t number = 0;
  tilesim::isa::Operand src;
  const char* type = "";
  PrintValue (*element)(const void*) = nullptr;
  uint32_t element_bytes = 0;
  uint32_t count = 0;
  const ShapeInfo* shape = nullptr;
};
void DumpElements(const Dump& dump, tilesim::SourceLine where);

template <class T>
constexpr const char* DumpTypeName() {
  constexpr bool kSigned = std::is_signed_v<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_same_v<T, half>) {
    return "float16";
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return "bfloat16";
  } else if constexpr (std::is_same_v<T, float>) {
    return "float32";
  } else {
    static_assert(std::is_integral_v<T>, "DumpTensor prints bool, whole numbers, half, bfloat16_t and float");
    return sizeof(T) == 1   ? (kSigned ? "int8" : "uint8")
           : sizeof(T) == 2 ? (kSigned ? "int16" : "uint16")
           : sizeof(T) == 4 ? (kSigned ? "int32" : "uint32")
                            : (kSigned ? "int64" : "uint64");
  }
}

template <class T>
PrintValue ElementAt(const void* bytes) {
  T value;
  __builtin_memcpy(static_cast<void*>(&value), bytes, sizeof(T));
  return value;
}
template <class T>
Dump DumpOf(const tilesim::isa::Operand& src, uint32_t number, uint32_t count) {
  return {.number = number,
          .src = src,
          .type = DumpTypeName<T>(),
          .element = ElementAt<T>,
          .element_bytes = sizeof(T),
          .count = count};
}
template <class T>
tilesim::isa::Operand DumpSource(const LocalTensor<T>& tensor) {
  tilesim::Core& core = ThisCore();
  return {.memory = tensor.memory(), .begin = OffsetOf(core, tensor, "src"), .limit = tensor.limit()};
}
template <class T>
tilesim::isa::Operand DumpSource(const GlobalTensor<T>& tensor) {
  return {.memory = tilesim::Memory::kGm, .begin = tensor.address(), .limit = tensor.limit()};
}
// Is the tensor in a memory of this core? A call on a core of the other kind prints nothing.
bool IsDumpedHere(tilesim::Memory memory);

template <class Tensor>
void DumpTensorOf(const Tensor& tensor, uint32_t desc, uint32_t count, const ShapeInfo* shape,
                  SourceLine where) {
  ThisCore().At("DumpTensor", tilesim::Pipe::kS, where);
  Dump dump = DumpOf<typename Tensor::PrimType>(DumpSource(tensor), desc, count);
  dump.shape = shape;
  DumpElements(dump, where);
}
template <class Tensor>
void DumpAccChkPointOf(const Tensor& tensor, uint32_t index, uint32_t offset, uint32_t count,
                       SourceLine where) {
  using T = typename Tensor::PrimType;
  ThisCore().At("DumpAccChkPoint", tilesim::Pipe::kS, where);
  Dump dump = DumpOf<T>(DumpSource(tensor), index, count);
  dump.call = "DumpAccChkPoint";
  dump.number_name = "index";
  dump.src.begin += uint64_t{offset} * sizeof(T);
  DumpElements(dump, where);
}

}  // namespace simulator

// %d %i %u %x %f %F %p %s, and what else C has for numbers; %x of a negative number has 64 bits. A conversion
// and its value must match, and a call gives 30 KB at most: a fault says where not, and printing goes on.
template <bool kOn = (ASCENDC_DUMP != 0), class... Values>
int PRINTF(simulator::PrintFormat format, const Values&... values) {
  if constexpr (kOn) {
    return simulator::Print(format, {simulator::PrintValue(values)...});
  }
  return 0;
}
template <bool kOn = (ASCENDC_DUMP != 0), class... Values>
int KernelPrintf(simulator::PrintFormat format, const Values&... values) {
  return PRINTF<kOn>(format, values...);
}

// A line that says what it is, and the first `dumpSize` elements behind it, in UB, L1, L0C or GM. `desc` is
// the kernel's own number; an address in GM is told from its buffer's start. With a shape: a row of its last
// dimension a line, "-" where there are no more elements; what is beyond it is left out.
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                SourceLine where = SourceLine::Here()) {
  if constexpr (kOn) {
    simulator::DumpTensorOf(tensor, desc, dumpSize, nullptr, where);
  }
}
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                SourceLine where = SourceLine::Here()) {
  if constexpr (kOn) {
    simulator::DumpTensorOf(tensor, desc, dumpSize, nullptr, where);
  }
}
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shape,
                SourceLine where = SourceLine::Here()) {
  if constexpr (kOn) {
    simulator::DumpTensorOf(tensor, desc, dumpSize, &shape, where);
  }
}
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shape,
                SourceLine where = SourceLine::Here()) {
  if constexpr (kOn) {
    simulator::DumpTensorOf(tensor, desc, dumpSize, &shape, where);
  }
}

// As DumpTensor, from element `countOff` on.
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                     SourceLine where = SourceLine::Here()) {
  if constexpr (kOn) {
    simulator::DumpAccChkPointOf(tensor, index, countOff, dumpSize, where);
  }
}
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                     SourceLine where = SourceLine::Here()) {
  if constexpr (kOn) {
    simulator::DumpAccChkPointOf(tensor, index, countOff, dumpSize, where);
  }
}

namespace simulator {

template <bool kOn, class T>
void DumpAt(tilesim::Memory memory, const T* begin, uint32_t desc, uint32_t count, SourceLine where) {
  if constexpr (kOn) {
    ThisCore().At("DumpTensor", tilesim::Pipe::kS, where);
    DumpElements(DumpOf<std::remove_cv_t<T>>(
                     {.memory = memory, .begin = reinterpret_cast<uint64_t>(begin), .limit = 0}, desc, count),
                 where);
  }
}
// The memory that a pointer points into: GM where it is in a buffer of the launch, else UB or L1.
tilesim::Memory MemoryAt(const void* pointer);

}  // namespace simulator
}  // namespace AscendC

// The same by pointer: of GM, UB, L1 and L0C. `asc_dump` takes one into GM, UB or L1, whichever it is.
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void asc_dump_gm(__gm__ T* begin, uint32_t desc, uint32_t count,
                 tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::simulator::DumpAt<kOn>(tilesim::Memory::kGm, begin, desc, count, where);
}
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void asc_dump_ubuf(__ubuf__ T* begin, uint32_t desc, uint32_t count,
                   tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::simulator::DumpAt<kOn>(tilesim::Memory::kUb, begin, desc, count, where);
}
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void asc_dump_l1buf(__cbuf__ T* begin, uint32_t desc, uint32_t count,
                    tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::simulator::DumpAt<kOn>(tilesim::Memory::kL1, begin, desc, count, where);
}
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void asc_dump_cbuf(__cc__ T* begin, uint32_t desc, uint32_t count,
                   tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::simulator::DumpAt<kOn>(tilesim::Memory::kL0C, begin, desc, count, where);
}
template <class T, bool kOn = (ASCENDC_DUMP != 0)>
void asc_dump(T* begin, uint32_t desc, uint32_t count,
              tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  AscendC::simulator::DumpAt<kOn>(AscendC::simulator::MemoryAt(begin), begin, desc, count, where);
}

// `printf`, with whatever namespace before it, is the kernel's: a template of that name would lose to the C
// library's where there is nothing but a format. Outside of a launch it prints as the library's does.
using AscendC::KernelPrintf;
namespace std {
using ::AscendC::KernelPrintf;
}
#undef printf
#define printf(...) KernelPrintf(__VA_ARGS__)
