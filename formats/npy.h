#ifndef TILESIM_FORMATS_NPY_H_
#define TILESIM_FORMATS_NPY_H_

// NumPy's .npy files, versions 1.0 to 3.0. Knows nothing of operators.
//
// Read: descr <f2, <f4, <f8, <i4, <i8, |u1, and <u2 as the bits of bf16, in C or Fortran order (which numpy
// writes for a transposed array); the values are given in C order. Big-endian and other types are refused.
// A value is taken over only if the type asked for holds it exactly: a float32 file is bf16 when every number
// in it is a bf16 number. Anything else is refused, naming the element: rounding is the caller's decision
// (`Rounded`), not the reader's. A file is refused with a UserError that says where, what was found, what is
// allowed and how to mend it: no such file, wrong magic or version, a header that does not parse, sizes that
// overflow, fewer or more bytes than the shape needs.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/tensor.h"

namespace tilesim {

// What the header of a file says.
struct NpyHeader {
  std::string descr;           // "<f4"
  bool fortran_order = false;  // the first index of the array is the fastest in the file, not the last
  std::vector<int64_t> shape;
  int64_t elements = 1;
  int64_t data_offset_bytes = 0;

  // The type the elements have without conversion; bf16 for <u2, nothing for <f8.
  [[nodiscard]] std::optional<DType> dtype() const;
};

// Checks the whole file but its values: the header, and that the data is as long as the shape says.
NpyHeader ReadNpyHeader(const std::string& path);

// The array as a tensor of that type and layout; the file's shape must be layout.StorageShape().
Tensor ReadNpy(const std::string& path, DType dtype, const Layout& layout);

// The values as doubles in C order; the file's shape must be `shape`. an int64 that no double holds is
// refused.
std::vector<double> ReadNpyDoubles(const std::string& path, std::span<const int64_t> shape);

// The tensor's storage, shape layout().StorageShape(), in C order, version 1.0: <f2, <f4, <i4, <i8, |u1; bf16
// as <f4, which holds it exactly. UserError when the file cannot be written.
void WriteNpy(const std::string& path, const Tensor& tensor);

}  // namespace tilesim

#endif  // TILESIM_FORMATS_NPY_H_
