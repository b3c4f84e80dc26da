// What is left of `run` after Ctrl-C.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/child.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

TEST(Interrupt, KeepsFinishedRows) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "id,op,input,filter,pad\nquick,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,0\n"
               "endless,conv3d_backprop_filter,8x256x32x64x64,256x256x5x5x5,2\n");
  Child child({"run", "--cases", folder / "cases.csv", "--format", "csv", "--output", folder / "results"});
  const std::string head = child.ReadLine();
  const std::string row = child.ReadLine();  // comes while the second case is far from its end
  EXPECT_EQ(row.find("quick,"), 0U) << row;
  EXPECT_EQ(child.End(SIGINT), 130);
  EXPECT_EQ(ReadFile(folder / "results/results.csv"), head + "\n" + row + "\n");
  EXPECT_TRUE(std::filesystem::exists(folder / "results/quick.dw.npy"));
  for (const auto& entry : std::filesystem::directory_iterator(folder / "results")) {
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }
}

}  // namespace
}  // namespace tilesim
