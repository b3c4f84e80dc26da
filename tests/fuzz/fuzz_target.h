// What fuzz targets have in common: an input becomes a file or a text, one parser reads it, and a refusal is
// as right as a result. Knows no parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "formats/shown_text.h"

// What the engine calls; each target defines it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace tilesim::fuzz {

inline std::string_view TextOf(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A file that holds the input; the same one each time, so that its path tells nothing.
std::string FileOf(std::string_view input, std::string_view name);

// A message that a terminal, JSON and a person can take.
inline void RequireReadable(std::string_view message) {
  constexpr size_t kMostBytes = 6000;  // every field of the largest tiling wrong, a sentence each
  if (Printable(message) != message || message.size() > kMostBytes) {
    std::fprintf(stderr, "a message of %zu bytes that is too long or not printable: %.*s\n", message.size(),
                 200, std::string(message).c_str());
    std::abort();
  }
}

// Runs a parser. What it throws but UserError goes on to the engine, which keeps the input.
template <class Read>
void Reads(const Read& read) {
  try {
    read();
  } catch (const UserError& refused) {
    RequireReadable(refused.what());
  }
}

}  // namespace tilesim::fuzz
