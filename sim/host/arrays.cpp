#include "sim/host/arrays.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numbers>
#include <utility>

#include "formats/error.h"
#include "formats/half.h"
#include "formats/npy_header.h"
#include "formats/random.h"
#include "formats/replace_file.h"

namespace tilesim::host {
namespace {

using Kind = ElementType::Kind;

constexpr std::array kTypes = {
    ElementType{"fp16", "<f2", Kind::kHalf, 2},       ElementType{"bf16", "", Kind::kBFloat16, 2},
    ElementType{"fp32", "<f4", Kind::kReal, 4},       ElementType{"fp64", "<f8", Kind::kReal, 8},
    ElementType{"int8", "|i1", Kind::kSigned, 1},     ElementType{"int16", "<i2", Kind::kSigned, 2},
    ElementType{"int32", "<i4", Kind::kSigned, 4},    ElementType{"int64", "<i8", Kind::kSigned, 8},
    ElementType{"uint8", "|u1", Kind::kUnsigned, 1},  ElementType{"uint16", "<u2", Kind::kUnsigned, 2},
    ElementType{"uint32", "<u4", Kind::kUnsigned, 4}, ElementType{"uint64", "<u8", Kind::kUnsigned, 8},
    ElementType{"bool", "|b1", Kind::kBool, 1}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kOtherNames = {
    {{"half", "fp16"},
     {"float16", "fp16"},
     {"bfloat16", "bf16"},
     {"bfloat16_t", "bf16"},
     {"float", "fp32"},
     {"float32", "fp32"},
     {"double", "fp64"},
     {"float64", "fp64"},
     {"int", "int32"},
     {"int32_t", "int32"},
     {"uint32_t", "uint32"}}};

template <class T>
T As(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void Put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

void PutReal(const ElementType& type, double value, std::byte* to) {
  switch (type.kind) {
    case Kind::kHalf:
      return Put(to, Half(value).bits);
    case Kind::kBFloat16:
      return Put(to, BFloat16(value).bits);
    default:
      return type.bytes == 4 ? Put(to, static_cast<float>(value)) : Put(to, value);
  }
}

// Little-endian, as many bytes as the type has.
void PutWhole(const ElementType& type, uint64_t bits, std::byte* to) { std::memcpy(to, &bits, type.bytes); }

template <class T>
T Parsed(std::string_view text, const ElementType& type, const std::string& where) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  RequireUser(error == std::errc() && at == end, where, "'", text, "' is no ", type.name,
              error == std::errc::result_out_of_range ? ": it is beyond the type" : "");
  return value;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  RequireUser(file.good(), path, ": no such file, or it cannot be read");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

size_t BytesOf(const std::vector<int64_t>& shape, const ElementType& type, const std::string& where) {
  uint64_t bytes = type.bytes;
  for (const int64_t extent : shape) {
    RequireUser(extent == 0 || bytes <= (uint64_t{1} << 40) / static_cast<uint64_t>(extent), where, "shape ",
                ShapeText(shape), " is more than this machine holds");
    bytes *= static_cast<uint64_t>(extent);
  }
  return bytes;
}

// Two units in the last place of the type at `expected`, and two of its least number.
long double Allowed(const ElementType& type, long double expected) {
  const auto units = [&](int digits, int least_exponent) {
    return std::ldexp(std::fabs(expected), 2 - digits) + std::ldexp(2.0L, least_exponent);
  };
  switch (type.kind) {
    case Kind::kHalf:
      return units(11, -24);
    case Kind::kBFloat16:
      return units(8, -133);
    case Kind::kReal:
      return type.bytes == 4 ? units(24, -149) : units(53, -1074);
    default:
      return 0;
  }
}

}  // namespace

const ElementType* FindElementType(std::string_view name) {
  const auto other = std::ranges::find(kOtherNames, name, [](const auto& pair) { return pair.first; });
  const auto found =
      std::ranges::find(kTypes, other == kOtherNames.end() ? name : other->second, &ElementType::name);
  return found == kTypes.end() ? nullptr : &*found;
}

std::string KnownElementTypes() {
  std::string names;
  for (const ElementType& type : kTypes) {
    names += Say(names.empty() ? "" : ", ", type.name);
  }
  return names;
}

long double ReadNumber(const ElementType& type, const std::byte* from) {
  switch (type.kind) {
    case Kind::kHalf:
      return static_cast<float>(Half::FromBits(As<uint16_t>(from)));
    case Kind::kBFloat16:
      return static_cast<float>(BFloat16::FromBits(As<uint16_t>(from)));
    case Kind::kReal:
      return type.bytes == 4 ? static_cast<long double>(As<float>(from)) : As<double>(from);
    case Kind::kSigned:
      return type.bytes == 1   ? As<int8_t>(from)
             : type.bytes == 2 ? As<int16_t>(from)
             : type.bytes == 4 ? As<int32_t>(from)
                               : static_cast<long double>(As<int64_t>(from));
    case Kind::kUnsigned:
    case Kind::kBool:
      break;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, from, type.bytes);
  return static_cast<long double>(bits);
}

void WriteNumber(const ElementType& type, std::string_view text, std::byte* to, const std::string& where) {
  if (type.kind == Kind::kBool) {
    RequireUser(text == "true" || text == "false" || text == "0" || text == "1", where, "'", text,
                "' is no bool: true, false, 1 or 0");
    return Put(to, static_cast<uint8_t>(text == "true" || text == "1"));
  }
  if (type.IsReal()) {
    const double value = Parsed<double>(text, type, where);
    PutReal(type, value, to);
    RequireUser(std::isinf(value) || !std::isinf(ReadNumber(type, to)), where, "'", text, "' is beyond ",
                type.name);
    return;
  }
  const int unused = 64 - static_cast<int>(8 * type.bytes);
  if (type.kind == Kind::kSigned) {
    const int64_t value = Parsed<int64_t>(text, type, where);
    RequireUser(value <= INT64_MAX >> unused && value >= INT64_MIN >> unused, where, "'", text,
                "' is beyond ", type.name);
    return PutWhole(type, static_cast<uint64_t>(value), to);
  }
  const uint64_t value = Parsed<uint64_t>(text, type, where);
  RequireUser(value <= UINT64_MAX >> unused, where, "'", text, "' is beyond ", type.name);
  PutWhole(type, value, to);
}

int64_t Array::elements() const {
  int64_t count = 1;
  for (const int64_t extent : shape) {
    count *= extent;
  }
  return count;
}

std::vector<int64_t> ParseShape(std::string_view text, const std::string& where) {
  std::vector<int64_t> shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    RequireUser(error == std::errc() && extent > 0 && (next == end || *next == 'x'), where, "'", text,
                "' is no shape; write 5, 8x2048 or 1x2x3");
    shape.push_back(extent);
    if (next == end) {
      return shape;
    }
    at = next + 1;
  }
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t extent : shape) {
    text += Say(text.empty() ? "" : "x", extent);
  }
  return text.empty() ? "a scalar" : text;
}

Array ReadNpyArray(const std::string& path) {
  const std::string file = Contents(path);
  RequireUser(file.starts_with("\x93NUMPY") && file.size() >= 12, path,
              ": is no .npy file; numpy.save writes one");
  const bool long_header = file[6] >= 2;
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, file.data() + 8, long_header ? 4 : 2);
  const size_t begin = long_header ? 12 : 10;
  RequireUser(file.size() - begin >= header_bytes, path, ": ends within its header");
  const NpyDictionary header = ParseNpyDictionary(std::string_view(file).substr(begin, header_bytes), path);
  const auto type = std::ranges::find(kTypes, header.descr, &ElementType::descr);
  RequireUser(type != kTypes.end() && !header.descr.empty(), path, ": elements '", header.descr,
              "' are not read; use one of ", KnownElementTypes(), " (bf16 as uint16, the same bits)");
  RequireUser(!header.fortran_order, path, ": is in Fortran order; save numpy.ascontiguousarray(array)");
  Array array{.type = &*type, .shape = header.shape, .data = {}};
  const size_t bytes = BytesOf(array.shape, *type, Say(path, ": "));
  RequireUser(file.size() - begin - header_bytes == bytes, path, ": has ", file.size() - begin - header_bytes,
              " bytes of data, shape ", ShapeText(array.shape), " of ", type->name, " needs ", bytes);
  array.data.resize(bytes);
  std::memcpy(array.data.data(), file.data() + begin + header_bytes, bytes);
  return array;
}

Array ReadRawArray(const std::string& path, const ElementType& type, std::vector<int64_t> shape) {
  const std::string file = Contents(path);
  const size_t bytes = BytesOf(shape, type, Say(path, ": "));
  RequireUser(file.size() == bytes, path, ": has ", file.size(), " bytes, shape ", ShapeText(shape), " of ",
              type.name, " needs ", bytes);
  Array array{.type = &type, .shape = std::move(shape), .data = std::vector<std::byte>(bytes)};
  std::memcpy(array.data.data(), file.data(), bytes);
  return array;
}

bool IsMaker(std::string_view how) {
  return how == "zeros" || how == "ones" || how == "arange" || how == "uniform" || how == "normal";
}

Array MakeArray(std::string_view how, const ElementType& type, std::vector<int64_t> shape, uint64_t seed,
                const std::string& where) {
  RequireUser(how != "normal" || type.IsReal(), where, "normal: numbers are reals, ", type.name,
              " is not; use uniform or arange");
  const size_t bytes = BytesOf(shape, type, where);
  Array array{.type = &type, .shape = std::move(shape), .data = std::vector<std::byte>(bytes)};
  const auto unit = [&](uint64_t index) { return (RandomBits(seed, index) >> 8) * 0x1p-24; };  // [0, 1)
  for (uint64_t i = 0; i < bytes / type.bytes; ++i) {
    std::byte* const to = array.data.data() + i * type.bytes;
    double value = how == "ones" ? 1 : how == "arange" ? static_cast<double>(i) : 0;
    if (how == "uniform") {
      const double most = type.kind == Kind::kBool ? 2 : 100;
      value = type.IsReal() ? unit(i) : std::floor(unit(i) * most);
    } else if (how == "normal") {  // Box and Muller
      value = std::sqrt(-2 * std::log(1 - unit(2 * i))) * std::cos(2 * std::numbers::pi * unit(2 * i + 1));
    }
    if (type.IsReal()) {
      PutReal(type, value, to);
    } else if (how == "arange") {
      PutWhole(type, type.kind == Kind::kBool ? i & 1 : i, to);
    } else {
      PutWhole(type, static_cast<uint64_t>(value), to);
    }
  }
  return array;
}

namespace {

void WriteNpy(const std::filesystem::path& part, const std::string& header, const Array& array) {
  std::ofstream file(part, std::ios::binary);
  const auto length = static_cast<uint16_t>(header.size());
  file.write("\x93NUMPY\x01\x00", 8);
  file.write(reinterpret_cast<const char*>(&length), 2);
  file << header;
  if (array.type->kind == Kind::kBFloat16) {
    for (size_t at = 0; at < array.data.size(); at += 2) {
      const auto value = static_cast<float>(ReadNumber(*array.type, array.data.data() + at));
      file.write(reinterpret_cast<const char*>(&value), sizeof(value));
    }
  } else {
    file.write(reinterpret_cast<const char*>(array.data.data()),
               static_cast<std::streamsize>(array.data.size()));
  }
  file.flush();
  RequireUser(file.good(), part.string(), ": cannot be written");
}

}  // namespace

void WriteNpyArray(const std::string& path, const Array& array) {
  const bool widen = array.type->kind == Kind::kBFloat16;
  std::string header = Say("{'descr': '", widen ? "<f4" : array.type->descr,
                           "', 'fortran_order': False, 'shape': ", tilesim::ShapeText(array.shape), ", }");
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  ReplaceFile(path, [&](const std::filesystem::path& part) { WriteNpy(part, header, array); });
}

ArrayDifference CompareArrays(const Array& found, const Array& expected, std::optional<double> tolerance) {
  ArrayDifference difference;
  long double worst_ratio = -1;
  for (int64_t i = 0; i < found.elements(); ++i) {
    const auto at = static_cast<size_t>(i);
    const long double is = ReadNumber(*found.type, found.data.data() + at * found.type->bytes);
    const long double wanted = ReadNumber(*expected.type, expected.data.data() + at * expected.type->bytes);
    if (is == wanted || (std::isnan(is) && std::isnan(wanted))) {
      continue;
    }
    const long double error = std::fabs(is - wanted);
    const long double allowed =
        tolerance ? *tolerance + *tolerance * std::fabs(wanted) : Allowed(*found.type, wanted);
    constexpr auto kInfinite = std::numeric_limits<long double>::infinity();
    const bool comparable = std::isfinite(is) && std::isfinite(wanted);
    if (comparable) {
      difference.max_error = std::max(difference.max_error, static_cast<double>(error));
    }
    const long double ratio = !comparable || allowed == 0 ? kInfinite : error / allowed;
    if (ratio <= 1) {
      continue;
    }
    const ArrayDifference::Element element{.index = i, .found = is, .expected = wanted};
    ++difference.differing;
    difference.first = difference.first.value_or(element);
    const bool worse =
        ratio > worst_ratio || (ratio == worst_ratio && comparable && difference.worst &&
                                error > std::fabs(difference.worst->found - difference.worst->expected));
    if (worse) {
      worst_ratio = ratio;
      difference.worst = element;
    }
  }
  return difference;
}

std::string IndexText(int64_t index, const std::vector<int64_t>& shape) {
  std::vector<int64_t> places(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    places[i] = index % shape[i];
    index /= shape[i];
  }
  std::string text;
  for (const int64_t place : places) {
    text += Say(text.empty() ? "[" : ", ", place);
  }
  return text + "]";
}

}  // namespace tilesim::host
