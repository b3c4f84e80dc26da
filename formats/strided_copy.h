#ifndef TILESIM_FORMATS_STRIDED_COPY_H_
#define TILESIM_FORMATS_STRIDED_COPY_H_

// Copies a box of elements from one set of strides to another: runs where both sides are contiguous along the
// same loop, blocked transposition where each is contiguous along its own. Knows no layout and no data type.

#include <cstddef>

#include "formats/walk.h"

namespace tilesim {

// src and dst are the storages the box's offsets count from; element_bytes is 1, 2, 4 or 8. They do not
// overlap.
void CopyBox(const Box& box, size_t element_bytes, const std::byte* src, std::byte* dst);

}  // namespace tilesim

#endif  // TILESIM_FORMATS_STRIDED_COPY_H_
