#include "sim/core/undefined_run.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "sim/core/l0_memory.h"

namespace tilesim {
namespace {

constexpr uint64_t kL0Fractal = 512;
constexpr size_t kHostFractal = L0Memory::kFloats * sizeof(float);

bool IsL0(Memory memory) { return memory == Memory::kL0A || memory == Memory::kL0B; }
bool HasHost(Memory memory) {
  return memory != Memory::kGm && memory != Memory::kBt && memory != Memory::kFb;
}

struct CellBytes {
  uint64_t begin = 0;  // in the fractal
  uint64_t end = 0;
};

// Where cell `cell` of a fractal lies in it, by which instructions tell parts of fractals; nowhere where it
// has no such cell. L0A: rows one behind the other, L0B: columns.
CellBytes BytesOfCell(Memory memory, FractalType type, size_t cell) {
  const size_t element = type == FractalType::kFp32 ? 4 : 2;
  const size_t k = cell / 16;
  const size_t row = cell % 16;
  if (k * element >= 32) {
    return {};
  }
  const uint64_t begin = memory == Memory::kL0A ? 32 * row + k * element : (16 * k + row) * element;
  return {begin, begin + element};
}

FractalType TypeOf(L0Memory& l0, uint64_t fractal) { return l0.type(static_cast<int64_t>(fractal)); }

std::byte Mixed(std::byte known, uint8_t undefined, std::byte value) {
  const auto open = static_cast<std::byte>(undefined);
  return (known & ~open) | (value & open);
}

}  // namespace

bool SameBytes(const Operands& a, const Operands& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Region& x, const Region& y) {
    return x.memory == y.memory && x.use == y.use && x.begin == y.begin && x.block_bytes == y.block_bytes &&
           x.count == y.count && x.stride_bytes == y.stride_bytes && x.outer_count == y.outer_count &&
           x.outer_stride_bytes == y.outer_stride_bytes;
  });
}

UndefinedRun::UndefinedRun(Core& core, const Computation& computation, const Operands& operands)
    : core_(core), hazards_(*core.hazards()), computation_(computation), operands_(operands) {}

void UndefinedRun::Run(Pipe pipe) {
  bool to_gm = false;
  bool stays = pipe == Pipe::kV;  // what writes nothing leaves something in registers
  for (const Region& region : operands_) {
    to_gm = to_gm || (region.memory == Memory::kGm && region.use != Use::kRead);
    stays = stays || (region.memory != Memory::kGm && region.use != Use::kRead);
  }
  for (const Region& region : operands_) {
    // of what is read with gaps, these may be all that holds no value
    if (region.use == Use::kRead && !region.with_gaps && (to_gm || region.decides != nullptr)) {
      NoteUses(region, to_gm ? "go to GM" : region.decides);
    }
  }
  if (to_gm || !stays) {
    Compute();
  } else {
    for (const bool read : {false, true}) {
      for (const Region& region : operands_) {
        if ((region.use == Use::kRead) == read && !(read && region.decides != nullptr)) {
          AddPieces(region);
        }
      }
    }
    TryValues();
  }
  hazards_.ExpectOutcome(std::move(outcome_));
}

std::byte* UndefinedRun::HostOf(Memory memory, uint64_t begin) {
  switch (memory) {
    case Memory::kL1:
      return core_.l1() + begin;
    case Memory::kUb:
      return core_.ub() + begin;
    case Memory::kL0C:
      return reinterpret_cast<std::byte*>(core_.l0c()) + begin;
    default:
      return reinterpret_cast<std::byte*>((memory == Memory::kL0A ? core_.l0a() : core_.l0b())
                                              .Fractal(static_cast<int64_t>(begin / kL0Fractal)));
  }
}

uint8_t* UndefinedRun::BitsOf(Memory memory) {
  const auto bytes = static_cast<size_t>(core_.CapacityBytes(memory));
  return hazards_.undefined().Of(memory, IsL0(memory) ? bytes / kL0Fractal * kHostFractal : bytes).data();
}

void UndefinedRun::AddPieces(const Region& region) {
  const bool read = region.use == Use::kRead;
  region.ForEachRun([&](uint64_t begin, uint64_t end) {
    if (HasHost(region.memory)) {
      AddPiece(region.memory, begin, end, read);
      return;
    }
    if (!read) {
      return;
    }
    hazards_.ForEachUndefined(region.memory, begin, end, [&](uint64_t from, uint64_t to) {
      if (!std::exchange(any_first_, true)) {
        outcome_.first_read = {.memory = region.memory, .begin = from, .end = to};
      }
      if (region.memory == Memory::kGm) {
        holes_.holes.push_back({from, to});
      } else {
        opaque_ = true;
      }
    });
  });
}

void UndefinedRun::AddPiece(Memory memory, uint64_t begin, uint64_t end, bool read) {
  size_t bytes = end - begin;
  if (IsL0(memory)) {
    begin = begin / kL0Fractal * kL0Fractal;
    bytes = (end - begin + kL0Fractal - 1) / kL0Fractal * kHostFractal;
  }
  const Piece piece{.memory = memory,
                    .begin = begin,
                    .host = HostOf(memory, begin),
                    .bytes = bytes,
                    .at = undefined_.size(),
                    .read = read};
  pieces_.push_back(piece);
  undefined_.resize(undefined_.size() + bytes);
  IsL0(memory) ? MarkL0(piece) : Mark(piece);
}

void UndefinedRun::Mark(const Piece& piece) {
  const uint8_t* const bits = BitsOf(piece.memory);
  hazards_.ForEachUndefined(
      piece.memory, piece.begin, piece.begin + piece.bytes, [&](uint64_t begin, uint64_t end) {
        std::copy(bits + begin, bits + end, undefined_.data() + piece.at + (begin - piece.begin));
        if (piece.read && !std::exchange(any_first_, true)) {
          outcome_.first_read = {.memory = piece.memory, .begin = begin, .end = end};
          outcome_.origin = hazards_.undefined().OriginOf(piece.memory, begin);
        }
      });
}

void UndefinedRun::MarkL0(const Piece& piece) {
  const uint8_t* const bits = BitsOf(piece.memory);
  L0Memory& l0 = piece.memory == Memory::kL0A ? core_.l0a() : core_.l0b();
  constexpr size_t kCells = L0Memory::kFloats;
  for (size_t i = 0; i < piece.bytes / kHostFractal; ++i) {
    const uint64_t fractal = piece.begin / kL0Fractal + i;
    std::array<bool, kL0Fractal> open{};
    bool any = false;
    hazards_.ForEachUndefined(
        piece.memory, fractal * kL0Fractal, (fractal + 1) * kL0Fractal, [&](uint64_t begin, uint64_t end) {
          std::fill(open.begin() + static_cast<int64_t>(begin % kL0Fractal),
                    open.begin() + static_cast<int64_t>(begin % kL0Fractal + end - begin), true);
          any = true;
          if (piece.read && !std::exchange(any_first_, true)) {
            outcome_.first_read = {.memory = piece.memory, .begin = begin, .end = end};
            outcome_.origin = hazards_.undefined().OriginOf(piece.memory, begin);
          }
        });
    for (size_t cell = 0; any && cell < kCells; ++cell) {
      const CellBytes bytes = BytesOfCell(piece.memory, TypeOf(l0, fractal), cell);
      if (bytes.end != 0 && open[bytes.begin]) {
        std::memcpy(undefined_.data() + piece.at + (i * kCells + cell) * sizeof(float),
                    bits + (fractal * kCells + cell) * sizeof(float), sizeof(float));
      }
    }
  }
}

bool UndefinedRun::AnyMarked() const {
  return opaque_ || !holes_.holes.empty() || hazards_.undefined().any_of_compare_mask() ||
         std::ranges::any_of(pieces_, [&](const Piece& piece) {
           const auto first = undefined_.begin() + static_cast<int64_t>(piece.at);
           return std::any_of(first, first + static_cast<int64_t>(piece.bytes),
                              [](uint8_t bits) { return bits != 0; });
         });
}

void UndefinedRun::NoteUses(const Region& region, const char* how) {
  constexpr uint64_t kElement = 4;  // bytes of which some may be known
  std::optional<UndefinedOutcome::Use> use;
  region.ForEachRun([&](uint64_t begin, uint64_t end) {
    hazards_.ForEachUndefined(region.memory, begin, end, [&](uint64_t from, uint64_t to) {
      if (!use) {
        use = {.region = region,
               .begin = from,
               .end = to,
               .origin = hazards_.undefined().OriginOf(region.memory, from),
               .how = how};
      } else if (from >= use->begin && from < use->end + kElement) {
        use->end = std::max(use->end, to);
      }
    });
  });
  if (use) {
    outcome_.uses.push_back(*use);
  }
}

void UndefinedRun::Save(std::vector<std::byte>& to, bool l0) const {
  to.resize(undefined_.size());
  for (const Piece& piece : pieces_) {
    if (IsL0(piece.memory) == l0) {
      std::memcpy(to.data() + piece.at, piece.host, piece.bytes);
    }
  }
}

template <class F>
bool UndefinedRun::Try(std::byte gm, F&& value_of) {
  for (const Piece& piece : pieces_) {
    for (size_t i = 0; i < piece.bytes; ++i) {
      const size_t at = piece.at + i;
      // of what is written another one, so that it shows who was written
      const std::byte value = value_of(piece, i);
      piece.host[i] = Mixed(before_[at], undefined_[at], piece.read ? value : ~value);
    }
  }
  if (preset_.empty()) {
    preset_.resize(undefined_.size());
    touched_.resize(undefined_.size());
  }
  for (const Piece& piece : pieces_) {
    if (!piece.read) {
      std::memcpy(preset_.data() + piece.at, piece.host, piece.bytes);
    }
  }
  core_.registers() = registers_before_;
  for (size_t word = 0; word < 2; ++word) {
    const uint64_t open = hazards_.undefined().compare_mask()[word];
    uint64_t& bits = core_.registers().vector.compare_mask[word];
    bits = (bits & ~open) | (static_cast<uint64_t>(gm) * 0x0101010101010101U & open);
  }
  holes_.pattern = gm;
  core_.gm().Pretend(holes_.holes.empty() ? nullptr : &holes_);
  bool same = false;
  try {
    same = computation_.run(computation_.op, core_, &operands_);
  } catch (const KernelFault&) {  // of what it was given here
  }
  core_.gm().Pretend(nullptr);
  for (const Piece& piece : pieces_) {
    for (size_t i = 0; same && !piece.read && i < piece.bytes; ++i) {
      differs_[piece.at + i] |= static_cast<uint8_t>(piece.host[i] ^ result_[piece.at + i]);
      touched_[piece.at + i] |= static_cast<uint8_t>(piece.host[i] ^ preset_[piece.at + i]);
    }
  }
  for (size_t word = 0; same && word < 2; ++word) {
    mask_differs_[word] |=
        core_.registers().vector.compare_mask[word] ^ registers_result_.vector.compare_mask[word];
  }
  if (const auto result = hazards_.result_written(); same && result) {
    result_differs_ |= core_.registers().vector.BitsOf(*result) ^ registers_result_.vector.BitsOf(*result);
  }
  return same;
}

void UndefinedRun::TryValues() {
  if (!AnyMarked()) {
    Compute();
    return;
  }
  if (!any_first_) {
    outcome_.origin = hazards_.undefined().compare_mask_origin();
  }
  registers_before_ = core_.registers();
  Save(before_, false);
  Compute();
  Save(before_, true);  // as a product has them: its first step makes fractals of its type of them
  Save(result_, false);
  Save(result_, true);
  registers_result_ = core_.registers();
  std::vector<Fault> noted = core_.TakeNoted();
  differs_.resize(undefined_.size());
  bool same = true;
  // zeros; a NaN, or -1; a large number; a large negative one; one in between
  for (const int value : {0x00, 0xFF, 0x7B, 0xFB, 0x35}) {
    const auto byte = static_cast<std::byte>(value);
    same = same && Try(byte, [&](const Piece&, size_t) { return byte; });
  }
  // what the other of two sources has there: the one value that a test for equality tells from all others
  const size_t writes = static_cast<size_t>(std::ranges::count(pieces_, false, &Piece::read));
  const size_t reads = pieces_.size() - writes;
  same = same && (reads == 0 || reads % 2 != 0 || Try(std::byte{0x5A}, [&](const Piece& piece, size_t i) {
                    if (!piece.read) {
                      return std::byte{0x5A};
                    }
                    const size_t number = static_cast<size_t>(&piece - pieces_.data()) - writes;
                    const Piece& other = pieces_[writes + (number + reads / 2) % reads];
                    return i < other.bytes ? before_[other.at + i] : std::byte{0x5A};
                  }));
  same = same && TryCompared();
  // and at last as it is: an instruction may have told the host something, too
  for (const Piece& piece : pieces_) {
    std::memcpy(piece.host, before_.data() + piece.at, piece.bytes);
  }
  core_.registers() = registers_before_;
  Compute();
  core_.TakeNoted();
  for (Fault& fault : noted) {
    core_.Note(std::move(fault));
  }
  hazards_.undefined().compare_mask() = same ? mask_differs_ : std::array<uint64_t, 2>{};
  if (same) {
    if (const auto result = hazards_.result_written()) {
      outcome_.of_result = result_differs_;
      outcome_.result = *result;
    }
    Leave();
    return;
  }
  for (const Region& region : operands_) {
    if (region.use == Use::kRead && region.decides == nullptr) {
      NoteUses(region, "decide which bytes are touched");
    }
  }
}

bool UndefinedRun::TryCompared() {
  const ComparedValue& compared = computation_.compared_with;
  bool same = true;
  for (const uint32_t step : {0U, 1U, ~0U}) {
    const uint32_t bits = compared.bits + step;
    same = same && (compared.bytes == 0 || Try(std::byte{0x5A}, [&](const Piece& piece, size_t i) {
                      return static_cast<std::byte>(bits >> 8 * ((piece.begin + i) % compared.bytes));
                    }));
  }
  return same;
}

void UndefinedRun::LeaveBytes(const UndefinedOutcome::Left& left) {
  if (!outcome_.left.empty()) {
    UndefinedOutcome::Left& last = outcome_.left.back();
    if (last.memory == left.memory && last.end == left.begin && last.untouched == left.untouched) {
      last.end = left.end;
      return;
    }
  }
  outcome_.left.push_back(left);
}

void UndefinedRun::LeaveElement(const Piece& piece, size_t first, size_t count, uint8_t* bits,
                                const UndefinedOutcome::Left& left) {
  const uint8_t* const differs = differs_.data() + piece.at + first;
  const uint8_t* const touched = touched_.data() + piece.at + first;
  const auto any = [count](const uint8_t* of) {
    return std::any_of(of, of + count, [](uint8_t each) { return each != 0; });
  };
  if (!opaque_ && !any(differs)) {
    return;
  }
  const bool untouched = !opaque_ && !any(touched);
  for (size_t i = 0; !untouched && i < count; ++i) {
    bits[i] = opaque_ || differs[i] == 0 ? 0xFF : differs[i];
  }
  LeaveBytes({.memory = left.memory, .begin = left.begin, .end = left.end, .untouched = untouched});
}

void UndefinedRun::Leave() {
  for (const Piece& piece : pieces_) {
    if (piece.read) {
      continue;
    }
    if (IsL0(piece.memory)) {
      LeaveL0(piece);
      continue;
    }
    uint8_t* const bits = BitsOf(piece.memory) + piece.begin;
    const size_t element = piece.memory == Memory::kL0C ? 4 : 1;  // as far as that is known
    for (size_t i = 0; i + element <= piece.bytes; i += element) {
      LeaveElement(piece, i, element, bits + i,
                   {.memory = piece.memory, .begin = piece.begin + i, .end = piece.begin + i + element});
    }
  }
  for (const Region& region : operands_) {  // no telling which
    if (region.use != Use::kRead && !HasHost(region.memory)) {
      region.ForEachRun([&](uint64_t begin, uint64_t end) {
        LeaveBytes({.memory = region.memory, .begin = begin, .end = end});
      });
    }
  }
}

void UndefinedRun::LeaveL0(const Piece& piece) {
  uint8_t* const bits = BitsOf(piece.memory);
  L0Memory& l0 = piece.memory == Memory::kL0A ? core_.l0a() : core_.l0b();
  constexpr size_t kCells = L0Memory::kFloats;
  for (size_t i = 0; i < piece.bytes / sizeof(float); ++i) {
    const uint64_t fractal = piece.begin / kL0Fractal + i / kCells;
    const CellBytes bytes = BytesOfCell(piece.memory, TypeOf(l0, fractal), i % kCells);
    if (bytes.end != 0) {
      const uint64_t begin = fractal * kL0Fractal;
      LeaveElement(piece, i * sizeof(float), sizeof(float),
                   bits + (fractal * kCells + i % kCells) * sizeof(float),
                   {.memory = piece.memory, .begin = begin + bytes.begin, .end = begin + bytes.end});
    }
  }
}

}  // namespace tilesim
