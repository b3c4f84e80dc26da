#include "cli/cc/kept_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <vector>

#include "formats/error.h"
#include "formats/json_whole.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int64_t kFreshSeconds = 2;  // a file as young as that may change without its time showing it
constexpr std::string_view kInTheMaking = "new-";
constexpr auto kLongestBuild = std::chrono::hours(24);

std::string DigestOf(std::string_view text) {
  Digest digest;
  digest.Add(text);
  return digest.Text();
}

}  // namespace

fs::path CacheFolder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') {
    return fs::path(cache) / "tilesim/cc";
  }
  RequireUser(
      home != nullptr && *home != '\0',
      "no folder for compiled programs: neither XDG_CACHE_HOME nor HOME is set; let XDG_CACHE_HOME name one");
  return fs::path(home) / ".cache/tilesim/cc";
}

void Digest::Add(std::string_view text) {
  for (const char letter : text) {
    state_ = (state_ ^ static_cast<unsigned char>(letter)) * kPrime;
  }
  state_ = (state_ ^ 0x100U) * kPrime;
}

std::string Digest::Text() const {
  std::string text;
  for (int shift = 124; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[static_cast<size_t>(state_ >> shift) & 15];
  }
  return text;
}

std::optional<std::string> TextOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.good()) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::optional<FileState> StateOf(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) {
    return std::nullopt;
  }
  return FileState{.path = path,
                   .size = about.st_size,
                   .seconds = about.st_mtim.tv_sec,
                   .nanoseconds = about.st_mtim.tv_nsec,
                   .digest = {}};
}

std::optional<FileState> FullStateOf(const std::string& path) {
  std::optional<FileState> state = StateOf(path);
  const std::optional<std::string> text = TextOf(path);
  if (!state.has_value() || !text.has_value()) {
    return std::nullopt;
  }
  state->digest = DigestOf(*text);
  if (state->seconds + kFreshSeconds > std::time(nullptr)) {
    state->seconds = 0;
  }
  return state;
}

Match Compare(FileState& state) {
  const std::optional<FileState> now = StateOf(state.path);
  if (!now.has_value() || now->size != state.size) {
    return Match::kOther;
  }
  if (state.seconds != 0 && now->seconds == state.seconds && now->nanoseconds == state.nanoseconds) {
    return Match::kSame;
  }
  std::optional<FileState> full = FullStateOf(state.path);
  if (!full.has_value() || full->digest != state.digest) {
    return Match::kOther;
  }
  state = *full;
  return Match::kTouched;
}

json FileStateJson(const FileState& state) {
  return {state.path, state.size, state.seconds, state.nanoseconds, state.digest};
}

FileState FileStateFrom(const json& from) {
  return {.path = from.at(0),
          .size = WholeNumber(from.at(1), "size"),
          .seconds = WholeNumber(from.at(2), "seconds"),
          .nanoseconds = WholeNumber(from.at(3), "nanoseconds"),
          .digest = from.at(4)};
}

fs::path OwnName(const fs::path& folder) {
  static std::atomic<int> number{0};
  return folder / Say(kInTheMaking, getpid(), "-", number++);
}

void WriteWhole(const fs::path& path, const std::string& text) {
  const fs::path own = OwnName(path.parent_path());
  std::ofstream file(own, std::ios::binary);
  file << text;
  file.close();
  RequireUser(file.good(), own.string(), ": cannot be written; is the disk full?");
  fs::rename(own, path);
}

void Touch(const fs::path& path) { utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

void Evict(const fs::path& folder, uint64_t most_bytes, const fs::path& kept) {
  struct Entry {
    fs::file_time_type used;
    uint64_t size = 0;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t bytes = 0;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, ignored)) {
    const uint64_t size = file.file_size(ignored);
    const fs::file_time_type used = file.last_write_time(ignored);
    const bool in_the_making = file.path().filename().string().starts_with(kInTheMaking);
    if (!ignored && in_the_making && fs::file_time_type::clock::now() - used > kLongestBuild) {
      fs::remove(file.path(), ignored);
    } else if (!ignored && !in_the_making) {
      bytes += size;
      if (!file.path().string().starts_with(kept.string())) {
        entries.push_back({.used = used, .size = size, .path = file.path()});
      }
    }
  }
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (bytes <= most_bytes) {
      return;
    }
    fs::remove(entry.path, ignored);
    bytes -= std::min(bytes, entry.size);
  }
}

}  // namespace tilesim
