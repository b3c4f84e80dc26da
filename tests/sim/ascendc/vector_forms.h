// Calls a vector instruction in each form that kernels call it in (a count; a mask by length, by bits, and
// left in the registers, in normal and in counter mode), over strides and numbers of repeats, and compares UB
// with what a plain walk over the lanes makes of it.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <type_traits>

#include "formats/error.h"
#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
inline constexpr int64_t kThird =
    62 * 1024;  // of UB, an operand each; Select keeps the last 8 KiB for itself
inline constexpr int64_t kCompared = 184 * 1024;
inline constexpr uint32_t kSeed = 20261121;

// Which lanes a call works on, and how it says so.
enum class Form : uint8_t { kCount, kLength, kBits, kRegisters, kCounter, kCounterRegisters };

struct Lanes {
  Form form = Form::kCount;
  int64_t count = 0;  // of all lanes, in the forms that count
  uint64_t bits[2] = {};
  uint64_t length = 0;
  uint8_t repeats = 0;
  AscendC::BinaryRepeatParams strides;

  [[nodiscard]] bool Counts() const {
    return form == Form::kCount || form == Form::kCounter || form == Form::kCounterRegisters;
  }
  [[nodiscard]] bool IsOn(int64_t lane) const {
    return form == Form::kLength ? lane < static_cast<int64_t>(length)
                                 : (bits[lane / 64] >> (lane % 64) & 1) != 0;
  }
  [[nodiscard]] std::string Text() const {
    return Say("form ", static_cast<int>(form), ", count ", count, ", length ", length, ", repeats ",
               int{repeats}, ", block strides ", int{strides.dstBlkStride}, " ", int{strides.src0BlkStride},
               " ", int{strides.src1BlkStride}, ", repeat strides ", int{strides.dstRepStride}, " ",
               int{strides.src0RepStride}, " ", int{strides.src1RepStride});
  }
};

// `lanes`: of a repeat.
inline Lanes RandomLanes(std::mt19937& random, Form form, int64_t lanes) {
  constexpr uint8_t kBlockStrides[] = {0, 1, 1, 2, 5};
  constexpr uint8_t kRepeatStrides[] = {0, 1, 4, 7, 8};
  constexpr uint8_t kRepeats[] = {0, 1, 2, 9, 30, 255};
  const auto one_of = [&](const auto& values) { return values[random() % std::size(values)]; };
  Lanes of;
  of.form = form;
  of.repeats = one_of(kRepeats);
  of.count = static_cast<int64_t>(random() % static_cast<uint64_t>(20 * lanes + 1));
  of.length = random() % static_cast<uint64_t>(lanes + 1);
  for (uint64_t& word : of.bits) {
    word = (static_cast<uint64_t>(random()) << 32 | random()) & (random() % 2 == 0 ? ~uint64_t{0} : random());
  }
  of.bits[1] = lanes > 64 ? of.bits[1] : 0;
  const uint8_t most = of.repeats == 255 && !of.Counts() ? 7 : 8;  // all of it within a third
  const auto repeat_stride = [&] { return std::min(one_of(kRepeatStrides), most); };
  if (form != Form::kCount) {
    of.strides = {one_of(kBlockStrides), one_of(kBlockStrides), one_of(kBlockStrides),
                  repeat_stride(),       repeat_stride(),       repeat_stride()};
  }
  return of;
}

// The byte of a lane, from the operand's start.
inline int64_t PlaceOf(int64_t repeat, int64_t lane, int64_t size, int64_t block_stride,
                       int64_t repeat_stride) {
  return repeat * repeat_stride * 32 + lane * size / 32 * 32 * block_stride + lane * size % 32;
}

// Calls f(repeat, lane) for each lane that is on, in order.
template <class F>
void ForLanes(const Lanes& of, int64_t lanes, F&& f) {
  const int64_t repeats = of.Counts() ? (of.count + lanes - 1) / lanes : int64_t{of.repeats};
  for (int64_t r = 0; r < repeats; ++r) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (of.Counts() ? r * lanes + lane < of.count : of.IsOn(lane)) {
        f(r, lane);
      }
    }
  }
}

[[gnu::noinline]] inline void LeaveMask() {
  AscendC::SetMaskNorm();
  AscendC::ResetMask();
}

// Puts the lanes into a call: counted(count) or masked(set mask?, mask, repeats, strides).
template <class T, class Counted, class Masked>
void Make(const Lanes& of, Counted&& counted, Masked&& call) {
  using SetsMask = std::true_type;
  using LeavesMask = std::false_type;
  Lanes lanes = of;
  switch (of.form) {
    case Form::kCount:
      counted(static_cast<int32_t>(of.count));
      break;
    case Form::kLength:
      call(SetsMask(), of.length, of.repeats, of.strides);
      break;
    case Form::kBits:
      call(SetsMask(), &lanes.bits[0], of.repeats, of.strides);
      break;
    case Form::kRegisters:
      AscendC::SetVectorMask<T>(of.bits[1], of.bits[0]);
      call(LeavesMask(), static_cast<uint64_t>(AscendC::MASK_PLACEHOLDER), of.repeats, of.strides);
      break;
    case Form::kCounter:
      AscendC::SetMaskCount();
      call(SetsMask(), static_cast<uint64_t>(of.count), uint8_t{1}, of.strides);
      break;
    case Form::kCounterRegisters:
      AscendC::SetMaskCount();
      AscendC::SetVectorMask<T, AscendC::MaskMode::COUNTER>(static_cast<int32_t>(of.count));
      call(LeavesMask(), static_cast<uint64_t>(AscendC::MASK_PLACEHOLDER), uint8_t{1}, of.strides);
      break;
  }
  LeaveMask();
}

// The strides of a call with one source.
inline AscendC::UnaryRepeatParams OfOne(const AscendC::BinaryRepeatParams& strides) {
  return {strides.dstBlkStride, strides.src0BlkStride, strides.dstRepStride, strides.src0RepStride};
}

using UbCopy = std::vector<std::byte>;

template <class T>
T At(const UbCopy& ub, int64_t at) {
  T value;
  std::memcpy(static_cast<void*>(&value), ub.data() + at, sizeof(T));
  return value;
}
template <class T>
void Put(UbCopy& ub, int64_t at, T value) {
  std::memcpy(ub.data() + at, static_cast<const void*>(&value), sizeof(T));
}

// Small whole numbers: every result is exact in every type.
template <class From, class To>
void FillUb(uint32_t seed, std::byte* ub) {
  const auto fill = [&](int64_t begin, int64_t end, auto zero) {
    constexpr int kValues = 61;
    decltype(zero) values[kValues];
    for (int i = 0; i < kValues; ++i) {
      if constexpr (std::is_integral_v<decltype(zero)>) {
        values[i] = static_cast<decltype(zero)>(i - kValues / 2);
      } else {
        values[i] = decltype(zero)(static_cast<float>(i - kValues / 2));
      }
    }
    for (int64_t at = begin; at < end; at += static_cast<int64_t>(sizeof(zero))) {
      seed = seed * 1664525 + 1013904223;
      std::memcpy(ub + at, static_cast<const void*>(&values[(seed >> 16) % kValues]), sizeof(zero));
    }
  };
  fill(0, kThird, To(0));
  fill(kThird, kCompared, From(0));
}

template <class To, class From>
using CallOnLanes =
    std::function<void(const Lanes&, const AscendC::LocalTensor<To>& dst,
                       const AscendC::LocalTensor<From>& src0, const AscendC::LocalTensor<From>& src1)>;
template <class To, class From>
using ValueOfLane = std::function<To(From src0, From src1, int64_t element, const UbCopy& ub)>;

// What is the same of all instructions of these types: see ExpectForms.
template <class To, class From>
void ExpectCalls(const char* name, std::initializer_list<Form> forms, const CallOnLanes<To, From>& call,
                 const ValueOfLane<To, From>& value) {
  SCOPED_TRACE(Say(name, ", seed ", kSeed));
  std::mt19937 random(kSeed);
  constexpr int64_t kLanes = 256 / static_cast<int64_t>(std::max(sizeof(To), sizeof(From)));
  for (const Form form : forms) {
    for (int round = 0; round < 4; ++round) {
      const Lanes of = RandomLanes(random, form, kLanes);
      const auto seed = static_cast<uint32_t>(random());
      std::string difference;
      const std::string faults = FaultsOn(
          [&] {
            AscendC::TPipe pipe;
            AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
            pipe.InitBuffer(buffer, kCompared);
            AscendC::simulator::ThisCore().ReachAll();
            std::byte* const ub = AscendC::simulator::ThisCore().ub();
            FillUb<From, To>(seed, ub);
            UbCopy expected(ub, ub + kCompared);
            ForLanes(of, kLanes, [&](int64_t r, int64_t lane) {
              const AscendC::BinaryRepeatParams& s = of.strides;
              constexpr bool kNarrowTo = sizeof(To) < sizeof(From);
              constexpr bool kNarrowFrom = sizeof(From) < sizeof(To);
              const bool counts = of.form == Form::kCount;
              const int64_t to =
                  PlaceOf(r, lane, sizeof(To), s.dstBlkStride, counts && kNarrowTo ? 4 : s.dstRepStride);
              const int64_t rep0 = counts && kNarrowFrom ? 4 : s.src0RepStride;
              const int64_t a = kThird + PlaceOf(r, lane, sizeof(From), s.src0BlkStride, rep0);
              const int64_t b = 2 * kThird + PlaceOf(r, lane, sizeof(From), s.src1BlkStride, s.src1RepStride);
              Put<To>(expected, to,
                      value(At<From>(expected, a), At<From>(expected, b), r * kLanes + lane, expected));
            });
            const AscendC::LocalTensor<To> dst = buffer.Get<To>();
            const AscendC::LocalTensor<From> all = buffer.Get<From>();
            const AscendC::LocalTensor<From> src0 = all[kThird / sizeof(From)];
            const AscendC::LocalTensor<From> src1 = all[2 * kThird / sizeof(From)];
            call(of, dst, src0, src1);
            if (std::memcmp(ub, expected.data(), expected.size()) != 0) {
              const UbCopy found(ub, ub + kCompared);
              const auto at = std::ranges::mismatch(found, expected).in1 - found.begin();
              difference = Say("byte ", at, " of UB differs");
            }
          },
          {.values = true, .time = true, .hazards = false});
      ASSERT_EQ(faults, "") << of.Text();
      ASSERT_EQ(difference, "") << of.Text();
    }
  }
}

// Runs counted(dst, src0, src1, count) and masked(set mask?, dst, src0, src1, mask, repeats, strides) on many
// lanes, and compares UB with what value(src0, src1, element, UB) makes of each lane's; `element` counts
// lanes from the first repeat on.
template <class To, class From, class Counted, class Masked>
void ExpectForms(const char* name, std::initializer_list<Form> forms, const Counted& counted,
                 const Masked& masked, const ValueOfLane<To, From>& value) {
  ExpectCalls<To, From>(
      name, forms,
      [&](const Lanes& of, const auto& dst, const auto& src0, const auto& src1) {
        Make<std::conditional_t<(sizeof(To) > sizeof(From)), To, From>>(
            of, [&](int32_t count) { counted(dst, src0, src1, count); },
            [&](auto sets, auto mask, uint8_t repeats, const AscendC::BinaryRepeatParams& strides) {
              masked(sets, dst, src0, src1, mask, repeats, strides);
            });
      },
      value);
}

inline constexpr std::initializer_list<Form> kAllForms = {
    Form::kCount, Form::kLength, Form::kBits, Form::kRegisters, Form::kCounter, Form::kCounterRegisters};
// Of instructions whose mask is written in any case.
inline constexpr std::initializer_list<Form> kFormsThatSetTheMask = {Form::kCount, Form::kLength, Form::kBits,
                                                                     Form::kCounter};
inline constexpr std::initializer_list<Form> kMaskForms = {Form::kLength, Form::kBits, Form::kRegisters};

}  // namespace tilesim
