#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.h"
#include "formats/npy.h"

namespace tilesim {

// A file of its own for each test, gone afterwards.
class Npy : public testing::Test {
 protected:
  Npy()
      : path_(testing::TempDir() + "tilesim_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".npy") {}
  ~Npy() override { std::remove(path_.c_str()); }

  void Put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

  std::string Bytes() const {
    std::ostringstream bytes;
    bytes << std::ifstream(path_, std::ios::binary).rdbuf();
    return bytes.str();
  }

  // What is said when `read` refuses; the path, which stands first, is left out.
  template <class Read>
  std::string Refusal(const Read& read) const {
    try {
      read();
    } catch (const UserError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.substr(0, path_.size() + 2), path_ + ": ");
      return message.substr(std::min(message.size(), path_.size() + 2));
    }
    return "nothing was thrown";
  }
  std::string HeaderRefusal(const std::string& bytes) const {
    Put(bytes);
    return Refusal([&] { ReadNpyHeader(path_); });
  }

  std::string path_;
};

// A file of version 1.0, its header written to the letter.
inline std::string File(std::string_view dictionary, const std::string& data) {
  const std::string length = {static_cast<char>(dictionary.size() & 0xff),
                              static_cast<char>(dictionary.size() >> 8)};
  return std::string("\x93NUMPY\x01\x00", 8) + length + std::string(dictionary) + data;
}

inline std::string Header(const std::string& descr, const std::string& shape,
                          const std::string& fortran_order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string Raw(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// The bytes of an array that stands in C order, put into Fortran order one element after the other.
inline std::string InFortranOrder(const std::string& data, size_t element_bytes,
                                  const std::vector<int64_t>& shape) {
  std::string turned;
  for (size_t place = 0; place < data.size() / element_bytes; ++place) {
    size_t rest = place;
    size_t in_c_order = 0;
    size_t stride = data.size() / element_bytes;
    for (const int64_t extent : shape) {  // the first index is the fastest of the file
      stride /= static_cast<size_t>(extent);
      in_c_order += rest % static_cast<size_t>(extent) * stride;
      rest /= static_cast<size_t>(extent);
    }
    turned += data.substr(in_c_order * element_bytes, element_bytes);
  }
  return turned;
}

}  // namespace tilesim
