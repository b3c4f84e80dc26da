// Instructions with random parameters, as they write the memories of a core. Many break a rule and are
// refused.
#pragma once

#include <array>

#include "sim/isa/cube.h"
#include "sim/isa/data_move.h"
#include "sim/isa/elementwise.h"
#include "sim/isa/fixpipe.h"
#include "sim/isa/load.h"
#include "sim/isa/load3d.h"
#include "sim/isa/scalar_access.h"
#include "sim/isa/ub_move.h"
#include "sim/isa/vector_cast.h"
#include "sim/isa/vector_fill.h"
#include "sim/isa/vector_reduce.h"
#include "sim/isa/vector_select.h"
#include "sim/isa/vector_transpose.h"
#include "tests/sim/isa/vector_fixture.h"

namespace tilesim::isa {

// Hands `use(instruction)` instructions for one core, whose registers it sets as they need.
class RandomInstructions {
 public:
  RandomInstructions(Random& random, Core& core, Operand gm) : random_(random), core_(core), gm_(gm) {}

  static constexpr int kCubeKinds = 8;
  static constexpr int kVectorKinds = 17;

  // Kinds 0 .. kCubeKinds - 1: what writes L1, L0A, L0B and L0C.
  template <class F>
  void OfAic(int kind, F&& use) {
    switch (kind) {
      case 0:
        return use(CopyFromGm{.dst = Place(Memory::kL1, 32), .src = gm_, .blocks = Blocks()});
      case 1:
        return use(Nd2Nz());
      case 2:
        return use(Init());
      case 3:
        return use(Load2D());
      case 4:
        return use(LoadTransposed());
      case 5:
        return use(Load3D());
      case 6:
        return use(Product());
      default:
        return use(FixpipeToL1());
    }
  }

  // Kinds 0 .. kVectorKinds - 1: what runs on V or moves to UB.
  template <class F>
  void OfAiv(int kind, F&& use) {
    const auto type = static_cast<VectorType>(random_.Int(0, kNumVectorTypes - 1));
    const int64_t lanes = kRepeatBytes * 8 / std::max<int64_t>(8, ElementBits(type));
    const VectorWork work = RandomWork(random_, lanes);
    const VectorOperand dst = Lanes(type, lanes);
    const VectorOperand src = Lanes(type, lanes);
    const VectorOperand src1 = Lanes(type, lanes);
    switch (kind) {
      case 0:
        return use(CopyFromGm{.dst = Ub(), .src = gm_, .blocks = Blocks()});
      case 1:
        return use(PadFromGm());
      case 2:
        return use(CopyWithinUb{.dst = Ub(), .src = Ub(), .blocks = Blocks()});
      case 3:
        return use(VectorDuplicate{.dst = dst, .value_bits = 7, .type = type, .work = work});
      case 4:
        return use(VectorElementwise{ElementwiseKind::kCopy, dst, src, {}, 0, type, type, work});
      case 5:
        return use(VectorBroadcast{.dst = {.at = Ub(),
                                           .element_bits = ElementBits(type),
                                           .block_stride = random_.Int(0, 4),
                                           .repeat_stride = random_.Int(0, 20)},
                                   .src = Ub(),
                                   .type = type,
                                   .repeats = random_.Int(0, 5)});
      case 6:
        return use(ArithmeticSequence{.dst = {.at = Ub(), .element_bits = ElementBits(type)},
                                      .type = type,
                                      .first = 3,
                                      .step = 2,
                                      .work = WorkOfCount(LanesOfRepeat(type), random_.Int(0, 300))});
      case 7:
        return use(VectorElementwise{ElementwiseKind::kAdd, dst, src, src1, 0, type, type, work});
      case 8:
        return use(VectorElementwise{ElementwiseKind::kMulAddDst, dst, src, src1, 0, type, type, work});
      case 9:
        return use(VectorElementwise{ElementwiseKind::kMaxs, dst, src, {}, 3, type, type, work});
      case 10:
        return use(VectorElementwise{ElementwiseKind::kNot, dst, src, {}, 0, type, type, work});
      case 11:
        return use(Cast());
      case 12:
        return OfReductions(use, {.call = ReduceCall::kWholeReduce,
                                  .op = ReduceOp::kMin,
                                  .src = src,
                                  .dst = Ub(),
                                  .dst_stride = random_.Int(0, 9),
                                  .type = type,
                                  .result = static_cast<ReduceResult>(random_.Int(0, 3)),
                                  .work = work});
      case 13:
        return use(VectorCompare{.dst = Ub(),
                                 .src0 = src,
                                 .src1 = src1,
                                 .type = type,
                                 .kind = static_cast<CompareKind>(random_.Int(0, 5)),
                                 .work = WorkOfRepeats(LanesOfRepeat(type), random_.Int(0, 6))});
      case 14:
        return use(VectorSelect{.dst = dst,
                                .bits = Ub(),
                                .src0 = src,
                                .src1 = src1,
                                .scalar_bits = 5,
                                .type = type,
                                .mode = static_cast<SelectMode>(random_.Int(0, 2)),
                                .work = work});
      case 15:
        return use(VectorCompare{.dst = {},
                                 .src0 = src,
                                 .src1 = src1,
                                 .type = type,
                                 .kind = static_cast<CompareKind>(random_.Int(0, 5)),
                                 .work = work,
                                 .to_register = true});
      default:
        return use(Transpose(type));
    }
  }

 private:
  // Now and then at the very end of the memory, where what is too long is found.
  Operand Place(Memory memory, int64_t step_bytes, int64_t near_bytes = 40000) {
    const int64_t capacity = core_.CapacityBytes(memory);
    const int64_t back = random_.Int(0, 3) == 0 ? capacity - random_.Int(1, 8) * step_bytes
                                                : random_.Int(0, std::min(capacity, near_bytes) - 1);
    return In(memory, back / step_bytes * step_bytes);
  }
  Operand Ub() { return Place(Memory::kUb, 32); }
  Operand L0() { return Place(random_.Coin() ? Memory::kL0A : Memory::kL0B, 512); }
  DType CubeType() { return random_.OneOf({DType::kFp16, DType::kBf16, DType::kFp32}); }
  int64_t Gap() { return random_.Coin() ? 0 : random_.Int(0, 5); }

  CopyBlocks Blocks() {
    return {.count = random_.Int(0, 6),
            .length_blocks = random_.Int(0, 20),
            .src_gap_blocks = Gap(),
            .dst_gap_blocks = Gap()};
  }
  VectorOperand Lanes(VectorType type, int64_t lanes) {
    VectorOperand operand = RandomOperand(random_, ElementBits(type), 0, lanes);
    operand.at = Ub();
    return operand;
  }

  template <class F>
  void OfReductions(F&& use, VectorReduce on) {
    switch (random_.Int(0, 2)) {
      case 0:
        on.call = ReduceCall::kBlockReduce;
        on.op = ReduceOp::kSum;
        return use(on);
      case 1:
        on.call = ReduceCall::kPairReduce;
        on.op = ReduceOp::kSum;
        return use(on);
      default:
        return use(on);
    }
  }
  CopyNd2Nz Nd2Nz() {
    const int64_t element_bytes = random_.OneOf<int64_t>({1, 2, 4});
    return {.dst = Place(Memory::kL1, 32),
            .src = gm_,
            .element_bytes = element_bytes,
            .num_matrices = random_.Int(0, 3),
            .rows = random_.Int(0, 20),
            .columns = random_.Int(0, 80),
            .src_matrix_stride = random_.Int(0, 900),
            .src_row_stride = random_.Int(1, 90),
            .dst_strip_stride_blocks = random_.Int(1, 40),
            .dst_row_stride_blocks = random_.Int(1, 3),
            .dst_matrix_stride = random_.Int(0, 100) * 32 / element_bytes};
  }
  InitConst Init() {
    return {.dst = random_.Coin() ? L0() : Place(Memory::kL1, 32),
            .dtype = CubeType(),
            .value_bits = 0x3c01,
            .repeat_times = random_.Int(0, 4),
            .num_blocks = random_.Int(0, 5),
            .gap_blocks = Gap()};
  }
  LoadData2D Load2D() {
    return {.dst = L0(),
            .src = random_.Coin() ? In(Memory::kL1, 512 * random_.Int(0, 30)) : gm_,
            .dtype = CubeType(),
            .start_index = random_.Int(0, 3),
            .repeat_times = random_.Int(0, 6),
            .src_stride = random_.Int(0, 4),
            .dst_gap = Gap(),
            .transpose = random_.Coin()};
  }
  LoadDataTransposed LoadTransposed() {
    return {.dst = L0(),
            .src = In(Memory::kL1, 512 * random_.Int(0, 30)),
            .dtype = CubeType(),
            .start_index = random_.Int(0, 3),
            .repeat_times = random_.Int(0, 6),
            .src_stride = random_.Int(0, 4),
            .dst_gap = Gap(),
            .dst_fractal_gap = Gap()};
  }
  LoadData3D Load3D() {
    CoreRegisters& registers = core_.registers();
    registers.feature_map[0] = {.height = random_.Int(1, 6),
                                .width = random_.Int(1, 9),
                                .pad = {random_.Int(0, 2), random_.Int(0, 2), random_.Int(0, 2), Gap()}};
    registers.load3d_repeat_times = random_.Int(0, 3) == 0 ? random_.Int(0, 3) : 1;
    registers.load3d_repeat_stride = random_.Int(0, 2);
    registers.load3d_repeat_along_k = random_.Coin();
    const DType dtype = CubeType();
    const int64_t c0 = isa::CubeType(dtype).c0();
    return {.dst = L0(),
            .src = Place(Memory::kL1, 32),
            .dtype = dtype,
            .channels = c0 * random_.Int(1, 3),
            .k_extension = c0 * random_.Int(1, 5),
            .m_extension = random_.Coin() ? 8 * random_.Int(1, 8) : random_.Int(1, 60),
            .k_start = c0 * random_.Int(0, 2),
            .m_start = random_.Coin() ? 0 : random_.Int(0, 30),
            .stride_w = random_.Int(1, 2),
            .stride_h = random_.Int(1, 2),
            .filter_w = random_.Int(1, 3),
            .filter_h = random_.Int(1, 2),
            .transpose = random_.Coin()};
  }
  Mmad Product() {
    core_.registers().hf32 = random_.Coin();
    return {.dst = Place(Memory::kL0C, 1024),
            .a = Place(Memory::kL0A, 512),
            .b = Place(Memory::kL0B, 512),
            .dtype = CubeType(),
            .m = random_.Int(0, 3) == 0 ? 1 : random_.Int(0, 70),
            .n = random_.Int(0, 70),
            .k = random_.Int(0, 70),
            .init = random_.Coin(),
            .k_align = random_.Coin()};
  }
  Fixpipe FixpipeToL1() {
    const bool to_half = random_.Coin();
    const int64_t m = random_.Int(0, 40);
    return {.dst = Place(Memory::kL1, 32),
            .src = Place(Memory::kL0C, 1024),
            .layout = random_.Coin() ? FixpipeLayout::kNz : FixpipeLayout::kRowMajor,
            .dtype = to_half ? DType::kFp16 : DType::kFp32,
            .quant = to_half ? Quant::kF322F16 : Quant::kNone,
            .n = random_.Coin() ? 16 * random_.Int(0, 4) : random_.Int(0, 60),
            .m = m,
            .src_stride = m + Gap(),
            .dst_stride = random_.Int(1, 100),
            .num_matrices = random_.Int(0, 2),
            .src_matrix_stride = random_.Int(0, 4),
            .dst_matrix_stride = random_.Int(0, 999),
            .relu = random_.Coin()};
  }
  CopyPadFromGm PadFromGm() {
    const int64_t element_bytes = random_.OneOf<int64_t>({1, 2, 4, 8});
    return {.dst = Ub(),
            .src = gm_,
            .element_bytes = element_bytes,
            .count = random_.Int(0, 5),
            .block_bytes = element_bytes * random_.Int(0, 60),
            .src_gap_bytes = Gap(),
            .dst_gap_blocks = Gap(),
            .is_pad = random_.Coin(),
            .left_pad = Gap(),
            .right_pad = Gap()};
  }
  VectorCast Cast() {
    core_.registers().vector.deq_scale_set = true;
    const auto rows = CastTable();
    const CastRow& row = rows[static_cast<size_t>(random_.Int(0, static_cast<int64_t>(rows.size()) - 1))];
    const int64_t lanes = kRepeatBytes * 8 / std::max(ElementBits(row.from), ElementBits(row.to));
    return {.dst = Lanes(row.to, lanes),
            .src = Lanes(row.from, lanes),
            .from = row.from,
            .to = row.to,
            .round = static_cast<Round>(random_.Int(0, 6)),
            .work = RandomWork(random_, lanes)};
  }
  VectorTranspose Transpose(VectorType type) {
    VectorTranspose transpose{.dst = {},
                              .src = {},
                              .type = type,
                              .dst_high = random_.Coin(),
                              .src_high = random_.Coin(),
                              .repeats = random_.Int(0, 4),
                              .dst_repeat_stride = random_.Int(0, 40),
                              .src_repeat_stride = random_.Int(0, 40)};
    const bool even = random_.Coin();
    for (size_t i = 0; i < 16; ++i) {
      transpose.dst[i] = even ? In(Memory::kUb, 96 * static_cast<int64_t>(i)) : Ub();
      transpose.src[i] = Ub();
    }
    return transpose;
  }

  Random& random_;
  Core& core_;
  Operand gm_;
};

}  // namespace tilesim::isa
