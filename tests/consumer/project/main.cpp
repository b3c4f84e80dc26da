// One header of each installed floor, and something that has to be linked from each.
#include <cstdio>
#include <vector>

#include "formats/dtype.h"
#include "kernel_operator.h"
#include "ops/cases/case_file.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"
#include "tiling/platform/platform_ascendc.h"

int main() {
  const tilesim::SocConfig soc = tilesim::LoadSoc("unit", {});
  tilesim::LaunchOptions options;
  options.blocks = soc.aic_cores;
  std::vector<int> seen(static_cast<size_t>(soc.aic_cores), 0);
  const tilesim::LaunchResult result = tilesim::Launch(soc, options, [&seen] {
    AscendC::PipeBarrier<PIPE_ALL>();
    seen[static_cast<size_t>(AscendC::GetBlockIdx())] += 1;
  });
  for (const tilesim::Fault& fault : result.faults) {
    std::printf("%s\n", fault.Text().c_str());
  }
  const bool ran = result.faults.empty() && seen == std::vector<int>(seen.size(), 1);
  const bool linked = tilesim::ParseDType("fp16") == tilesim::DType::kFp16 &&
                      !tilesim::CaseColumns().empty() &&
                      platform_ascendc::PlatformAscendC(soc).GetCoreNumAic() == result.cores.size();
  std::printf("%zu cores ran\n", result.cores.size());
  return ran && linked ? 0 : 1;
}
