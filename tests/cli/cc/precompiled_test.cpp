// Headers that g++ has compiled beforehand: made at the second call, anew when a file changes, and never to
// be seen in what a source means.
#include "cli/cc/precompiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "cli/cc/driver.h"
#include "cli/cc/toolkit.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

TEST(LeadingIncludes, AreThoseBeforeAnythingElse) {
  EXPECT_THAT(
      LeadingIncludes("/* a\n licence */\n// kernel\n\n#include <cstdio>\n #  include \"a/b.h\"  // why\n"
                      "#include\t<c>\n#define X\n#include \"late.h\"\n"),
      ElementsAre("<cstdio>", "\"a/b.h\"", "<c>"));
  for (const char* const none :
       {"", "#define X\n#include <a>\n", "#pragma once\n#include <a>", "int x;\n#include <a>",
        "#include NAME\n", "#include \"open\n", "/* open #include <a>", "#", "#if 0\n"}) {
    EXPECT_THAT(LeadingIncludes(none), IsEmpty()) << none;
  }
}

// Headers of the test's own, which compile fast.
class Precompiled : public ::testing::Test {
 protected:
  Precompiled() {
    Write("one.h", "#pragma once\n#include \"two.h\"\n");
    Write("two.h", "#pragma once\n#define TWO 2\n");
  }

  // As if it had been written long before: times of files that are younger prove nothing.
  void Write(const std::string& name, const std::string& text) const {
    folder_.Write(name, text);
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - std::chrono::minutes(1));
  }
  PrecompiledRequest Request(const std::string& option = "-O0") const {
    return {.folder = folder_.path() / "kept",
            .identity = "g++",
            .compiler = {"g++", "-std=gnu++20", option},
            .headers = {folder_ / "one.h"}};
  }
  // How g++ takes them for a source; "!" is its mark of a header that it has read beforehand.
  std::string HeadersRead(const PrecompiledHeader& found, const std::string& option) const {
    return RunShell("g++ -std=gnu++20 " + option + " -H -fsyntax-only -include " + found.header.string() +
                    " " + (folder_ / "use.cpp"))
        .err;
  }

  ScratchFolder folder_;
};

TEST_F(Precompiled, AreMadeAtTheSecondCallAndReadByTheCompiler) {
  EXPECT_FALSE(FindPrecompiled(Request()).has_value());
  const std::optional<PrecompiledHeader> found = FindPrecompiled(Request());
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->files, IsSupersetOf({fs::path(folder_ / "one.h"), fs::path(folder_ / "two.h")}));
  EXPECT_THAT(found->files, Not(Contains(found->header)));
  Write("use.cpp", "static_assert(TWO == 2);\n");
  EXPECT_THAT(HeadersRead(*found, "-O0"), HasSubstr("! " + found->header.string() + ".gch"));
  EXPECT_FALSE(FindPrecompiled(Request("-O1")).has_value());  // other options, another header
}

TEST_F(Precompiled, AreMadeAnewForAFileThatChanged) {
  (void)FindPrecompiled(Request());
  ASSERT_TRUE(FindPrecompiled(Request()).has_value());
  Write("two.h", "#pragma once\n#define TWO 3\n");
  folder_.Write("use.cpp", "static_assert(TWO == 3);\n");
  const std::optional<PrecompiledHeader> found = FindPrecompiled(Request());
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(HeadersRead(*found, "-O0"), AllOf(HasSubstr("! "), Not(HasSubstr("error"))));
}

TEST_F(Precompiled, AreNotTriedAgainWhereTheyDoNotCompile) {
  Write("two.h", "#pragma once\nnonsense;\n");
  (void)FindPrecompiled(Request());
  EXPECT_FALSE(FindPrecompiled(Request()).has_value());
  const auto count = [&] {
    return std::distance(fs::directory_iterator(folder_.path() / "kept"), fs::directory_iterator());
  };
  EXPECT_EQ(count(), 2) << "the header and that it does not compile";
  EXPECT_FALSE(FindPrecompiled(Request()).has_value());
  Write("two.h", "#pragma once\n");
  EXPECT_TRUE(FindPrecompiled(Request()).has_value());
}

TEST_F(Precompiled, WhatTheCompilerRefusesOfThemIsReadAsText) {
  Write("two.h", "#pragma once\n#ifdef ASKED\nconstexpr int kAsked = 1;\n#endif\n");
  (void)FindPrecompiled(Request());
  const std::optional<PrecompiledHeader> found = FindPrecompiled(Request());
  ASSERT_TRUE(found.has_value());
  folder_.Write("use.cpp", "static_assert(kAsked == 1);\n");
  EXPECT_THAT(HeadersRead(*found, "-O0 -DASKED"), Not(HasSubstr("error")));
}

TEST_F(Precompiled, AreKeptWholeWhereOthersAreRemoved) {
  (void)FindPrecompiled(Request());
  const fs::path old = folder_.path() / "kept/headers-old.h.gch";
  std::ofstream(old).put('x');
  fs::resize_file(old, uint64_t{3} << 30);  // more than the folder may hold; takes no room
  const std::optional<PrecompiledHeader> found = FindPrecompiled(Request());
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(fs::exists(old));
  for (const char* const ending : {"", ".json", ".gch"}) {
    EXPECT_TRUE(fs::exists(found->header.string() + ending)) << ending;
  }
}

TEST_F(Precompiled, OfAnotherCompilerAreOthers) {
  (void)FindPrecompiled(Request());
  PrecompiledRequest other = Request();
  other.identity = "g++, a day later";
  EXPECT_FALSE(FindPrecompiled(other).has_value());
  EXPECT_TRUE(FindPrecompiled(Request()).has_value());
}

TEST(PrecompiledRules, LeaveOutWhatMayMakeADifference) {
  EXPECT_TRUE(MayComeLater("cstdio"));
  EXPECT_FALSE(MayComeLater("cassert"));
  EXPECT_FALSE(MayComeLater("mine.h"));
  for (const char* const option : {"-O2", "-g", "-fPIC", "-Wall", "-march=native", "-fno-exceptions", "-w"}) {
    EXPECT_TRUE(AllowsPrecompiled(option)) << option;
  }
  for (const char* const option : {"--include=a.h", "-save-temps", "--coverage", "-fprofile-arcs", "@words",
                                   "-Xpreprocessor", "-I", "-include", "-fdump-tree-all"}) {
    EXPECT_FALSE(AllowsPrecompiled(option)) << option;
  }
  const ScratchFolder folder;
  fs::create_directories(folder.path() / "sim/core");
  folder.Write("sim/core/pipe.h", "");
  folder.Write("other.h", "");
  EXPECT_TRUE(AnyStandsBefore({folder.path()}, {FindToolkit().root / "sim/core/pipe.h"}));
  EXPECT_FALSE(AnyStandsBefore({folder.path()}, {FindToolkit().root / "sim/core/core.h"}));
  EXPECT_FALSE(AnyStandsBefore({FindToolkit().root}, {FindToolkit().root / "sim/core/core.h"}));
}

// A kernel, compiled three times: with the headers as text, as they are made, and with them made.
class PrecompiledKernel : public ::testing::Test {
 protected:
  PrecompiledKernel() { EXPECT_EQ(unsetenv("CPATH"), 0); }

  // What the compiler says of it; the program is `a`.
  std::string Compile(const std::string& text, const std::vector<std::string>& options = {"-O0"}) const {
    folder_.Write("a.asc", text);
    std::vector<std::string> words = options;
    words.insert(words.end(), {folder_ / "a.asc", "-o", folder_ / "a"});
    CcResult result =
        RunCc({.words = words, .pass = {}, .keep_messages = true, .headers_folder = folder_.path() / "kept"});
    files_ = result.files;
    return result.messages;
  }
  // It prints the same each time, and the compiler says the same.
  void ExpectTheSame(const std::string& text, const std::string& printed, bool is_precompiled,
                     const std::vector<std::string>& options = {"-O0"}) const {
    std::string said;
    for (int round = 0; round < 3; ++round) {
      const std::string says = Compile(text, options);
      said = round == 0 ? says : said;
      EXPECT_EQ(says, said) << "round " << round;
      EXPECT_THAT(Printed(), HasSubstr(printed)) << "round " << round;
    }
    EXPECT_EQ(NumMade() != 0, is_precompiled);
    EXPECT_EQ(IsTaken(text, options), is_precompiled);
  }
  std::string Printed() const { return RunShell("'" + (folder_ / "a") + "' 2>&1").out; }
  bool Read(const std::string& file) const {
    return std::ranges::find(files_, FindToolkit().root / file) != files_.end();
  }
  std::vector<fs::path> Made() const {
    std::vector<fs::path> made;
    std::error_code ignored;
    for (const fs::directory_entry& file : fs::directory_iterator(folder_.path() / "kept", ignored)) {
      if (file.path().extension() == ".gch") {
        made.push_back(file.path());
      }
    }
    return made;
  }
  size_t NumMade() const { return Made().size(); }

 private:
  // What a compile takes is marked as used.
  bool IsTaken(const std::string& text, const std::vector<std::string>& options) const {
    const fs::file_time_type before = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const fs::path& made : Made()) {
      fs::last_write_time(made, before);
    }
    (void)Compile(text, options);
    return std::ranges::any_of(Made(),
                               [&](const fs::path& made) { return fs::last_write_time(made) != before; });
  }

 protected:
  ScratchFolder folder_;
  mutable std::vector<fs::path> files_;
};

constexpr const char* kPrints =
    "__global__ __vector__ void k() { AscendC::PRINTF(\"value %d\\n\", VALUE); }\n"
    "int main() { k<<<1, nullptr, nullptr>>>(); aclrtSynchronizeDevice(); }\n";
const std::string kBegin =
    "// licence\n#include <cstdio>\n#include \"acl/acl.h\"\n#include \"kernel_operator.h\"\n";

TEST_F(PrecompiledKernel, MeansTheSameAsWithoutThem) {
  ExpectTheSame(kBegin + "#define VALUE 5\n" + kPrints, "value 5", true);
  EXPECT_TRUE(Read("sim/ascendc/kernel_operator.h"));
  EXPECT_TRUE(Read("sim/host/kernel_launch.h"));
  EXPECT_TRUE(Read("sim/host/acl/acl.h"));
}

TEST_F(PrecompiledKernel, IsRefusedInTheSameWords) {
  (void)Compile(kBegin + "#define VALUE 5\n" + kPrints);
  // one is wrong in the source, one in what it makes of a header
  for (const std::string& wrong :
       {kBegin + kPrints, kBegin + "#define VALUE AscendC::AlignUp(1, nullptr)\n" + kPrints,
        kBegin + "#include \"none.h\"\n"}) {
    const std::string made = Compile(wrong);
    EXPECT_THAT(made, HasSubstr("a.asc:"));
    const std::vector<fs::path> kept = Made();
    ASSERT_EQ(kept.size(), 1U);
    setenv("CPATH", "/nowhere", 1);  // which they are not compiled with
    EXPECT_EQ(Compile(wrong), made);
    unsetenv("CPATH");
  }
}

TEST_F(PrecompiledKernel, MacrosOfTheUserWin) {
  ExpectTheSame(
      "#define GET_TILING_DATA_WITH_STRUCT(...) 1\n#include \"acl/acl.h\"\n"
      "#include \"kernel_operator.h\"\n#define VALUE GET_TILING_DATA_WITH_STRUCT(a, b, c)\n" +
          std::string(kPrints),
      "value 1", false);
}

TEST_F(PrecompiledKernel, MacrosOfTheCommandLineWin) {
  (void)Compile(kBegin + "#define VALUE 5\n" + kPrints);
  const std::vector<std::string> options = {"-O0", "-DGET_TILING_DATA_WITH_STRUCT=7"};
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Compile(kBegin + "#define VALUE GET_TILING_DATA_WITH_STRUCT\n" + kPrints, options), "");
    EXPECT_THAT(Printed(), HasSubstr("value 7"));
  }
}

TEST_F(PrecompiledKernel, HeadersOfTheUserWin) {
  fs::create_directory(folder_.path() / "mine");
  folder_.Write("mine/kernel_operator.h", "#define VALUE 9\n#include_next <kernel_operator.h>\n");
  ExpectTheSame(kBegin + kPrints, "value 9", true, {"-O0", "-I", folder_ / "mine"});
}

TEST_F(PrecompiledKernel, FoldersOfTheCompilersOwnWordsCount) {
  fs::create_directory(folder_.path() / "mine");
  folder_.Write("mine/kernel_operator.h", "#define VALUE 8\n#include_next <kernel_operator.h>\n");
  setenv("CXX", ("g++ -I" + (folder_ / "mine")).c_str(), 1);
  ExpectTheSame(kBegin + kPrints, "value 8", false);
  unsetenv("CXX");
}

TEST_F(PrecompiledKernel, AssertIsThatOfTheLastHeader) {
  ExpectTheSame("#include <cassert>\n" + kBegin +
                    "#define VALUE 5\n__global__ __vector__ void j() { assert(AscendC::GetBlockNum() == 2, "
                    "\"mine\\n\"); }\n" +
                    "void Go() { j<<<1, nullptr, nullptr>>>(); }\n" + kPrints,
                "value 5", false);
}

}  // namespace
}  // namespace tilesim
