#include "cli/tune_file/varied.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/cc/driver.h"
#include "cli/tune_file/macro_names.h"
#include "cli/tune_file/where.h"
#include "formats/error.h"
#include "formats/nearest_name.h"
#include "ops/cases/case_cells.h"
#include "sim/host/arrays.h"

namespace tilesim {
namespace {

constexpr size_t kMostCombinations = 1'000'000;
constexpr std::string_view kStruct = "struct:";

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<int64_t> WholeOf(std::string_view text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

// "64:256:64" as its numbers; what is no range is a value itself.
void AddValues(const std::string& name, const std::string& text, std::vector<std::string>& values) {
  std::vector<int64_t> numbers;
  const std::vector<std::string> parts = Split(text, ':');
  for (const std::string& part : parts) {
    if (const std::optional<int64_t> number = WholeOf(part)) {
      numbers.push_back(*number);
    }
  }
  if (parts.size() < 2 || numbers.size() != parts.size()) {
    RequireUser(!text.empty(), "--vary ", name, ": an empty value; give NAME=a,b,c or NAME=from:to:step");
    values.push_back(text);
    return;
  }
  const int64_t step = numbers.size() > 2 ? numbers[2] : 1;
  RequireUser(numbers.size() <= 3 && step > 0 && numbers[0] <= numbers[1], "--vary ", name, ": '", text,
              "' must be from:to:step, upwards, with a step of 1 or more");
  // the distance is taken without sign: it may be more than int64_t holds
  const uint64_t steps =
      (static_cast<uint64_t>(numbers[1]) - static_cast<uint64_t>(numbers[0])) / static_cast<uint64_t>(step);
  RequireUser(steps < kMostCombinations, "--vary ", name, ": '", text, "' has more than ", kMostCombinations,
              " values; give a larger step");
  for (uint64_t i = 0; i <= steps; ++i) {
    values.push_back(Say(numbers[0] + static_cast<int64_t>(i) * step));
  }
}

Varied ReadVaried(const std::string& text) {
  const size_t equals = text.find('=');
  RequireUser(equals != std::string::npos && equals > 0, "--vary = '", text,
              "': must be NAME=a,b,c or NAME=from:to:step, for example TILE_M=64,128,256");
  Varied varied{.name = text.substr(0, equals), .values = {}};
  for (const std::string& part : Split(std::string_view(text).substr(equals + 1), ',')) {
    AddValues(varied.name, part, varied.values);
  }
  std::vector<std::string> sorted = varied.values;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  RequireUser(twice == sorted.end(), "--vary ", varied.name, ": '", twice == sorted.end() ? "" : *twice,
              "' is given twice; give each value once");
  return varied;
}

// The word of an --arg: "tiling=struct:a=1;b=2".
struct ArgWord {
  std::string* word;
  std::string name;
  std::string value;
};
std::vector<ArgWord> ArgsOf(FileCall& call) {
  std::vector<ArgWord> args;
  std::vector<std::string>& words = call.kernel.words;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {  // each option has its value behind it
    if (words[i] == "--arg") {
      std::string& word = words[i + 1];
      const size_t equals = word.find('=');
      args.push_back({&word, word.substr(0, equals), word.substr(equals + 1)});
    }
  }
  return args;
}

bool IsScalar(const std::string& value) {
  const size_t colon = value.find(':');
  return colon != std::string::npos && host::FindElementType(value.substr(0, colon)) != nullptr;
}

// "a=1;tile.length=256": the places of the fields.
std::vector<std::string> FieldsOf(const std::string& value) {
  std::vector<std::string> fields;
  if (value.starts_with(kStruct)) {
    for (const std::string& field : Split(std::string_view(value).substr(kStruct.size()), ';')) {
      fields.push_back(field.substr(0, field.find('=')));
    }
  }
  return fields;
}

// -DNAME, -DNAME=VALUE; `next` is the word behind it.
bool Defines(const std::string& word, const std::string& next, const std::string& name) {
  const std::string_view defined =
      word == "-D" ? std::string_view(next)
                   : std::string_view(word).substr(word.starts_with("-D") ? 2 : word.size());
  return defined.substr(0, defined.find('=')) == name;
}

void RemoveDefinition(std::vector<std::string>& options, const std::string& name) {
  std::vector<std::string> kept;
  for (size_t i = 0; i < options.size(); ++i) {
    const bool two = options[i] == "-D" && i + 1 < options.size();
    if (!Defines(options[i], two ? options[i + 1] : "", name)) {
      kept.insert(kept.end(), options.begin() + static_cast<ptrdiff_t>(i),
                  options.begin() + static_cast<ptrdiff_t>(i) + (two ? 2 : 1));
    }
    i += two ? 1 : 0;
  }
  options = std::move(kept);
}

std::string Braced(const std::string& name) { return Say("{", name, "}"); }

// Finds what names stand for; what the file and the call have is looked at once.
class Places {
 public:
  explicit Places(const FileCall& call) : call_(call), args_(ArgsOf(call_)) {
    if (IsKernelSource(call.file)) {
      macros_ = MacroNamesOf(call.file, call.compiler_options);
    }
  }

  void Find(Varied& varied) const {
    const std::string& name = varied.name;
    const bool found = FindMacro(name) || FindScalar(varied) || FindField(varied) || FindWord(varied);
    if (found) {
      return;
    }
    const auto defined = macros_.defined.find(name);
    if (defined != macros_.defined.end()) {
      throw UserError(Say("--vary ", name, ": ", defined->second, " defines it whatever -D", name,
                          " says; write #ifndef ", name, " before and #endif behind it"));
    }
    const bool is_argument = std::ranges::find(args_, name, &ArgWord::name) != args_.end();
    const auto declared = macros_.declared.find(name);
    if (declared != macros_.declared.end() && !is_argument) {
      throw UserError(Say("--vary ", name, ": ", declared->second, " declares it, where a -D", name,
                          " would spoil it; make it a macro: #ifndef ", name, ", #define ", name,
                          " VALUE, #endif. ", What()));
    }
    RequireUser(macros_.mentioned.contains(name) && !is_argument, "--vary ", name, ": stands for nothing; ",
                What(name));
  }

  // What may be varied; with a name that is none of it, the one that may be meant.
  [[nodiscard]] std::string What(const std::string& unknown = "") const {
    std::vector<std::string> all;
    std::string text;
    const auto list = [&](std::string_view kind, const std::vector<std::string>& names) {
      all.insert(all.end(), names.begin(), names.end());
      const std::vector<std::string_view> views(names.begin(), names.end());
      text += Say(kind, " (", views.empty() ? "none is there" : JoinedNames(views), "), ");
    };
    std::vector<std::string> macros;
    std::ranges::copy_if(macros_.tested, std::back_inserter(macros),
                         [&](const std::string& one) { return !macros_.guards.contains(one); });
    std::vector<std::string> scalars;
    std::vector<std::string> fields;
    for (const ArgWord& arg : args_) {
      if (IsScalar(arg.value)) {
        scalars.push_back(arg.name);
      }
      std::ranges::copy(FieldsOf(arg.value), std::back_inserter(fields));
    }
    list("a macro in #if or #ifndef", macros);
    list("a scalar --arg", scalars);
    list("a field of a struct --arg", fields);
    return Say(unknown.empty() ? "" : DidYouMean(unknown, all), "NAME is ", text, "or {NAME} behind --");
  }

 private:
  [[nodiscard]] bool FindMacro(const std::string& name) const {
    const std::vector<std::string>& options = call_.compiler_options;
    for (size_t i = 0; i < options.size(); ++i) {
      if (Defines(options[i], i + 1 < options.size() ? options[i + 1] : "", name)) {
        return true;
      }
    }
    return macros_.tested.contains(name);
  }

  bool FindScalar(Varied& varied) const {
    for (const ArgWord& arg : args_) {
      if (arg.name == varied.name && IsScalar(arg.value)) {
        varied.place = Varied::Place::kScalar;
        varied.parameter = arg.name;
        return true;
      }
    }
    return false;
  }

  // The whole place of a field ("tile.length", "tiling.tile.length"), or the end of one only.
  bool FindField(Varied& varied) const {
    std::vector<std::pair<std::string, std::string>> whole;
    std::vector<std::pair<std::string, std::string>> ends;
    for (const ArgWord& arg : args_) {
      for (const std::string& field : FieldsOf(arg.value)) {
        const bool is_whole = varied.name == field || varied.name == Say(arg.name, ".", field);
        if (is_whole || field.ends_with("." + varied.name)) {
          (is_whole ? whole : ends).emplace_back(arg.name, field);
        }
      }
    }
    const auto& found = whole.empty() ? ends : whole;
    if (found.empty()) {
      return false;
    }
    RequireUser(found.size() == 1, "--vary ", varied.name, ": may be ", found[0].first, ".", found[0].second,
                " or ", found.back().first, ".", found.back().second, "; give one of these names");
    varied.place = Varied::Place::kField;
    varied.parameter = found[0].first;
    varied.field = found[0].second;
    return true;
  }

  bool FindWord(Varied& varied) const {
    const bool found = std::ranges::any_of(call_.program_words, [&](const std::string& word) {
      return word.find(Braced(varied.name)) != std::string::npos;
    });
    varied.place = found ? Varied::Place::kWord : varied.place;
    return found;
  }

  FileCall call_;
  std::vector<ArgWord> args_;
  MacroNames macros_;
};

void SetField(std::string& word, const std::string& field, const std::string& value) {
  const size_t begin = word.find(kStruct) + kStruct.size();
  std::string fields;
  for (const std::string& one : Split(std::string_view(word).substr(begin), ';')) {
    const std::string place = one.substr(0, one.find('='));
    fields += Say(fields.empty() ? "" : ";", place == field ? Say(field, "=", value) : one);
  }
  word.replace(begin, std::string::npos, fields);
}

void Replace(std::string& word, const std::string& from, const std::string& to) {
  for (size_t at = word.find(from); at != std::string::npos; at = word.find(from, at + to.size())) {
    word.replace(at, from.size(), to);
  }
}

}  // namespace

std::string Varied::PlaceText() const {
  switch (place) {
    case Place::kMacro:
      return Say("-D", name);
    case Place::kScalar:
      return Say("--arg ", parameter);
    case Place::kField:
      return Say("field ", field, " of --arg ", parameter);
    case Place::kWord:
      return Say(Braced(name), " behind --");
  }
  return "";
}

std::vector<Varied> VariedOf(const Arguments& arguments, const FileCall& call) {
  const Places places(call);
  RequireUser(arguments.Has("vary"), "tune ", call.file.string(), ": needs --vary NAME=a,b,c; ",
              places.What());
  std::vector<Varied> all;
  for (const std::string& text : arguments.All("vary")) {
    Varied varied = ReadVaried(text);
    RequireUser(std::ranges::find(all, varied.name, &Varied::name) == all.end(), "--vary ", varied.name,
                ": is given twice; give all its values in one");
    places.Find(varied);
    all.push_back(std::move(varied));
  }
  return all;
}

FileCall CallWith(FileCall call, std::span<const Varied> varied, std::span<const std::string> values) {
  const std::vector<ArgWord> args = ArgsOf(call);
  for (size_t i = 0; i < varied.size(); ++i) {
    const Varied& one = varied[i];
    const auto arg = std::ranges::find(args, one.parameter, &ArgWord::name);
    switch (one.place) {
      case Varied::Place::kMacro:
        RemoveDefinition(call.compiler_options, one.name);
        call.compiler_options.push_back(Say("-D", one.name, "=", values[i]));
        break;
      case Varied::Place::kScalar:
        *arg->word = Say(one.parameter, "=", arg->value.substr(0, arg->value.find(':') + 1), values[i]);
        break;
      case Varied::Place::kField:
        SetField(*arg->word, one.field, values[i]);
        break;
      case Varied::Place::kWord:
        for (std::string& word : call.program_words) {
          Replace(word, Braced(one.name), values[i]);
        }
        break;
    }
  }
  return call;
}

CombinationSpace::CombinationSpace(std::vector<Varied> varied) : varied_(std::move(varied)) {
  for (const Varied& one : varied_) {
    RequireUser(size_ <= kMostCombinations / one.values.size(), "--vary: has more than ", kMostCombinations,
                " combinations; give fewer values");
    size_ *= one.values.size();
  }
}

std::vector<std::string> CombinationSpace::names() const {
  std::vector<std::string> names;
  std::ranges::transform(varied_, std::back_inserter(names), &Varied::name);
  return names;
}

std::vector<std::string> CombinationSpace::Values(size_t number) const {
  std::vector<std::string> values(varied_.size());
  for (size_t i = varied_.size(); i-- > 0;) {
    const std::vector<std::string>& all = varied_[i].values;
    values[i] = all[number % all.size()];
    number /= all.size();
  }
  return values;
}

std::vector<size_t> CombinationSpace::Neighbours(size_t number) const {
  std::vector<std::pair<size_t, size_t>> by_distance;  // in the list of values
  size_t stride = 1;
  for (size_t i = varied_.size(); i-- > 0;) {
    const size_t count = varied_[i].values.size();
    const size_t own = number / stride % count;
    for (size_t other = 0; other < count; ++other) {
      if (other != own) {
        by_distance.emplace_back(std::max(own, other) - std::min(own, other),
                                 number - own * stride + other * stride);
      }
    }
    stride *= count;
  }
  std::ranges::sort(by_distance);
  std::vector<size_t> neighbours;
  std::ranges::transform(by_distance, std::back_inserter(neighbours),
                         [](const auto& one) { return one.second; });
  return neighbours;
}

std::string CombinationSpace::Text(size_t number) const {
  std::string text;
  const std::vector<std::string> values = Values(number);
  for (size_t i = 0; i < values.size(); ++i) {
    text += Say(text.empty() ? "" : " ", varied_[i].name, "=", values[i]);
  }
  return text;
}

std::vector<size_t> AllowedCombinations(const Arguments& arguments, const CombinationSpace& space) {
  const std::vector<std::string> names = space.names();
  std::vector<WhereExpression> conditions;
  for (const std::string& text : arguments.All("where")) {
    conditions.emplace_back(text, names);
    for (const size_t used : conditions.back().used()) {
      for (const std::string& value : space.varied()[used].values) {
        RequireUser(WholeOf(value).has_value(), "--where '", text, "': ", names[used], " may be '", value,
                    "', which is no whole number; leave the name out of it");
      }
    }
  }
  std::vector<size_t> allowed;
  for (size_t number = 0; number < space.size(); ++number) {
    std::vector<int64_t> values;
    for (const std::string& value : space.Values(number)) {
      values.push_back(WholeOf(value).value_or(0));
    }
    if (std::ranges::all_of(conditions, [&](const WhereExpression& one) { return one.Holds(values); })) {
      allowed.push_back(number);
    }
  }
  RequireUser(!allowed.empty(), "--where: holds for none of the ", space.size(), " combinations of --vary");
  RequireUser(allowed.front() == 0, "--where: does not hold for the first values, ", space.Text(0),
              ", which are always run; begin each --vary with a value that may be, for example ",
              space.Text(allowed.front()));
  return allowed;
}

}  // namespace tilesim
