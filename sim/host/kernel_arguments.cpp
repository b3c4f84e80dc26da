#include "sim/host/kernel_arguments.h"

#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "sim/host/struct_fields.h"

namespace tilesim::host {
namespace {

using ParameterIs = ParameterKind::Kind;
using NumberIs = ElementType::Kind;

constexpr const char* kPointerForms =
    "FILE.npy, FILE.bin:dtype:shape, zeros:|ones:|arange:|uniform:|normal:dtype:shape[:seed=N], "
    "out:dtype:shape, inout:FILE.npy, workspace:bytes, same:PARAMETER, struct:...";

// What stands before the colon of an argument that is no file and no number.
constexpr std::array<std::string_view, 10> kWords = {"zeros", "ones",  "arange",    "uniform", "normal",
                                                     "out",   "inout", "workspace", "same",    "struct"};
// Is that meant by a name that no file has?
bool IsMisspelt(std::string_view name) {
  std::error_code ignored;
  return name.find_first_of("./") == std::string_view::npos && !DidYouMean(name, kWords).empty() &&
         !std::filesystem::exists(name, ignored);
}

bool IsNumberOf(const ElementType& type, std::string_view text) {
  std::byte unused[8];
  try {
    WriteNumber(type, text, unused, "");
    return true;
  } catch (const UserError&) {
    return false;
  }
}

struct Split {
  std::string_view head;
  std::string_view tail;
};
// At the first colon; no tail where there is none.
Split AtColon(std::string_view text) {
  const size_t colon = text.find(':');
  return colon == std::string_view::npos ? Split{text, {}}
                                         : Split{text.substr(0, colon), text.substr(colon + 1)};
}
Split AtLastColon(std::string_view text) {
  const size_t colon = text.rfind(':');
  return colon == std::string_view::npos ? Split{{}, text}
                                         : Split{text.substr(0, colon), text.substr(colon + 1)};
}

const ElementType& TypeNamed(std::string_view name, const std::string& where) {
  const ElementType* const type = FindElementType(name);
  RequireUser(type != nullptr, where, "unknown type '", name, "'; types: ", KnownElementTypes());
  return *type;
}

uint64_t ParseWhole(std::string_view text, const std::string& where, uint64_t least) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  RequireUser(error == std::errc() && at == end && value >= least, where, "'", text,
              "', must be a whole number, ", least, " or more");
  return value;
}

// An array of "FILE.npy" or "FILE.bin:dtype:shape"; nothing where it is neither.
std::optional<Array> ReadFileArray(std::string_view text, const std::string& where) {
  if (text.ends_with(".npy")) {
    return ReadNpyArray(std::string(text));
  }
  const auto [rest, shape] = AtLastColon(text);
  const auto [file, dtype] = AtLastColon(rest);
  if (file.empty() || FindElementType(dtype) == nullptr) {
    return {};
  }
  return ReadRawArray(std::string(file), TypeNamed(dtype, where), ParseShape(shape, where));
}

// "dtype:shape[:seed=1]"
struct Made {
  const ElementType* type;
  std::vector<int64_t> shape;
  uint64_t seed = 1;
};
Made ParseMade(std::string_view text, const std::string& where) {
  const auto [dtype, rest] = AtColon(text);
  const auto [shape, seed] = AtColon(rest);
  RequireUser(seed.empty() || seed.starts_with("seed="), where, "'", seed,
              "' behind the shape; allowed is seed=N");
  return {.type = &TypeNamed(dtype, where),
          .shape = ParseShape(shape, where),
          .seed = seed.empty() ? 1 : ParseWhole(seed.substr(5), where, 0)};
}

// half and bfloat16_t are told apart by how the parameter is written.
bool IsBFloat16(const KernelParameter& parameter) {
  return std::string_view(parameter.type).find("bfloat16") != std::string_view::npos;
}

// May an array of this type be where the parameter points?
bool Fits(const ParameterKind& kind, const ElementType& type, bool is_bfloat16) {
  if (kind.pointee_bytes == 0 || (kind.pointee == ParameterIs::kUnsigned && kind.pointee_bytes == 1)) {
    return true;  // void, or GM_ADDR: bytes
  }
  if (kind.pointee == ParameterIs::kStruct) {  // half and bfloat16_t, or what is no array of numbers
    const NumberIs other = is_bfloat16 ? NumberIs::kHalf : NumberIs::kBFloat16;
    return kind.pointee_bytes != 2 || (type.bytes == 2 && type.kind != NumberIs::kSigned &&
                                       type.kind != other);  // bf16 of a .npy file is uint16
  }
  if (kind.pointee == ParameterIs::kReal) {
    return type.kind == NumberIs::kReal && type.bytes == kind.pointee_bytes;
  }
  return !type.IsReal() && type.bytes == kind.pointee_bytes;
}

// Whole numbers go where whole numbers are, of any size that holds them; reals likewise.
const ElementType* ScalarType(const ParameterKind& kind, const ElementType& given, bool is_bfloat16) {
  constexpr std::string_view kSigned[] = {"int8", "int16", "int32", "int64"};
  constexpr std::string_view kUnsigned[] = {"uint8", "uint16", "uint32", "uint64"};
  const size_t width = kind.size_bytes == 1 ? 0 : kind.size_bytes == 2 ? 1 : kind.size_bytes == 4 ? 2 : 3;
  switch (kind.kind) {
    case ParameterIs::kSigned:
      return given.IsReal() ? nullptr : FindElementType(kSigned[width]);
    case ParameterIs::kUnsigned:
      return given.IsReal() ? nullptr : FindElementType(kUnsigned[width]);
    case ParameterIs::kBool:
      return given.kind == NumberIs::kBool ? &given : nullptr;
    case ParameterIs::kReal:
      return given.IsReal() ? FindElementType(kind.size_bytes == 4 ? "fp32" : "fp64") : nullptr;
    case ParameterIs::kStruct:
      return kind.size_bytes == 2 && given.IsReal() ? FindElementType(is_bfloat16 ? "bf16" : "fp16")
                                                    : nullptr;
    case ParameterIs::kPointer:
      break;
  }
  return nullptr;
}

// May a kernel look at an array of this type as one of `type`, as a program names it? Single bytes are memory
// of any type, and bf16 of a .npy file is uint16.
bool MayBe(const ElementType& given, std::string_view type) {
  const std::string_view plain = type.ends_with("_t") ? type.substr(0, type.size() - 2) : type;
  const ElementType* const taken = FindElementType(plain);
  if (taken == nullptr || taken->bytes == 1) {
    return true;
  }
  const bool is_bf16_of_npy = given.kind == NumberIs::kUnsigned && taken->kind == NumberIs::kBFloat16;
  return taken->bytes == given.bytes &&
         (taken->kind == given.kind || is_bf16_of_npy || (!taken->IsReal() && !given.IsReal()));
}

}  // namespace

std::string SignatureOf(const KernelEntry& kernel) {
  std::string text;
  for (const KernelParameter& parameter : kernel.parameters) {
    text += Say(text.empty() ? "" : ", ", parameter.type, " ", parameter.name);
  }
  return Say(kernel.name, "(", text, ")");
}

std::string KernelArguments::Where(size_t number) const {
  return Say("--arg ", kernel_.parameters[number].name, ": ");
}

KernelArguments::KernelArguments(const KernelEntry& kernel, std::span<const std::string> words,
                                 Program& program)
    : kernel_(kernel), program_(program), arguments_(kernel.parameters.size()) {
  std::vector<std::string_view> names;
  for (const KernelParameter& parameter : kernel.parameters) {
    names.emplace_back(parameter.name);
  }
  std::map<size_t, size_t> same;  // a parameter that is given another one's memory, and that one
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    RequireUser(equals != std::string::npos && equals > 0, "--arg ", word,
                ": must be NAME=VALUE; the kernel is ", SignatureOf(kernel));
    const std::string name = word.substr(0, equals);
    const auto found = std::ranges::find(names, name);
    RequireUser(found != names.end(), "--arg ", name, ": there is no such parameter; ",
                DidYouMean(name, names), "the kernel is ", SignatureOf(kernel));
    const auto number = static_cast<size_t>(found - names.begin());
    RequireUser(arguments_[number].value.empty() && !same.contains(number), "--arg ", name,
                " is given twice");
    const auto [head, tail] = AtColon(std::string_view(word).substr(equals + 1));
    if (head == "same") {
      const auto other = std::ranges::find(names, tail);
      RequireUser(other != names.end(), Where(number), "there is no parameter '", tail, "'; ",
                  DidYouMean(tail, names), "the kernel is ", SignatureOf(kernel));
      same[number] = static_cast<size_t>(other - names.begin());
    } else {
      Bind(number, word.substr(equals + 1));
    }
  }
  for (size_t i = 0; i < arguments_.size(); ++i) {
    RequireUser(!arguments_[i].value.empty() || same.contains(i), "--arg ", names[i],
                " is missing; the kernel is ", SignatureOf(kernel));
  }
  for (const auto& [number, other] : same) {
    RequireUser(!same.contains(other), Where(number), "'", names[other],
                "' is given another parameter's memory itself; name that one");
    BindSame(number, other);
  }
}

void KernelArguments::Bind(size_t number, const std::string& text) {
  const std::string where = Where(number);
  const auto [head, tail] = AtColon(text);
  if (head == "struct") {
    BindStruct(number, tail);
  } else if (head == "workspace") {
    has_workspace_ = true;
    arguments_[number].is_workspace = true;
    BindMemory(number, ParseWhole(tail, where, 1));
  } else if (head == "out") {
    const Made made = ParseMade(tail, where);
    RequirePointer(number, made.type);
    uint64_t bytes = made.type->bytes;
    for (const int64_t extent : made.shape) {
      RequireUser(bytes <= (uint64_t{1} << 40) / static_cast<uint64_t>(extent), where, "shape ",
                  ShapeText(made.shape), " is more than the device holds");
      bytes *= static_cast<uint64_t>(extent);
    }
    BindMemory(number, bytes);
    arguments_[number].type = made.type;
    outputs_.push_back({.name = kernel_.parameters[number].name,
                        .argument = number,
                        .type = made.type,
                        .shape = made.shape});
  } else if (head == "inout") {
    const std::optional<Array> array = ReadFileArray(tail, where);
    RequireUser(array.has_value(), where, "'", text, "' is no inout:FILE.npy or inout:FILE.bin:dtype:shape");
    BindArray(number, *array, true);
  } else if (IsMaker(head)) {
    const Made made = ParseMade(tail, where);
    BindArray(number, MakeArray(head, *made.type, made.shape, made.seed, where), false);
  } else if (const std::optional<Array> array =
                 IsMisspelt(head) ? std::nullopt : ReadFileArray(text, where)) {
    BindArray(number, *array, false);
  } else if (const ElementType* type = FindElementType(head); type != nullptr && !tail.empty()) {
    BindScalar(number, *type, tail);
  } else {
    throw UserError(Say(where, "'", text, "' ", WhyNothing(number, text)));
  }
}

// What is wrong with a text that is no form of an argument, and what the parameter takes.
std::string KernelArguments::WhyNothing(size_t number, std::string_view text) const {
  const ParameterKind& kind = kernel_.kinds[number];
  const bool is_pointer = kind.kind == ParameterIs::kPointer;
  const bool is_struct =
      kind.kind == ParameterIs::kStruct && kind.size_bytes != 2;  // half and bfloat16_t are numbers
  const std::string end = Say("; the kernel is ", SignatureOf(kernel_));
  const auto [head, tail] = AtColon(text);
  if (!is_pointer && !is_struct) {
    for (const std::string_view like : {"bool", "int32", "fp32"}) {
      const ElementType* const type =
          ScalarType(kind, *FindElementType(like), IsBFloat16(kernel_.parameters[number]));
      if (type != nullptr && IsNumberOf(*type, text)) {
        return Say("has no type; write ", type->name, ":", text, end);
      }
    }
  }
  if (is_pointer && head.ends_with(".bin")) {
    return Say("does not say what the file holds; write ", head, ":dtype:shape, for example ", head,
               ":fp16:8x2048", end);
  }
  const std::string forms =
      is_pointer ? Say(kPointerForms, "; ", tail.empty() ? "" : DidYouMean(head, kWords, "", ":"))
      : is_struct
          ? std::string("struct:FILE.json or struct:{\"a\":1}; ")
          : Say("a number with its type, such as int32:5 or float:0.5; types: ", KnownElementTypes(), "; ");
  return Say("is nothing that ", kernel_.parameters[number].type, " takes: ", forms, "the kernel is ",
             SignatureOf(kernel_));
}

void KernelArguments::RequirePointer(size_t number, const ElementType* type) const {
  const ParameterKind& kind = kernel_.kinds[number];
  RequireUser(kind.kind == ParameterIs::kPointer, Where(number), "the parameter is a ",
              kernel_.parameters[number].type, " by value, no array; the kernel is ", SignatureOf(kernel_));
  RequireUser(type == nullptr || Fits(kind, *type, IsBFloat16(kernel_.parameters[number])), Where(number),
              "the array is of ", type == nullptr ? "" : type->name, ", the parameter is ",
              kernel_.parameters[number].type, "; the kernel is ", SignatureOf(kernel_));
}

void KernelArguments::SetPointer(size_t number, void* pointer) {
  arguments_[number].value.resize(sizeof(pointer));
  std::memcpy(arguments_[number].value.data(), &pointer, sizeof(pointer));
}

void KernelArguments::BindMemory(size_t number, uint64_t size_bytes) {
  RequirePointer(number, nullptr);
  const size_t least_bytes = kernel_.kinds[number].pointee_bytes;
  RequireUser(size_bytes >= least_bytes, Where(number), "has ", size_bytes, " bytes, the parameter ",
              kernel_.parameters[number].type, " points to ", least_bytes, "; the kernel is ",
              SignatureOf(kernel_));
  void* const memory = program_.memory().Allocate(size_bytes, BufferSource::kAcl, false);
  RequireUser(memory != nullptr, Where(number), "this machine has no room for ", size_bytes, " bytes");
  SetPointer(number, memory);
  arguments_[number].size_bytes = size_bytes;
}

void KernelArguments::BindSame(size_t number, size_t other) {
  const std::string_view name = kernel_.parameters[other].name;
  RequireUser(arguments_[other].size_bytes != 0, Where(number), "'", name,
              "' is given no memory of its own; give it an array");
  RequirePointer(number, arguments_[other].type);
  RequireUser(arguments_[other].size_bytes >= kernel_.kinds[number].pointee_bytes, Where(number), name,
              " has ", arguments_[other].size_bytes, " bytes, the parameter ",
              kernel_.parameters[number].type, " points to ", kernel_.kinds[number].pointee_bytes);
  arguments_[number] = arguments_[other];
  arguments_[number].type = nullptr;  // OtherTypes says it once
}

void KernelArguments::BindArray(size_t number, const Array& array, bool is_output) {
  RequirePointer(number, array.type);
  RequireUser(!array.data.empty(), Where(number), "the array has no elements; the kernel is ",
              SignatureOf(kernel_));
  BindMemory(number, array.data.size());
  arguments_[number].type = array.type;
  void* memory = nullptr;
  std::memcpy(&memory, arguments_[number].value.data(), sizeof(memory));
  std::memcpy(memory, array.data.data(), array.data.size());
  program_.memory().NoteWritten(memory, array.data.size());
  if (is_output) {
    outputs_.push_back({.name = kernel_.parameters[number].name,
                        .argument = number,
                        .type = array.type,
                        .shape = array.shape});
  }
}

void KernelArguments::BindScalar(size_t number, const ElementType& type, std::string_view text) {
  const ParameterKind& kind = kernel_.kinds[number];
  const std::string_view as_written = kernel_.parameters[number].type;
  const ElementType* const to = ScalarType(kind, type, IsBFloat16(kernel_.parameters[number]));
  RequireUser(to != nullptr, Where(number), "is ", type.name, ":..., the parameter is ", as_written,
              "; the kernel is ", SignatureOf(kernel_));
  std::byte unused[8];
  WriteNumber(type, text, unused, Where(number));  // as it is called, and as the parameter takes it
  std::vector<std::byte>& value = arguments_[number].value;
  value.resize(kind.size_bytes);
  WriteNumber(*to, text, value.data(), Where(number));
}

void KernelArguments::BindStruct(size_t number, std::string_view text) {
  const ParameterKind& kind = kernel_.kinds[number];
  const StructLayout* const layout = FindStruct(kernel_.name, kernel_.parameters[number].name);
  RequireUser(kind.kind == ParameterIs::kPointer || kind.kind == ParameterIs::kStruct, Where(number),
              "the parameter is a ", kernel_.parameters[number].type, ", no struct; the kernel is ",
              SignatureOf(kernel_));
  RequireUser(layout != nullptr, Where(number),
              "this program does not know the struct's fields; give it to `tilesim run FILE`, which does");
  const std::vector<std::byte> bytes = StructBytes(*layout, text, Where(number));
  if (kind.kind == ParameterIs::kStruct) {
    RequireUser(bytes.size() == kind.size_bytes, Where(number), "the struct has ", bytes.size(),
                " bytes, the parameter ", kernel_.parameters[number].type, " has ", kind.size_bytes);
    arguments_[number].value = bytes;
    return;
  }
  BindMemory(number, bytes.size());
  void* memory = nullptr;
  std::memcpy(&memory, arguments_[number].value.data(), sizeof(memory));
  std::memcpy(memory, bytes.data(), bytes.size());
  program_.memory().NoteWritten(memory, bytes.size());
}

std::vector<const void*> KernelArguments::Values() const {
  std::vector<const void*> values;
  for (const Argument& argument : arguments_) {
    values.push_back(argument.value.data());
  }
  return values;
}

std::vector<PointerArgument> KernelArguments::Pointers() const {
  std::vector<PointerArgument> pointers;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (kernel_.kinds[i].kind == ParameterIs::kPointer) {
      PointerArgument pointer{.number = static_cast<int>(i), .is_workspace = arguments_[i].is_workspace};
      std::memcpy(&pointer.value, arguments_[i].value.data(), sizeof(pointer.value));
      pointers.push_back(pointer);
    }
  }
  return pointers;
}

const KernelArguments::Output* KernelArguments::FindOutput(std::string_view name) const {
  const auto found = std::ranges::find(outputs_, name, &Output::name);
  return found == outputs_.end() ? nullptr : &*found;
}

std::vector<std::string> KernelArguments::OtherTypes(
    const std::function<std::set<std::string_view>(uint64_t begin, uint64_t end)>& types_in) const {
  std::vector<std::string> sentences;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const ElementType* const given = arguments_[i].type;
    if (given == nullptr || given->bytes == 1) {
      continue;
    }
    uint64_t begin = 0;
    std::memcpy(&begin, arguments_[i].value.data(), sizeof(begin));
    const std::set<std::string_view> types = types_in(begin, begin + arguments_[i].size_bytes);
    const bool fits = std::ranges::any_of(types, [&](std::string_view type) { return MayBe(*given, type); });
    if (!types.empty() && !fits) {
      sentences.push_back(Say(Where(i), "the array is of ", given->name, ", the kernel takes its bytes for ",
                              *types.begin(), ", and nothing converts them; give an array of that type"));
    }
  }
  return sentences;
}

const std::byte* KernelArguments::Begin(const Output& output) const {
  const std::byte* begin = nullptr;
  std::memcpy(&begin, arguments_[output.argument].value.data(), sizeof(begin));
  return begin;
}

Array KernelArguments::Read(const Output& output) const {
  Array array{.type = output.type, .shape = output.shape, .data = {}};
  array.data.resize(static_cast<size_t>(array.elements()) * output.type->bytes);
  std::memcpy(array.data.data(), Begin(output), array.data.size());
  return array;
}

}  // namespace tilesim::host
