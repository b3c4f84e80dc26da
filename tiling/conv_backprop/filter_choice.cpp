#include "tiling/conv_backprop/filter_choice.h"

#include "tiling/conv_backprop/conv_fields.h"
#include "tiling/conv_backprop/filter_l1.h"

namespace tilesim {

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
        for (const int64_t copies : {0, 1, 2, 3}) {
          CubeChoice choice{.base_m = base_m, .base_n = base_n, .base_k = base_k};
          choice.l1_copies_a = 1 + copies % 2;
          choice.l1_copies_b = 1 + copies / 2;
          choice.l0c_copies = 2;
          choices.push_back(choice);
        }
      }
    }
  }
  return choices;
}

}  // namespace tilesim
