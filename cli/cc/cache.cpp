#include "cli/cc/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "cli/cc/command_line.h"
#include "formats/nearest_name.h"
#include "ops/cases/case_cells.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kManifestVersion = 1;   // of what stands in a manifest; raised when that changes
constexpr size_t kMostVariants = 16;  // of one request that a manifest remembers
constexpr int64_t kFreshSeconds = 2;  // a file as young as that may change without its time showing it

constexpr std::string_view kInTheMaking = "new-";
constexpr auto kLongestBuild = std::chrono::hours(24);

// FNV-1a of 128 bits, as text: long enough that no two texts of a user share one.
class Digest {
 public:
  void Add(std::string_view text) {
    for (const char letter : text) {
      state_ = (state_ ^ static_cast<unsigned char>(letter)) * kPrime;
    }
    state_ = (state_ ^ 0x100U) * kPrime;  // "ab", "c" is not "a", "bc"
  }
  std::string Text() const {
    std::string text;
    for (int shift = 124; shift >= 0; shift -= 4) {
      text += "0123456789abcdef"[static_cast<size_t>(state_ >> shift) & 15];
    }
    return text;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide kPrime = (Wide{1} << 88) + 0x13B;
  Wide state_ = (Wide{0x6C62272E07BB0142} << 64) + 0x62B821756295C58D;
};

std::optional<std::string> TextOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.good()) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// A file as it was when a program was made of it.
struct FileState {
  std::string path;
  int64_t size = -1;
  int64_t seconds = 0;  // of its last change; 0: too young to be trusted
  int64_t nanoseconds = 0;
  std::string digest;
};

// Size and time; nullopt where there is no such file.
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

std::string DigestOf(std::string_view text) {
  Digest digest;
  digest.Add(text);
  return digest.Text();
}

// With its contents' digest.
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

enum class Match { kSame, kTouched, kOther };

// Compares with the file as it is, which `state` is set to where only its time differs.
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

json KernelJson(const KernelDeclaration& kernel) {
  json parameters = json::array();
  for (const KernelParameter& parameter : kernel.parameters) {
    parameters.push_back({parameter.name, parameter.type});
  }
  return {{"name", kernel.name},
          {"namespaces", kernel.namespaces},
          {"template", kernel.template_head},
          {"definition", kernel.is_definition},
          {"extern_c", kernel.is_extern_c},
          {"kind", static_cast<int>(kernel.qualifiers.kind)},
          {"aic", kernel.qualifiers.aic},
          {"aiv", kernel.qualifiers.aiv},
          {"schedmode", kernel.qualifiers.schedmode},
          {"parameters", std::move(parameters)},
          {"file", kernel.file},
          {"line", kernel.line}};
}

KernelDeclaration KernelFrom(const json& from) {
  KernelDeclaration kernel{
      .name = from.at("name"),
      .namespaces = from.at("namespaces"),
      .template_head = from.at("template"),
      .is_definition = from.at("definition"),
      .is_extern_c = from.at("extern_c"),
      .qualifiers = {.kind = static_cast<KernelQualifiers::Kind>(from.at("kind").get<int>()),
                     .aic = from.at("aic"),
                     .aiv = from.at("aiv"),
                     .schedmode = from.at("schedmode")},
      .file = from.at("file"),
      .line = from.at("line")};
  for (const json& parameter : from.at("parameters")) {
    kernel.parameters.push_back({.name = parameter.at(0), .type = parameter.at(1)});
  }
  return kernel;
}

// What was made of one state of the files.
struct Variant {
  std::string program;  // its name in the folder
  std::vector<FileState> files;
  std::vector<KernelDeclaration> kernels;
  bool defines_main = false;
};

json VariantJson(const Variant& variant) {
  json files = json::array();
  for (const FileState& file : variant.files) {
    files.push_back({file.path, file.size, file.seconds, file.nanoseconds, file.digest});
  }
  json kernels = json::array();
  for (const KernelDeclaration& kernel : variant.kernels) {
    kernels.push_back(KernelJson(kernel));
  }
  return {{"program", variant.program},
          {"main", variant.defines_main},
          {"files", std::move(files)},
          {"kernels", std::move(kernels)}};
}

Variant VariantFrom(const json& from) {
  Variant variant{.program = from.at("program"), .files = {}, .kernels = {}, .defines_main = from.at("main")};
  for (const json& file : from.at("files")) {
    variant.files.push_back({.path = file.at(0),
                             .size = file.at(1),
                             .seconds = file.at(2),
                             .nanoseconds = file.at(3),
                             .digest = file.at(4)});
  }
  for (const json& kernel : from.at("kernels")) {
    variant.kernels.push_back(KernelFrom(kernel));
  }
  return variant;
}

// A manifest that cannot be read is as good as none.
std::vector<Variant> ReadManifest(const fs::path& path) {
  std::vector<Variant> variants;
  const std::optional<std::string> text = TextOf(path);
  if (!text.has_value()) {
    return variants;
  }
  try {
    for (const json& variant : json::parse(*text)) {
      variants.push_back(VariantFrom(variant));
    }
  } catch (const json::exception&) {
    variants.clear();
  }
  return variants;
}

// A name in `folder` that no other thread or process has.
fs::path OwnName(const fs::path& folder) {
  static std::atomic<int> number{0};
  return folder / Say(kInTheMaking, getpid(), "-", number++);
}

// Others see the file as it was or as it is, never a part of it.
void WriteWhole(const fs::path& path, const std::string& text) {
  const fs::path own = OwnName(path.parent_path());
  std::ofstream file(own, std::ios::binary);
  file << text;
  file.close();
  RequireUser(file.good(), own.string(), ": cannot be written; is the disk full?");
  fs::rename(own, path);
}

void WriteManifest(const fs::path& path, const std::vector<Variant>& variants) {
  json all = json::array();
  for (const Variant& variant : variants) {
    all.push_back(VariantJson(variant));
  }
  // A path that is not UTF-8 is not found again, and its unit compiled anew.
  WriteWhole(path, all.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string KeyOf(const BuildRequest& request) {
  Digest digest;
  digest.Add(Say(kManifestVersion));
  digest.Add(ToolchainIdentity());
  digest.Add(fs::current_path().string());  // names in options and messages are relative to it
  for (const char* const name : {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"}) {
    const char* const value = std::getenv(name);
    digest.Add(value == nullptr ? "" : value);
  }
  const auto add_all = [&](const std::vector<std::string>& texts) {
    digest.Add(Say(texts.size()));
    std::ranges::for_each(texts, [&](const std::string& text) { digest.Add(text); });
  };
  add_all(request.files);
  add_all(request.options);
  add_all(request.pass.instances);
  for (const ExtraSource& extra : request.pass.extra) {
    digest.Add(extra.kernel);
    digest.Add(extra.text);
  }
  return digest.Text();
}

// Marks a result as used now, for what is removed first.
void Touch(const fs::path& path) { utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

// Removes what was used longest ago until at most `most_bytes` are left, and what builds that were killed
// have left behind. `kept` stays.
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
    } else if (!ignored && file.path() != kept && !in_the_making) {
      entries.push_back({.used = used, .size = size, .path = file.path()});
      bytes += size;
    }
  }
  bytes += fs::file_size(kept, ignored);
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (bytes <= most_bytes) {
      return;
    }
    fs::remove(entry.path, ignored);
    bytes -= std::min(bytes, entry.size);
  }
}

// "add<half, 2>" where no template of the sources is so named.
void RequireInstances(const BuildRequest& request, const CcResult& result) {
  for (const std::string& instance : request.pass.instances) {
    if (std::ranges::find(result.instances_found, instance) != result.instances_found.end()) {
      continue;
    }
    std::vector<std::string_view> names;
    for (const KernelDeclaration& kernel : result.kernels) {
      if (kernel.is_definition) {
        names.push_back(kernel.name);
      }
    }
    throw UserError(Say("no kernel template is named '", instance, "'; ", DidYouMean(instance, names),
                        "the kernels of ", request.files.front(), " are ",
                        names.empty() ? std::string("none") : JoinedNames(names)));
  }
}

class Build {
 public:
  explicit Build(const BuildRequest& request, const CacheLimits& limits)
      : request_(request),
        limits_(limits),
        folder_(CacheFolder()),
        manifest_(folder_ / (KeyOf(request) + ".json")) {}

  Compiled Run() && {
    const Clock::time_point start = Clock::now();
    std::vector<Variant> variants = ReadManifest(manifest_);
    Compiled compiled;
    if (const Variant* const known = Find(variants)) {
      compiled = Of(*known);
      compiled.from_cache = true;
    } else {
      compiled = Of(Make());
    }
    compiled.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return compiled;
  }

 private:
  Compiled Of(const Variant& variant) const {
    return {.program = folder_ / variant.program,
            .kernels = variant.kernels,
            .defines_main = variant.defines_main};
  }

  // The variant that the files are now; nullptr where there is none.
  const Variant* Find(std::vector<Variant>& variants) const {
    for (Variant& variant : variants) {
      bool touched = false;
      const bool same = std::ranges::all_of(variant.files, [&](FileState& file) {
        const Match match = Compare(file);
        touched = touched || match == Match::kTouched;
        return match != Match::kOther;
      });
      const fs::path program = folder_ / variant.program;
      std::error_code ignored;
      if (same && fs::exists(program, ignored)) {
        Touch(program);
        if (touched) {
          WriteManifest(manifest_, variants);
        }
        return &variant;
      }
    }
    return nullptr;
  }

  // What is for the linker stands behind the files, in its own order: libraries behind what needs them.
  std::vector<std::string> Words(const fs::path& program) const {
    std::vector<std::string> words;
    std::vector<std::string> for_linker;
    for (size_t i = 0; i < request_.options.size(); ++i) {
      const std::string& option = request_.options[i];
      std::vector<std::string>& to = IsForLinker(option) ? for_linker : words;
      to.push_back(option);
      if (TakesNextWord(option) && i + 1 < request_.options.size()) {
        to.push_back(request_.options[++i]);
      }
    }
    words.insert(words.end(), request_.files.begin(), request_.files.end());
    words.insert(words.end(), for_linker.begin(), for_linker.end());
    words.insert(words.end(), {"-o", program.string()});
    return words;
  }

  Variant Make() const {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    RequireUser(!failed, folder_.string(), ": cannot be made: ", failed.message(),
                "; let XDG_CACHE_HOME name a folder that can be written");
    const fs::path own = OwnName(folder_);
    timespec start{};
    clock_gettime(CLOCK_REALTIME, &start);
    CcResult result = RunCc({.words = Words(own),
                             .pass = request_.pass,
                             .keep_messages = request_.keep_messages,
                             .notes_linked = true});
    if (!result.ok) {
      fs::remove(own, failed);
      throw CompileError(Say(request_.files.front(), ": does not compile"), std::move(result.messages));
    }
    try {
      RequireInstances(request_, result);
    } catch (const UserError&) {
      fs::remove(own, failed);
      throw;
    }
    return Keep(own, result, start);
  }

  Variant Keep(const fs::path& own, const CcResult& result, const timespec& start) const {
    Variant variant{
        .program = {}, .files = {}, .kernels = result.kernels, .defines_main = result.defines_main};
    Digest digest;
    digest.Add(manifest_.filename().string());
    for (const fs::path& file : result.files) {
      std::optional<FileState> state = FullStateOf(file.string());
      if (state.has_value()) {
        digest.Add(state->path);
        digest.Add(state->digest);
        const std::optional<FileState> now = StateOf(state->path);
        const bool changed_since =
            !now.has_value() || std::pair(now->seconds, now->nanoseconds) >
                                    std::pair<int64_t, int64_t>(start.tv_sec, start.tv_nsec);
        if (changed_since) {
          state->digest.clear();  // the compiler may have read what was there before: never found again
        }
        variant.files.push_back(*std::move(state));
      }
    }
    variant.program = digest.Text();
    fs::rename(own, folder_ / variant.program);
    std::vector<Variant> variants =
        ReadManifest(manifest_);  // another process may have added to it meanwhile
    std::erase_if(variants, [&](const Variant& other) { return other.program == variant.program; });
    variants.insert(variants.begin(), variant);
    variants.resize(std::min(variants.size(), kMostVariants));
    WriteManifest(manifest_, variants);
    Evict(folder_, limits_.most_bytes, folder_ / variant.program);
    return variant;
  }

  const BuildRequest& request_;
  const CacheLimits& limits_;
  fs::path folder_;
  fs::path manifest_;
};

}  // namespace

Compiled BuildProgram(const BuildRequest& request, const CacheLimits& limits) {
  return Build(request, limits).Run();
}

std::string FileDigest(const fs::path& file) {
  const std::optional<std::string> text = TextOf(file);
  return text.has_value() ? DigestOf(*text) : "";
}

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

}  // namespace tilesim
