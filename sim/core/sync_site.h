// Where a kernel synchronises.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

#include "sim/core/source_line.h"

namespace tilesim {

// A synchronising call met while running: for tests that take each away in turn.
struct SyncSite {
  SourceLine where;
  std::string call;
  friend bool operator<(const SyncSite& a, const SyncSite& b) {
    const int files = std::string_view(a.where.file).compare(b.where.file);
    return files != 0 ? files < 0 : std::tie(a.where.line, a.call) < std::tie(b.where.line, b.call);
  }
};

}  // namespace tilesim
