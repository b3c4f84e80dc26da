// Kernels that a command line launches.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "formats/error.h"
#include "sim/host/arrays.h"
#include "tests/sim/host/started.h"

namespace tilesim {
namespace {

class KernelMain : public testing::Test {
 protected:
  std::string folder_ =
      (std::filesystem::temp_directory_path() / Say("tilesim_kernel_main_", getpid())).string();

  KernelMain() { std::filesystem::create_directories(folder_); }
  ~KernelMain() override { std::filesystem::remove_all(folder_); }

  static Ended Run(const std::string& words) {
    return Started(Say(KERNEL_FILES, " --soc configs/unit.cfg ", words));
  }
  std::string File(const std::string& name, const std::vector<float>& values) const {
    host::Array array{.type = host::FindElementType("fp32"),
                      .shape = {static_cast<int64_t>(values.size())},
                      .data = std::vector<std::byte>(values.size() * 4)};
    std::copy_n(reinterpret_cast<const std::byte*>(values.data()), array.data.size(), array.data.begin());
    host::WriteNpyArray(folder_ + "/" + name, array);
    return folder_ + "/" + name;
  }
  const std::string shape_ =
      "'shape=struct:kind=1;count=4;tiles[0]=0;tiles[1]=100;values.factor=2;values.add=0.5'";
  [[nodiscard]] std::string Scale(const std::string& x) const {
    return Say("--kernel scale --arg x=", x, " --arg z=out:fp32:4 --arg ", shape_, " ");
  }
};

TEST_F(KernelMain, RunsAKernelOnFilesAndWritesItsOutputs) {
  const std::string x = File("x.npy", {1, 2, 3, 4});
  const Ended ended = Run(Say(Scale(x), "--output ", folder_, "/out"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  ExpectHas(ended.err, "tilesim: 1 launch, ");
  const host::Array z = host::ReadNpyArray(folder_ + "/out/z.npy");
  EXPECT_EQ(z.shape, std::vector<int64_t>{4});
  EXPECT_EQ(host::ReadNumber(*z.type, z.data.data() + 12), 108.5L);
}

TEST_F(KernelMain, ComparesWithWhatIsExpected) {
  const std::string x = File("x.npy", {1, 2, 3, 4});
  const Ended equal = Run(Say(Scale(x), "--expect z=", File("z.npy", {102.5, 104.5, 106.5, 108.5})));
  EXPECT_EQ(equal.code, 0) << equal.err;
  ExpectHas(equal.out, "z: equal to ");
  const std::string other = File("other.npy", {102.5, 105, 106.5, 118.5});
  const Ended differs = Run(Say(Scale(x), "--expect z=", other));
  EXPECT_EQ(differs.code, 1);
  EXPECT_EQ(differs.out,
            Say("z: 2 of 4 elements differ from ", other,
                "; first [1]: found 104.5, expected 105; worst [3]: found 108.5, expected 118.5\n"));
  EXPECT_EQ(Run(Say(Scale(x), "--tolerance 0.1 --expect z=", other)).code, 0);
  const Ended timed = Run(Say(Scale(x), "--mode timing --expect z=", other));
  EXPECT_EQ(timed.code, 0);
  ExpectHas(timed.err, "mode timing computes no values: nothing is compared or written");
}

TEST_F(KernelMain, MakesInputsScalarsAndWorkspaces) {
  const Ended ended =
      Run(Say("--kernel 'scalars<half>' --arg z=out:fp16:1 --arg whole=int64:9223372036854775807 --arg "
              "real=float:0.5 "
              "--arg flag=bool:true --arg typed=fp16:2 --output ",
              folder_));
  EXPECT_EQ(ended.code, 0) << ended.err;
  const host::Array z = host::ReadNpyArray(folder_ + "/z.npy");
  EXPECT_EQ(host::ReadNumber(*z.type, z.data.data()), 810.5L);
  EXPECT_EQ(Run(Scale("arange:fp32:4")).code, 0);
  EXPECT_EQ(Run(Scale("normal:fp32:4:seed=7")).code, 0);
}

TEST_F(KernelMain, FindsCoresWorkspaceAndKeyOfAKernelThatSaysItsType) {
  std::ofstream(folder_ + "/tiling.bin", std::ios::binary)
      .write("\1\0\0\0\5\0\0\0abcdefghabcdefgh\0\0\0\0\0\0\0\0", 32);
  const Ended ended = Run(Say("--kernel from_gm --arg z=inout:", File("x.npy", {1}),
                              " --arg workspace=workspace:64 "
                              "--tiling-key 7 --arg tiling=",
                              folder_, "/tiling.bin:uint8:32 --output ", folder_));
  EXPECT_EQ(ended.code, 0) << ended.err;
  ExpectHas(ended.out, "block 3 of 4, count 5, key 7, workspace 1");
  ExpectHasNot(ended.out, "block 4 of");
  EXPECT_EQ(Run("--kernel from_gm").code, 2);
  const Ended other_key =
      Run(Say("--kernel from_gm --arg z=inout:", File("x.npy", {1}),
              " --arg workspace=workspace:64 --arg tiling=", folder_, "/tiling.bin:uint8:32 --tiling-key 3"));
  EXPECT_EQ(other_key.code, 0);
  ExpectHas(other_key.err,
            "ops::from_gm: the tiling key is 3, the kernel asks for 7; choose one by --tiling-key N");
  ExpectHasNot(ended.err, "the tiling key is");
  const Ended unwritten = Run(Say(
      "--kernel from_gm --tiling-key 7 --arg workspace=workspace:64 --arg tiling=workspace:32 --arg z=inout:",
      File("x.npy", {1})));
  EXPECT_EQ(unwritten.code, 3);
  ExpectHas(unwritten.err, "GET_TILING_DATA");
  ExpectHas(unwritten.err, "of which nothing has written these 32 bytes; copy the tiling data there");
}

TEST_F(KernelMain, RefusesWhatIsMissingUnknownOrOfAnotherKindWithTheSignature) {
  const auto refused = [](const std::string& words, const std::string& says) {
    const Ended ended = Run(words);
    EXPECT_EQ(ended.code, 2) << words;
    ExpectHas(ended.err, says);
  };
  const std::string signature = "the kernel is scale(__gm__ float* x, __gm__ float* z, Shape shape)";
  refused("", "--kernel NAME says which; kernels:\n  scale(");
  refused("--kernel scal", "did you mean scale? kernels:");
  refused("--kernel scale --arg x=zeros:fp32:4", "--arg z is missing; " + signature);
  refused("--kernel scale --arg y=zeros:fp32:4", "--arg y: there is no such parameter; ");
  refused("--kernel scale --arg x=zeros:fp16:4",
          "--arg x: the array is of fp16, the parameter is __gm__ float*; ");
  refused("--kernel 'scalars<half>' --arg z=out:bf16:1",
          "--arg z: the array is of bf16, the parameter is __gm__ T*; ");
  refused("--kernel scale --arg x=int32:4",
          "--arg x: is int32:..., the parameter is __gm__ float*; " + signature);
  refused("--kernel scale --arg shape=zeros:fp32:4", "the parameter is a Shape by value, no array; ");
  refused("--kernel scale --arg x=nothing",
          "--arg x: 'nothing' is nothing that __gm__ float* takes: FILE.npy, ");
  refused("--kernel scale --arg x=zeroes:4", "; did you mean zeros:? " + signature);
  refused("--kernel scale --arg x=zero:fp32:4", "; did you mean zeros:? " + signature);
  refused("--kernel scale --arg x=zero.bin:fp32:4", "zero.bin: no such file");
  refused("--kernel scale --arg x=x.bin",
          "--arg x: 'x.bin' does not say what the file holds; write x.bin:dtype:shape");
  refused("--kernel 'scalars<half>' --arg whole=5",
          "--arg whole: '5' has no type; write int64:5; the kernel is ");
  refused("--kernel 'scalars<half>' --arg whole=int33:5",
          "--arg whole: 'int33:5' is nothing that int64_t takes: a number with its type, such as int32:5");
  refused("--kernel 'scalars<half>' --arg whole=1.5", "--arg whole: '1.5' is nothing that int64_t takes: ");
  refused("--kernel scale --arg shape=5", "takes: struct:FILE.json or struct:{\"a\":1}; " + signature);
  refused("--kernel scale --arg =5", "--arg =5: must be NAME=VALUE; " + signature);
  refused(Scale("zeros:fp32:4") + " --tolerance 1",
          "--tolerance: is for --expect NAME=FILE.npy, which is not given");
  refused("--kernel scale --arg x=no.npy", "no.npy: no such file");
  refused("--kernel scale --arg x=zeros:fp32:4x", "'4x' is no shape");
  refused("--kernel scale --arg x=zeros:fp99:4", "unknown type 'fp99'; types: fp16, ");
  refused("--kernel 'scalars<half>' --arg whole=float:1", "is fp32:..., the parameter is int64_t; ");
  refused("--kernel 'scalars<half>' --arg whole=int32:3000000000", "'3000000000' is beyond int32");
  refused("--kernel scale --arg 'shape=struct:kind=1;cuont=2'",
          "the struct has no field cuont; did you mean count?");
#if __has_builtin(__builtin_clear_padding)  // else bytes of no field may be padding
  refused("--kernel from_gm --arg 'tiling=struct:kind=1;count=5;values.factor=1;values.add=1'",
          "belong to a field that has no value");
#endif
  refused(Scale("zeros:fp32:4") + " --expect y=a.npy",
          "--expect y: is no output (--arg y=out:... or inout:...); outputs: z; " + signature);
  refused(Scale("zeros:fp32:4") + " --expect z=" + File("z.npy", {1}), "has shape 1, the output has 4");
}

TEST_F(KernelMain, AFaultOfTheKernelIsExitCodeThree) {
  const Ended ended = Run(Scale("zeros:fp32:3"));
  EXPECT_EQ(ended.code, 3);
  ExpectHas(ended.err, "it is the byte behind the end of x, which has 12 bytes");
}

TEST_F(KernelMain, TellsAnOutputThatTheKernelDidNotWrite) {
  const Ended ended = Run(Say("--kernel scale --arg x=zeros:fp32:4 --arg z=out:fp32:8 --arg ", shape_));
  EXPECT_EQ(ended.code, 0);
  ExpectHas(ended.err, "z: the kernel has not written bytes [16, 32) of 32");
  const Ended nothing =
      Run("--kernel scale --arg x=zeros:fp32:4 --arg z=out:fp32:8 --arg "
          "'shape=struct:kind=1;count=0;tiles[0]=0;tiles[1]=0;values.factor=0;values.add=0'");
  EXPECT_EQ(nothing.code, 1);
  ExpectHas(nothing.err, "z: the kernel has not written bytes [0, 32) of 32");
}

}  // namespace
}  // namespace tilesim
