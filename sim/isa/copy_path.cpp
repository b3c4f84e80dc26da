#include "sim/isa/copy_path.h"

namespace tilesim::isa {
namespace {

// The paths out of a memory, as the calls that take them.
const char* PathsFrom(Memory from) {
  switch (from) {
    case Memory::kGm:
      return "to UB and L1 (DataCopy), and to L0A, L0B and L1 (LoadData)";
    case Memory::kL1:
      return "to BT, FB and GM (DataCopy), and to L0A and L0B (LoadData)";
    case Memory::kL0C:
      return "to GM and L1 (Fixpipe, or DataCopy with DataCopyCO12DstParams)";
    case Memory::kUb:
      return "to UB and GM (DataCopy)";
    case Memory::kL0A:
    case Memory::kL0B:
      return "none; Mmad reads it";
    case Memory::kBt:
      return "none; Mmad reads it as its bias";
    case Memory::kFb:
      return "none; Fixpipe reads it as its quantisation words";
  }
  return "none";
}

}  // namespace

void RefusePath(Core& core, Memory from, Memory to) {
  core.Fail(FaultKind::kMisuse, "dst",
            Say("is in ", Name(to), " and src in ", Name(from), "; there is no such path: paths from ",
                Name(from), " are ", PathsFrom(from)));
}

void RefuseUbToL1(Core& core) {
  core.Fail(FaultKind::kMisuse, "dst",
            "is in L1 and src in UB: there is no such path, and tilesim does not model yet the server of a "
            "Matmul object that makes this copy by way of GM; write UB to GM and let the cube core read it");
}

}  // namespace tilesim::isa
