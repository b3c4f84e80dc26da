#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tilesim {

// Files that a folder keeps from run to run: how they are named, written and removed, and what other files
// were when they were made. Several threads and several processes may use one folder.

// The user's: $XDG_CACHE_HOME/tilesim/cc, else ~/.cache/tilesim/cc. Throws UserError where neither is set.
[[nodiscard]] std::filesystem::path CacheFolder();

// FNV-1a of 128 bits: long enough that no two texts of a user share one.
class Digest {
 public:
  // "ab", "c" is not "a", "bc".
  void Add(std::string_view text);
  // 32 digits.
  [[nodiscard]] std::string Text() const;

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide kPrime = (Wide{1} << 88) + 0x13B;
  Wide state_ = (Wide{0x6C62272E07BB0142} << 64) + 0x62B821756295C58D;
};

// nullopt where it cannot be read.
[[nodiscard]] std::optional<std::string> TextOf(const std::filesystem::path& path);

// A file as it was when something was made of it.
struct FileState {
  std::string path;
  int64_t size = -1;
  int64_t seconds = 0;  // of its last change; 0: too young to be trusted
  int64_t nanoseconds = 0;
  std::string digest;  // of what it holds; empty: it is never the same again
};
// Size and time; nullopt where there is no such file.
[[nodiscard]] std::optional<FileState> StateOf(const std::string& path);
// With its contents' digest.
[[nodiscard]] std::optional<FileState> FullStateOf(const std::string& path);

enum class Match : uint8_t { kSame, kTouched, kOther };
// Compares with the file as it is, which `state` is set to where only its time differs.
[[nodiscard]] Match Compare(FileState& state);

[[nodiscard]] nlohmann::json FileStateJson(const FileState& state);
// Throws json::exception where `from` is no such state.
[[nodiscard]] FileState FileStateFrom(const nlohmann::json& from);

// A name in `folder` that no other thread or process has.
[[nodiscard]] std::filesystem::path OwnName(const std::filesystem::path& folder);

// Others see the file as it was or as it is, never a part of it. Throws UserError where it cannot be written.
void WriteWhole(const std::filesystem::path& path, const std::string& text);

// Marks a file as used now, for what is removed first.
void Touch(const std::filesystem::path& path);

// Removes what was used longest ago until at most `most_bytes` are left, and what builds that were killed
// have left behind. Files whose paths begin with `kept` stay.
void Evict(const std::filesystem::path& folder, uint64_t most_bytes, const std::filesystem::path& kept);

}  // namespace tilesim
