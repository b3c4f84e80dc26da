// A launch as the CSV files that users of the vendor's profiler know: `msprof op` and `msprof op simulator`.
#pragma once

#include <cstddef>
#include <string>

#include "cli/report/launch_watch.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// PipeUtilization.csv: a row a core. What a kind of core has not is NA.
std::string PipeUtilizationCsv(const LaunchResult& launch, const SocConfig& soc);

// "core3.cubecore0", "core0.veccore1": the folder of a core, and how its files' names begin.
std::string MsprofCoreName(const CoreIdentity& core);

// core*_instr_exe.csv: a row an instruction of one source line, which stands where the vendor has its
// address.
std::string InstrExeCsv(const LaunchWatch& watch, size_t core, const SocConfig& soc);

// core*_code_exe.csv: a row a source line.
std::string CodeExeCsv(const LaunchWatch& watch, size_t core, const SocConfig& soc);

}  // namespace tilesim
