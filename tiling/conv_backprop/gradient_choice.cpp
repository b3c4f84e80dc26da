#include "tiling/conv_backprop/gradient_choice.h"

#include "formats/units.h"
#include "tiling/conv_backprop/conv_fields.h"
#include "tiling/conv_backprop/filter_l1.h"

namespace tilesim {
namespace {

// The choice with one and two copies of A and of B in L1.
void AddCopies(CubeChoice choice, std::vector<CubeChoice>& choices) {
  choice.l0c_copies = 2;
  for (const int64_t copies : {0, 1, 2, 3}) {
    choice.l1_copies_a = 1 + copies % 2;
    choice.l1_copies_b = 1 + copies / 2;
    choices.push_back(choice);
  }
}

}  // namespace

void SetTaskFields(const CubeChoice& choice, int64_t c0, TConv3DBpFilterTiling& t) {
  SetChoiceFields(choice, t);
  t.m0 = t.n0 = 16;
  t.k0 = Low32(c0);
  t.singleCoreDk = t.singleCoreGroup = 1;
  t.singleCoreBatch = 1;
}

FilterTiling TilingOf(const FilterProblem& p, const CoreMemory& memory, const FilterCut& cut,
                      const CubeChoice& choice) {
  const FilterExtents e = ExtentsOf(p);
  FilterTiling tiling{.data = {}, .split = cut.split};
  TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  SetProblemFields(p, t);
  SetTaskFields(choice, e.c0, t);
  tiling.data.params.totalL1Size = Low32(memory.l1_bytes);
  t.bl1Bound = Low32(L1BoundOf(p, e, {.rows_out = cut.part.rows, .lines = cut.part.lines},
                               choice.step_kb * choice.base_k, choice.step_n * choice.base_n / e.c0));
  t.hf32Flag = p.hf32 ? 1 : 0;
  t.singleCoreCout = Low32(cut.part.m);
  t.singleCoreHo = Low32(cut.part.rows);
  t.singleCoreCin = static_cast<uint64_t>(cut.part.lines * e.c0);
  tiling.data.basicBlockTiling = {Low32(cut.part.m), Low32(cut.part.lines * p.hk * p.wk * e.c0),
                                  Low32(cut.part.rows * p.wo)};
  return tiling;
}

std::vector<CubeChoice> SmallBlocks(const FilterProblem& p) {
  const int64_t taps = p.hk * p.wk;
  const int64_t c0 = C0Of(p.dtype);
  std::vector<int64_t> ns = {16, 32, 48, 64, 96, 128};
  for (int64_t columns = 1; columns <= taps; ++columns) {
    // blocks that divide a line never touch two
    if (taps % columns == 0 && columns * c0 % 16 == 0 && columns * c0 <= 512) {
      ns.push_back(columns * c0);
    }
  }
  std::vector<CubeChoice> choices;
  for (const int64_t base_m : {16, 32, 64, 128}) {
    for (const int64_t base_n : ns) {
      for (const int64_t base_k : {16, 32, 64, 128}) {
        AddCopies({.base_m = base_m, .base_n = base_n, .base_k = base_k}, choices);
      }
    }
  }
  return choices;
}

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
        AddCopies({.base_m = base_m,
                   .base_n = base_n,
                   .base_k = base_k,
                   .step_ka = step,
                   .step_kb = step,
                   .iterate_order = 1},
                  choices);
      }
    }
  }
  return choices;
}

}  // namespace tilesim
