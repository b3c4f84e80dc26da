// What the tests of vector instructions share: random masks and strides, and a model that walks lane by lane.
#pragma once

#include <bit>
#include <functional>
#include <limits>

#include "sim/isa/vector_work.h"
#include "tests/sim/isa/isa_fixture.h"

namespace tilesim::isa {

// Thirds of UB, for operands that are to stay apart.
inline constexpr int64_t kThird = 64 * 1024;

class VectorCore : public TestCore {
 public:
  explicit VectorCore(const RunMode& mode = {.values = true, .time = true, .hazards = false})
      : TestCore(mode, {.kind = CoreKind::kAiv}) {
    (*this)->registers().ieee = true;
  }
  void FillUb(Random& random) {
    for (int64_t i = 0; i < soc().ub_bytes; i += 4) {
      const auto bits = static_cast<uint32_t>(random.engine());
      std::memcpy((*this)->ub() + i, &bits, sizeof(bits));
    }
  }
  Bytes Ub() { return Bytes((*this)->ub(), (*this)->ub() + soc().ub_bytes); }
};

inline LaneMask RandomMask(Random& random, int64_t lanes) {
  LaneMask mask = LaneMask::First(lanes);
  switch (random.Int(0, 4)) {
    case 0:
      return mask;
    case 1:
      return LaneMask::First(random.Int(0, lanes));
    case 2:  // every second or fourth lane
      for (uint64_t& word : mask.words) {
        word &= random.Coin() ? 0x5555'5555'5555'5555 : 0x1111'1111'1111'1111;
      }
      return mask;
    default:
      for (uint64_t& word : mask.words) {
        word &= (static_cast<uint64_t>(random.engine()) << 32 | random.engine());
      }
      return mask;
  }
}

inline VectorWork RandomWork(Random& random, int64_t lanes) {
  return random.Coin() ? WorkOfMask(RandomMask(random, lanes), lanes, random.Int(0, 7))
                       : WorkOfCount(lanes, random.Int(0, 6 * lanes));
}

// An operand that stays within a third of UB from `begin` on.
inline VectorOperand RandomOperand(Random& random, int64_t element_bits, int64_t begin, int64_t lanes) {
  const int64_t whole = lanes * element_bits / 8 / 32;  // blocks of a repeat
  return {.at = In(Memory::kUb, begin + random.Int(0, 40) * 32),
          .element_bits = element_bits,
          .block_stride = random.Coin() ? 1 : random.Int(1, 20),
          .repeat_stride = random.Coin() ? whole : random.Int(0, 30)};
}

inline uint64_t LaneAddress(const VectorOperand& operand, int64_t repeat, int64_t lane) {
  const int64_t per_block = 256 / operand.element_bits;
  return operand.at.begin +
         static_cast<uint64_t>((repeat * operand.repeat_stride + lane / per_block * operand.block_stride) *
                                   32 +
                               lane % per_block * operand.element_bits / 8);
}

// Calls f(repeat, lane) for each lane that is on, in order.
inline void ForLanes(const VectorWork& work, const std::function<void(int64_t, int64_t)>& f) {
  for (int64_t r = 0; r < work.repeats; ++r) {
    for (int64_t lane = 0; lane < work.lanes; ++lane) {
      if (work.MaskOf(r).Has(lane)) {
        f(r, lane);
      }
    }
  }
}

template <class T>
T Load(const Bytes& ub, uint64_t address) {
  T value;
  std::memcpy(static_cast<void*>(&value), ub.data() + address, sizeof(T));
  return value;
}
template <class T>
void Store(Bytes& ub, uint64_t address, T value) {
  std::memcpy(ub.data() + address, static_cast<const void*>(&value), sizeof(T));
}

// A number of a type, now and then one of its special values.
template <class T>
T RandomElement(Random& random) {
  if constexpr (std::is_integral_v<T>) {
    return random.Int(0, 3) == 0
               ? random.OneOf<T>({std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 0})
               : static_cast<T>(random.engine());
  } else {
    const float inf = std::numeric_limits<float>::infinity();
    switch (random.Int(0, 12)) {
      case 0:
        return T(random.OneOf<float>({inf, -inf, std::numeric_limits<float>::quiet_NaN()}));
      case 1:
        return T(random.OneOf<float>({0.0F, -0.0F, 1.0F, -1.0F}));
      case 2:  // subnormal, or as small
        return T(static_cast<float>(random.Real(-1e-6, 1e-6)));
      case 3:  // near the end of fp16
        return T(static_cast<float>(random.Real(-70000, 70000)));
      default:
        return T(static_cast<float>(random.Real(-4, 4)));
    }
  }
}
template <class T>
void FillElements(Random& random, std::byte* bytes, int64_t size_bytes) {
  for (int64_t at = 0; at < size_bytes; at += static_cast<int64_t>(sizeof(T))) {
    const T value = RandomElement<T>(random);
    std::memcpy(bytes + at, static_cast<const void*>(&value), sizeof(T));
  }
}

template <class T>
bool IsNan(T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return float(value) != float(value);
  }
}

// The first element where the two memories differ, -1 where none does. NaNs of different bits are alike.
template <class T>
int64_t FirstDifference(const Bytes& found, const Bytes& expected) {
  if (std::memcmp(found.data(), expected.data(), found.size()) == 0) {
    return -1;
  }
  for (uint64_t at = 0; at < found.size(); at += sizeof(T)) {
    const T a = Load<T>(found, at);
    const T b = Load<T>(expected, at);
    if (std::memcmp(&a, &b, sizeof(T)) != 0 && !(IsNan(a) && IsNan(b))) {
      return static_cast<int64_t>(at / sizeof(T));
    }
  }
  return -1;
}

// Which bytes of UB the regions of one use cover.
inline std::vector<bool> UbBytes(const Operands& operands, Use use, size_t size) {
  return Covered(operands, Memory::kUb, use, 0, size);
}

}  // namespace tilesim::isa
