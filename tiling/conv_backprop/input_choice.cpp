#include "tiling/conv_backprop/input_choice.h"

#include "formats/units.h"
#include "tiling/conv_backprop/conv_fields.h"

namespace tilesim {
InputCut CutOf(const InputTiling& tiling) {
  const InputTaskSpace space = InputTaskSpace::Of(tiling.data.conv3DDxTiling);
  return {.strategy = tiling.split.strategy,
          .rows = space.rows_part,
          .lines = space.lines_part,
          .cores = tiling.split.used_cores};
}

InputTaskSpace SpaceOf(const InputProblem& p, const InputCut& cut) {
  const InputExtents e = ExtentsOf(p);
  return {.batch = p.batch,
          .groups = e.real_groups,
          .rows = p.hi,
          .rows_part = cut.rows,
          .lines = CeilDiv(p.cin, e.c0),
          .lines_g = e.cin1_g,
          .lines_part = cut.lines,
          .dins_part = 1,
          .depth = DepthOf(p)};
}

void SetTaskFields(TConv3DBackpropInputTiling& t) {
  t.baseD = t.baseBatch = t.baseGroup = t.stepBatch = t.stepGroup = 1;
  t.singleCoreBatch = t.singleCoreGroup = t.singleCoreDin = t.singleCoreHo = 1;
}

InputTiling TilingOf(const InputProblem& p, const InputCut& cut, const CubeChoice& choice) {
  const InputExtents e = ExtentsOf(p);
  InputTiling tiling;
  TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  SetProblemFields(p, t);
  SetChoiceFields(choice, t);
  SetTaskFields(t);
  t.hf32Flag = p.hf32 ? 1 : 0;
  t.initOutputFlag = LeavesZeros(p) ? 1 : 0;
  t.singleCoreCout = Low32(AlignUp(e.cout1_g * e.c0, int64_t{16}));
  t.singleCoreCout1 = Low32(e.cout1_g);
  t.singleCoreM = static_cast<uint64_t>(cut.rows * p.wi);
  t.singleCoreCin = static_cast<uint64_t>(cut.lines * e.c0);
  t.singleCoreCin1 = Low32(cut.lines);
  tiling.split = DealOut(p, t, cut.cores);
  tiling.split.strategy = cut.strategy;
  return tiling;
}

std::vector<int64_t> BlocksOfK(const InputProblem& p, int64_t most) {
  const InputExtents e = ExtentsOf(p);
  const int64_t taps = p.hk * p.wk;
  std::vector<int64_t> blocks;
  for (int64_t part = 1; part < taps; ++part) {
    if (taps % part == 0 && part * e.c0 <= most) {
      blocks.push_back(part * e.c0);
    }
  }
  for (int64_t lines = 1; lines <= e.cout1_g && lines * taps * e.c0 <= most; ++lines) {
    blocks.push_back(lines * taps * e.c0);
  }
  return blocks;
}

std::vector<CubeChoice> SmallBlocks(const InputProblem& p) {
  const int64_t taps = p.hk * p.wk;
  const int64_t c0 = C0Of(p.dtype);
  std::vector<CubeChoice> choices;
  for (const int64_t base_k : BlocksOfK(p, 256)) {
    const int64_t step = base_k < taps * c0 ? taps * c0 / base_k : 1;  // blocks of a line
    for (const int64_t base_m : {16, 32, 64, 128}) {
      for (const int64_t base_n : {16, 32, 64}) {
        for (const int64_t copies : {0, 1, 2, 3}) {
          CubeChoice choice{.base_m = base_m, .base_n = base_n, .base_k = base_k};
          choice.step_ka = choice.step_kb = step;
          choice.l1_copies_a = 1 + copies % 2;
          choice.l1_copies_b = 1 + copies / 2;
          choice.l0c_copies = 2;
          choice.iterate_order = 1;
          choices.push_back(choice);
        }
      }
    }
  }
  return choices;
}

}  // namespace tilesim
