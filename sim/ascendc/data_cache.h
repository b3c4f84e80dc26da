// The scalar unit's cache of GM.
#pragma once

#include "sim/ascendc/tensor.h"
#include "sim/ascendc/vector_types.h"
#include "sim/core/source_line.h"
#include "sim/isa/scalar_access.h"

namespace AscendC {

// Writes it back and forgets it: the line of 64 bytes at the tensor's start, or all of it. What SetValue
// wrote to GM may be moved only after that.
template <class T, CacheLine line, DcciDst dst = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor, SourceLine where = SourceLine::Here()) {
  internal::ThisCore().Issue(tilesim::isa::ScalarCacheClean{.address = tensor.address(),
                                                            .all = line == CacheLine::ENTIRE_DATA_CACHE},
                             where);
}

}  // namespace AscendC
