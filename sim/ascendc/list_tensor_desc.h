// ListTensorDesc: a list of tensors in GM, which the host lays out; read by the scalar unit, word by word.
//
// The list, in words of 8 bytes: the bytes from its start to its pointers; a record for each tensor, all of
// one size: its number of dimensions in the low half of a word (of the first record, the number of tensors in
// the high half; where that is 0, it is the high half of the last record's word plus 1), then its extents;
// then a pointer for each tensor. A list of pointers alone has one record of two words with 0 dimensions.
#pragma once

#include <cstdint>

#include "sim/ascendc/tensor.h"
#include "sim/core/source_line.h"

namespace AscendC {

// One tensor of a list, as GetDesc fills it in.
template <class T>
class TensorDesc {
 public:
  // Where GetDesc puts the extents: of the kernel, as many words as there are dimensions. Before GetDesc.
  void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
  uint64_t GetDim() const { return dim_; }
  uint64_t GetIndex() const { return index_; }
  uint64_t GetShape(uint32_t dim, SourceLine where = SourceLine::Here()) const {
    tilesim::Core& core = simulator::ThisCore();
    core.At("TensorDesc::GetShape", tilesim::Pipe::kS, where);
    core.Require(shape_ != nullptr && dim < dim_, tilesim::FaultKind::kMisuse, "offset", "is ", dim,
                 ", the tensor has ", dim_, " dimensions",
                 shape_ == nullptr ? " and no place for them; call SetShapeAddr before GetDesc" : "");
    return shape_[dim];
  }
  T __gm__* GetDataPtr() const { return data_; }
  // Its size is that of the extents, in elements.
  GlobalTensor<T> GetDataObj() const {
    GlobalTensor<T> tensor;
    uint64_t elements = 1;
    for (uint64_t i = 0; shape_ != nullptr && i < dim_; ++i) {
      elements *= shape_[i];
    }
    shape_ != nullptr ? tensor.SetGlobalBuffer(data_, elements) : tensor.SetGlobalBuffer(data_);
    return tensor;
  }

 private:
  friend class ListTensorDesc;
  uint64_t* shape_ = nullptr;
  uint64_t dim_ = 0;
  uint64_t index_ = 0;
  T* data_ = nullptr;
};

class ListTensorDesc {
 public:
  ListTensorDesc() = default;
  // `length`: bytes of the list, `shapeSize`: its tensors; checked against the list where both are given.
  ListTensorDesc(void __gm__* data, uint32_t length = ~0U, uint32_t shapeSize = ~0U,
                 SourceLine where = SourceLine::Here()) {
    Init(data, length, shapeSize, where);
  }
  void Init(void __gm__* data, uint32_t length = ~0U, uint32_t shapeSize = ~0U,
            SourceLine where = SourceLine::Here());
  // Tensors of the list.
  uint32_t GetSize() const { return count_; }
  template <class T>
  void GetDesc(TensorDesc<T>& desc, uint32_t index, SourceLine where = SourceLine::Here()) {
    desc.dim_ = ReadShape(index, desc.shape_, where);
    desc.index_ = index;
    desc.data_ = GetDataPtr<T>(index, where);
  }
  template <class T>
  T __gm__* GetDataPtr(uint32_t index, SourceLine where = SourceLine::Here()) {
    return reinterpret_cast<T*>(ReadPointer(index, where));
  }

 private:
  uint64_t Word(uint64_t index, SourceLine where) const;
  void CheckIndex(const char* call, uint32_t index, SourceLine where) const;
  // The dimensions of a tensor, whose extents go to `shape`.
  uint64_t ReadShape(uint32_t index, uint64_t* shape, SourceLine where) const;
  uint64_t ReadPointer(uint32_t index, SourceLine where) const;

  uint64_t list_ = 0;  // host address
  uint32_t count_ = 0;
  uint64_t record_words_ = 0;
  uint64_t pointers_ = 0;  // words from the list's start
};

}  // namespace AscendC
