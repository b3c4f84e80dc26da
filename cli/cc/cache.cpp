#include "cli/cc/cache.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "cli/cc/command_line.h"
#include "cli/cc/include_places.h"
#include "cli/cc/kept_files.h"
#include "cli/cc/toolkit.h"
#include "formats/error.h"
#include "formats/json_whole.h"
#include "formats/nearest_name.h"
#include "ops/cases/case_cells.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kManifestVersion = 2;   // of what stands in a manifest; raised when that changes
constexpr size_t kMostVariants = 16;  // of one request that a manifest remembers

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

KernelQualifiers::Kind KindFrom(const json& from) {
  using Kind = KernelQualifiers::Kind;
  const int64_t kind = WholeNumber(from, "kind");
  RequireUser(kind >= 0 && kind <= static_cast<int64_t>(Kind::kMix), "kind: there is no ", kind);
  return static_cast<Kind>(kind);
}

KernelDeclaration KernelFrom(const json& from) {
  KernelDeclaration kernel{.name = from.at("name"),
                           .namespaces = from.at("namespaces"),
                           .template_head = from.at("template"),
                           .is_definition = from.at("definition"),
                           .is_extern_c = from.at("extern_c"),
                           .qualifiers = {.kind = KindFrom(from.at("kind")),
                                          .aic = from.at("aic"),
                                          .aiv = from.at("aiv"),
                                          .schedmode = from.at("schedmode")},
                           .file = from.at("file"),
                           .line = static_cast<int>(WholeNumber(from.at("line"), "line"))};
  for (const json& parameter : from.at("parameters")) {
    kernel.parameters.push_back({.name = parameter.at(0), .type = parameter.at(1)});
  }
  return kernel;
}

// What was made of one state of the files.
struct Variant {
  std::string program;  // its name in the folder
  std::vector<FileState> files;
  IncludePlaces places;               // where the compiler looked for them
  std::vector<std::string> standing;  // there, under names that might have been meant
  std::vector<KernelDeclaration> kernels;
  bool defines_main = false;

  [[nodiscard]] std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    std::ranges::transform(files, std::back_inserter(paths), &FileState::path);
    return paths;
  }
};

json VariantJson(const Variant& variant) {
  json files = json::array();
  for (const FileState& file : variant.files) {
    files.push_back(FileStateJson(file));
  }
  json kernels = json::array();
  for (const KernelDeclaration& kernel : variant.kernels) {
    kernels.push_back(KernelJson(kernel));
  }
  return {{"program", variant.program},    {"main", variant.defines_main},
          {"files", std::move(files)},     {"folders", variant.places.folders},
          {"asked", variant.places.names}, {"standing", variant.standing},
          {"kernels", std::move(kernels)}};
}

Variant VariantFrom(const json& from) {
  Variant variant{.program = from.at("program"),
                  .files = {},
                  .places = {.folders = from.at("folders"), .names = from.at("asked")},
                  .standing = from.at("standing"),
                  .kernels = {},
                  .defines_main = from.at("main")};
  for (const json& file : from.at("files")) {
    variant.files.push_back(FileStateFrom(file));
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
  } catch (const UserError&) {
    variants.clear();
  }
  return variants;
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
  digest.Add(request.pass.tiling_key ? Say(*request.pass.tiling_key) : "");
  return digest.Text();
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
      if (same && fs::exists(program, ignored) &&
          StandingIn(variant.places, variant.Paths()) == variant.standing) {
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

  static bool HasChangedSince(const std::string& path, const timespec& start) {
    const std::optional<FileState> now = StateOf(path);
    return !now.has_value() || std::pair(now->seconds, now->nanoseconds) >
                                   std::pair<int64_t, int64_t>(start.tv_sec, start.tv_nsec);
  }

  Variant Keep(const fs::path& own, const CcResult& result, const timespec& start) const {
    Variant variant{.program = {},
                    .files = {},
                    .places = {},
                    .standing = {},
                    .kernels = result.kernels,
                    .defines_main = result.defines_main};
    Digest digest;
    digest.Add(manifest_.filename().string());
    for (const fs::path& file : result.files) {
      std::optional<FileState> state = FullStateOf(file.string());
      if (state.has_value()) {
        digest.Add(state->path);
        digest.Add(state->digest);
        if (HasChangedSince(state->path, start)) {
          state->digest.clear();  // the compiler may have read what was there before: never found again
        }
        variant.files.push_back(*std::move(state));
      }
    }
    variant.places = IncludePlacesOf(request_.options, request_.files, variant.Paths());
    variant.standing = StandingIn(variant.places, variant.Paths());
    if (std::ranges::any_of(variant.standing,
                            [&](const std::string& path) { return HasChangedSince(path, start); })) {
      variant.standing.emplace_back();  // as with files that changed meanwhile: never found again
    }
    std::ranges::for_each(variant.standing, [&](const std::string& path) { digest.Add(path); });
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
  const std::optional<FileState> state = FullStateOf(file.string());
  return state.has_value() ? state->digest : "";
}

}  // namespace tilesim
