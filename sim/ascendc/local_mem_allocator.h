// LocalMemAllocator: static tensors one behind the other, for kernels without a TPipe.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/tensor.h"
#include "sim/ascendc/types.h"
#include "sim/core/source_line.h"

namespace AscendC {

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

namespace simulator {

// Where tensors of a memory are when nobody says where.
constexpr TPosition PositionIn(Hardware hardware) {
  constexpr TPosition kPositions[] = {TPosition::GM, TPosition::VECCALC,   TPosition::A1,
                                      TPosition::A2, TPosition::B2,        TPosition::CO1,
                                      TPosition::C2, TPosition::C2PIPE2GM, TPosition::GM};
  return kPositions[static_cast<size_t>(hardware)];
}

template <class T>
concept TraitType = is_tensorTrait<T>::value;

}  // namespace simulator

// Starts at byte 0 of its memory and gives nothing back. Nothing is rounded: a tensor whose bytes are no
// multiple of 32 is refused, as every static tensor is.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
  static_assert(hard > Hardware::GM && hard < Hardware::MAX,
                "LocalMemAllocator is for the memories of a core");
  static constexpr TPosition kPosition = simulator::PositionIn(hard);

 public:
  // The first byte of the next tensor.
  uint32_t GetCurAddr() const { return address_; }

  template <class T>
  requires(!simulator::TraitType<T>) LocalTensor<T> Alloc(uint32_t tileSize,
                                                          SourceLine where = SourceLine::Here()) {
    return Alloc<kPosition, T>(tileSize, where);
  }
  template <TPosition pos, class T>
  LocalTensor<T> Alloc(uint32_t tileSize, SourceLine where = SourceLine::Here()) {
    static_assert(simulator::MemoryOf(pos) == simulator::MemoryOf(kPosition),
                  "the position lies in another memory than the allocator's");
    return Advance(LocalTensor<T>(pos, address_, tileSize, where));
  }
  template <class T, uint32_t tileSize>
  LocalTensor<T> Alloc(SourceLine where = SourceLine::Here()) {
    return Alloc<kPosition, T>(tileSize, where);
  }
  template <TPosition pos, class T, uint32_t tileSize>
  LocalTensor<T> Alloc(SourceLine where = SourceLine::Here()) {
    return Alloc<pos, T>(tileSize, where);
  }
  // The position and the size are the trait's.
  template <simulator::TraitType Trait>
  LocalTensor<Trait> Alloc(SourceLine where = SourceLine::Here()) {
    return Alloc<Trait>(typename Trait::LiteLayoutType(), where);
  }
  template <simulator::TraitType Trait, class L>
  requires is_layout_v<L> LocalTensor<Trait> Alloc(const L& layout, SourceLine where = SourceLine::Here()) {
    static_assert(simulator::MemoryOf(Trait::tPos) == simulator::MemoryOf(kPosition),
                  "the trait's position lies in another memory than the allocator's");
    return Advance(LocalTensor<Trait>(address_, layout, where));
  }

 private:
  template <class T>
  LocalTensor<T> Advance(LocalTensor<T> tensor) {
    address_ += tensor.GetLength();
    return tensor;
  }

  uint32_t address_ = 0;
};

}  // namespace AscendC
