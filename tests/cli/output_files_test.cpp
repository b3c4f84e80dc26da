#include "cli/output_files.h"

#include <gtest/gtest.h>

#include "formats/error.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

template <class Do>
std::string RefusalOf(const Do& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no UserError)";
}

TEST(WriteWhole, NamesTheFileThatWasAskedFor) {
  const ScratchFolder folder;
  const std::string path = folder / "a.npy";
  EXPECT_EQ(RefusalOf([&] {
              WriteWhole(path, [](const std::filesystem::path& part) {
                throw UserError(part.string() + ": cannot be written; really, " + part.string());
              });
            }),
            path + ": cannot be written; really, " + path);
}

TEST(GrowingFile, HasItsNameOnlyWhenItIsFinished) {
  const ScratchFolder folder;
  GrowingFile file(folder / "r.csv", "head\n");
  file.Add("a\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "r.csv"));
  file.Finish();
  EXPECT_EQ(ReadFile(folder / "r.csv"), "head\na\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "r.csv.part"));
}

TEST(GrowingFile, LeavesAnEarlierFileWhereItHasNoRow) {
  const ScratchFolder folder;
  { const GrowingFile file(folder / "none.csv", "head\n"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "none.csv"));
  folder.Write("r.csv", "head\nearlier\n");
  { const GrowingFile file(folder / "r.csv", "head\n"); }
  EXPECT_EQ(ReadFile(folder / "r.csv"), "head\nearlier\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "r.csv.part"));
}

TEST(GrowingFile, RefusesANameItCannotHave) {
  const ScratchFolder folder;
  const std::string path = folder / "r.csv";
  GrowingFile file(path, "");
  file.Add("a\n");
  std::filesystem::create_directory(path);  // by somebody else, meanwhile
  EXPECT_EQ(RefusalOf([&] { file.Finish(); }),
            path + ": cannot be given its name (Is a directory); the rows are in " + path + ".part");
  EXPECT_EQ(ReadFile(path + ".part"), "a\n");
}

TEST(GrowingFile, SaysThatItsRowsAreLost) {
  const ScratchFolder folder;
  const std::string path = folder / "r.csv";
  GrowingFile file(path, "");
  file.Add("a\n");
  std::filesystem::remove(path + ".part");  // by somebody else, meanwhile
  EXPECT_EQ(RefusalOf([&] { file.Finish(); }), path +
                                                   ": cannot be given its name (No such file or directory); "
                                                   "the rows are lost, somebody removed " +
                                                   path + ".part");
}

TEST(GrowingFile, KeepsTheOtherNameWhenTheDiskIsFull) {
  const ScratchFolder folder;
  const std::string path = folder / "r.csv";
  std::filesystem::create_symlink("/dev/full", path + ".part");
  {
    GrowingFile file(path, "");
    EXPECT_EQ(RefusalOf([&] { file.Add("a\n"); }),
              path + ".part: cannot be written (No space left on device); give --output a folder that can");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tilesim
