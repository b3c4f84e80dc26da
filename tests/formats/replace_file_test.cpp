#include "formats/replace_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "formats/error.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

class ReplaceFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "replace_file_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static void Write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string Read(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] size_t Files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(ReplaceFileTest, TakesTheLongestNameThatAFileCanHave) {
  const fs::path file = folder_ / std::string(255, 'n');
  for (const std::string text : {"first", "second"}) {
    ReplaceFile(file, [&](const fs::path& part) { Write(part, text); });
    EXPECT_EQ(Read(file), text);
  }
  EXPECT_EQ(Files(), 1U);
}

TEST_F(ReplaceFileTest, GivesEachCallAFileOfItsOwn) {
  const fs::path file = folder_ / "shared";
  ReplaceFile(file, [&](const fs::path& outer) {
    Write(outer, "outer");
    ReplaceFile(file, [&](const fs::path& inner) {
      EXPECT_NE(inner, outer);
      Write(inner, "inner");
    });
    EXPECT_EQ(Read(file), "inner");
    EXPECT_EQ(Read(outer), "outer");
  });
  EXPECT_EQ(Read(file), "outer");
}

TEST_F(ReplaceFileTest, LetsThreadsReplaceOneFile) {
  const fs::path file = folder_ / "shared";
  std::set<std::string> texts;
  std::vector<std::thread> threads;
  for (char letter = 'a'; letter < 'e'; ++letter) {
    const std::string text(10'000, letter);
    texts.insert(text);
    threads.emplace_back([=] {
      for (int i = 0; i < 50; ++i) {
        ReplaceFile(file, [&](const fs::path& part) { Write(part, text); });
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_TRUE(texts.contains(Read(file)));
  EXPECT_EQ(Files(), 1U);
}

TEST_F(ReplaceFileTest, KeepsTheRightsAndIsNeverOpenToMore) {
  const fs::path file = folder_ / "private";
  for (const fs::perms rights : {fs::perms(0600), fs::perms(0640), fs::perms(0400), fs::perms(0755)}) {
    Write(file, "old");
    fs::permissions(file, rights);
    ReplaceFile(file, [&](const fs::path& part) {
      EXPECT_EQ(fs::status(part).permissions() & ~fs::perms::owner_write, rights & ~fs::perms::owner_write);
      Write(part, "new");
    });
    EXPECT_EQ(fs::status(file).permissions(), rights);
    EXPECT_EQ(Read(file), "new");
    fs::permissions(file, fs::perms(0600));
  }
}

TEST_F(ReplaceFileTest, LeavesTheFileAsItWasWhereWritingFails) {
  const fs::path file = folder_ / "kept";
  Write(file, "old");
  try {
    ReplaceFile(file, [](const fs::path& part) { throw UserError(part.string() + ": is full"); });
    FAIL() << "it is refused";
  } catch (const UserError& refused) {
    EXPECT_EQ(refused.what(), file.string() + ": is full");  // not the hidden name
  }
  EXPECT_EQ(Read(file), "old");
  EXPECT_EQ(Files(), 1U);
}

}  // namespace
}  // namespace tilesim
