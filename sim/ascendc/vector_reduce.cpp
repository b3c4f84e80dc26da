#include "sim/ascendc/vector_reduce.h"

#include <algorithm>
#include <array>
#include <optional>

#include "formats/units.h"
#include "sim/ascendc/api_state.h"
#include "sim/ascendc/tpipe.h"
#include "sim/isa/scalar_access.h"

namespace AscendC::simulator {
namespace {

using tilesim::AlignUp;
using tilesim::CeilDiv;
using tilesim::FaultKind;
using tilesim::isa::LaneMask;
using tilesim::isa::Operand;
using tilesim::isa::RequireRange;
using tilesim::isa::Unsigned;
using tilesim::isa::VectorOperand;
using tilesim::isa::VectorReduce;
using tilesim::isa::VectorWork;
using tilesim::isa::WorkOfMask;

constexpr int64_t kMostRepeats = 255;  // of an instruction
constexpr const char* kScratch = "sharedTmpBuffer";

Operand Behind(Operand operand, int64_t bytes) {
  operand.begin += Unsigned(bytes);
  return operand;
}
VectorOperand Behind(VectorOperand operand, int64_t bytes) {
  operand.at = Behind(operand.at, bytes);
  return operand;
}

// The values of pairs of a value and an index.
LaneMask ValuesOf(int64_t elements) {
  constexpr uint64_t kEverySecond = 0x5555'5555'5555'5555;
  const LaneMask all = LaneMask::First(elements);
  return {{all.words[0] & kEverySecond, all.words[1] & kEverySecond}};
}

// The steps of a sequence.
struct SequenceSteps : ReduceSequence {
  [[nodiscard]] int64_t Lanes() const { return tilesim::isa::LanesOfRepeat(type); }
  [[nodiscard]] int64_t ElementBytes() const { return tilesim::isa::ElementBits(type) / 8; }
  [[nodiscard]] int64_t ResultElements() const { return op == ReduceOp::kSum ? 1 : 2; }
  void WriteLanes(const LaneMask& mask) { WriteMask(core, mask.words[1], mask.words[0]); }

  Operand InScratch(int64_t element) const { return Behind(scratch, element * ElementBytes()); }

  uint64_t Read(const Operand& from, int64_t element) {
    uint64_t bits = 0;
    core.Issue(
        tilesim::isa::ScalarRead{
            .src = Behind(from, element * ElementBytes()), .element_bytes = ElementBytes(), .bits = &bits},
        where);
    return bits;
  }

  void Write(const Operand& to, int64_t element, uint64_t bits,
             std::optional<tilesim::ResultRegister> carries = std::nullopt) {
    core.Issue(tilesim::isa::ScalarWrite{.dst = Behind(to, element * ElementBytes()),
                                         .element_bytes = ElementBytes(),
                                         .bits = bits,
                                         .carries = carries},
               where);
  }

  // Sets an event that is free, and waits for it.
  void Order(HardEvent event) {
    const TPipe* const pipe = State(core).pipe;
    const TEventID id = pipe == nullptr ? 0 : pipe->FetchEventID(event);
    const PipePair pipes = PipesOf(event);
    core.SetFlag(pipes.src, pipes.dst, id, where);
    core.WaitFlag(pipes.src, pipes.dst, id, where);
  }

  void CheckOperands(bool with_index) {
    using tilesim::Memory;
    tilesim::isa::RequireType(core, type, {tilesim::isa::VectorType::kFp16, tilesim::isa::VectorType::kFp32});
    tilesim::isa::RequireUb(core, "src", src);
    tilesim::isa::RequireMemory(core, "dst", dst, Memory::kUb, Memory::kUb);
    const uint64_t align = Unsigned(ElementBytes()) * (with_index ? 2 : 1);
    core.Require(dst.begin % align == 0, FaultKind::kAlignment, "dst", "its address ", dst.begin,
                 " in UB must be a multiple of the ", align, " bytes of the result");
    const uint64_t end = dst.begin + align;
    core.Require(dst.limit == 0 || end <= dst.limit, FaultKind::kBounds, "dst", "its ", align, " bytes from ",
                 dst.begin, " on pass the end of the tensor's buffer at ", dst.limit, "; it holds the result",
                 with_index ? " and its index" : "");
  }

  // A result for each repeat, one behind the other, from `to` on; in parts of 255 repeats.
  void EachRepeat(const VectorOperand& from, const char* from_name, const VectorWork& work, const Operand& to,
                  const char* to_name) {
    for (int64_t first = 0; first < work.repeats; first += kMostRepeats) {
      VectorWork part = work;
      part.repeats = std::min(kMostRepeats, work.repeats - first);
      part.last_mask = first + part.repeats == work.repeats ? work.last_mask : work.mask;
      part.elements =
          work.elements < 0 ? -1 : std::min(work.elements - first * work.lanes, kMostRepeats * work.lanes);
      VectorReduce on{.call = ReduceCall::kSequence,
                      .op = op,
                      .src = Behind(from, first * from.RepeatBytes()),
                      .dst = Behind(to, first * ResultElements() * ElementBytes()),
                      .type = type,
                      .work = part};
      on.dst_name = to_name;
      on.src_name = from_name;
      IssueReduce(core, on, where);
    }
  }

  void SumOfCount(int64_t count, bool set_mask) {
    CheckOperands(false);
    VectorWork work;
    if (set_mask) {
      RequireRange(core, "count", count, 0, INT32_MAX, "give a number of elements");
      WriteMaskMode(core, true);
      WriteMask(core, 0, Unsigned(count));
      work = tilesim::isa::WorkOfCount(Lanes(), count);
    } else {
      work = WorkOfRegisters(core, Lanes(), 1);
    }
    VectorReduce on{.call = ReduceCall::kSequence, .op = op, .src = src, .type = type, .work = work};
    on.accumulates = true;
    IssueReduce(core, on, where);
    if (set_mask) {
      WriteMaskMode(core, false);
      WriteMask(core, ~uint64_t{0}, ~uint64_t{0});
    }
    if (work.IsNop()) {
      return;
    }
    Order(HardEvent::V_S);
    uint32_t sum_bits = 0;
    core.Issue(
        tilesim::isa::ReadReduced{
            .call = ReduceReadOut::kSequence, .type = type, .value_bits = &sum_bits, .index = nullptr},
        where);
    Write(dst, 0, sum_bits, tilesim::ResultRegister::kSum);
    OrderBehindResult();
  }

  void WriteResult(uint64_t value_bits, bool with_index, uint64_t index) {
    Write(dst, 0, value_bits);
    if (with_index) {
      Write(dst, 1, index);
    }
    OrderBehindResult();
  }

  void OrderBehindResult() {
    Order(HardEvent::S_V);
    Order(HardEvent::S_MTE3);
  }

  void OfMaskRegisters(int64_t repeats, int64_t src_stride, bool with_index) {
    CheckOperands(with_index);
    RequireRange(core, "repeat", repeats, 0, INT32_MAX, "give a number of repeats");
    RequireRange(core, "srcRepStride", src_stride, 0, UINT16_MAX, "reduce in parts");
    src.repeat_stride = src_stride;
    const tilesim::VectorRegisters& registers = core.registers().vector;
    const LaneMask mask{{registers.mask_low, registers.mask_high}};
    if (repeats == 0 || mask.Empty()) {
      return;
    }
    if (op != ReduceOp::kSum) {
      BestOfRepeats(mask, repeats, with_index);
      return;
    }
    RequireRange(core, "repeat", repeats, 0, Lanes() * Lanes(), "sums of sums of sums hold no more");
    EachRepeat(src, "src", WorkOfMask(mask, Lanes(), repeats), scratch, kScratch);
    SumOfRepeats(repeats);
  }

  void SumOfRepeats(int64_t repeats) {
    const VectorOperand sums{.at = scratch, .element_bits = ElementBytes() * 8};
    const int64_t sums_of_sums = CeilDiv(repeats, Lanes());
    if (repeats > 1) {
      core.Barrier(tilesim::Pipe::kV, where);
      WriteMaskMode(core, true);
      WriteMask(core, 0, Unsigned(repeats));
      EachRepeat(sums, kScratch, tilesim::isa::WorkOfCount(Lanes(), repeats), scratch, kScratch);
      WriteMaskMode(core, false);
    }
    if (sums_of_sums > 1) {
      core.Barrier(tilesim::Pipe::kV, where);
      const LaneMask mask = LaneMask::First(sums_of_sums);
      WriteLanes(mask);
      EachRepeat(sums, kScratch, WorkOfMask(mask, Lanes(), 1), dst, "dst");
      return;
    }
    Order(HardEvent::V_S);
    WriteResult(Read(scratch, 0), false, 0);
  }

  void PairsOfPairs(int64_t elements, const Operand& from, const Operand& to, const char* to_name) {
    core.Barrier(tilesim::Pipe::kV, where);
    const VectorOperand pairs{.at = from, .element_bits = ElementBytes() * 8};
    const int64_t whole = elements / Lanes();
    if (whole > 0) {
      WriteLanes(ValuesOf(Lanes()));
      EachRepeat(pairs, kScratch, WorkOfMask(ValuesOf(Lanes()), Lanes(), whole), to, to_name);
    }
    if (const int64_t rest = elements % Lanes(); rest > 0) {
      WriteLanes(ValuesOf(rest));
      EachRepeat(Behind(pairs, whole * pairs.RepeatBytes()), kScratch, WorkOfMask(ValuesOf(rest), Lanes(), 1),
                 Behind(to, whole * 2 * ElementBytes()), to_name);
    }
  }

  // Of src, to dst, where the mask is in the registers.
  void BestOfRepeats(const LaneMask& mask, int64_t repeats, bool with_index) {
    const VectorWork work = WorkOfMask(mask, Lanes(), repeats);
    const int64_t repeat_elements = src.RepeatBytes() / ElementBytes();
    if (with_index && type == tilesim::isa::VectorType::kFp16) {
      const int64_t lanes = mask.IsPrefix() ? mask.Leading() : Lanes();
      const int64_t last = (repeats - 1) * repeat_elements + lanes - 1;
      core.Require(last <= UINT16_MAX, FaultKind::kLimit, "dst", "the place of an element may be ", last,
                   ", which an index of 16 bits does not hold; reduce in parts");
    }
    if (repeats == 1 && with_index) {
      EachRepeat(src, "src", work, dst, "dst");
      return;
    }
    EachRepeat(src, "src", work, scratch, kScratch);
    // Where each pass leaves its pairs: to trace an index back they stay; a fourth pass leaves one, in dst.
    std::array<Operand, 4> passes = {scratch};
    size_t last = 0;
    int64_t used = AlignUp(2 * repeats, 32 / ElementBytes());
    for (int64_t elements = 2 * repeats; elements > 2; ++last) {
      const int64_t left = 2 * CeilDiv(elements, Lanes());
      const bool to_dst = with_index && last + 2 == passes.size();
      passes[last + 1] = !with_index ? scratch : to_dst ? dst : InScratch(used);
      PairsOfPairs(elements, passes[last], passes[last + 1], to_dst ? "dst" : kScratch);
      used += AlignUp(left, 32 / ElementBytes());
      elements = left;
    }
    Order(HardEvent::V_S);
    const uint64_t value_bits = Read(passes[last], 0);
    if (!with_index) {
      WriteResult(value_bits, false, 0);
      return;
    }
    auto place = static_cast<int64_t>(Read(passes[last], 1));
    for (; last > 0; --last) {  // `place` is that of a value in the pass before
      const auto in_repeat = static_cast<int64_t>(Read(passes[last - 1], place + 1));
      place = place / 2 * (last == 1 ? repeat_elements : Lanes()) + in_repeat;
    }
    WriteResult(value_bits, true, Unsigned(place));
  }

  void BestOfCount(int64_t count, bool with_index) {
    RequireNormalMode();
    CheckOperands(with_index);
    const bool narrow = with_index && type == tilesim::isa::VectorType::kFp16;
    RequireRange(core, "count", count, 0, narrow ? UINT16_MAX + 1 : INT32_MAX,
                 "its index would not fit into an element: reduce in parts");
    const int64_t whole = count / Lanes();
    const int64_t tail = count % Lanes();
    if (count == 0) {
      return;
    }
    const LaneMask mask = LaneMask::First(whole > 0 ? Lanes() : tail);
    WriteLanes(mask);
    BestOfRepeats(mask, whole > 0 ? whole : 1, with_index);
    if (whole > 0 && tail > 0) {
      BestOfTail(whole, tail, with_index);
    }
  }

  // dst holds the best of the whole repeats. It stays where the tail's is no better: it is the first of two.
  void BestOfTail(int64_t repeats, int64_t tail, bool with_index) {
    if (repeats == 1 && with_index) {
      Order(HardEvent::V_S);
    }
    const uint64_t body_bits = Read(dst, 0);
    const uint64_t body_place = with_index ? Read(dst, 1) : 0;
    Order(HardEvent::S_V);
    const auto best_to_scratch = [&](const LaneMask& mask, const VectorOperand& from, const char* name) {
      WriteLanes(mask);
      EachRepeat(from, name, WorkOfMask(mask, Lanes(), 1), scratch, kScratch);
      Order(HardEvent::V_S);
    };
    best_to_scratch(LaneMask::First(tail), Behind(src, repeats * src.RepeatBytes()), "src");
    const uint64_t tail_bits = Read(scratch, 0);
    const uint64_t tail_place = Read(scratch, 1);
    Write(scratch, 0, body_bits);
    Write(scratch, 1, tail_bits);
    Order(HardEvent::S_V);
    best_to_scratch(LaneMask::First(2), {.at = scratch, .element_bits = ElementBytes() * 8}, kScratch);
    const uint64_t value_bits = Read(scratch, 0);
    const bool is_of_tail = Read(scratch, 1) == 1;
    WriteResult(value_bits, with_index, is_of_tail ? Unsigned(repeats * Lanes()) + tail_place : body_place);
  }
};

}  // namespace

void ReduceSequence::RequireNormalMode() const {
  core.Require(!core.registers().vector.counter, FaultKind::kMisuse, "mask mode",
               "is counter mode, in which this sequence of instructions makes no sense; call SetMaskNorm "
               "first, or use the form with a count");
}

void ReduceSequence::SumOfCount(int64_t count, bool set_mask) const {
  SequenceSteps{*this}.SumOfCount(count, set_mask);
}

void ReduceSequence::BestOfCount(int64_t count, bool with_index) const {
  SequenceSteps{*this}.BestOfCount(count, with_index);
}

void ReduceSequence::OfMaskRegisters(int64_t repeats, int64_t src_stride, bool with_index) const {
  SequenceSteps{*this}.OfMaskRegisters(repeats, src_stride, with_index);
}

}  // namespace AscendC::simulator
