// The shape and the element type of a tensor, as host programs hand it to functions of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ge {

// The published numbers of the types that kernels of this part have.
enum DataType {
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
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29
};

class Shape {
 public:
  Shape() = default;
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

  size_t GetDimNum() const { return dims_.size(); }
  // 0: there is no such axis.
  int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
  const std::vector<int64_t>& GetDims() const { return dims_; }
  // Elements; of a shape without axes none.
  int64_t GetShapeSize() const {
    int64_t size = dims_.empty() ? 0 : 1;
    for (const int64_t dim : dims_) {
      size *= dim;
    }
    return size;
  }

 private:
  std::vector<int64_t> dims_;
};

}  // namespace ge

namespace AscendC {
using TensorShape = ge::Shape;
}  // namespace AscendC
