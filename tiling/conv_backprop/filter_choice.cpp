#include "tiling/conv_backprop/filter_choice.h"

#include "tiling/conv_backprop/filter_l1.h"

namespace tilesim {

FilterTiling TilingOf(const FilterProblem& p, const CoreMemory& memory, const FilterCut& cut,
                      const FilterBlockChoice& choice) {
  const FilterExtents e = ExtentsOf(p);
  FilterTiling tiling{.data = {}, .split = cut.split};
  const auto field = [](int64_t value) { return static_cast<uint32_t>(value); };
  TConv3DBpFilterTiling& t = tiling.data.dwTiling;
  SetProblemFields(p, t);
  tiling.data.params.totalL1Size = field(memory.l1_bytes);
  t.al0Pbuffer = t.bl0Pbuffer = 2;
  t.cl0Pbuffer = field(choice.l0c_copies);
  t.al1Pbuffer = field(choice.l1_copies_a);
  t.bl1Pbuffer = field(choice.l1_copies_b);
  t.baseM = field(choice.base_m);
  t.baseN = field(choice.base_n);
  t.baseK = field(choice.base_k);
  t.m0 = t.n0 = 16;
  t.k0 = field(e.c0);
  t.stepM = field(choice.step_m);
  t.stepN = field(choice.step_n);
  t.stepKa = field(choice.step_ka);
  t.stepKb = field(choice.step_kb);
  t.iterateOrder = choice.m_fast ? 1 : 0;
  t.bl1Bound = field(L1BoundOf(p, e, {.rows_out = cut.part.rows, .lines = cut.part.lines},
                               choice.step_kb * choice.base_k, choice.step_n * choice.base_n / e.c0));
  t.hf32Flag = p.hf32 ? 1 : 0;
  t.singleCoreDk = t.singleCoreGroup = 1;
  t.singleCoreBatch = 1;
  t.singleCoreCout = field(cut.part.m);
  t.singleCoreHo = field(cut.part.rows);
  t.singleCoreCin = static_cast<uint64_t>(cut.part.lines * e.c0);
  tiling.data.basicBlockTiling = {field(cut.part.m), field(cut.part.lines * p.hk * p.wk * e.c0),
                                  field(cut.part.rows * p.wo)};
  return tiling;
}

std::vector<FilterBlockChoice> SmallBlocks(const FilterProblem& p) {
  const int64_t taps = p.hk * p.wk;
  const int64_t c0 = C0Of(p.dtype);
  std::vector<int64_t> ns = {16, 32, 48, 64, 96, 128};
  for (int64_t columns = 1; columns <= taps; ++columns) {
    // blocks that divide a line never touch two
    if (taps % columns == 0 && columns * c0 % 16 == 0 && columns * c0 <= 512) {
      ns.push_back(columns * c0);
    }
  }
  std::vector<FilterBlockChoice> choices;
  for (const int64_t base_m : {16, 32, 64, 128}) {
    for (const int64_t base_n : ns) {
      for (const int64_t base_k : {16, 32, 64, 128}) {
        for (const int64_t copies : {0, 1, 2, 3}) {
          FilterBlockChoice choice{.base_m = base_m, .base_n = base_n, .base_k = base_k};
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
