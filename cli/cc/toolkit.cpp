#include "cli/cc/toolkit.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "cli/cc/process.h"
#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

// Folders, from the root of the headers, whose files users name without a folder: "kernel_operator.h",
// "acl/acl.h".
constexpr std::array<std::string_view, 5> kFolders = {"", "sim/ascendc", "sim/host", "tiling", "ops"};

// Likewise, with all headers of ours that sources reach: in a build the root holds other files, too.
constexpr std::array<std::string_view, 4> kOwnFolders = {"sim/", "ops/lib/", "tiling/", "formats/"};

// A static library of the simulator: its folder in the build, and its file. Each stands before those that it
// needs.
struct Library {
  std::string_view folder;
  std::string_view file;
};
constexpr std::array<Library, 5> kLibraries = {{{"sim", kMainLibrary},
                                                {"ops", "libtilesim_ops.a"},
                                                {"tiling", "libtilesim_tiling.a"},
                                                {"sim", "libtilesim_sim.a"},
                                                {"formats", "libtilesim_formats.a"}}};

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Nothing where the folder does not hold our headers.
std::optional<Toolkit> ToolkitIn(const fs::path& root, const fs::path& libraries, bool is_build) {
  if (!IsFile(root / "sim/host/kernel_launch.h")) {
    return std::nullopt;
  }
  Toolkit toolkit{.root = root.lexically_normal(),
                  .folders = {},
                  .own = {},
                  .libraries = {},
                  .kept = {},
                  .version = TILESIM_VERSION};
  for (const std::string_view folder : kFolders) {
    toolkit.folders.push_back(folder.empty() ? toolkit.root : toolkit.root / folder);
  }
  for (const std::string_view folder : kOwnFolders) {
    toolkit.own.push_back((toolkit.root / folder).string());
  }
  for (const Library& library : kLibraries) {
    toolkit.libraries.push_back(
        (is_build ? libraries / library.folder / library.file : libraries / library.file).lexically_normal());
  }
  if (is_build) {
    toolkit.kept = libraries / "kept";
  }
  return toolkit;
}

Toolkit LookForToolkit() {
  std::error_code ignored;
  const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path installed = beside / TILESIM_PROGRAM_TO_HEADERS;
  for (const std::optional<Toolkit>& found :
       {ToolkitIn(installed, beside / TILESIM_PROGRAM_TO_LIBRARIES, false),
        ToolkitIn(TILESIM_SOURCES, TILESIM_BUILD, true),
        ToolkitIn(TILESIM_INSTALLED_HEADERS, TILESIM_INSTALLED_LIBRARIES, false)}) {
    if (found.has_value()) {
      return *found;
    }
  }
  throw UserError(Say("the headers of kernels are not there: looked in ",
                      installed.lexically_normal().string(), ", ", TILESIM_SOURCES, ", ",
                      TILESIM_INSTALLED_HEADERS, "; install the program"));
}

// A path, or a name that $PATH has; empty where there is no such program.
fs::path ProgramOf(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return access(name.c_str(), X_OK) == 0 ? fs::path(name) : fs::path();
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder.empty() ? "." : folder) / name;
    if (IsFile(program) && access(program.c_str(), X_OK) == 0) {
      return program;
    }
  }
  return {};
}

bool AskedIsClang(const std::vector<std::string>& words) {
  static std::mutex hold;
  static std::map<std::vector<std::string>, bool> known;
  const std::scoped_lock lock(hold);
  const auto found = known.find(words);
  if (found != known.end()) {
    return found->second;
  }
  std::vector<std::string> asking = words;
  asking.emplace_back("--version");
  const bool is_clang = RunProcess(asking, {.keep = Keep::kOutAndErr}).out.find("clang") != std::string::npos;
  known.emplace(words, is_clang);
  return is_clang;
}

}  // namespace

const Toolkit& FindToolkit() {
  static const Toolkit toolkit = LookForToolkit();
  return toolkit;
}

Compiler FindCompiler() {
  Compiler compiler;
  const char* const given = std::getenv("CXX");
  std::istringstream words(given == nullptr ? "" : given);
  for (std::string word; words >> word;) {
    compiler.words.push_back(word);
  }
  if (!compiler.words.empty()) {
    compiler.program = ProgramOf(compiler.words.front());
    RequireUser(!compiler.program.empty(), "CXX = '", given, "': there is no program '",
                compiler.words.front(),
                "'; install it, or leave CXX out to take g++ (Debian, Ubuntu: sudo apt-get install g++)");
    return compiler;
  }
  for (const std::string name : {"g++", "clang++", "c++"}) {
    compiler.program = ProgramOf(name);
    if (!compiler.program.empty()) {
      compiler.words = {name};
      return compiler;
    }
  }
  throw UserError(
      "no C++ compiler is there (looked for g++, clang++, c++); install one (Debian, Ubuntu: sudo apt-get "
      "install g++), or name yours in CXX");
}

ProcessEnd RunCompiler(const std::vector<std::string>& words) {
  return RunProcess(words, {.keep = Keep::kErr, .variables = {{"CCACHE_DISABLE", "1"}}});
}

bool IsClang(const Compiler& compiler) { return AskedIsClang(compiler.words); }

std::string IdentityOf(const fs::path& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) {
    return Say(path.string(), " missing\n");
  }
  return Say(path.string(), " ", about.st_size, " ", about.st_mtim.tv_sec, ".", about.st_mtim.tv_nsec, "\n");
}

std::string ToolchainIdentity() {
  const Compiler compiler = FindCompiler();
  std::string identity = Say(FindToolkit().version, "\n");
  for (const std::string& word : compiler.words) {
    identity += word + "\n";
  }
  identity += IdentityOf(compiler.program);
  for (const fs::path& library : FindToolkit().libraries) {
    identity += IdentityOf(library);
  }
  return identity + IdentityOf(fs::read_symlink("/proc/self/exe"));
}

}  // namespace tilesim
