#include "tiling/conv_backprop/core_demand.h"

#include "formats/error.h"

namespace tilesim {
namespace {

std::string Percent(int64_t part, int64_t whole) { return Say(part * 100 / whole, " %"); }

}  // namespace

bool Fits(const CoreDemand& demand, const CoreMemory& memory) {
  return demand.l0a_bytes <= memory.l0a_bytes && demand.l0b_bytes <= memory.l0b_bytes &&
         demand.l0c_bytes <= memory.l0c_bytes && demand.l1_bytes() <= memory.l1_bytes;
}

std::string SharesOf(const CoreMemory& memory, const CoreDemand& demand) {
  return Say(Percent(demand.l0a_bytes, memory.l0a_bytes), " of L0A, ",
             Percent(demand.l0b_bytes, memory.l0b_bytes), " of L0B, ",
             Percent(demand.l0c_bytes, memory.l0c_bytes), " of L0C, its L1 steps ",
             Percent(demand.l1_bytes(), memory.l1_bytes), " of L1");
}

}  // namespace tilesim
