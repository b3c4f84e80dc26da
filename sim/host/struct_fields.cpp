#include "sim/host/struct_fields.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "sim/host/arrays.h"

namespace tilesim::host {
namespace {

std::vector<StructLayout>& Layouts() {
  static std::vector<StructLayout>& layouts = *new std::vector<StructLayout>;
  return layouts;
}

std::string_view WithoutNamespaces(std::string_view name) {
  const size_t colons = name.rfind("::", name.find('<'));
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

// An element of a field: "tile[2]" is element 2 of "tile".
struct Target {
  const StructField* field = nullptr;
  size_t offset = 0;
};

constexpr std::string_view kOfPointer =
    ", which cannot be given: only a program knows what it points to; launch the kernel from a main()";

std::string NamesOf(const StructLayout& layout) {
  std::string names;
  for (const StructField& field : layout.fields) {
    if (field.exists && !field.has_fields) {
      names += Say(names.empty() ? "" : ", ", field.path);
    }
  }
  return names;
}

Target FindTarget(const StructLayout& layout, const std::string& path, const std::string& where) {
  // the longest described name that the path begins with, and indices behind it
  const StructField* found = nullptr;
  for (const StructField& field : layout.fields) {
    const bool begins =
        path.starts_with(field.path) && (path.size() == field.path.size() || path[field.path.size()] == '[');
    if (begins && (found == nullptr || field.path.size() > found->path.size())) {
      found = &field;
    }
  }
  RequireUser(
      found == nullptr || !found->is_bit_field, where, "field ", path,
      " is a bit-field, which has no address; declare it as a whole number, or launch the kernel from "
      "a main()");
  if (found == nullptr || !found->exists) {
    std::vector<std::string_view> known;
    for (const StructField& field : layout.fields) {
      if (field.exists) {
        known.push_back(field.path);
      }
    }
    throw UserError(Say(where, "the struct has no field ", path, "; ", DidYouMean(path, known),
                        "fields: ", NamesOf(layout)));
  }
  RequireUser(!found->is_pointer, where, "field ", path, " is a pointer", kOfPointer);
  RequireUser(!found->element_type.empty(), where, "field ", path,
              " is no number, nor an array of numbers: of a struct give its fields, in {} or, of each in an "
              "array, in [{}, ...]");
  std::vector<int64_t> indices;
  for (size_t at = found->path.size(); at < path.size();) {
    int64_t index = -1;
    const auto [end, error] = std::from_chars(path.data() + at + 1, path.data() + path.size(), index);
    const bool closed = error == std::errc() && end < path.data() + path.size() && *end == ']';
    RequireUser(closed && path[at] == '[', where, "'", path, "' is no field, nor an element of one");
    indices.push_back(index);
    at = static_cast<size_t>(end - path.data()) + 1;
  }
  RequireUser(indices.size() == found->extents.size(), where, "field ", found->path, " has ",
              found->extents.size(), " dimensions, '", path, "' has ", indices.size(), " indices");
  int64_t element = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    RequireUser(indices[i] >= 0 && indices[i] < found->extents[i], where, "'", path, "': index ", indices[i],
                ", the array has ", found->extents[i], " elements");
    element = element * found->extents[i] + indices[i];
  }
  return {
      .field = found,
      .offset = found->offset + static_cast<size_t>(element) * FindElementType(found->element_type)->bytes};
}

void RequireAllGiven(const StructLayout& layout, const std::vector<bool>& given, const std::string& where) {
  std::string missing;
  size_t count = 0;
  std::string pointer;
  bool any_array = false;
  for (const StructField& field : layout.fields) {
    const auto begin = given.begin() + static_cast<int64_t>(field.offset);
    const auto num_given = std::count(begin, begin + static_cast<int64_t>(field.size_bytes), true);
    const bool is_struct = field.element_type.empty();  // its fields are told where some are given
    const bool is_whole = is_struct ? num_given > 0 || field.has_fields || field.is_empty
                                    : num_given == static_cast<int64_t>(field.size_bytes);
    if (field.exists && !is_whole) {
      missing += Say(count++ == 0 ? "" : ", ", field.path);
      any_array = any_array || !field.extents.empty();
      pointer = field.is_pointer ? field.path : pointer;
    }
  }
  RequireUser(count == 0, where, count == 1 ? "field " : "fields ", missing,
              count == 1 ? " has no value" : " have no value",
              !any_array   ? ""
              : count == 1 ? ", or not all of its elements have one"
                           : ", or not all of their elements have one",
              pointer.empty() ? "" : Say("; ", pointer, " is a pointer", kOfPointer));
  for (size_t at = 0; at < layout.size_bytes; ++at) {
    if (!given[at] && !layout.is_padding[at]) {
      size_t end = at;
      while (end < layout.size_bytes && !given[end] && !layout.is_padding[end]) {
        ++end;
      }
      throw UserError(Say(where, "bytes [", at, ", ", end, ") of the struct, which has ", layout.size_bytes,
                          ", belong to a field that has no value; known fields: ", NamesOf(layout)));
    }
  }
}

}  // namespace

bool Describe(StructLayout layout) {
  std::set<std::string> paths;
  std::erase_if(layout.fields, [&](const StructField& field) { return !paths.insert(field.path).second; });
  Layouts().push_back(std::move(layout));
  return true;
}

const StructLayout* FindStruct(std::string_view kernel, std::string_view parameter) {
  const auto found = std::ranges::find_if(Layouts(), [&](const StructLayout& layout) {
    return WithoutNamespaces(layout.kernel) == WithoutNamespaces(kernel) && layout.parameter == parameter;
  });
  return found == Layouts().end() ? nullptr : &*found;
}

std::vector<std::byte> StructBytes(const StructLayout& layout, std::string_view values,
                                   const std::string& where) {
  std::vector<std::byte> bytes(layout.size_bytes);
  std::vector<bool> given(layout.size_bytes, false);
  while (!values.empty()) {
    const size_t end = std::min(values.find(';'), values.size());
    const std::string_view one = values.substr(0, end);
    values.remove_prefix(std::min(end + 1, values.size()));
    const size_t equals = one.find('=');
    RequireUser(equals != std::string_view::npos, where, "'", one, "' is no FIELD=VALUE");
    const std::string path(one.substr(0, equals));
    const Target target = FindTarget(layout, path, where);
    const ElementType& type = *FindElementType(target.field->element_type);
    RequireUser(!given[target.offset], where, "field ", path, " is given twice");
    WriteNumber(type, one.substr(equals + 1), bytes.data() + target.offset, Say(where, "field ", path, ": "));
    std::fill_n(given.begin() + static_cast<int64_t>(target.offset), type.bytes, true);
  }
  RequireAllGiven(layout, given, where);
  return bytes;
}

}  // namespace tilesim::host
