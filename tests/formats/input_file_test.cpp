#include "formats/input_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "formats/error.h"

namespace tilesim {
namespace {

TEST(InputFile, KeepsWhatAPipeGivesForWhoeverAsksAgain) {
  const std::string path = ::testing::TempDir() + "input_file_" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << "a\nb"; });
  EXPECT_EQ(ReadInput(path, ""), "a\nb");
  writer.join();
  EXPECT_EQ(ReadInput(path, ""), "a\nb");
  const auto file = OpenInput(path);
  file->seekg(0, std::ios::end);
  EXPECT_EQ(file->tellg(), 3);
  std::filesystem::remove(path);
}

TEST(InputFile, ReadsAnOrdinaryFileAnewEachTime) {
  const std::string path = ::testing::TempDir() + "input_file_anew_" + std::to_string(getpid());
  std::ofstream(path) << "a";
  EXPECT_EQ(ReadInput(path, ""), "a");
  std::ofstream(path) << "b";
  EXPECT_EQ(ReadInput(path, ""), "b");
  std::filesystem::remove(path);
}

TEST(InputFile, SaysThatItCannotBeOpened) {
  EXPECT_EQ(OpenInput(::testing::TempDir()), nullptr);
  EXPECT_EQ(OpenInput("/no/such/file"), nullptr);
  try {
    ReadInput("/no/such/file", "; give another");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "/no/such/file: cannot be opened; give another");
  }
}

}  // namespace
}  // namespace tilesim
