#include "sim/ascendc/list_tensor_desc.h"

namespace AscendC {

using tilesim::Core;
using tilesim::FaultKind;
using tilesim::Pipe;

uint64_t ListTensorDesc::Word(uint64_t index, SourceLine where) const {
  return simulator::ReadElement<uint64_t>(
      simulator::ThisCore(), {.memory = tilesim::Memory::kGm, .begin = list_ + index * 8, .limit = 0}, where);
}

void ListTensorDesc::Init(void* data, uint32_t length, uint32_t shapeSize, SourceLine where) {
  list_ = reinterpret_cast<uint64_t>(data);
  const uint64_t pointer_bytes = Word(0, where);
  const uint64_t first = Word(1, where);
  Core& core = simulator::ThisCore();
  core.At("ListTensorDesc", Pipe::kS, where);
  core.Require(pointer_bytes % 8 == 0 && pointer_bytes > 8, FaultKind::kMisuse, "data",
               "says that its pointers ", "start at byte ", pointer_bytes,
               ", which is no list of tensors; give the list's start");
  const auto dim = static_cast<uint32_t>(first);
  pointers_ = pointer_bytes / 8;
  record_words_ = 1 + uint64_t{dim};
  count_ = static_cast<uint32_t>(first >> 32);
  if (dim == 0) {
    core.Require(pointer_bytes == 24, FaultKind::kMisuse, "data", "has tensors without dimensions, but its ",
                 "pointers start at byte ", pointer_bytes, ", not 24; lay the list out again");
    return;
  }
  if (count_ == 0) {
    count_ = static_cast<uint32_t>(Word(pointers_ - record_words_, where) >> 32) + 1;
  }
  core.At("ListTensorDesc", Pipe::kS, where);
  core.Require(pointers_ == 1 + count_ * record_words_, FaultKind::kMisuse, "data", "has ", count_,
               " tensors of ", dim, " dimensions, but its pointers start at byte ", pointer_bytes, ", not ",
               8 * (1 + count_ * record_words_), "; lay the list out again");
  if (length != ~0U && shapeSize != ~0U) {
    core.Require(shapeSize == count_ && length >= 8 * (pointers_ + count_), FaultKind::kMisuse, "shapeSize",
                 "is ", shapeSize, " and the length ", length, ", the list has ", count_, " tensors in ",
                 8 * (pointers_ + count_), " bytes; give these");
  }
}

void ListTensorDesc::CheckIndex(const char* call, uint32_t index, SourceLine where) const {
  Core& core = simulator::ThisCore();
  core.At(call, Pipe::kS, where);
  core.Require(list_ != 0, FaultKind::kMisuse, "list", "is empty; call Init first");
  core.Require(index < count_, FaultKind::kBounds, "index", "is ", index, ", the list has ", count_,
               " tensors");
}

uint64_t ListTensorDesc::ReadShape(uint32_t index, uint64_t* shape, SourceLine where) const {
  CheckIndex("GetDesc", index, where);
  Core& core = simulator::ThisCore();
  core.Require(record_words_ > 1, FaultKind::kMisuse, "list",
               "holds pointers only; use GetDataPtr, or lay it out with shapes");
  core.Require(shape != nullptr, FaultKind::kMisuse, "desc",
               "has no place for the extents; call SetShapeAddr before");
  const uint64_t record = 1 + index * record_words_;
  const uint64_t dim = static_cast<uint32_t>(Word(record, where));
  core.At("GetDesc", Pipe::kS, where);
  core.Require(dim < record_words_, FaultKind::kMisuse, "list", "has a tensor of ", dim,
               " dimensions among records of ", record_words_ - 1, "; lay it out with records of one size");
  for (uint64_t i = 0; i < dim; ++i) {
    shape[i] = Word(record + 1 + i, where);
  }
  return dim;
}

uint64_t ListTensorDesc::ReadPointer(uint32_t index, SourceLine where) const {
  CheckIndex("GetDataPtr", index, where);
  return Word(pointers_ + index, where);
}

}  // namespace AscendC
