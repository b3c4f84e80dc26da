// What a run of a kernel gives.
#pragma once

namespace tilesim {

// What a run gives. Bounds, alignment, limits, flags, queues and deadlock are checked in all but `cost_only`.
struct RunMode {
  bool values = true;   // instructions compute
  bool time = true;     // instructions take time
  bool hazards = true;  // hazards and reads of unwritten bytes are looked for
  // With values: bits that hold no value are followed through instructions, and are a fault where they
  // matter. False: reading them is a fault by itself, as without values.
  bool follows_undefined = true;
  // Vector cores: the vendor's compiler orders V behind V, and S and V, MTE2, MTE3 behind each other, by
  // itself. True: it does not (its auto-sync is off), and the kernel must.
  bool strict_sync = false;
  // Time alone, of a kernel that is known to have no faults: without values and hazards, and nothing is
  // checked, named or counted but bytes of GM. Cycles are the same as of a run that checks.
  bool cost_only = false;
};

}  // namespace tilesim
