// The notice of a launch that bytes of GM were never written, told from its other notices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "sim/core/gm.h"

namespace tilesim {

// Of `missing` bytes of the buffer, the first of them [begin, end) behind its start.
inline std::string UnwrittenGmNotice(const GmBuffer& buffer, uint64_t missing, uint64_t begin, uint64_t end) {
  return Say("GM buffer ", buffer.name, ": no core has written ", missing, " of its ", buffer.size_bytes,
             " bytes, first [", begin, ", ", end, ")");
}
inline bool IsUnwrittenGmNoticeOf(std::string_view notice, std::string_view buffer_name) {
  return notice.starts_with(Say("GM buffer ", buffer_name, ": "));
}
inline bool IsUnwrittenGmNotice(std::string_view notice) { return notice.starts_with("GM buffer "); }

}  // namespace tilesim
