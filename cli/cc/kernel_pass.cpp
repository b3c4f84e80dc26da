#include "cli/cc/kernel_pass.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "cli/cc/cxx17.h"
#include "cli/cc/kernel_finder.h"
#include "cli/cc/launch_finder.h"
#include "cli/cc/tiling_structs.h"
#include "cli/cc/tokens.h"
#include "cli/cc/words.h"
#include "formats/error.h"

namespace tilesim {
namespace {

std::string QualifierText(const KernelQualifiers& qualifiers) {
  using enum KernelQualifiers::Kind;
  constexpr std::string_view kType = "::tilesim::host::Qualifiers";
  std::string text;
  switch (qualifiers.kind) {
    case kUnknown:
      text = Say(kType, "{}");
      break;
    case kVector:
      text = Say(kType, "::Vector()");
      break;
    case kCube:
      text = Say(kType, "::Cube()");
      break;
    case kMix:
      text = Say(kType, "::Mix(", qualifiers.aic, ", ", qualifiers.aiv, ")");
      break;
  }
  return qualifiers.schedmode.empty() ? text : Say(text, ".Scheduled(", qualifiers.schedmode, ")");
}

std::string QualifierText(const KernelDeclaration& kernel, const KernelPassOptions& options) {
  std::optional<size_t> workspace;
  const size_t behind = options.has_tiling ? 1 : 0;
  if (options.has_workspace && kernel.parameters.size() > behind) {
    workspace = kernel.parameters.size() - 1 - behind;
  }
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (kernel.parameters[i].type.find("__kfc_workspace__") != std::string::npos) {
      workspace = i;
    }
  }
  const std::string text = QualifierText(kernel.qualifiers);
  return workspace ? Say(text, ".WithWorkspace(", *workspace, ")") : text;
}

// The qualifiers of all declarations of a kernel together: one of them may leave out what another says.
void JoinDeclarations(std::vector<KernelDeclaration>& kernels) {
  const auto key = [](const KernelDeclaration& kernel) {
    std::string text(WithoutArguments(kernel.name));
    for (const KernelParameter& parameter : kernel.parameters) {
      text += "|" + parameter.type;
    }
    return text;
  };
  std::map<std::string, KernelQualifiers> said;
  std::set<std::string> extern_c;
  for (const KernelDeclaration& kernel : kernels) {
    KernelQualifiers& qualifiers = said[key(kernel)];
    if (kernel.qualifiers.kind != KernelQualifiers::Kind::kUnknown) {
      const std::string schedmode = qualifiers.schedmode;
      qualifiers = kernel.qualifiers;
      qualifiers.schedmode = qualifiers.schedmode.empty() ? schedmode : qualifiers.schedmode;
    } else if (!kernel.qualifiers.schedmode.empty()) {
      qualifiers.schedmode = kernel.qualifiers.schedmode;
    }
    if (kernel.is_extern_c) {
      extern_c.insert(kernel.name);
    }
  }
  for (KernelDeclaration& kernel : kernels) {
    kernel.qualifiers = said[key(kernel)];
    kernel.is_extern_c = extern_c.contains(kernel.name);
  }
}

// "::add" or "add" names "ops::add" as well; with arguments of a template or without.
bool Names(std::string_view name, const KernelDeclaration& kernel) {
  name = WithoutArguments(name.starts_with("::") ? name.substr(2) : name);
  const std::string_view full = WithoutArguments(kernel.name);
  return full == name || (full.ends_with(name) && full.substr(0, full.size() - name.size()).ends_with("::"));
}

// The parameters of "<class T, int N = 2, class... R>" that a template-id must name.
size_t NeededArguments(const std::string& head, bool* has_pack) {
  const TokenText text = SplitIntoTokens(head);
  const std::vector<Word> words = WordsOf(text, text.tokens);
  if (words.size() <= 2) {
    return 0;
  }
  size_t needed = 0;
  for (const WordSpan part : SplitAtCommas(std::span(words).subspan(1, words.size() - 2))) {
    const bool is_pack = std::ranges::count(part, std::string_view("."), &Word::text) >= 3;
    *has_pack = *has_pack || is_pack;
    needed += !is_pack && std::ranges::find(part, std::string_view("="), &Word::text) == part.end() ? 1 : 0;
  }
  return needed;
}

// The text between the outer angles of "add<half, 2>", at its commas.
std::vector<std::string> TemplateArguments(std::string_view name) {
  const std::string_view plain = WithoutArguments(name);
  const size_t open = name.find('<', plain.size());
  std::vector<std::string> arguments;
  if (open == std::string_view::npos) {
    return arguments;
  }
  const std::string between(name.substr(open + 1, name.rfind('>') - open - 1));
  const TokenText text = SplitIntoTokens(between);
  const std::vector<Word> words = WordsOf(text, text.tokens);
  for (const WordSpan part : SplitAtCommas(words)) {
    arguments.push_back(Joined(part));
  }
  return arguments;
}

// "<class T, int N>": T, N.
std::vector<std::string> TemplateParameters(const std::string& head) {
  const TokenText text = SplitIntoTokens(head);
  const std::vector<Word> words = WordsOf(text, text.tokens);
  std::vector<std::string> names;
  if (words.size() <= 2) {
    return names;
  }
  for (WordSpan part : SplitAtCommas(std::span(words).subspan(1, words.size() - 2))) {
    const auto equals = std::ranges::find(part, std::string_view("="), &Word::text);
    part = part.first(static_cast<size_t>(equals - part.begin()));
    names.emplace_back(part.empty() || !part.back().IsName() ? std::string_view() : part.back().text);
  }
  return names;
}

// `type` with the template's parameters replaced.
std::string WithArguments(const std::string& type, const std::vector<std::string>& parameters,
                          const std::vector<std::string>& arguments) {
  const TokenText text = SplitIntoTokens(type);
  std::vector<Word> words = WordsOf(text, text.tokens);
  for (Word& word : words) {
    const auto found = std::ranges::find(parameters, word.text);
    const auto number = static_cast<size_t>(found - parameters.begin());
    if (word.IsName() && number < arguments.size()) {
      word.text = arguments[number];
    }
  }
  return Joined(words);
}

class UnitPass {
 public:
  UnitPass(std::string_view source, const KernelPassOptions& options)
      : options_(options), text_(SplitIntoTokens(source)), tiling_structs_(text_, options.tiling_key) {}

  KernelPassResult Run() && {
    FoundKernels found = FindKernels(text_);
    JoinDeclarations(found.kernels);
    for (KernelDeclaration& kernel : found.kernels) {
      for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        std::string& name = kernel.parameters[i].name;
        name = name.empty() ? Say("arg", i) : name;
      }
    }
    in_classes_ = std::move(found.in_classes);
    result_.kernels = std::move(found.kernels);
    result_.defines_main = found.defines_main;
    LaunchEdits launches = FindLaunches(text_, [&](const LaunchedName& name) { return FormOf(name); });
    result_.has_launches = launches.any;
    result_.launches = std::move(launches.launches);
    for (const Unended& unended : text_.unended) {
      Note(unended.begin, std::string(unended.what));
    }
    NoteLoneBrackets();
    constexpr std::array<std::string_view, 4> kOfCoreKind = {"__DAV_C220_VEC__", "__DAV_C220_CUBE__",
                                                             "__DAV_VEC__", "__DAV_CUBE__"};
    for (const std::string_view name : text_.conditions) {
      if (IsIn(kOfCoreKind, name)) {
        result_.core_kind_macros.emplace(name);
      }
    }
    std::ranges::move(launches.notes, std::back_inserter(result_.notes));
    std::ranges::move(tiling_structs_.Edits(), std::back_inserter(launches.edits));
    std::ranges::move(EditsForCxx20(text_), std::back_inserter(launches.edits));
    std::ranges::sort(launches.edits, {}, &TextEdit::begin);
    Apply(launches.edits);
    Tail();
    return std::move(result_);
  }

 private:
  void Note(uint32_t at, std::string what) {
    TextPlace place = PlaceOf(text_, at);
    result_.notes.push_back({.file = std::move(place.file), .line = place.line, .text = std::move(what)});
  }

  // The first bracket without a partner, if there is one.
  void NoteLoneBrackets() {
    const std::vector<Word> words = WordsOf(text_, text_.tokens);
    const std::vector<size_t> partners = MatchBrackets(words);
    for (size_t i = 0; i < words.size(); ++i) {
      const bool bracket = words[i].text.size() == 1 &&
                           std::string_view("([{)]}").find(words[i].text[0]) != std::string_view::npos;
      if (bracket && words[i].kind == TokenKind::kPunctuation && partners[i] == kNoWord) {
        Note(words[i].begin, Say("`", words[i].text, "` has no partner"));
        return;
      }
    }
  }

  void Apply(const std::vector<TextEdit>& edits) {
    size_t done = 0;
    for (const TextEdit& edit : edits) {
      if (edit.begin < done) {
        continue;
      }
      result_.text += text_.text.substr(done, edit.begin - done);
      result_.text += edit.text;
      done = edit.end;
    }
    result_.text += text_.text.substr(done);
  }

  KernelForm FormOf(const LaunchedName& name) const {
    if (name.is_parameter) {  // any of them; a launch may leave out what has a default
      const bool any_defaults = std::ranges::any_of(result_.kernels, [](const KernelDeclaration& kernel) {
        return std::ranges::any_of(kernel.parameters, &KernelParameter::has_default);
      });
      return {.qualifiers = ChosenByName(name.last_name_expression), .through_lambda = any_defaults};
    }
    std::vector<const KernelDeclaration*> full;  // that the whole name fits
    std::vector<const KernelDeclaration*> last;  // that its last part fits
    for (const KernelDeclaration& kernel : result_.kernels) {
      if (Names(name.name, kernel)) {
        full.push_back(&kernel);
      }
      if (LastName(kernel.name) == LastName(name.name)) {
        last.push_back(&kernel);
      }
    }
    const std::vector<const KernelDeclaration*>& named = full.empty() ? last : full;
    KernelForm form{.qualifiers = "::tilesim::host::Qualifiers{}"};
    if (named.empty()) {
      return form;
    }
    const std::string first = QualifierText(*named.front(), options_);
    const bool agree = std::ranges::all_of(
        named, [&](const auto* kernel) { return QualifierText(*kernel, options_) == first; });
    form.qualifiers = agree ? first : form.qualifiers;
    form.parameters = ParametersOfTemplate(named);
    form.through_lambda = NeedsLambda(name, named) || NeedsDefaults(name, named);
    return form;
  }

  // Of the templates among them, where all have the same; empty where they have not, or others are there.
  static std::string ParametersOfTemplate(const std::vector<const KernelDeclaration*>& named) {
    std::string agreed;
    for (const KernelDeclaration* kernel : named) {
      std::string names;
      for (const KernelParameter& parameter : kernel->parameters) {
        names += (names.empty() ? "" : ", ") + parameter.name;
      }
      if (!kernel->is_template() || (kernel != named.front() && names != agreed)) {
        return "";
      }
      agreed = std::move(names);
    }
    return agreed;
  }

  // Whether the launch leaves arguments out that a kernel of that name has defaults for: a function's address
  // has none.
  static bool NeedsDefaults(const LaunchedName& name, const std::vector<const KernelDeclaration*>& named) {
    return std::ranges::any_of(named, [&](const KernelDeclaration* kernel) {
      return name.num_arguments < kernel->parameters.size() &&
             kernel->parameters[name.num_arguments].has_default;
    });
  }

  // Whether the name alone is no function: some arguments of its template are deduced, or there are several.
  static bool NeedsLambda(const LaunchedName& name, const std::vector<const KernelDeclaration*>& named) {
    const bool has_arguments = WithoutArguments(name.name).size() != name.name.size();
    std::set<std::string> shapes;
    for (const KernelDeclaration* kernel : named) {
      if (WithoutArguments(kernel->name).size() != kernel->name.size()) {
        continue;  // a specialisation or an instantiation of another that is here too
      }
      std::string shape = kernel->template_head;
      for (const KernelParameter& parameter : kernel->parameters) {
        shape += "|" + parameter.type;
      }
      shapes.insert(shape);
      if (!kernel->is_template()) {
        continue;
      }
      bool has_pack = false;
      const size_t needed = NeededArguments(kernel->template_head, &has_pack);
      if (!has_arguments || TemplateArguments(name.name).size() < needed || has_pack) {
        return true;
      }
    }
    return shapes.size() > 1;
  }

  // In a macro that is given the kernel's name: the qualifiers of whichever of the unit's kernels it is.
  std::string ChosenByName(const std::string& name_expression) const {
    std::map<std::string, std::string> texts;
    for (const KernelDeclaration& kernel : result_.kernels) {
      const auto [known, is_new] =
          texts.try_emplace(std::string(LastName(kernel.name)), QualifierText(kernel, options_));
      if (!is_new && known->second != QualifierText(kernel, options_)) {
        known->second = "::tilesim::host::Qualifiers{}";
      }
    }
    std::string text =
        "[](::std::string_view tilesim_name) { tilesim_name = tilesim_name.substr(0, "
        "tilesim_name.find('<')); "
        "tilesim_name = tilesim_name.substr(tilesim_name.rfind(':') + 1); ";
    for (const auto& [name, qualifiers] : texts) {
      text += Say("if (tilesim_name == ", Literal(name), ") { return ", qualifiers, "; } ");
    }
    return Say(text, "return ::tilesim::host::Qualifiers{}; }(", name_expression, ")");
  }

  // --- what is added at the end of the unit ---

  void Tail() {
    if (!result_.text.ends_with('\n')) {
      result_.text += '\n';
    }
    for (const uint32_t at : in_classes_) {
      constexpr std::string_view kNoMember =
          "a kernel (__global__) is no member of a class; declare it in a namespace, or leave __global__ out "
          "where a kernel calls it";
      const TextPlace place = PlaceOf(text_, at);
      Note(at, std::string(kNoMember));
      result_.text += Say("# ", place.line, " ", Literal(place.file), " 3\n#error \"", kNoMember, "\"\n");
    }
    std::set<std::string> registered;
    for (const KernelDeclaration& kernel : result_.kernels) {
      if (kernel.is_definition && !kernel.is_template()) {
        Register(kernel, kernel.name, kernel.parameters, std::string(WithoutNamespaces(kernel)));
        registered.insert(kernel.name);
        if (kernel.is_extern_c) {
          LaunchFunction(kernel);
        }
      }
    }
    for (const std::string& instance : options_.instances) {
      Instance(instance, registered);
    }
    for (const ExtraSource& extra : options_.extra) {
      const auto defined = std::ranges::find_if(result_.kernels, [&](const KernelDeclaration& kernel) {
        return kernel.is_definition && Names(extra.kernel, kernel);
      });
      if (defined != result_.kernels.end()) {
        result_.text += Say("# 1 ", Literal(Say("<arguments of ", extra.kernel, ">")), " 3\n");
        OpenNamespaces(*defined, "\n");  // #error may follow
        result_.text += Say(WithTypes(extra, *defined), "\n");
        CloseNamespaces(*defined);
      }
    }
  }

  // Does the address leave open what lies there? One of a struct says it.
  static bool PointsToBytes(const KernelParameter& parameter) {
    constexpr std::array<std::string_view, 5> kBytes = {"GM_ADDR", "void", "int8_t", "uint8_t", "char"};
    const TokenText type = SplitIntoTokens(parameter.type);
    return std::ranges::any_of(type.tokens, [&](const Token& token) {
      return std::ranges::find(kBytes, type.Of(token)) != kBytes.end();
    });
  }

  // `extra.text` with types in place of kTypeOf.
  std::string WithTypes(const ExtraSource& extra, const KernelDeclaration& kernel) const {
    std::string text = extra.text;
    for (size_t at = text.find(kTypeOf); at != std::string::npos; at = text.find(kTypeOf, at)) {
      const size_t end = std::min(text.find(')', at), text.size() - 1);
      const std::string name = text.substr(at + kTypeOf.size(), end - at - kTypeOf.size());
      const auto parameter = std::ranges::find(kernel.parameters, name, &KernelParameter::name);
      if (parameter == kernel.parameters.end()) {
        return {};  // the program refuses an argument that the kernel does not have
      }
      const bool is_address = parameter->type.find('*') != std::string::npos ||
                              parameter->type.find("GM_ADDR") != std::string::npos;
      const std::set<std::string> structs = tiling_structs_.Names();
      if (is_address && PointsToBytes(*parameter) && structs.size() != 1) {
        std::string names;
        for (const std::string& one : structs) {
          names += Say(names.empty() ? "" : ", ", one);
        }
        return Say("# ", kernel.line, " ", Literal(kernel.file), " 3\n#error \"tilesim: parameter ", name,
                   " of ", kernel.name, " is a GM address, and the file ",
                   structs.empty() ? std::string("does not say which struct lies there: "
                                                 "REGISTER_TILING_DEFAULT(Struct) or "
                                                 "GET_TILING_DATA_WITH_STRUCT(Struct, ...) does, or the "
                                                 "header of an operator project (-include "
                                                 "op_host/<operator>_tiling.h), or declare the parameter "
                                                 "as __gm__ Struct*")
                                   : Say("names several structs for it, ", names,
                                         ": declare the parameter as __gm__ Struct*"),
                   "; pass the bytes as an .npy otherwise\"");
      }
      const std::string type = !is_address ? parameter->type
                               : PointsToBytes(*parameter)
                                   ? *structs.begin()
                                   : Say("::std::remove_pointer_t<", parameter->type, ">");
      text.replace(at, end + 1 - at, Say("::std::remove_cv_t<", type, ">"));
      text.insert(text.rfind(')'), OtherFields(type, text));
    }
    return text;
  }

  // The fields that the struct declares beside those that the text names, so that messages can name them,
  // too.
  std::string OtherFields(const std::string& type, const std::string& text) const {
    std::string others;
    const TokenText words = SplitIntoTokens(type);
    for (const Token& word : words.tokens) {
      for (const std::string_view field : MembersDeclaredIn(text_, words.Of(word))) {
        const std::string described = Say("TILESIM_FIELD(", field, ")");
        if (text.find(described) == std::string::npos && others.find(described) == std::string::npos) {
          others += Say(", ", described);
        }
      }
    }
    return others;
  }

  // The kernel's name as its own namespace sees it.
  static std::string_view WithoutNamespaces(const KernelDeclaration& kernel) {
    std::string_view name = kernel.name;
    for (const std::string& space : kernel.namespaces) {
      name.remove_prefix(space.empty() ? 0 : space.size() + 2);
    }
    return name;
  }

  // In the kernel's namespace, so that the types of its parameters are what they are there.
  void InNamespace(const KernelDeclaration& kernel, const std::string& text) {
    result_.text += Say("# ", kernel.line, " ", Literal(kernel.file), " 3\n");
    OpenNamespaces(kernel, " ");
    result_.text += text;
    CloseNamespaces(kernel);
  }

  void OpenNamespaces(const KernelDeclaration& kernel, std::string_view behind) {
    for (const std::string& space : kernel.namespaces) {
      result_.text += Say("namespace ", space, space.empty() ? "{" : " {", behind);
    }
  }
  void CloseNamespaces(const KernelDeclaration& kernel) {
    for (size_t i = 0; i < kernel.namespaces.size(); ++i) {
      result_.text += " }";
    }
    result_.text += '\n';
  }

  static std::string Place(const KernelDeclaration& kernel) {
    return Say("::tilesim::SourceLine{", Literal(kernel.file), ", ", kernel.line, "}");
  }

  void Register(const KernelDeclaration& kernel, const std::string& name,
                const std::vector<KernelParameter>& parameters, const std::string& function) {
    std::string list;
    std::string types;
    for (const KernelParameter& parameter : parameters) {
      list += Say(list.empty() ? "" : ", ", "{", Literal(parameter.name), ", ", Literal(parameter.type), "}");
      types += Say(types.empty() ? "" : ", ", parameter.type);
    }
    const auto same_name = std::ranges::count_if(result_.kernels, [&](const KernelDeclaration& other) {
      return other.name == kernel.name && other.is_definition;
    });
    // of several the one with these parameters
    const std::string address = same_name > 1 && !kernel.is_template()
                                    ? Say("static_cast<void (*)(", types, ")>(&", function, ")")
                                    : "&" + function;
    InNamespace(kernel,
                Say("static const ::tilesim::host::KernelEntry tilesim_kernel_entry_", num_entries_++,
                    " = ::tilesim::host::MakeKernelEntry(", Literal(name), ", ",
                    QualifierText(kernel, options_), ", {", list, "}, ", Place(kernel), ", ", address, ");"));
  }

  void Instance(const std::string& instance, std::set<std::string>& registered) {
    const TokenText split = SplitIntoTokens(instance);
    const std::string name = Joined(WordsOf(split, split.tokens));
    if (registered.contains(name)) {
      result_.instances_found.push_back(instance);
      return;
    }
    for (const KernelDeclaration& kernel : result_.kernels) {
      if (!kernel.is_template() || !kernel.is_definition || !Names(name, kernel)) {
        continue;
      }
      const std::vector<std::string> given = TemplateArguments(name);
      const std::vector<std::string> names = TemplateParameters(kernel.template_head);
      std::vector<KernelParameter> parameters = kernel.parameters;
      for (KernelParameter& parameter : parameters) {
        parameter.type = WithArguments(parameter.type, names, given);
      }
      const std::string arguments = name.substr(WithoutArguments(name).size());
      Register(kernel, instance, parameters, std::string(WithoutNamespaces(kernel)) + arguments);
      result_.notes.push_back({.file = kernel.file,
                               .line = kernel.line,
                               .text = Say("--kernel '", instance, "' is an instance of template ",
                                           kernel.template_head, " ", kernel.name)});
      registered.insert(name);
      result_.instances_found.push_back(instance);
      return;
    }
  }

  // What a project with `aclrtlaunch_<kernel>.h` calls.
  void LaunchFunction(const KernelDeclaration& kernel) {
    const std::string parameters = LaunchFunctionParameters(kernel);
    std::string values;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      values += Say(i == 0 ? "" : ", ", "(", kernel.parameters[i].type, ")tilesim_", i);
    }
    InNamespace(kernel,
                Say("extern \"C\" __attribute__((weak)) uint32_t aclrtlaunch_", LastName(kernel.name),
                    "(uint32_t tilesim_blocks, void* tilesim_stream", parameters,
                    ") { ::tilesim::host::Launch(::tilesim::host::LaunchSite{", Literal(kernel.name), ", ",
                    QualifierText(kernel, options_), ", ", Place(kernel), "}, &", WithoutNamespaces(kernel),
                    ").With(tilesim_blocks, nullptr, tilesim_stream)(", values, "); return 0; }"));
  }

  const KernelPassOptions& options_;
  TokenText text_;
  TilingStructs tiling_structs_;
  std::vector<uint32_t> in_classes_;  // `__global__` of members
  KernelPassResult result_;
  int num_entries_ = 0;
};

}  // namespace

std::string LaunchFunctionParameters(const KernelDeclaration& kernel) {
  std::string text;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const std::string& type = kernel.parameters[i].type;
    const bool is_pointer = type.find('*') != std::string::npos || type.find("GM_ADDR") != std::string::npos;
    text += Say(", ", is_pointer ? "void*" : type, " tilesim_", i);
  }
  return text;
}

KernelPassResult RewriteKernels(std::string_view text, const KernelPassOptions& options) {
  return UnitPass(text, options).Run();
}

}  // namespace tilesim
