// What the tests of instructions share: a core of the `unit` chip, memories as bytes, and words of faults.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "formats/half.h"
#include "sim/core/core.h"
#include "sim/core/gm.h"
#include "sim/core/gm_window.h"
#include "sim/core/interval_set.h"
#include "sim/core/replay.h"
#include "sim/isa/cube_type.h"
#include "sim/isa/operand.h"
#include "sim/soc/soc_config.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {

using Bytes = std::vector<std::byte>;

inline uint32_t Seed() {
  static const uint32_t kSeed = [] {
    const char* given = std::getenv("TILESIM_TEST_SEED");
    const uint32_t seed = given != nullptr ? static_cast<uint32_t>(std::stoul(given))
                                           : 20240229 + static_cast<uint32_t>(TestTurn());
    std::printf("TILESIM_TEST_SEED=%u\n", seed);
    return seed;
  }();
  return kSeed;
}

struct Random {
  std::mt19937 engine{Seed()};
  int64_t Int(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(engine);
  }
  bool Coin() { return Int(0, 1) != 0; }
  template <class T>
  T OneOf(std::initializer_list<T> values) {
    return *(values.begin() + Int(0, static_cast<int64_t>(values.size()) - 1));
  }
  double Real(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(engine);
  }
};

// The bits of a number in a cube type; and back.
inline uint32_t BitsOf(CubeType dtype, double value) {
  return dtype == DType::kFp16   ? Half(value).bits
         : dtype == DType::kBf16 ? BFloat16(value).bits
                                 : std::bit_cast<uint32_t>(static_cast<float>(value));
}
inline float ValueOf(CubeType dtype, uint32_t bits) {
  return dtype == DType::kFp16   ? float(Half::FromBits(static_cast<uint16_t>(bits)))
         : dtype == DType::kBf16 ? float(BFloat16::FromBits(static_cast<uint16_t>(bits)))
                                 : std::bit_cast<float>(bits);
}
inline uint32_t ElementAt(CubeType dtype, const std::byte* bytes, int64_t index) {
  const auto size = static_cast<size_t>(dtype.bits() / 8);
  uint32_t bits = 0;
  std::memcpy(&bits, bytes + static_cast<size_t>(index) * size, size);
  return bits;
}
inline void PutElement(CubeType dtype, std::byte* bytes, int64_t index, uint32_t bits) {
  const auto size = static_cast<size_t>(dtype.bits() / 8);
  std::memcpy(bytes + static_cast<size_t>(index) * size, &bits, size);
}

// A core alone, with GM buffers "gm" (registered) and modes to choose.
class TestCore {
 public:
  explicit TestCore(const RunMode& mode = {.values = true, .time = true, .hazards = false},
                    const CoreIdentity& identity = {}, int64_t gm_bytes = 1 << 20,
                    const std::vector<std::string>& settings = {})
      : soc_(LoadSoc("unit", settings)), gm_(static_cast<size_t>(gm_bytes)) {
    space_.Add({.name = "gm", .address = address(), .size_bytes = gm_.size()});
    core_ = std::make_unique<Core>(soc_, space_, written_, identity, mode);
    core_->ReachAll();  // tests look into its memories
  }

  Core& operator*() { return *core_; }
  Core* operator->() { return core_.get(); }
  const SocConfig& soc() const { return soc_; }
  Bytes& gm() { return gm_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(gm_.data()); }
  Operand Gm(int64_t offset = 0) const {
    return {.memory = Memory::kGm, .begin = address() + static_cast<uint64_t>(offset)};
  }

  template <class Op>
  void Issue(const Op& op) {
    core_->Issue(op, SourceLine::Here());
  }
  // Issues `op`; the time it takes on this part, alone and with what this core did before in L2.
  template <class Op>
  Cost CostOf(const Op& op) {
    struct Last : ClockObserver {
      Cost cost;
      void OnRun(const TimedRun& timed) override {
        cost = {.busy_cycles = timed.span.free - timed.span.start,
                .latency_cycles = timed.span.done - timed.span.free};
      }
    } last;
    Issue(op);
    LaunchRecording recording{.cores = {core_->identity()}, .recordings = {}, .buffer_bytes = {gm_.size()}};
    recording.recordings.push_back(core_->recording());
    Replay(recording, soc_, {}, &last);
    return last.cost;
  }
  // The words of the fault that `op` is, or "(no fault)".
  template <class Op>
  std::string FaultOf(const Op& op) {
    try {
      core_->Issue(op, {.file = "test", .line = ++last_line_});  // what is noted is noted once a line
    } catch (const KernelFault& fault) {
      return fault.what();
    }
    const std::vector<Fault> noted = core_->TakeNoted();
    return noted.empty() ? "(no fault)" : noted.front().Text();
  }

 private:
  int last_line_ = 0;
  SocConfig soc_;
  Bytes gm_;
  GmSpace space_;
  IntervalSet written_;
  std::unique_ptr<Core> core_;
};

inline Operand In(Memory memory, int64_t offset = 0, int64_t limit = 0) {
  return {.memory = memory, .begin = static_cast<uint64_t>(offset), .limit = static_cast<uint64_t>(limit)};
}

// Fills memory with finite numbers of a type.
inline void FillWith(Random& random, DType dtype, std::byte* bytes, int64_t elements, double most = 2.0) {
  for (int64_t i = 0; i < elements; ++i) {
    PutElement(dtype, bytes, i, BitsOf(dtype, random.Real(-most, most)));
  }
}

// The bytes of L0A or L0B as an instruction of `dtype` sees them, from what L0Memory says of its floats.
inline Bytes L0Bytes(L0Memory& memory, DType dtype) {
  const int64_t columns = static_cast<int64_t>(32 / SizeOf(dtype));
  Bytes bytes(static_cast<size_t>(memory.num_fractals() * 512));
  for (int64_t f = 0; f < memory.num_fractals(); ++f) {
    for (int64_t r = 0; r < 16; ++r) {
      for (int64_t k = 0; k < columns; ++k) {
        PutElement(dtype, bytes.data() + f * 512, r * columns + k,
                   BitsOf(dtype, memory.Fractal(f)[k * 16 + r]));
      }
    }
  }
  return bytes;
}

inline FractalType TypeFor(DType dtype) {
  return dtype == DType::kFp16   ? FractalType::kFp16
         : dtype == DType::kBf16 ? FractalType::kBf16
                                 : FractalType::kFp32;
}

inline void SetL0Bytes(L0Memory& memory, DType dtype, const Bytes& bytes) {
  const int64_t columns = static_cast<int64_t>(32 / SizeOf(dtype));
  for (int64_t f = 0; f < memory.num_fractals() && f * 512 < static_cast<int64_t>(bytes.size()); ++f) {
    memory.type(f) = TypeFor(dtype);
    for (int64_t r = 0; r < 16; ++r) {
      for (int64_t k = 0; k < columns; ++k) {
        memory.Fractal(f)[k * 16 + r] =
            ValueOf(dtype, ElementAt(dtype, bytes.data() + f * 512, r * columns + k));
      }
    }
  }
}

// Which of the bytes [begin, begin + size) the regions of one memory and use cover.
inline std::vector<bool> Covered(const Operands& operands, Memory memory, Use use, uint64_t begin,
                                 size_t size) {
  std::vector<bool> bytes(size);
  for (const Region& region : operands) {
    if (region.memory != memory || region.use != use) {
      continue;
    }
    for (uint64_t i = 0; i < region.outer_count * region.count; ++i) {
      const uint64_t block = region.begin - begin + i / region.count * region.outer_stride_bytes +
                             i % region.count * region.stride_bytes;
      for (uint64_t b = block; b < block + region.block_bytes; ++b) {
        bytes.at(b) = true;
      }
    }
  }
  return bytes;
}

// Calls f(name of the instruction set) with each that this machine can run in force.
template <class F>
void OnEachInstructionSet(F&& f) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    f(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace tilesim::isa
