// A pooling gradient run as a tile program, and the same by loops of the tests' own.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sim/core/launch.h"
#include "tiling/max_pool/max_pool_grad_tiling.h"

namespace tilesim::testing {

// Tensors of one problem in the order of GM. Values of 16-bit types are exact in float.
struct PoolGradData {
  std::vector<float> x;
  std::vector<float> dy;
  std::vector<int32_t> argmax;  // as the problem counts; -1: no gradient
};

// Values that tie often; about one output in `without` has no gradient (0: none). NaN and infinities where
// asked for.
PoolGradData RandomPoolGradData(const PoolGradProblem& problem, uint64_t seed, int without, bool odd_values);

// dx by scattering, tap by tap of the window in row-major order, in float, rounded once to the type.
std::vector<float> ScatteredPoolGrad(const PoolGradProblem& problem, const PoolGradData& data);

struct PoolGradRun {
  std::vector<float> dx;
  LaunchResult launch;
};
struct PoolGradRunOptions {
  RunMode mode = {};
  int threads = 2;
  std::optional<SourceLine> drop_sync = {};
  std::set<SyncSite>* sync_sites = nullptr;
};
PoolGradRun RunPoolGrad(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling,
                        const PoolGradData& data, const SocConfig& soc,
                        const PoolGradRunOptions& options = {});

// Any window, stride, dilation, padding, layout and type; small.
PoolGradProblem RandomPoolGradProblem(std::mt19937_64& random);
std::string Text(const PoolGradProblem& problem);

// Position i of dx and of x has the same bits in both, NaN included.
std::string FirstDifference(const std::vector<float>& found, const std::vector<float>& expected);

// The run comes to its end without a fault, with the bits of ScatteredPoolGrad.
void ExpectRight(const PoolGradProblem& problem, const MaxPoolGradTiling& tiling, const PoolGradData& data,
                 const SocConfig& soc, const std::string& what);

}  // namespace tilesim::testing
