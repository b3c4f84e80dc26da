#include "formats/npy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "formats/error.h"
#include "formats/input_file.h"
#include "formats/npy_header.h"
#include "formats/shown_text.h"
#include "formats/strided_copy.h"
#include "formats/walk.h"

namespace tilesim {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read as they lie in the file");

constexpr std::string_view kMagic = "\x93NUMPY";

// The types a file may have.
struct FileType {
  std::string_view descr;
  size_t size_bytes;
  std::optional<DType> dtype;  // that holds the elements as they are
};
constexpr FileType kFileTypes[] = {
    {"<f2", 2, DType::kFp16},  {"<f4", 4, DType::kFp32},  {"<f8", 8, std::nullopt}, {"<i4", 4, DType::kInt32},
    {"<i8", 8, DType::kInt64}, {"|u1", 1, DType::kUint8}, {"<u2", 2, DType::kBf16},
};

const FileType* FindType(std::string_view descr) {
  const FileType* type = std::ranges::find(kFileTypes, descr, &FileType::descr);
  return type == std::end(kFileTypes) ? nullptr : type;
}

// Calls visit with the C++ type of a value of the file.
template <class Visit>
void VisitFileType(const FileType& type, const Visit& visit) {
  if (type.dtype.has_value()) {
    VisitDType(*type.dtype, visit);
  } else {
    visit(TypeTag<double>{});
  }
}

std::unique_ptr<std::istream> Open(const std::string& path) {
  std::unique_ptr<std::istream> file = OpenInput(path);
  RequireUser(file != nullptr, path,
              ": cannot be opened for reading; give the path of an existing .npy file");
  return file;
}

std::string ReadBytes(std::istream& file, const std::string& path, int64_t count, std::string_view what) {
  std::string bytes(static_cast<size_t>(count), '\0');
  file.read(bytes.data(), count);
  RequireUser(file.gcount() == count, path, ": ends after ", file.gcount(), " of the ", count, " bytes of ",
              what, "; the file is cut short");
  return bytes;
}

uint32_t LittleEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return value;
}

int64_t SizeOfFile(std::istream& file, const std::string& path) {
  file.seekg(0, std::ios::end);
  const int64_t size = file.tellg();
  file.seekg(0, std::ios::beg);
  RequireUser(file.good() && size >= 0, path, ": cannot be read; give the path of a .npy file");
  return size;
}

// Elements of a shape; refuses what cannot be a tensor.
int64_t CountElements(const std::vector<int64_t>& shape, size_t element_bytes, const std::string& path) {
  auto bytes = static_cast<int64_t>(element_bytes);
  for (const int64_t extent : shape) {
    RequireUser(extent >= 0, path, ": shape ", ShapeText(shape), ": extent ", extent, ", must be at least 0");
    RequireUser(!__builtin_mul_overflow(bytes, extent, &bytes), path, ": shape ", ShapeText(shape),
                " needs more bytes than a file can have (2^63)");
  }
  return bytes / static_cast<int64_t>(element_bytes);
}

// `wanted`: the type that the elements are to have; nothing: any.
NpyHeader ReadHeader(std::istream& file, const std::string& path, std::optional<DType> wanted) {
  const int64_t file_bytes = SizeOfFile(file, path);
  const std::string start =
      ReadBytes(file, path, static_cast<int64_t>(kMagic.size()) + 2, "the start of a .npy file");
  RequireUser(start.starts_with(kMagic), path, ": does not begin with \\x93NUMPY, so it is no .npy file;",
              " write it with numpy.save");
  const uint32_t major = LittleEndian(start.substr(kMagic.size(), 1));
  const uint32_t minor = LittleEndian(start.substr(kMagic.size() + 1, 1));
  RequireUser(major >= 1 && major <= 3 && minor == 0, path, ": .npy version ", major, ".", minor,
              ", must be 1.0, 2.0 or 3.0");
  const int64_t length = LittleEndian(ReadBytes(file, path, major == 1 ? 2 : 4, "the header's length"));
  const int64_t data_offset = static_cast<int64_t>(file.tellg()) + length;
  RequireUser(data_offset <= file_bytes, path, ": ends within the header: ", file_bytes,
              " bytes, the header alone goes to ", data_offset, "; the file is cut short");
  const NpyDictionary dictionary = ParseNpyDictionary(ReadBytes(file, path, length, "the header"), path);
  const FileType* type = FindType(dictionary.descr);
  const bool bits_too = wanted.value_or(DType::kBf16) == DType::kBf16;
  RequireUser(type != nullptr, path, ": element type '", Shown(dictionary.descr),
              "', must be <f2, <f4, <f8, <i4, <i8", bits_too ? ", |u1 or <u2 (bf16 bits)" : " or |u1",
              "; convert it with numpy's astype");
  NpyHeader header{.descr = dictionary.descr,
                   .fortran_order = dictionary.fortran_order,
                   .shape = dictionary.shape,
                   .elements = CountElements(dictionary.shape, type->size_bytes, path),
                   .data_offset_bytes = data_offset};
  const int64_t needed = header.elements * static_cast<int64_t>(type->size_bytes);
  RequireUser(file_bytes - data_offset == needed, path, ": found ", file_bytes - data_offset,
              " bytes of data, shape ", ShapeText(header.shape), " of ", header.descr, " needs ", needed,
              "; the file is ", file_bytes - data_offset < needed ? "cut short" : "too long");
  return header;
}

void RequireShape(const NpyHeader& header, const std::string& path, const std::vector<int64_t>& wanted,
                  std::string_view because) {
  RequireUser(header.shape == wanted, path, ": shape ", ShapeText(header.shape), ", must be ",
              ShapeText(wanted), because);
}

// Where in the array the file's element `index` stands: "[0, 3, 1]".
std::string IndexText(const NpyHeader& header, int64_t index) {
  std::vector<int64_t> positions = header.shape;
  const auto take = [&](int64_t& axis) {
    const int64_t extent = axis;
    axis = index % extent;
    index /= extent;
  };
  if (header.fortran_order) {
    std::for_each(positions.begin(), positions.end(), take);
  } else {
    std::for_each(positions.rbegin(), positions.rend(), take);
  }
  std::string text = "[";
  for (const int64_t position : positions) {
    text += Say(text.size() == 1 ? "" : ", ", position);
  }
  return text + "]";
}

// Brings elements that stand as in the file to C order.
void ToCOrder(const NpyHeader& header, size_t element_bytes, std::span<std::byte> elements) {
  if (!header.fortran_order || elements.empty()) {
    return;
  }
  Box box;
  int64_t in_file = 1;
  int64_t in_c_order = header.elements;
  for (const int64_t extent : header.shape) {
    in_c_order /= extent;
    box.Add({.count = extent, .src_stride = in_file, .dst_stride = in_c_order});
    in_file *= extent;
  }
  const std::vector<std::byte> as_in_file(elements.begin(), elements.end());
  CopyBox(box, element_bytes, as_in_file.data(), elements.data());
}

// Reads the elements as they are in the file and hands them over in pieces: take(first index, elements).
template <class T, class Take>
void ReadElements(std::istream& file, const std::string& path, int64_t elements, const Take& take) {
  constexpr int64_t kPiece = 1 << 14;
  std::vector<T> piece(static_cast<size_t>(std::min(elements, kPiece)));
  for (int64_t first = 0; first < elements; first += kPiece) {
    const std::span<T> part = std::span(piece).first(static_cast<size_t>(std::min(kPiece, elements - first)));
    const auto bytes = static_cast<std::streamsize>(part.size_bytes());
    file.read(reinterpret_cast<char*>(part.data()), bytes);
    RequireUser(file.gcount() == bytes, path, ": cannot be read to its end; was it changed meanwhile?");
    take(first, std::span<const T>(part));
  }
}

// The value as a T, if a T holds it. Any NaN is held by the floating types.
template <class T, class Src>
std::optional<T> AsExactly(Src value) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<Src>) {
    return std::in_range<T>(value) ? std::optional(static_cast<T>(value)) : std::nullopt;
  } else if constexpr (std::is_integral_v<T>) {
    const auto number = static_cast<double>(value);
    const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const bool held =
        number >= (std::is_signed_v<T> ? -beyond : 0) && number < beyond && number == std::trunc(number);
    return held ? std::optional(static_cast<T>(number)) : std::nullopt;
  } else if constexpr (std::is_integral_v<Src>) {  // as it is, once a double has given it back
    const auto number = static_cast<double>(value);
    return AsExactly<Src>(number) == value ? AsExactly<T>(number) : std::nullopt;
  } else {
    const auto number = static_cast<double>(value);
    const T near = static_cast<T>(number);
    return static_cast<double>(near) == number || std::isnan(number) ? std::optional(near) : std::nullopt;
  }
}

// Every digit of a value of a file.
template <class T>
std::string DigitsOf(T value) {
  if constexpr (std::is_integral_v<T>) {
    return Say(value);
  } else {
    return Say(static_cast<double>(value));
  }
}

template <class Src, class Dst>
void TakeOver(std::istream& file, const std::string& path, const NpyHeader& header, std::span<Dst> dst) {
  ReadElements<Src>(file, path, header.elements, [&](int64_t first, std::span<const Src> part) {
    for (size_t i = 0; i < part.size(); ++i) {
      const int64_t index = first + static_cast<int64_t>(i);
      const std::optional<Dst> value = AsExactly<Dst>(part[i]);
      if (!value.has_value()) {
        throw UserError(Say(path, ": element ", IndexText(header, index), " = ", DigitsOf(part[i]), " (",
                            header.descr, ") is not a number that ", Name(kDTypeOf<Dst>),
                            " holds exactly; round the array to ", Name(kDTypeOf<Dst>), " before saving it"));
      }
      dst[static_cast<size_t>(index)] = *value;
    }
  });
}

}  // namespace

std::optional<DType> NpyHeader::dtype() const {
  const FileType* type = FindType(descr);
  return type == nullptr ? std::nullopt : type->dtype;
}

NpyHeader ReadNpyHeader(const std::string& path) {
  const std::unique_ptr<std::istream> opened = Open(path);
  std::istream& file = *opened;
  return ReadHeader(file, path, std::nullopt);
}

Tensor ReadNpy(const std::string& path, DType dtype, const Layout& layout) {
  const std::unique_ptr<std::istream> opened = Open(path);
  std::istream& file = *opened;
  const NpyHeader header = ReadHeader(file, path, dtype);
  RequireShape(header, path, layout.StorageShape(), Say(" for ", layout.Text()));
  const FileType& type = *FindType(header.descr);
  RequireUser(header.descr != "<u2" || dtype == DType::kBf16, path,
              ": element type '<u2' is read as bf16 bits only, not as ", Name(dtype), "; save it as ",
              Name(dtype));
  Tensor tensor(dtype, layout);
  file.seekg(header.data_offset_bytes);
  VisitFileType(type, [&]<class Src>(TypeTag<Src>) {
    VisitDType(dtype, [&]<class Dst>(TypeTag<Dst>) {
      if constexpr (std::is_same_v<Src, Dst>) {
        const auto bytes = static_cast<std::streamsize>(tensor.size_bytes());
        file.read(reinterpret_cast<char*>(tensor.data()), bytes);
        RequireUser(file.gcount() == bytes, path, ": cannot be read to its end; was it changed meanwhile?");
      } else {
        TakeOver<Src, Dst>(file, path, header, tensor.As<Dst>());
      }
    });
  });
  ToCOrder(header, SizeOf(dtype), {tensor.data(), tensor.size_bytes()});
  return tensor;
}

std::vector<double> ReadNpyDoubles(const std::string& path, std::span<const int64_t> shape) {
  const std::unique_ptr<std::istream> opened = Open(path);
  std::istream& file = *opened;
  const NpyHeader header = ReadHeader(file, path, std::nullopt);
  RequireShape(header, path, {shape.begin(), shape.end()}, "");
  std::vector<double> values(static_cast<size_t>(header.elements));
  file.seekg(header.data_offset_bytes);
  VisitFileType(*FindType(header.descr), [&]<class Src>(TypeTag<Src>) {
    ReadElements<Src>(file, path, header.elements, [&](int64_t first, std::span<const Src> part) {
      for (size_t i = 0; i < part.size(); ++i) {
        const int64_t index = first + static_cast<int64_t>(i);
        const std::optional<double> value = AsExactly<double>(part[i]);
        if (!value.has_value()) {
          throw UserError(Say(path, ": element ", IndexText(header, index), " = ", DigitsOf(part[i]),
                              " is beyond 2^53 and no double; save the array as float64"));
        }
        values[static_cast<size_t>(index)] = *value;
      }
    });
  });
  ToCOrder(header, sizeof(double), std::as_writable_bytes(std::span(values)));
  return values;
}

void WriteNpy(const std::string& path, const Tensor& tensor) {
  if (tensor.dtype() == DType::kBf16) {
    WriteNpy(path, Rounded(tensor, DType::kFp32));
    return;
  }
  const FileType* type = std::ranges::find(kFileTypes, std::optional(tensor.dtype()), &FileType::dtype);
  std::string text =
      Say("{'descr': '", type->descr,
          "', 'fortran_order': False, 'shape': ", ShapeText(tensor.layout().StorageShape()), ", }");
  const size_t before = kMagic.size() + 2 + 2;
  text.append((64 - (before + text.size() + 1) % 64) % 64, ' ');  // the data starts on a multiple of 64
  text += '\n';
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << kMagic << '\1' << '\0' << static_cast<char>(text.size() & 0xff)
       << static_cast<char>(text.size() >> 8) << text;
  file.write(reinterpret_cast<const char*>(tensor.data()), static_cast<std::streamsize>(tensor.size_bytes()));
  file.close();
  RequireUser(file.good(), path, ": cannot be written; give a path in an existing folder with room for ",
              tensor.size_bytes(), " bytes");
}

}  // namespace tilesim
