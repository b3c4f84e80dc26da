#ifndef TILESIM_FORMATS_CONVERT_H_
#define TILESIM_FORMATS_CONVERT_H_

// Conversions of many elements at once between float and the 16-bit types, with the vector unit of the
// machine at hand. Bit for bit what the classes of formats/half.h give, NaN included. src and dst have the
// same number of elements and do not overlap; std::logic_error when the numbers differ.

#include <span>

#include "formats/half.h"

namespace tilesim {

void ConvertElements(std::span<const Half> src, std::span<float> dst);
void ConvertElements(std::span<const BFloat16> src, std::span<float> dst);
void ConvertElements(std::span<const float> src, std::span<Half> dst);
void ConvertElements(std::span<const float> src, std::span<BFloat16> dst);

}  // namespace tilesim

#endif  // TILESIM_FORMATS_CONVERT_H_
