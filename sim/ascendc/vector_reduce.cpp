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
using tilesim::isa::Behind;
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

// The values of pairs of a value and an index.
LaneMask ValuesOf(int64_t elements) {
  constexpr uint64_t kEverySecond = 0x5555'5555'5555'5555;
  const LaneMask all = LaneMask::First(elements);
  return {{all.words[0] & kEverySecond, all.words[1] & kEverySecond}};
}

int64_t Lanes(const ReduceSequence& on) { return tilesim::isa::LanesOfRepeat(on.type); }
int64_t ElementBytes(const ReduceSequence& on) { return tilesim::isa::ElementBits(on.type) / 8; }
int64_t ResultElements(const ReduceSequence& on) { return on.op == ReduceOp::kSum ? 1 : 2; }

uint64_t ReadElement(const ReduceSequence& on, const Operand& from, int64_t element) {
  uint64_t bits = 0;
  on.core.Issue(
      tilesim::isa::ScalarRead{
          .src = Behind(from, element * ElementBytes(on)), .element_bytes = ElementBytes(on), .bits = &bits},
      on.where);
  return bits;
}

void WriteElement(const ReduceSequence& on, const Operand& to, int64_t element, uint64_t bits,
                  std::optional<tilesim::ResultRegister> carries = std::nullopt) {
  on.core.Issue(tilesim::isa::ScalarWrite{.dst = Behind(to, element * ElementBytes(on)),
                                          .element_bytes = ElementBytes(on),
                                          .bits = bits,
                                          .carries = carries},
                on.where);
}

// Sets an event that is free, and waits for it.
void Order(const ReduceSequence& on, HardEvent event) {
  const TPipe* const pipe = State(on.core).pipe;
  const TEventID id = pipe == nullptr ? 0 : pipe->FetchEventID(event);
  const PipePair pipes = PipesOf(event);
  on.core.SetFlag(pipes.src, pipes.dst, id, on.where);
  on.core.WaitFlag(pipes.src, pipes.dst, id, on.where);
}

void WriteResult(const ReduceSequence& on, uint64_t value_bits, bool with_index, uint64_t index) {
  WriteElement(on, on.dst, 0, value_bits);
  if (with_index) {
    WriteElement(on, on.dst, 1, index);
  }
  Order(on, HardEvent::S_V);
  Order(on, HardEvent::S_MTE3);
}

void CheckOperands(const ReduceSequence& on, bool with_index) {
  using tilesim::Memory;
  tilesim::isa::RequireType(on.core, on.type, tilesim::isa::kReducible);
  tilesim::isa::RequireUb(on.core, "src", on.src);
  tilesim::isa::RequireMemory(on.core, "dst", on.dst, Memory::kUb, Memory::kUb);
  const uint64_t align = Unsigned(ElementBytes(on)) * (with_index ? 2 : 1);
  on.core.Require(on.dst.begin % align == 0, FaultKind::kAlignment, "dst", "its address ", on.dst.begin,
                  " in UB must be a multiple of the ", align, " bytes of the result");
  const uint64_t end = on.dst.begin + align;
  on.core.Require(on.dst.limit == 0 || end <= on.dst.limit, FaultKind::kBounds, "dst", "its ", align,
                  " bytes from ", on.dst.begin, " on pass the end of the tensor's buffer at ", on.dst.limit,
                  "; it holds the result", with_index ? " and its index" : "");
}

// A result for each repeat, one behind the other, from `to` on; in parts of 255 repeats.
void EachRepeat(const ReduceSequence& on, const VectorOperand& from, const char* from_name,
                const VectorWork& work, const Operand& to, const char* to_name) {
  for (int64_t first = 0; first < work.repeats; first += kMostRepeats) {
    const int64_t repeats = std::min(kMostRepeats, work.repeats - first);
    const LaneMask& last_mask = first + repeats == work.repeats ? work.last_mask : work.mask;
    VectorReduce step{.call = ReduceCall::kSequence,
                      .op = on.op,
                      .src = Behind(from, first * from.RepeatBytes()),
                      .dst = Behind(to, first * ResultElements(on) * ElementBytes(on)),
                      .type = on.type,
                      .work = tilesim::isa::WorkOfMasks(work.mask, last_mask, work.lanes, repeats)};
    step.dst_name = to_name;
    step.src_name = from_name;
    IssueReduce(on.core, step, on.where);
  }
}

void EachRepeatOf(const ReduceSequence& on, const LaneMask& mask, int64_t repeats, const VectorOperand& from,
                  const char* from_name, const Operand& to, const char* to_name) {
  WriteMask(on.core, mask);
  EachRepeat(on, from, from_name, WorkOfMask(mask, Lanes(on), repeats), to, to_name);
}

void SumOfRepeats(const ReduceSequence& on, int64_t repeats) {
  const VectorOperand sums{.at = on.scratch, .element_bits = ElementBytes(on) * 8};
  const int64_t sums_of_sums = CeilDiv(repeats, Lanes(on));
  if (repeats > 1) {
    on.core.Barrier(tilesim::Pipe::kV, on.where);
    WriteMaskMode(on.core, true);
    WriteMask(on.core, 0, Unsigned(repeats));
    EachRepeat(on, sums, kScratch, tilesim::isa::WorkOfCount(Lanes(on), repeats), on.scratch, kScratch);
    WriteMaskMode(on.core, false);
  }
  if (sums_of_sums > 1) {
    on.core.Barrier(tilesim::Pipe::kV, on.where);
    return EachRepeatOf(on, LaneMask::First(sums_of_sums), 1, sums, kScratch, on.dst, "dst");
  }
  Order(on, HardEvent::V_S);
  WriteResult(on, ReadElement(on, on.scratch, 0), false, 0);
}

void PairsOfPairs(const ReduceSequence& on, int64_t elements, const Operand& from, const Operand& to,
                  const char* to_name) {
  on.core.Barrier(tilesim::Pipe::kV, on.where);
  const VectorOperand pairs{.at = from, .element_bits = ElementBytes(on) * 8};
  const int64_t whole = elements / Lanes(on);
  if (whole > 0) {
    EachRepeatOf(on, ValuesOf(Lanes(on)), whole, pairs, kScratch, to, to_name);
  }
  if (const int64_t rest = elements % Lanes(on); rest > 0) {
    EachRepeatOf(on, ValuesOf(rest), 1, Behind(pairs, whole * pairs.RepeatBytes()), kScratch,
                 Behind(to, whole * 2 * ElementBytes(on)), to_name);
  }
}

// Of src, to dst, where the mask is in the registers.
void BestOfRepeats(const ReduceSequence& on, const LaneMask& mask, int64_t repeats, bool with_index) {
  const VectorWork work = WorkOfMask(mask, Lanes(on), repeats);
  const int64_t repeat_elements = on.src.RepeatBytes() / ElementBytes(on);
  if (with_index && on.type == tilesim::isa::VectorType::kFp16) {
    const int64_t lanes = mask.IsPrefix() ? mask.Leading() : Lanes(on);
    const int64_t last = (repeats - 1) * repeat_elements + lanes - 1;
    on.core.Require(last <= UINT16_MAX, FaultKind::kLimit, "dst", "the place of an element may be ", last,
                    ", which an index of 16 bits does not hold; reduce in parts");
  }
  if (repeats == 1 && with_index) {
    return EachRepeat(on, on.src, "src", work, on.dst, "dst");
  }
  EachRepeat(on, on.src, "src", work, on.scratch, kScratch);
  // Where each pass leaves its pairs: to trace an index back they stay; a fourth pass leaves one, in dst.
  std::array<Operand, 4> passes = {on.scratch};
  size_t last = 0;
  int64_t used = AlignUp(2 * repeats, 32 / ElementBytes(on));
  for (int64_t elements = 2 * repeats; elements > 2; ++last) {
    const int64_t left = 2 * CeilDiv(elements, Lanes(on));
    const bool to_dst = with_index && last + 2 == passes.size();
    passes[last + 1] = !with_index ? on.scratch
                       : to_dst    ? on.dst
                                   : Behind(on.scratch, used * ElementBytes(on));
    PairsOfPairs(on, elements, passes[last], passes[last + 1], to_dst ? "dst" : kScratch);
    used += AlignUp(left, 32 / ElementBytes(on));
    elements = left;
  }
  Order(on, HardEvent::V_S);
  const uint64_t value_bits = ReadElement(on, passes[last], 0);
  auto place = with_index ? static_cast<int64_t>(ReadElement(on, passes[last], 1)) : 0;
  for (; with_index && last > 0; --last) {  // `place` is that of a value in the pass before
    const auto in_repeat = static_cast<int64_t>(ReadElement(on, passes[last - 1], place + 1));
    place = place / 2 * (last == 1 ? repeat_elements : Lanes(on)) + in_repeat;
  }
  WriteResult(on, value_bits, with_index, Unsigned(place));
}

// dst holds the best of the whole repeats. It stays where the tail's is no better: it is the first of two.
void BestOfTail(const ReduceSequence& on, int64_t repeats, int64_t tail, bool with_index) {
  if (repeats == 1 && with_index) {
    Order(on, HardEvent::V_S);
  }
  const uint64_t body_bits = ReadElement(on, on.dst, 0);
  const uint64_t body_place = with_index ? ReadElement(on, on.dst, 1) : 0;
  Order(on, HardEvent::S_V);
  const auto best_to_scratch = [&](const LaneMask& mask, const VectorOperand& from, const char* name) {
    EachRepeatOf(on, mask, 1, from, name, on.scratch, kScratch);
    Order(on, HardEvent::V_S);
  };
  best_to_scratch(LaneMask::First(tail), Behind(on.src, repeats * on.src.RepeatBytes()), "src");
  const uint64_t tail_bits = ReadElement(on, on.scratch, 0);
  const uint64_t tail_place = ReadElement(on, on.scratch, 1);
  WriteElement(on, on.scratch, 0, body_bits);
  WriteElement(on, on.scratch, 1, tail_bits);
  Order(on, HardEvent::S_V);
  best_to_scratch(LaneMask::First(2), {.at = on.scratch, .element_bits = ElementBytes(on) * 8}, kScratch);
  const uint64_t value_bits = ReadElement(on, on.scratch, 0);
  const bool is_of_tail = ReadElement(on, on.scratch, 1) == 1;
  WriteResult(on, value_bits, with_index,
              is_of_tail ? Unsigned(repeats * Lanes(on)) + tail_place : body_place);
}

void SumOfCount(const ReduceSequence& on, int64_t count, bool set_mask) {
  CheckOperands(on, false);
  VectorWork work;
  if (set_mask) {
    RequireRange(on.core, "count", count, 0, INT32_MAX, "give a number of elements");
    WriteMaskMode(on.core, true);
    WriteMask(on.core, 0, Unsigned(count));
    work = tilesim::isa::WorkOfCount(Lanes(on), count);
  } else {
    work = WorkOfRegisters(on.core, Lanes(on), 1);
  }
  VectorReduce step{.call = ReduceCall::kSequence, .op = on.op, .src = on.src, .type = on.type, .work = work};
  step.accumulates = true;
  IssueReduce(on.core, step, on.where);
  if (set_mask) {
    WriteMaskMode(on.core, false);
    WriteMask(on.core, ~uint64_t{0}, ~uint64_t{0});
  }
  if (work.IsNop()) {
    return;
  }
  Order(on, HardEvent::V_S);
  uint32_t sum_bits = 0;
  on.core.Issue(
      tilesim::isa::ReadReduced{
          .call = ReduceReadOut::kSequence, .type = on.type, .value_bits = &sum_bits, .index = nullptr},
      on.where);
  WriteElement(on, on.dst, 0, sum_bits, tilesim::ResultRegister::kSum);
  Order(on, HardEvent::S_V);
  Order(on, HardEvent::S_MTE3);
}

void BestOfCount(const ReduceSequence& on, int64_t count, bool with_index) {
  RequireNormalMode(on.core);
  CheckOperands(on, with_index);
  const bool narrow = with_index && on.type == tilesim::isa::VectorType::kFp16;
  RequireRange(on.core, "count", count, 0, narrow ? UINT16_MAX + 1 : INT32_MAX,
               "its index would not fit into an element: reduce in parts");
  const int64_t whole = count / Lanes(on);
  const int64_t tail = count % Lanes(on);
  if (count == 0) {
    return;
  }
  const LaneMask mask = LaneMask::First(whole > 0 ? Lanes(on) : tail);
  WriteMask(on.core, mask);
  BestOfRepeats(on, mask, whole > 0 ? whole : 1, with_index);
  if (whole > 0 && tail > 0) {
    BestOfTail(on, whole, tail, with_index);
  }
}

}  // namespace

void RequireNormalMode(tilesim::Core& core) {
  core.Require(!core.registers().vector.counter, FaultKind::kMisuse, "mask mode",
               "is counter mode, in which this sequence of instructions makes no sense; call SetMaskNorm "
               "first, or use the form with a count");
}

void ReduceOfCount(const ReduceSequence& on, int64_t count, bool set_mask, bool with_index) {
  on.op == ReduceOp::kSum ? SumOfCount(on, count, set_mask) : BestOfCount(on, count, with_index);
}

void ReduceOfMaskRegisters(ReduceSequence on, int64_t repeats, int64_t src_stride, bool with_index) {
  CheckOperands(on, with_index);
  RequireRange(on.core, "repeat", repeats, 0, INT32_MAX, "give a number of repeats");
  RequireRange(on.core, "srcRepStride", src_stride, 0, UINT16_MAX, "reduce in parts");
  on.src.repeat_stride = src_stride;
  const tilesim::VectorRegisters& registers = on.core.registers().vector;
  const LaneMask mask{{registers.mask_low, registers.mask_high}};
  if (repeats == 0 || mask.Empty()) {
    return;
  }
  if (on.op != ReduceOp::kSum) {
    return BestOfRepeats(on, mask, repeats, with_index);
  }
  RequireRange(on.core, "repeat", repeats, 0, Lanes(on) * Lanes(on), "sums of sums of sums hold no more");
  EachRepeat(on, on.src, "src", WorkOfMask(mask, Lanes(on), repeats), on.scratch, kScratch);
  SumOfRepeats(on, repeats);
}

}  // namespace AscendC::simulator
