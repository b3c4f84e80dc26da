#ifndef TILESIM_FORMATS_NPY_HEADER_H_
#define TILESIM_FORMATS_NPY_HEADER_H_

// The text in the header of a .npy file: a Python dictionary with the keys descr, fortran_order and shape.
// Knows no file but its name, for messages.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

struct NpyDictionary {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// UserError, beginning with `path`, on anything but the three keys once each, in any order.
NpyDictionary ParseNpyDictionary(std::string_view text, const std::string& path);

// "(2, 3)", "(5,)", "()": as Python writes it, which is what the header holds.
std::string ShapeText(const std::vector<int64_t>& shape);

}  // namespace tilesim

#endif  // TILESIM_FORMATS_NPY_HEADER_H_
