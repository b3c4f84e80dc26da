#pragma once
#include <cstdint>
#include <memory>

#include "sim/soc/soc_config.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

struct FilterProblem;
struct FilterTiling;
struct InputProblem;
struct InputTiling;
struct MatmulShape;
struct MatmulTiling;
struct MaxPoolGradTiling;
struct MaxPoolTiling;
struct PoolGradProblem;
struct PoolShape;

// All tilings of a problem that some tiling is legal for, on up to `cores` cores; of a pooling's gradient
// those in one phase. `soc` must outlive the space. `least_reads`: bytes that HBM has to give at least.
std::unique_ptr<TilingSpace<FilterTiling>> AllTilingsOf(const FilterProblem& problem, const SocConfig& soc,
                                                        int64_t cores);
std::unique_ptr<TilingSpace<InputTiling>> AllTilingsOf(const InputProblem& problem, const SocConfig& soc,
                                                       int64_t cores, int64_t least_reads);
std::unique_ptr<TilingSpace<MatmulTiling>> AllTilingsOf(const MatmulShape& shape, const SocConfig& soc,
                                                        int64_t cores, int64_t least_reads);
std::unique_ptr<TilingSpace<MaxPoolTiling>> AllTilingsOf(const PoolShape& shape, const SocConfig& soc,
                                                         int64_t cores, int64_t least_reads);
std::unique_ptr<TilingSpace<MaxPoolGradTiling>> AllTilingsOf(const PoolGradProblem& problem,
                                                             const SocConfig& soc, int64_t cores,
                                                             int64_t least_reads);

// No tiling of a pooling takes less, nor if it stored indices alone.
double LeastUsOfIndices(const PoolShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads);

}  // namespace tilesim
