#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/lib/rows.h"
#include "sim/ascendc/lib/transpose/rearrange_call.h"
#include "sim/ascendc/local_copy.h"
#include "sim/ascendc/vector_gather.h"

namespace AscendC::simulator {

namespace {

using tilesim::FaultKind;
using tilesim::isa::VectorType;

uint32_t TypeBytesOf(const LibraryOperand& operand) {
  return static_cast<uint32_t>(tilesim::isa::ElementBits(operand.type) / 8);
}
void RequireWholeBlocks(tilesim::Core& core, const char* what, uint32_t elements, uint32_t type_bytes) {
  core.Require(elements > 0 && elements * type_bytes % ONE_BLK_SIZE == 0, FaultKind::kAlignment, what, "is ",
               elements, " elements of ", type_bytes,
               " bytes, allowed are multiples of 32 bytes; pad the rows");
}
// first, first + step, ...
LocalTensor<uint32_t> Offsets(const RowSteps& steps, RowScratch& scratch, uint32_t count, int32_t first,
                              uint32_t step) {
  const LocalTensor<int32_t> offsets = scratch.Take<int32_t>((count + 7) / 8 * 8);
  ArithProgression<int32_t>(offsets, first, static_cast<int32_t>(step), static_cast<int32_t>(count),
                            steps.where());
  steps.Wait();
  return offsets.ReinterpretCast<uint32_t>();
}
// dst[i] = the element `base + offsets[i]` bytes behind the start of src. The mask is whole again after it.
template <class T>
void GatherAll(const RowSteps& steps, const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<uint32_t>& offsets, uint32_t base, uint32_t count) {
  constexpr uint32_t kMost = 128 * static_cast<uint32_t>(256 / sizeof(T));
  for (uint32_t at = 0; at < count; at += kMost) {
    Gather(dst[at], src, offsets[at], base, std::min(kMost, count - at), steps.where());
  }
  ResetMask(steps.where());
}

// --- CumSum

// A piece of rows transposed, column by column added to the one before, and transposed back.
template <class T>
void SumAlongRows(const CumSumCall& call, const RowSteps& steps, RowScratch& scratch) {
  const uint32_t rows_padded = scratch.whole_eights();
  const uint32_t columns = call.columns;
  const LocalTensor<uint32_t> to_columns =
      Offsets(steps, scratch, scratch.rows(), 0, columns * static_cast<uint32_t>(sizeof(float)));
  const LocalTensor<uint32_t> to_rows =
      Offsets(steps, scratch, columns, 0, rows_padded * static_cast<uint32_t>(sizeof(float)));
  const Floats turned = scratch.Take(columns * rows_padded);
  Floats copy;
  if constexpr (std::is_same_v<T, half>) {
    copy = scratch.Take(scratch.rows() * columns);
  }
  ForPieces(call.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) {
    RowPlace place = RowPlace::Nd(rows, columns, columns);
    const LocalTensor<T> dst = As<T>(call.dst)[row * columns];
    const Floats x = AsFloats(steps, As<T>(call.src)[row * columns], copy, place, place);
    for (uint32_t column = 0; column < columns; ++column) {
      GatherAll(steps, turned[column * rows_padded], x, to_columns, column * 4, rows);
    }
    steps.Wait();
    for (uint32_t column = 1; column < columns; ++column) {
      const Floats now = turned[column * rows_padded];
      steps.On(rows).Add(now, now, turned[(column - 1) * rows_padded]);
    }
    Floats result = copy;
    if constexpr (std::is_same_v<T, float>) {
      result = dst;
    }
    for (uint32_t i = 0; i < rows; ++i) {
      GatherAll(steps, result[i * columns], turned, to_rows, i * 4, columns);
    }
    steps.Wait();
    FromFloats(steps, dst, place, result, place);
  });
}

template <class T>
void SumDownColumns(const CumSumCall& call, const RowSteps& steps, RowScratch& scratch) {
  const Floats sum = scratch.Take(call.columns);
  const Floats row = scratch.Take(call.columns);
  const VectorSteps v = steps.On(call.columns);
  v.Duplicate(sum, 0.0F);
  for (uint32_t at = 0; at < call.rows * call.columns; at += call.columns) {
    RowPlace place = RowPlace::Nd(1, call.columns, call.columns);
    v.Add(sum, sum, AsFloats(steps, As<T>(call.src)[at], row, place, place));
    CopyOut<T>(v, call.dst, at, sum);
  }
}

template <class T>
void SumUp(const CumSumCall& call, const RowSteps& steps, RowScratch& scratch) {
  call.along_rows ? SumAlongRows<T>(call, steps, scratch) : SumDownColumns<T>(call, steps, scratch);
  if (call.with_last_row) {
    DataCopy(As<T>(call.last_row), As<T>(call.dst)[(call.rows - 1) * call.columns], call.columns, call.where);
    steps.Wait();
  }
}

// --- Broadcast

// Fills rows of whole 2-byte or 4-byte elements from a block each, or all from the same row.
template <class T>
void FillRows(const RowSteps& steps, const LocalTensor<T>& dst, const LocalTensor<T>& src, bool of_rows,
              uint32_t rows, uint32_t columns) {
  constexpr auto kLanes = static_cast<uint32_t>(256 / sizeof(T));
  constexpr uint32_t kUnit = ONE_BLK_SIZE / sizeof(T);
  const uint32_t stride = (columns + kUnit - 1) / kUnit;
  const uint32_t most = stride <= 4095 ? 255 : 1;  // rows of an instruction
  for (uint32_t row = 0; row < rows; row += most) {
    const auto repeats = static_cast<uint8_t>(std::min(most, rows - row));
    for (uint32_t at = 0; at < columns; at += kLanes) {
      const auto lanes = uint64_t{std::min(kLanes, columns - at)};
      const LocalTensor<T> from = of_rows ? src[row * kUnit] : src[at];
      Copy(dst[row * stride * kUnit + at], from, lanes, repeats,
           {1, static_cast<uint16_t>(of_rows ? 0 : 1), static_cast<uint16_t>(most == 1 ? 8 : stride),
            static_cast<uint16_t>(of_rows ? 1 : 0)},
           steps.where());
    }
  }
  steps.Wait();
}
template <class T>
LocalTensor<T> SpreadColumn(const RowSteps& steps, RowScratch& scratch, const LocalTensor<T>& src,
                            uint32_t rows) {
  constexpr uint32_t kUnit = ONE_BLK_SIZE / sizeof(T);
  const LocalTensor<T> spread = scratch.Take<T>((rows + 15) / 16 * 16 * kUnit);
  for (uint32_t row = 0; row < rows; row += 2000) {
    const uint32_t some = std::min(2000U, rows - row);
    Brcb(spread[row * kUnit], src[row], static_cast<uint8_t>((some + 7) / 8), {1, 8}, steps.where());
  }
  steps.Wait();
  return spread;
}
template <class T>
void BroadcastWords(const BroadcastCall& call, const RowSteps& steps, RowScratch& scratch) {
  const LocalTensor<T> src = As<T>(call.src);
  FillRows(steps, As<T>(call.dst), call.of_rows ? SpreadColumn(steps, scratch, src, call.rows) : src,
           call.of_rows, call.rows, call.columns);
}
// B: a type of a byte. Rows to rows as words of two bytes, columns through fp16.
template <class B>
void BroadcastBytes(const BroadcastCall& call, const RowSteps& steps, RowScratch& scratch) {
  if (!call.of_rows) {
    return FillRows(steps, As<uint16_t>(call.dst), As<uint16_t>(call.src), false, call.rows,
                    call.columns / 2);
  }
  const LocalTensor<half> numbers = scratch.Take<half>((call.rows + 31) / 32 * 32);
  steps.On(call.rows).Cast(numbers, As<B>(call.src), RoundMode::CAST_NONE);
  const LocalTensor<half> spread = SpreadColumn(steps, scratch, numbers, call.rows);
  const uint32_t padded = (call.columns + 31) / 32 * 32;
  const LocalTensor<half> wide = scratch.Take<half>(scratch.rows() * padded);
  ForPieces(call.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) {
    FillRows(steps, wide, spread[row * 16], true, rows, call.columns);
    steps.On(rows * call.columns).Cast(As<B>(call.dst)[row * call.columns], wide, RoundMode::CAST_NONE);
  });
}

// --- transpositions

// Lines of 16 elements: extents of a walk over them, outermost first, and how far apart they are, in lines.
// The innermost is an instruction's blocks.
struct LineWalk {
  std::array<uint32_t, 4> extents;
  std::array<uint32_t, 4> src, dst;
};
// Extents, in the order of the host's shape: 0213 [b, a1, a2, a3]; 012 [b, n, s, h / n]. NZ has its last axis
// in chunks of 16, each with all of the axis before it.
LineWalk WalkOf(const TransposeCall& call) {
  using enum TransposeType;
  const auto [b, x, y, z] = call.extents;
  const uint32_t chunks = z / 16;
  LineWalk walk{.extents = {b, x, chunks, y}, .src = {x * chunks * y, chunks * y, y, 1}, .dst = {}};
  switch (call.type) {
    case TRANSPOSE_NZ2ND_0213:
    case TRANSPOSE_NZ2ND_012_WITH_N:
      walk.dst = {y * x * chunks, chunks, 1, x * chunks};
      break;
    case TRANSPOSE_NZ2NZ_0213:
      walk.dst = {y * x * chunks, 1, x, x * chunks};
      break;
    case TRANSPOSE_NZ2ND_012_WITHOUT_N:
      walk.dst = {x * y * chunks, y * chunks, 1, chunks};
      break;
    default:  // NZ2NZ_012 with and without n: the chunks of all n lie one behind the other in both
      walk.dst = walk.src;
  }
  return walk;
}
void MoveLines(const TransposeCall& call, const RowSteps& steps, const LineWalk& walk) {
  const uint32_t blocks = 16 * TypeBytesOf(call.src) / ONE_BLK_SIZE;
  const LocalTensor<uint16_t> dst = As<uint16_t>(call.dst);
  const LocalTensor<uint16_t> src = As<uint16_t>(call.src);
  const auto units = [&](uint32_t lines) { return lines * blocks * 16; };
  for (uint32_t i = 0; i < walk.extents[0]; ++i) {
    for (uint32_t j = 0; j < walk.extents[1]; ++j) {
      for (uint32_t k = 0; k < walk.extents[2]; ++k) {
        const uint32_t from = i * walk.src[0] + j * walk.src[1] + k * walk.src[2];
        const uint32_t to = i * walk.dst[0] + j * walk.dst[1] + k * walk.dst[2];
        DataCopy(dst[units(to)], src[units(from)],
                 DataCopyParams(static_cast<uint16_t>(walk.extents[3]), static_cast<uint16_t>(blocks),
                                static_cast<uint16_t>((walk.src[3] - 1) * blocks),
                                static_cast<uint16_t>((walk.dst[3] - 1) * blocks)),
                 steps.where());
      }
    }
  }
  steps.Wait();
}
template <class T>
void TurnMatrix(const TransposeCall& call, const RowSteps& steps, RowScratch& scratch) {
  const auto [height, width, unused0, unused1] = call.extents;
  constexpr auto kBytes = static_cast<uint32_t>(sizeof(T));
  const LocalTensor<uint32_t> offsets = Offsets(steps, scratch, height, 0, width * kBytes);
  for (uint32_t column = 0; column < width; ++column) {
    GatherAll(steps, As<T>(call.dst)[column * height], As<T>(call.src), offsets, column * kBytes, height);
  }
  steps.Wait();
}

// --- Pad

template <class T>
void PadRows(const PadCall& call, const RowSteps& steps, RowScratch& scratch) {
  constexpr auto kBytes = static_cast<uint32_t>(sizeof(T));
  constexpr uint32_t kUnit = ONE_BLK_SIZE / kBytes;
  constexpr uint32_t kPiece = 512;  // elements of a row of dst
  const uint32_t padded = call.left + call.columns + call.right;
  // A row between a block and an element of padding: places before and behind it are these.
  const LocalTensor<T> row = scratch.Take<T>(kUnit + (call.columns + kUnit) / kUnit * kUnit);
  const LocalTensor<int32_t> places = scratch.Take<int32_t>(kPiece);
  const bool is_whole = call.width % kUnit == 0;
  const LocalTensor<uint32_t> in_row =
      is_whole ? LocalTensor<uint32_t>() : Offsets(steps, scratch, call.columns, 0, kBytes);
  steps.On(kUnit + call.columns + 1).Duplicate(row, static_cast<T>(static_cast<float>(call.value)));
  ForPieces(padded, kPiece, [&](uint32_t first, uint32_t count) {
    const VectorSteps v = steps.On(count);
    const int32_t begin = static_cast<int32_t>(first) - static_cast<int32_t>(call.left);
    ArithProgression<int32_t>(places,
                              static_cast<int32_t>(ONE_BLK_SIZE) + begin * static_cast<int32_t>(kBytes),
                              static_cast<int32_t>(kBytes), static_cast<int32_t>(count), steps.where());
    steps.Wait();
    v.Maxs(places, places, 0).Mins(static_cast<int32_t>(ONE_BLK_SIZE + call.columns * kBytes));
    for (uint32_t at = 0; at < call.rows; ++at) {
      if (is_whole) {
        steps.On(call.columns).Adds(row[kUnit], As<T>(call.src)[at * call.width], T(0));
      } else {
        GatherAll(steps, row[kUnit], As<T>(call.src), in_row, at * call.width * kBytes, call.columns);
        steps.Wait();
      }
      GatherAll(steps, As<T>(call.dst)[at * padded + first], row, places.ReinterpretCast<uint32_t>(), 0,
                count);
      steps.Wait();
    }
  });
}

}  // namespace

void Run(const CumSumCall& call) {
  const uint32_t bytes = TypeBytesOf(call.src);
  RunOnRows(call, "CumSum",
            CallTensors()
                .Result("dst", call.dst, uint64_t{call.rows} * call.columns)
                .Result("lastRow", call.last_row, call.with_last_row ? call.columns : 0)
                .Source("src", call.src, uint64_t{call.rows} * call.columns),
            tilesim::library::CumSumNeed(bytes, call.columns, call.along_rows), call.rows,
            [&](const RowSteps& steps, RowScratch& scratch) {
              RequireHalfOrFloat(call.src)(steps.core());
              RequireWholeBlocks(steps.core(), "inner", call.columns, bytes);
              WithTypeOf(call.src, [&]<class T>(T) { SumUp<T>(call, steps, scratch); });
            });
}

void Run(const BroadcastCall& call) {
  const uint32_t bytes = TypeBytesOf(call.src);
  RunOnRows(
      call, "Broadcast",
      CallTensors()
          .ResultApart("dst", call.dst, uint64_t{call.rows} * call.columns)
          .Source("src", call.src, call.of_rows ? call.rows : call.columns),
      tilesim::library::BroadcastNeed(bytes, call.rows, call.columns), call.rows,
      [&](const RowSteps& steps, RowScratch& scratch) {
        if (call.rows > 1) {
          RequireWholeBlocks(steps.core(), "the last axis of dst", call.columns, bytes);
        }
        if (bytes == 4) {
          BroadcastWords<float>(call, steps, scratch);
        } else if (bytes == 2) {
          BroadcastWords<half>(call, steps, scratch);
        } else {
          call.src.type == VectorType::kInt8 ? BroadcastBytes<int8_t>(call, steps, scratch)
                                             : BroadcastBytes<uint8_t>(call, steps, scratch);
        }
      },
      RequireNothing, "GetBroadCastMaxMinTmpSize");
}

void Run(const TransposeCall& call) {
  const uint32_t bytes = TypeBytesOf(call.src);
  const bool matrix = call.type == TransposeType::TRANSPOSE_ND2ND_ONLY;
  const uint64_t of_two = uint64_t{call.extents[0]} * call.extents[1];
  const uint64_t elements = matrix ? of_two : of_two * call.extents[2] * call.extents[3];
  RunOnRows(call, "Transpose",
            CallTensors().ResultApart("dst", call.dst, elements).Source("src", call.src, elements),
            tilesim::library::TransposeNeed(matrix, call.extents[0]), 1,
            [&](const RowSteps& steps, RowScratch& scratch) {
              using enum TransposeType;
              tilesim::Core& core = steps.core();
              core.Require(bytes == 2 || bytes == 4, FaultKind::kMisuse, "src", "has elements of ", bytes,
                           " bytes, allowed are 2 and 4");
              core.Require(call.type >= TRANSPOSE_NZ2ND_0213 && call.type <= TRANSPOSE_ND2ND_ONLY,
                           FaultKind::kMisuse, "transposeType", "TransposeType ", static_cast<int>(call.type),
                           " is none of this form; it has TRANSPOSE_NZ2ND_0213 to TRANSPOSE_ND2ND_ONLY");
              core.Require(
                  call.tiled_type == call.type || call.tiled_type == TRANSPOSE_TYPE_NONE, FaultKind::kMisuse,
                  "tiling", "is for TransposeType ", static_cast<int>(call.tiled_type), ", the call is of ",
                  static_cast<int>(call.type), "; give GetTransposeTilingInfo the call's transposeType");
              core.Require(call.extents[0] > 0, FaultKind::kMisuse, "tiling",
                           "is empty: nobody has filled it; GetTransposeTilingInfo does");
              if (matrix) {
                RequireWholeBlocks(core, "the first axis", call.extents[0], bytes);
                return bytes == 2 ? TurnMatrix<uint16_t>(call, steps, scratch)
                                  : TurnMatrix<uint32_t>(call, steps, scratch);
              }
              core.Require(call.extents[2] % 16 == 0 && call.extents[3] % 16 == 0, FaultKind::kAlignment,
                           "tiling", "has last axes of ", call.extents[2], " x ", call.extents[3],
                           ", allowed in NZ are multiples of 16");
              tilesim::isa::RequireRange(core, "the third axis", call.extents[2], 16, 4095,
                                         "an instruction has so many blocks");
              MoveLines(call, steps, WalkOf(call));
            });
}

void Run(const PadCall& call) {
  const uint32_t bytes = TypeBytesOf(call.src);
  const uint32_t padded = call.left + call.columns + call.right;
  RunOnRows(call, "Pad",
            CallTensors()
                .Result("dst", call.dst, uint64_t{call.rows} * padded)
                .Source("src", call.src, uint64_t{call.rows} * call.width),
            tilesim::library::PadNeed(bytes, call.width), 1, [&](const RowSteps& steps, RowScratch& scratch) {
              RequireWholeBlocks(steps.core(), "a row of dst", padded, bytes);
              if (call.src.type == VectorType::kFp16) {
                PadRows<half>(call, steps, scratch);
              } else if (bytes == 2) {
                PadRows<int16_t>(call, steps, scratch);
              } else if (call.src.type == VectorType::kFp32) {
                PadRows<float>(call, steps, scratch);
              } else {
                PadRows<int32_t>(call, steps, scratch);
              }
            });
}

namespace {

template <class T>
void KeepColumns(const UnPadCall& call, uint32_t kept) {
  const auto blocks = static_cast<uint16_t>(call.width * sizeof(T) / ONE_BLK_SIZE);
  uint64_t remaining = 0;
  GatherMask(As<T>(call.dst), As<T>(call.src)[call.left], uint8_t{7}, true, kept,
             {1, static_cast<uint16_t>(call.rows), blocks, 0}, remaining, call.where);
  ResetMask(call.where);
}

}  // namespace

void Run(const UnPadCall& call) {
  const LibraryCall library("UnPad", call.where);
  tilesim::Core* const core = library.core();
  if (core == nullptr) {
    return;
  }
  const uint32_t bytes = TypeBytesOf(call.src);
  RequireWholeBlocks(*core, "a row of src", call.width, bytes);
  core->Require(call.left + call.right < call.width, FaultKind::kMisuse, "unPadParams", "takes ", call.left,
                " and ", call.right, " of rows of ", call.width);
  core->Require(call.left * bytes % ONE_BLK_SIZE == 0, FaultKind::kAlignment, "leftPad", "is ", call.left,
                " elements, allowed are whole blocks of 32 bytes");
  const uint32_t kept = call.width - call.left - call.right;
  CallTensors()
      .Result("dst", call.dst, uint64_t{call.rows} * kept)
      .Source("src", call.src, uint64_t{call.rows} * call.width)
      .RequireApart(*core);
  bytes == 2 ? KeepColumns<uint16_t>(call, kept) : KeepColumns<uint32_t>(call, kept);
  core->Barrier(tilesim::Pipe::kV, call.where);
}

}  // namespace AscendC::simulator
