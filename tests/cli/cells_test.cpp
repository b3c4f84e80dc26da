// What a case's cells are told: all wrong ones at once, as they were written; cells without effect; inputs
// that are not finite.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "formats/npy.h"
#include "formats/tensor.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

const std::string kPool = " --op max_pool2d --input 1x1x4x4 --filter 2 ";
const std::string kGrad = " --op max_pool2d_grad --input 1x1x4x4 --filter 2 ";

nlohmann::json Row(const std::string& arguments, int code = 0) {
  const ProgramEnd end = RunProgram(arguments + " --format json");
  EXPECT_EQ(end.code, code) << end.out << end.err;
  return ParseJson(end.out);
}

void WriteImage(const std::string& path, int64_t height, double first) {
  Tensor image(DType::kFp16, Layout(Format::kNCHW, {1, 1, height, height}));
  FillRandom(image, 1, 0, 1);
  image.Set({0, 0, 0, 0}, first);
  WriteNpy(path, image);
}

TEST(Cells, OfARowAreAllTold) {
  const ScratchFolder folder;
  folder.Write("c.csv",
               "id,op,input,filter,stride,pad,dtype,range\n"
               "a,max_pool2d,1x1x4x4,2x2,0,-1,fp17,1\n"
               "b,conv2d_backprop_filter,1x4x8x8,8x4x3,64,300,fp16,\n"
               "c,max_pool2d,1x1x4x4,5x6,1,,,\n");
  const ProgramEnd end = RunProgram("run --format json --cases " + folder / "c.csv");
  EXPECT_EQ(end.code, 2) << end.err;
  const std::vector<std::string> rows = Lines(end.out);
  ASSERT_EQ(rows.size(), 3U);
  const auto message = [&](size_t row) { return Lines(ParseJson(rows[row])["message"]); };
  EXPECT_EQ(message(0),
            (std::vector<std::string>{folder / "c.csv" +
                                          ":2: row 1 (a): dtype = 'fp17': must be one of fp16, bf16, fp32; "
                                          "did you mean fp16? the default is fp16",
                                      "stride = '0': height must be 1 to 2147483647, found 0; height 1 fits",
                                      "pad = '-1': top must be 0 to 2147483647, found -1; top 0 fits",
                                      "range = '1': must be two finite numbers lo:hi; for example -1:1"}));
  ASSERT_EQ(message(1).size(), 3U) << rows[1];
  EXPECT_NE(message(1)[0].find("filter = '8x4x3': must be 4 whole numbers joined by x, found 3"),
            std::string::npos);
  EXPECT_EQ(message(1)[1], "stride = '64': height must be 1 to 63, found 64; height 63 fits");
  EXPECT_EQ(message(1)[2], "pad = '300': top must be 0 to 255, found 300; top 255 fits");
  EXPECT_NE(
      message(2).at(0).find(
          "filter = '5x6': the window (kernel with dilation) spans 5 in height, the padded input only 4, "
          "6 in width, the padded input only 4; a kernel of at most 4 in height, 4 in width fits, as do "
          "enough input, padding or less dilation"),
      std::string::npos)
      << message(2).at(0);
  const nlohmann::json plan = ParseJson(Lines(RunProgram("plan --cases " + folder / "c.csv").out)[0]);
  EXPECT_EQ(plan["reasons"].size(), 4U);
}

TEST(Cells, OfTheCommandLineAreAllTold) {
  const ProgramEnd end = RunProgram("run --op max_pool2d --input 1x1x4 --filter 2 --stride 0");
  EXPECT_EQ(end.code, 2);
  const std::vector<std::string> lines = Lines(end.err);
  ASSERT_EQ(lines.size(), 2U) << end.err;
  EXPECT_EQ(lines[0].find("tilesim: --input = '1x1x4': must be 4 whole numbers"), 0U) << end.err;
  EXPECT_EQ(lines[1].find("--stride = '0': height must be 1 to "), 0U) << end.err;
}

TEST(Cells, SayWhichFilterLayoutFits) {
  EXPECT_NE(RunProgram("run --op conv2d_backprop_filter --layout NHWC --input 1x8x8x16 --filter 32x16x3x3")
                .err.find("with layout NHWC it is read as HWIO, as OIHW it fits: give filter_layout OIHW"),
            std::string::npos);
  EXPECT_NE(RunProgram("run --op conv2d_backprop_input --input 1x16x8x8 --filter 3x3x16x32")
                .err.find("with layout NCHW it is read as OIHW, as HWIO it fits: give filter_layout HWIO"),
            std::string::npos);
  EXPECT_NE(RunProgram("run --op conv2d_backprop_input --input 1x16x8x8 --filter 3x3x5x32")
                .err.find("correct filter, input or groups"),
            std::string::npos);
}

TEST(Cells, WithoutEffectAreRefused) {
  const ScratchFolder folder;
  WriteImage(folder / "x.npy", 4, 0);
  WriteImage(folder / "y.npy", 2, 0);
  ASSERT_EQ(RunProgram("run --id p --output " + folder.path().string() + kPool).code, 0);
  const auto refused = [](const std::string& arguments, const std::string& says) {
    const ProgramEnd end = RunProgram("compare " + arguments);
    EXPECT_EQ(end.code, 2) << arguments;
    EXPECT_NE(end.err.find(says), std::string::npos) << end.err;
  };
  refused(
      kGrad + "--argmax nhwc",
      "--argmax = 'nhwc': says what argmax_file counts; without that file the argmax is made of x and shown "
      "to nobody; give argmax_file, or leave it out");
  refused(kGrad + "--nan ignore --argmax_file " + folder / "p.argmax.npy",
          "--nan = 'ignore': says how an argmax is made of x, here argmax_file gives it; leave it out");
  refused(kPool + "--seed 3 --range 0:1 --x_file " + folder / "x.npy",
          "--seed = '3': is of random inputs, here all come from files; leave it out\n--range = '0:1': ");
  refused(
      kPool + "--absdot_file " + folder / "y.npy",
      "belongs to gradients and matmul, whose outputs are sums, max_pool2d has no such column; leave it out");
  // of a gradient whose dy alone is given x is random
  EXPECT_EQ(RunProgram("compare --seed 3 --dy_file " + folder / "y.npy" + kGrad).code, 0);
  EXPECT_EQ(RunProgram("compare --argmax nhwc --argmax_file " + folder / "p.argmax.npy" + kGrad).code, 0);
}

TEST(Cells, OfSumsAreToldWhereNothingIsSummed) {
  const ProgramEnd end = RunProgram("compare --products 4" + kPool);
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.err,
            "tilesim: products (of 1 of 1 case) changes nothing: a max pooling sums nothing and is compared "
            "exactly (-0 counts as 0, one NaN as another)\n");
  EXPECT_EQ(RunProgram("compare --products 4" + kGrad).err, "");
}

TEST(Cells, OfFilesAreNamedByTheirColumn) {
  const ScratchFolder folder;
  WriteImage(folder / "x.npy", 4, 0);
  for (const std::string column : {"expected_file", "expected_argmax_file"}) {
    const std::string message = Row("compare --" + column + " " + folder / "x.npy" + kPool, 2)["message"];
    EXPECT_EQ(message.find(column + ": " + folder / "x.npy" + ": shape (1, 1, 4, 4)"), 0U) << message;
  }
  const std::string absdot =
      Row("compare --absdot_file " + folder / "x.npy" + " --op max_pool2d_grad --input 1x1x9x9 --filter 2",
          2)["message"];
  EXPECT_EQ(absdot.find("absdot_file: " + folder / "x.npy" + ": shape (1, 1, 4, 4)"), 0U) << absdot;
}

TEST(NotFinite, InputsAreSaturatedWithAWord) {
  const ScratchFolder folder;
  WriteImage(folder / "x.npy", 4, std::numeric_limits<double>::infinity());
  const std::string arguments =
      kPool + "--id p --x_file " + folder / "x.npy" + " --output " + folder.path().string();
  const auto first = [&] {
    const Layout layout(Format::kNCHW, {1, 1, 2, 2});
    return ReadNpy(folder / "p.y.npy", DType::kFp16, layout).Get({0, 0, 0, 0});
  };
  const std::string saturated =
      "some input is inf or NaN: with numerics.ieee=0, as the hardware has it, inf of y is the largest "
      "finite fp16 "
      "and NaN is 0; --set numerics.ieee=1 keeps them";
  const std::string kept =
      "some input is inf or NaN: run and compared with numerics.ieee=1, so that y keeps them";
  EXPECT_EQ(Row("run" + arguments)["message"], saturated);
  EXPECT_EQ(first(), 65504);
  EXPECT_EQ(Row("run --set numerics.ieee=1" + arguments)["message"], "");
  EXPECT_EQ(first(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Row("compare" + arguments)["message"], kept);
  EXPECT_EQ(first(), std::numeric_limits<double>::infinity());
  const nlohmann::json honoured = Row("compare --set numerics.ieee=0" + arguments);
  EXPECT_EQ(honoured["verdict"], "ok");
  EXPECT_EQ(honoured["message"], saturated);
  EXPECT_EQ(first(), 65504);
}

TEST(NoVectorCores, StopPoolingsByNameAndNothingElse) {
  const std::string none = " --set chip.aiv_per_aic=0 ";
  for (const std::string& pooling : {kPool, kGrad}) {
    for (const std::string command : {"run", "compare", "plan", "trace", "run --cores 1"}) {
      const ProgramEnd end = RunProgram(command + none + pooling);
      EXPECT_EQ(end.code, 2) << command;
      EXPECT_NE(
          (end.out + end.err)
              .find(" runs on vector cores, ascend910b2 has none here (chip.aiv_per_aic = 0); give a part "
                    "that has, or --set chip.aiv_per_aic=2"),
          std::string::npos)
          << end.out << end.err;
    }
  }
  EXPECT_EQ(Row("compare" + none + kTiny)["verdict"], "ok");
  EXPECT_EQ(
      Row("compare" + none + "--op conv3d_backprop_input --input 1x16x4x6x8 --filter 16x16x3x3x3")["verdict"],
      "ok");
}

}  // namespace
}  // namespace tilesim
