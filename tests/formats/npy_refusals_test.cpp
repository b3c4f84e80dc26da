// Files that are no .npy, or not the one that is asked for.
#include <gtest/gtest.h>

#include <string>

#include "tests/formats/npy_fixture.h"

namespace tilesim {
namespace {

using namespace std::string_literals;

const Layout kRowOfFour = Layout(Format::kND, {1, 4});

TEST_F(Npy, RefusesAnotherShapeThanTheLayouts) {
  Put(File(Header("<f4", "(4,)"), Raw<float>({1, 2, 3, 4})));
  EXPECT_EQ(Refusal([&] { ReadNpy(path_, DType::kFp32, kRowOfFour); }),
            "shape (4,), must be (1, 4) for ND of (m=1, n=4)");
}

TEST_F(Npy, RefusesAFileThatIsNotThereOrNoFile) {
  EXPECT_EQ(Refusal([&] { ReadNpyHeader(path_); }),
            "cannot be opened for reading; give the path of an existing .npy file");
  EXPECT_THROW(ReadNpyHeader(testing::TempDir()), UserError);
  EXPECT_THROW(WriteNpy(testing::TempDir() + "no/such/folder/x.npy", Tensor(DType::kFp32, kRowOfFour)),
               UserError);
}

TEST_F(Npy, RefusesWhatDoesNotBeginAsANpyFile) {
  EXPECT_EQ(HeaderRefusal(""),
            "ends after 0 of the 8 bytes of the start of a .npy file; the file is cut short");
  EXPECT_EQ(HeaderRefusal("PK\x03\x04 an archive"),
            "does not begin with \\x93NUMPY, so it is no .npy file; write it with numpy.save");
  EXPECT_EQ(HeaderRefusal("\x93NUMPY\x04\x00    "s), ".npy version 4.0, must be 1.0, 2.0 or 3.0");
  EXPECT_EQ(HeaderRefusal("\x93NUMPY\x01\x01    "s), ".npy version 1.1, must be 1.0, 2.0 or 3.0");
  EXPECT_EQ(HeaderRefusal("\x93NUMPY\x01\x00\x10"s),
            "ends after 1 of the 2 bytes of the header's length; the file is cut short");
  EXPECT_EQ(HeaderRefusal("\x93NUMPY\x01\x00\x10\x00{"s),
            "ends within the header: 11 bytes, the header alone goes to 26; the file is cut short");
  EXPECT_EQ(HeaderRefusal("\x93NUMPY\x02\x00\xff\xff\xff\xff{"s),
            "ends within the header: 13 bytes, the header alone goes to 4294967307; the file is cut short");
}

TEST_F(Npy, RefusesAHeaderThatIsNotItsDictionary) {
  const auto refusal = [&](const std::string& dictionary) { return HeaderRefusal(File(dictionary, "")); };
  const std::string mend = "; write the file with numpy.save";
  EXPECT_EQ(refusal(""), ".npy header, character 1: found '', must be '{'" + mend);
  EXPECT_EQ(refusal("{}"), ".npy header: no key 'descr', must have descr, fortran_order and shape");
  EXPECT_EQ(refusal("{'descr': '<f4', 'fortran_order': False}"),
            ".npy header: no key 'shape', must have descr, fortran_order and shape");
  EXPECT_EQ(refusal("{'descr': '<f4', 'descr': '<f4'}"),
            ".npy header: key 'descr' stands twice, must stand once");
  EXPECT_EQ(refusal("{'order': 1}"),
            ".npy header: unknown key 'order'; known keys: descr, fortran_order, shape");
  EXPECT_EQ(refusal("{'descr': [('a', '<f4')]}"),
            ".npy header, character 11: found '[('a', '<f4')]}', must be the type as text, such as '<f4' "
            "(arrays of "
            "records are not read)" +
                mend);
  EXPECT_EQ(refusal("{'descr': '<f4}"),
            ".npy header, character 11: found ''<f4}', must be the type as text, such as '<f4' (arrays of "
            "records are "
            "not read)" +
                mend);
  EXPECT_EQ(refusal("{'fortran_order': 0}"),
            ".npy header, character 19: found '0}', must be True or False" + mend);
  EXPECT_EQ(refusal("{'shape': [2]}"), ".npy header, character 11: found '[2]}', must be '('" + mend);
  EXPECT_EQ(refusal("{'shape': (2 3)}"), ".npy header, character 14: found '3)}', must be ')'" + mend);
  EXPECT_EQ(
      refusal("{'shape': (2,-3)}"),
      ".npy header, character 14: found '-3)}', must be an extent from 0 to 9223372036854775807" + mend);
  EXPECT_EQ(refusal("{'shape': (9223372036854775808,)}"),
            ".npy header, character 12: found '9223372036854775808,)}', must be an extent from 0 to "
            "9223372036854775807" +
                mend);
  EXPECT_EQ(refusal("{'shape': (2,)"), ".npy header, character 15: found '', must be '}'" + mend);
  EXPECT_EQ(refusal(Header("<f4", "(1,)") + " x"),
            ".npy header: found 'x' after the dictionary, must be blank");
  EXPECT_EQ(refusal("{\x01\x02"), ".npy header, character 2: found '\\x01\\x02', must be a key" + mend);
}

TEST_F(Npy, RefusesTypesThatItDoesNotRead) {
  for (const char* descr : {">f4", "<c8", "|b1", "<u4", "|S3", "=f4", "f4", ""}) {
    EXPECT_EQ(HeaderRefusal(File(Header(descr, "(1,)"), "    ")),
              "element type '"s + descr +
                  "', must be <f2, <f4, <f8, <i4, <i8, |u1 or <u2 (bf16 bits); convert it with "
                  "numpy's astype");
  }
}

TEST_F(Npy, OffersTheBitsOfBf16OnlyWhereTheseAreWanted) {
  Put(File(Header("<u4", "(1, 4)"), std::string(16, '\0')));
  EXPECT_EQ(Refusal([&] { ReadNpy(path_, DType::kBf16, kRowOfFour); }),
            "element type '<u4', must be <f2, <f4, <f8, <i4, <i8, |u1 or <u2 (bf16 bits); convert it with "
            "numpy's astype");
  for (const DType dtype : {DType::kInt32, DType::kFp32, DType::kFp16}) {
    EXPECT_EQ(Refusal([&] { ReadNpy(path_, dtype, kRowOfFour); }),
              "element type '<u4', must be <f2, <f4, <f8, <i4, <i8 or |u1; convert it with numpy's astype");
  }
}

TEST_F(Npy, RefusesDataOfAnotherLength) {
  const std::string header = Header("<f4", "(2, 3)");
  const std::string data(24, '\0');
  EXPECT_EQ(HeaderRefusal(File(header, data)), "nothing was thrown");
  EXPECT_EQ(HeaderRefusal(File(header, data.substr(1))),
            "found 23 bytes of data, shape (2, 3) of <f4 needs 24; the file is cut short");
  EXPECT_EQ(HeaderRefusal(File(header, data + '\0')),
            "found 25 bytes of data, shape (2, 3) of <f4 needs 24; the file is too long");
}

TEST_F(Npy, RefusesShapesThatAreNoTensor) {
  EXPECT_EQ(HeaderRefusal(File(Header("<f4", "(2, 0)"), "1")),
            "found 1 bytes of data, shape (2, 0) of <f4 needs 0; the file is too long");
  EXPECT_EQ(HeaderRefusal(File(Header("<f8", "(4294967296, 4294967296)"), "")),
            "shape (4294967296, 4294967296) needs more bytes than a file can have (2^63)");
  EXPECT_EQ(HeaderRefusal(File(Header("<f8", "(1152921504606846976,)"), "")),
            "shape (1152921504606846976,) needs more bytes than a file can have (2^63)");
}

}  // namespace
}  // namespace tilesim
