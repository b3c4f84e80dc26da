#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// Turns the text of a unit (a source with its includes in it, macros not expanded) into what a host's C++
// compiler takes: a launch `k<<<blocks, ub, stream>>>(x)` becomes a call, `Launch(site, k).With(blocks, ub,
// stream)(x)`, and each kernel gets a registration at the end of the unit. Knows tokens, brackets and scopes;
// no types, no files and no compiler. Takes any text: what it cannot follow stays as it is, for the compiler
// to judge, and is noted.

struct KernelParameter {
  std::string name;  // "arg2" where the source gives the third none
  std::string type;  // as written: "__gm__ uint8_t*"
  bool has_default = false;
};

// What a kernel's qualifiers say of the cores that run it.
struct KernelQualifiers {
  enum class Kind : uint8_t { kUnknown, kVector, kCube, kMix };
  Kind kind = Kind::kUnknown;  // kUnknown: `__aicore__` alone
  std::string aic, aiv;        // of `__mix__(aic, aiv)`, as written
  std::string schedmode;       // of `__schedmode__(mode)`, as written; empty where there is none

  friend bool operator==(const KernelQualifiers&, const KernelQualifiers&) = default;
};

// A kernel that the unit declares or defines.
struct KernelDeclaration {
  std::string name = {};                     // with namespaces: "ops::add"; of a specialisation "add<half>"
  std::vector<std::string> namespaces = {};  // that are open around it; "" for one without a name
  std::string template_head = {};            // "<class T, int N>"; empty: no template
  bool is_definition = false;                // an explicit instantiation counts as one
  bool is_extern_c = false;
  KernelQualifiers qualifiers = {};
  std::vector<KernelParameter> parameters = {};
  std::string file = {};  // as the line markers name it
  int line = 0;

  [[nodiscard]] bool is_template() const { return !template_head.empty(); }
};

// Stands in an ExtraSource, followed by a parameter's name and ')', for the type that the parameter has; of a
// GM address that points to bytes: for the struct that the unit says its tiling data is.
inline constexpr std::string_view kTypeOf = "TILESIM_TYPE_OF(";

// Text for the end of the unit that defines `kernel` (a name as users give it, with or without namespaces).
struct ExtraSource {
  std::string kernel;
  std::string text;
};

struct KernelPassOptions {
  std::vector<std::string> instances;  // kernels to register from templates: "add<half, 2>"
  std::vector<ExtraSource> extra;
  // Chooses among the structs that kernels register for some keys; none: only a running kernel knows it.
  std::optional<uint64_t> tiling_key = {};
  // What projects define (HAVE_WORKSPACE, HAVE_TILING) whose kernels name no __kfc_workspace__: the last
  // parameter is the workspace, or where that is tiling data the one before it.
  bool has_workspace = false;
  bool has_tiling = false;
};

// What the pass could not follow. The compiler says what is wrong with it, this says what the pass saw.
struct KernelPassNote {
  std::string file;
  int line = 0;
  std::string text;
};

// A launch as it is written, and its columns from the name to `>>>`; the compiler judges its values.
struct WrittenLaunch {
  std::string file;
  int line = 0;
  int first_column = 0;
  int last_column = 0;
  std::string text;  // "k<<<8, nullptr, stream>>>"
};

struct KernelPassResult {
  std::string text;
  std::vector<KernelDeclaration> kernels;    // in the order of the unit
  std::vector<std::string> instances_found;  // those of the options whose template the unit defines
  bool defines_main = false;
  bool has_launches = false;
  std::vector<WrittenLaunch> launches;  // outside of macros
  std::vector<KernelPassNote> notes;
  // Macros by which the device's compiler, which compiles a source for each kind of cores, says for which:
  // __DAV_C220_VEC__; where conditions ask for them.
  std::set<std::string> core_kind_macros;
};

// `text`: what `g++ -E -fdirectives-only` or `clang++ -E -frewrite-includes` gives. Text of system headers is
// passed over.
[[nodiscard]] KernelPassResult RewriteKernels(std::string_view text, const KernelPassOptions& options = {});

// ", void* x, uint32_t n": the parameters after blocks and stream of `aclrtlaunch_<kernel>`, addresses as
// plain pointers.
[[nodiscard]] std::string LaunchFunctionParameters(const KernelDeclaration& kernel);

}  // namespace tilesim
