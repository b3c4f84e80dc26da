// Operators in simulation against a native library's primitive in the same process. Ratios are printed, and
// held to a least one where the command line gives it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ops/operator.h"

namespace tilesim::bench {

// What an operator is measured against.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual void Run() = 0;
  // The library's name of the implementation, e.g. "jit:avx512_core".
  [[nodiscard]] virtual std::string implementation() const = 0;
};

struct Contest {
  std::string name;  // "filter/bench_03"
  std::function<std::unique_ptr<Operator>()> make_operator;
  std::function<std::vector<Tensor>(const Operator&)> make_inputs;
  std::function<std::unique_ptr<Peer>()> make_peer;
};

// Inputs of a contest that may be any numbers: random, in -1 to 1.
std::vector<Tensor> RandomInputs(const Operator& op);

// Each contest as the peer runs it on one thread; in values only, with time and checks, and the same on two
// threads; and how many instructions a second the clock alone takes. The program's exit code: 2 for arguments
// it does not know, 1 where --least=<ratio> is given and values only is slower than that times the peer.
int RunContests(const std::vector<Contest>& contests, int argc, char** argv);

}  // namespace tilesim::bench
