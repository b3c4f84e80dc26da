// The element types as which kernels look at GM, kept while somebody asks for them.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "sim/ascendc/types.h"

namespace AscendC::simulator {

// The kernel looks at what begins there as elements of this type.
void NoteGmType(uint64_t address, std::string_view type);
template <class T>
void NoteGmType(uint64_t address) {
  NoteGmType(address, NameOfType<T>());
}

// As long as it lives, types are kept. One at a time.
class GmTypesAsked {
 public:
  GmTypesAsked();
  GmTypesAsked(const GmTypesAsked&) = delete;
  GmTypesAsked& operator=(const GmTypesAsked&) = delete;
  ~GmTypesAsked();
  // Those of what begins in [begin, end): "half", "float", "int32_t", ...; "another type" is one, too.
  [[nodiscard]] std::set<std::string_view> Of(uint64_t begin, uint64_t end) const;
};

}  // namespace AscendC::simulator
