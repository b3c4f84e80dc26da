#include "tiling/conv_backprop/filter_traffic.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/rough_time.h"

namespace tilesim {

FilterTensorBytes TensorBytesOf(const FilterProblem& p) {
  const FilterExtents e = ExtentsOf(p);
  const auto bytes = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  return {.x = bytes(p.batch * p.di * CeilDiv(p.cin, e.c0) * 32, p.hi * p.wi),
          .dy = bytes(p.batch * p.dout * CeilDiv(p.cout, e.c0) * 32, p.ho * p.wo),
          .dw = bytes(e.real_groups * p.dk * e.n, e.m * 4)};
}

double ZeroFillCycles(const FilterProblem& problem, const SocConfig& soc, int64_t cores) {
  constexpr int64_t kGrainBytes = 1024;
  const auto dw_bytes = static_cast<int64_t>(TensorBytesOf(problem).dw);
  const int64_t slice = CeilDiv(dw_bytes, cores * kGrainBytes) * kGrainBytes;
  const int64_t zeros = std::min(slice, soc.l1_bytes / 2);
  const Cost fill = isa::FillCost(soc, Memory::kL1, zeros);
  const int64_t missing = WritesWaitForHbm(soc) ? slice : 0;
  const Cost write = isa::GmWriteCost(
      soc,
      {.bytes = {.hit = slice - missing, .miss = missing}, .bursts = CeilDiv(slice, zeros), .cores = cores});
  return static_cast<double>(fill.busy_cycles + fill.latency_cycles + write.busy_cycles +
                             write.latency_cycles + soc.cross_core_cycles);
}

}  // namespace tilesim
