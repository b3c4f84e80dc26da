#include "cli/cc/precompiled.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/cc/command_line.h"
#include "cli/cc/kept_files.h"
#include "cli/cc/line_markers.h"
#include "cli/cc/toolkit.h"
#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr auto kRetry =
    std::chrono::hours(24);  // after which a failure, of a full disk say, may be none any more
constexpr uint64_t kMostBytes = uint64_t{2} << 30;  // in the folder; some twenty sets of options

// Only one process at a time holds it, and one thread of it; gone with the object.
class Lock {
 public:
  explicit Lock(const fs::path& folder)
      : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
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
  } catch (const UserError&) {
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
    digest.Add(request.identity);
    for (const std::string& word : request.compiler) {
      digest.Add(word);
    }
    for (const fs::path& header : request.headers) {
      digest.Add(header.string());
    }
    header_ = request.folder / ("headers-" + digest.Text() + ".h");
    made_ = header_.string() + ".json";
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
      const Lock lock(request_.folder);
      if (!lock.is_held()) {
        return std::nullopt;
      }
      made = ReadMade(made_);  // another process may have made it meanwhile
      if (!made.has_value() || !IsUpToDate(*made)) {
        made = Make();
        Evict(request_.folder, kMostBytes, header_);
      }
    }
    if (!made->is_there) {
      return std::nullopt;
    }
    for (const fs::path& file : {header_, made_, compiled_}) {
      Touch(file);
    }
    PrecompiledHeader found{.header = header_, .files = {}};
    std::ranges::transform(made->files, std::back_inserter(found.files), &FileState::path);
    return found;
  }

 private:
  bool IsUpToDate(Made& made) const {
    std::error_code ignored;
    const auto age = fs::file_time_type::clock::now() - fs::last_write_time(made_, ignored);
    return (made.is_there ? fs::exists(compiled_, ignored) : !ignored && age < kRetry) &&
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
    fs::remove(made_, failed);  // what it says is of what was there before
    if (made.is_there) {
      fs::rename(own, compiled_);
    } else {
      fs::remove(own, failed);
    }
    WriteMade(made_, made);
    return made;
  }

  const PrecompiledRequest& request_;
  fs::path header_;    // includes the headers; the names of the others begin with its name
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
      if (source.substr(0, source.find('\n')).find('\\') != std::string_view::npos) {
        return includes;  // the comment may go on in the next line
      }
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

bool MayComeLater(std::string_view header) {
  constexpr std::array<std::string_view, 41> kHeaders = {
      "algorithm", "array",     "atomic",      "bit",      "chrono",     "climits",
      "cmath",     "complex",   "cstddef",     "cstdint",  "cstdio",     "cstdlib",
      "cstring",   "ctime",     "exception",   "fstream",  "functional", "initializer_list",
      "iomanip",   "iostream",  "iterator",    "limits",   "map",        "math.h",
      "memory",    "mutex",     "numeric",     "optional", "random",     "set",
      "sstream",   "stdexcept", "stdint.h",    "stdio.h",  "stdlib.h",   "string",
      "string.h",  "thread",    "type_traits", "utility",  "vector"};
  return std::ranges::find(kHeaders, header) != kHeaders.end();
}

bool AllowsPrecompiled(std::string_view option) {
  constexpr std::array<std::string_view, 9> kBeginnings = {
      "-O", "-g", "-m", "-W", "-fno-", "-fPI", "-fpi", "-fsanitize=", "-fvisibility="};
  constexpr std::array<std::string_view, 6> kWhole = {"-w",           "-pthread",    "-pedantic",
                                                      "-fexceptions", "-ffast-math", "-fopenmp"};
  const auto begins = [&](std::string_view beginning) { return option.starts_with(beginning); };
  return std::ranges::find(kWhole, option) != kWhole.end() || std::ranges::any_of(kBeginnings, begins);
}

std::optional<std::vector<fs::path>> FoldersOfUser(const std::vector<std::string>& compiler,
                                                   const std::vector<std::string>& preprocessing) {
  const auto changes_headers = [](const std::string& word) {
    return word.starts_with('-') && !AllowsPrecompiled(word);
  };
  if (std::getenv("CPATH") != nullptr || std::getenv("CPLUS_INCLUDE_PATH") != nullptr ||
      std::ranges::any_of(compiler, changes_headers)) {
    return std::nullopt;
  }
  std::vector<fs::path> folders;
  for (size_t i = 0; i < preprocessing.size(); ++i) {
    const std::string& word = preprocessing[i];
    constexpr std::array<std::string_view, 4> kFolderOptions = {"-I", "-isystem", "-iquote", "-idirafter"};
    const auto* const option =
        std::ranges::find_if(kFolderOptions, [&](std::string_view one) { return word.starts_with(one); });
    const bool is_macro = word.starts_with("-D") || word.starts_with("-U");
    if (option == kFolderOptions.end() && !is_macro) {
      return std::nullopt;
    }
    const bool value_follows = TakesNextWord(word);
    if (!is_macro) {
      folders.emplace_back(value_follows ? preprocessing.at(i + 1) : word.substr(option->size()));
    }
    i += value_follows ? 1 : 0;
  }
  return folders;
}

bool AnyStandsBefore(const std::vector<fs::path>& folders, const std::vector<fs::path>& files) {
  std::error_code ignored;
  for (const fs::path& file : files) {
    fs::path name = file.filename();
    for (fs::path above = file.parent_path(); above.has_relative_path(); above = above.parent_path()) {
      const auto has = [&](const fs::path& folder) {
        const fs::path found = folder / name;
        return fs::exists(found, ignored) && !fs::equivalent(found, file, ignored);
      };
      if (std::ranges::any_of(folders, has)) {
        return true;
      }
      name = above.filename() / name;
    }
  }
  return false;
}

}  // namespace tilesim
