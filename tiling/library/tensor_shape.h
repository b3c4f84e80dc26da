// The shape of a tensor, as host programs hand it to functions of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ge {

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
