// What planner op answers for many cores beside what it answers for fewer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/support/json_text.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

constexpr double kRounding = 1 + 1e-9;  // of cycles as microseconds
constexpr const char* kColumns = "id,dtype,filter,input,op,pad,stride,m,n,k\n";

// Runs the cases on more and more cores, of a part of the repetitions on every so-many-th number. None may
// take more than `allowed` times the least on fewer.
void ExpectNoneSlowerOnMoreCores(const std::string& cases, size_t count, double allowed) {
  const ScratchFolder folder;
  folder.Write("cases.csv", kColumns + cases);
  std::map<std::string, double> least_us;
  for (int cores = 1; cores <= 24; ++cores) {
    if (!IsOfThisPart(cores)) {
      continue;
    }
    const ProgramEnd end =
        RunProgram("run --mode timing --format json --quiet --cases " + (folder / "cases.csv") +
                   " --set chip.aic_cores=" + std::to_string(cores));
    ASSERT_EQ(end.code, 0) << end.err;
    for (const std::string& line : Lines(end.out)) {
      const nlohmann::json row = ParseJson(line);
      const std::string id = row["id"];
      const double us = row["time_us"];
      const auto [before, is_first] = least_us.emplace(id, us);
      EXPECT_LE(us, before->second * allowed) << id << " on " << cores << " of\n" << cases;
      before->second = std::min(before->second, us);
    }
  }
  EXPECT_EQ(least_us.size(), count);
}

// Each was slower on more cores than on fewer where plans rested on estimates alone, by 4 % to 12 %.
TEST(MoreCores, TakeNoLongerThanFewer) {
  ExpectNoneSlowerOnMoreCores(
      "c0,fp32,3x3,4x32x8x8,max_pool2d,1x1,2x2,,,\n"
      "c1,fp32,5x5,2x64x7x7,max_pool2d,0x0,1x1,,,\n"
      "c2,fp32,3x3,8x32x56x33,max_pool2d,1x1,2x2,,,\n"
      "c3,fp32,3x3,4x32x8x8,max_pool2d_grad,1x1,2x2,,,\n"
      "c4,fp32,5x5,2x64x7x7,max_pool2d_grad,0x0,1x1,,,\n"
      "c5,fp32,5x5,2x96x28x28,max_pool2d_grad,2x2,2x2,,,\n"
      "c6,fp16,32x32x1x1,8x32x16x28,conv2d_backprop_filter,0,1,,,\n"
      "c7,fp16,256x96x7x7,4x96x16x33,conv2d_backprop_input,0,1,,,\n"
      "c8,bf16,,,matmul,,,256,1024,1024\n",
      9, 1);
}

// The seed is the same each time, for a launch that is too long to be simulated for a plan rests on a
// part of it; TILESIM_TEST_SEED gives other cases.
TEST(MoreCores, TakeNoLongerThanFewerInRandomCases) {
  const char* const given = std::getenv("TILESIM_TEST_SEED");
  const uint64_t seed = given == nullptr ? 2 : std::stoull(given);
  std::printf("TILESIM_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  const auto one_of = [&](const std::vector<int>& all) { return all[random() % all.size()]; };
  const std::vector<std::string> ops = {"max_pool2d", "max_pool2d_grad", "conv2d_backprop_filter",
                                        "conv2d_backprop_input", "matmul"};
  const std::vector<std::string> dtypes = {"fp16", "bf16", "fp32"};
  const auto times = [](int a, int b) { return std::to_string(a) + "x" + std::to_string(b); };
  std::string cases;
  const int count = Repetitions(16);
  for (int i = 0; i < count; ++i) {
    const std::string& op = ops[random() % ops.size()];
    cases += "c" + std::to_string(i) + ",";
    cases += dtypes[random() % dtypes.size()] + ",";
    if (op == "matmul") {
      cases += ",,matmul,,";
      for (int size = 0; size < 3; ++size) {
        cases += "," + std::to_string(one_of({64, 128, 256, 300, 512, 1000, 1024}));
      }
      cases += "\n";
      continue;
    }
    const int channels = one_of({16, 32, 64, 96, 128, 256});
    const int taps = one_of({1, 2, 3, 5, 7});
    const int outputs = one_of({16, 32, 64, 128, 256});
    const int batch = one_of({1, 2, 4, 8, 16});
    const int height = one_of({7, 8, 14, 16, 28, 33, 56});
    const int width = one_of({7, 8, 14, 16, 28, 33, 56});
    const int pad = one_of({0, taps / 2});
    const int stride = one_of({1, 1, 2, 3});
    const std::string of_channels = op.starts_with("max") ? "" : times(outputs, channels) + "x";
    cases += of_channels + times(taps, taps) + "," + times(batch, channels) + "x" + times(height, width) +
             "," + op + "," + std::to_string(pad) + "," + std::to_string(stride) + ",,,\n";
  }
  ExpectNoneSlowerOnMoreCores(cases, static_cast<size_t>(count), kRounding);
}

}  // namespace
}  // namespace tilesim
