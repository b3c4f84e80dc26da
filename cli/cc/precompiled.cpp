#include "cli/cc/precompiled.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/cc/kept_files.h"
#include "cli/cc/line_markers.h"
#include "cli/cc/toolkit.h"
#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kMostBytes = uint64_t{2} << 30;  // in the folder; some twenty sets of options

// Only one process at a time holds it; gone with the object.
class Lock {
 public:
  explicit Lock(const fs::path& file)
      : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)),
        is_held_(descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {}
  ~Lock() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool is_held() const { return is_held_; }

 private:
  int descriptor_;
  bool is_held_;
};

// What was made, or that nothing can be made, of these files.
struct Made {
  std::vector<FileState> files;
  bool is_there = false;
};

std::optional<Made> ReadMade(const fs::path& path) {
  const std::optional<std::string> text = TextOf(path);
  if (!text.has_value()) {
    return std::nullopt;
  }
  try {
    const json all = json::parse(*text);
    Made made{.files = {}, .is_there = all.at("made")};
    for (const json& file : all.at("files")) {
      made.files.push_back(FileStateFrom(file));
    }
    return made;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void WriteMade(const fs::path& path, const Made& made) {
  json files = json::array();
  for (const FileState& file : made.files) {
    files.push_back(FileStateJson(file));
  }
  WriteWhole(path, json{{"made", made.is_there}, {"files", std::move(files)}}.dump(
                       -1, ' ', false, json::error_handler_t::replace));
}

class Precompiler {
 public:
  explicit Precompiler(const PrecompiledRequest& request) : request_(request) {
    Digest digest;
    for (const std::string& word : request.compiler) {
      digest.Add(word);
    }
    for (const fs::path& header : request.headers) {
      digest.Add(header.string());
    }
    header_ = request.folder / ("headers-" + digest.Text() + ".h");
    made_ = fs::path(header_).replace_extension(".json");
    compiled_ = header_.string() + ".gch";
  }

  std::optional<PrecompiledHeader> Run() {
    std::error_code failed;
    if (!fs::exists(header_, failed)) {
      fs::create_directories(request_.folder, failed);
      std::string text;
      for (const fs::path& header : request_.headers) {
        text += Say("#include \"", header.string(), "\"\n");
      }
      WriteWhole(header_, text);
      return std::nullopt;
    }
    std::optional<Made> made = ReadMade(made_);
    if (!made.has_value() || !IsUpToDate(*made)) {
      const Lock lock(header_);
      if (!lock.is_held()) {
        return std::nullopt;
      }
      made = Make();
    }
    if (!made->is_there) {
      return std::nullopt;
    }
    Touch(compiled_);
    Evict(request_.folder, kMostBytes, compiled_);
    PrecompiledHeader found{.header = header_, .files = {}};
    std::ranges::transform(made->files, std::back_inserter(found.files), &FileState::path);
    return found;
  }

 private:
  bool IsUpToDate(Made& made) const {
    std::error_code ignored;
    return (!made.is_there || fs::exists(compiled_, ignored)) &&
           std::ranges::all_of(made.files, [](FileState& file) { return Compare(file) != Match::kOther; });
  }

  Made Make() const {
    Made made;
    const fs::path own = OwnName(request_.folder);
    // Which files stand in it, as they are before they are compiled: one that changes meanwhile does not
    // match later.
    std::vector<std::string> words = request_.compiler;
    words.insert(words.end(), {"-E", "-x", "c++-header", header_.string(), "-o", own.string()});
    if (RunCompiler(words).code != 0) {
      return made;  // nobody knows which files would have to change
    }
    for (const fs::path& file : FilesOfMarkers(TextOf(own).value_or(""))) {
      const std::optional<FileState> state = file == header_ ? std::nullopt : FullStateOf(file.string());
      if (state.has_value()) {
        made.files.push_back(*state);
      }
    }
    words = request_.compiler;
    words.insert(words.end(), {"-x", "c++-header", header_.string(), "-o", own.string()});
    made.is_there = RunCompiler(words).code == 0;
    std::error_code failed;
    if (made.is_there) {
      fs::rename(own, compiled_);
    } else {
      fs::remove(own, failed);
    }
    WriteMade(made_, made);
    return made;
  }

  const PrecompiledRequest& request_;
  fs::path header_;    // includes the headers
  fs::path made_;      // the state of the files of what was made
  fs::path compiled_;  // what g++ looks for
};

}  // namespace

std::optional<PrecompiledHeader> FindPrecompiled(const PrecompiledRequest& request) {
  return Precompiler(request).Run();
}

std::vector<std::string_view> LeadingIncludes(std::string_view source) {
  std::vector<std::string_view> includes;
  const auto skip = [&](std::string_view blanks) {
    source.remove_prefix(std::min(source.find_first_not_of(blanks), source.size()));
  };
  const auto skip_behind = [&](std::string_view end) {
    const size_t at = source.find(end);
    source.remove_prefix(at == std::string_view::npos ? source.size() : at + end.size());
  };
  for (;;) {
    skip(" \t\r\n\f\v");
    if (source.starts_with("//")) {
      skip_behind("\n");
    } else if (source.starts_with("/*")) {
      source.remove_prefix(2);
      skip_behind("*/");
    } else if (source.starts_with("#")) {
      source.remove_prefix(1);
      skip(" \t");
      constexpr std::string_view kInclude = "include";
      if (!source.starts_with(kInclude)) {
        return includes;
      }
      source.remove_prefix(kInclude.size());
      skip(" \t");
      const char closing = source.starts_with('<') ? '>' : '"';
      const size_t end = source.find(closing, 1);
      if (!(source.starts_with('<') || source.starts_with('"')) || end == std::string_view::npos) {
        return includes;
      }
      includes.push_back(source.substr(0, end + 1));
      source.remove_prefix(end + 1);
    } else {
      return includes;
    }
  }
}

}  // namespace tilesim
