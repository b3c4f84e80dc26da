#include "cli/kernel_words.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "formats/error.h"
#include "formats/shown_text.h"

namespace tilesim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kStruct = "struct:";

// `struct:{...}` holds the JSON, `struct:FILE` names its file.
Json JsonOfStruct(const std::string& name, const std::string& text) {
  std::string source = text;
  std::string where = Say("--arg ", name, "=struct:{...}");
  if (!text.starts_with("{")) {
    where = text;
    std::ifstream file(text);
    RequireUser(
        file.good(), "--arg ", name, "=struct:", text,
        ": cannot be read; give a JSON file of the struct's fields, or the JSON itself: struct:{\"a\":1}");
    source.assign(std::istreambuf_iterator<char>(file), {});
  }
  try {
    Json fields = Json::parse(source);
    RequireUser(fields.is_object() && !fields.empty(), where,
                ": must be a JSON object of the struct's fields, for example {\"tileNum\":8}");
    return fields;
  } catch (const nlohmann::json::exception& error) {  // also a number that no double holds
    std::string_view what = error.what();             // "[json.exception.parse_error.101] parse error at ..."
    const size_t code = what.find("] ");
    what.remove_prefix(code == std::string_view::npos ? 0 : code + 2);
    throw UserError(Say(where, ": is no JSON (", Shown(what), "); write it as {\"tileNum\":8}"));
  }
}

bool IsIdentifier(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// "a=1;b.c[0]=2": each number, by its place in the struct. Numbers stay as they are written.
void Flatten(const Json& value, const std::string& place, const std::string& name, std::string& flat) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      RequireUser(IsIdentifier(key), "--arg ", name, ": '", key, "' is no name of a struct's field");
      Flatten(inner, Say(place, place.empty() ? "" : ".", key), name, flat);
    }
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) {
      Flatten(value[i], Say(place, "[", i, "]"), name, flat);
    }
  } else {
    RequireUser(value.is_number() || value.is_boolean(), "--arg ", name, ": field ", place, " is ",
                Shown(value.dump()),
                "; fields of a struct are numbers, true or false, or arrays and objects of these");
    flat += Say(flat.empty() ? "" : ";", place, "=",
                value.is_boolean() ? Json(value.get<bool>() ? 1 : 0).dump() : value.dump());
  }
}

// The names of the fields, each once: "a", "b.c", "in[1].d"; elements of an array of numbers are one field.
std::vector<std::string> FieldNames(const std::string& flat) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin < flat.size();) {
    const size_t end = std::min(flat.find(';', begin), flat.size());
    std::string name = flat.substr(begin, flat.find('=', begin) - begin);
    const size_t dot = name.rfind('.');
    name.erase(std::min(name.find('[', dot == std::string::npos ? 0 : dot), name.size()));
    if (std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
    begin = end + 1;
  }
  return names;
}

// The fields of the struct that a parameter takes, for the end of the unit that declares it: "a", "b.c".
std::string FieldsSource(const std::string& kernel, const std::string& parameter,
                         const std::vector<std::string>& fields) {
  std::string text =
      Say("static const bool tilesim_struct_", parameter, " = ::tilesim::host::DescribeStruct<", kTypeOf,
          parameter, ")>(\"", kernel, "\", \"", parameter, "\"");
  for (const std::string& field : fields) {
    text += Say(", TILESIM_FIELD(", field, ")");
  }
  return text + ");";
}

}  // namespace

KernelWords KernelWordsOf(const Arguments& arguments) {
  KernelWords kernel;
  if (!arguments.Has("kernel")) {
    for (const std::string_view option : {"arg", "blocks", "tiling-key", "expect", "tolerance"}) {
      RequireUser(!arguments.Has(option), "--", option,
                  ": is for a kernel that this command line launches; name it: --kernel NAME");
    }
    return kernel;
  }
  if (!arguments.program_words().empty()) {
    throw UserError(
        Say("'", arguments.program_words().front(),
            "' behind --: is for the file's main, which --kernel does not call; leave the one or the other "
            "out"));
  }
  RequireUser(!arguments.Has("expect") || arguments.Text("mode", "full") != "timing",
              "--expect: mode timing computes no values; use full or functional");
  const std::string name = arguments.Text("kernel", "");
  kernel.words = {"--kernel", name};
  if (name.find('<') != std::string::npos) {
    kernel.pass.instances.push_back(name);
  }
  kernel.pass.tiling_key =
      static_cast<uint64_t>(arguments.Whole("tiling-key", KernelWords::kDefaultTilingKey, 0, INT64_MAX));
  for (const std::string& arg : arguments.All("arg")) {
    const size_t equals = arg.find('=');
    RequireUser(equals != std::string::npos && IsIdentifier(std::string_view(arg).substr(0, equals)),
                "--arg = '", arg,
                "': must be NAME=VALUE with the name of a parameter, for example x=normal:fp16:8x2048");
    const std::string parameter = arg.substr(0, equals);
    std::string value = arg.substr(equals + 1);
    if (value.starts_with(kStruct)) {
      std::string flat;
      Flatten(JsonOfStruct(parameter, value.substr(kStruct.size())), "", parameter, flat);
      kernel.pass.extra.push_back({.kernel = name, .text = FieldsSource(name, parameter, FieldNames(flat))});
      value = Say(kStruct, flat);
    }
    kernel.words.insert(kernel.words.end(), {"--arg", Say(parameter, "=", value)});
  }
  for (const std::string_view option : {"blocks", "tiling-key", "output", "tolerance"}) {
    if (arguments.Has(option)) {
      kernel.words.insert(kernel.words.end(), {Say("--", option), arguments.Text(option, "")});
    }
  }
  for (const std::string& expected : arguments.All("expect")) {
    kernel.words.insert(kernel.words.end(), {"--expect", expected});
  }
  return kernel;
}

}  // namespace tilesim
