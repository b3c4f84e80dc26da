// The synchronising calls that stand in the sources of a tile program.
#pragma once

#include <string>
#include <vector>

#include "sim/core/launch.h"

namespace tilesim::testing {

struct WrittenCall {
  std::string file;  // from the root of the project
  int line = 0;
  std::string call;  // "SetFlag", "AllocTensor", ...
  // What it orders: "MTE1_M" of a flag, "M" of a barrier; of a queue's call the flag of EnQue and DeQue.
  std::string orders;
  std::string backward;                    // of a queue's call: the flag of FreeTensor and AllocTensor
  [[nodiscard]] std::string Text() const;  // "SetFlag at ops/lib/file.h:61"
};

// Those of `file` and of everything under ops/ that it includes, in the order of the files. Read as text:
// knows no preprocessor; a call must stand on one line with its name, and a file has queues of one kind only.
// without_orders: what calls order is not read, and there may be queues of any kinds.
std::vector<WrittenCall> SynchronisingCalls(const std::string& file, bool without_orders = false);

// Is `site` of the call? A queue's AllocTensor waits for the tensor's last reader, SyncAll sets and waits:
// other calls on their line.
bool IsOf(const SyncSite& site, const WrittenCall& call);

}  // namespace tilesim::testing
