// Programs in the cache: found again, and made anew for whatever they were made of.
#include "cli/cc/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "cli/cc/kept_files.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A cache of the test's own, and sources that compile fast.
class ProgramCache : public ::testing::Test {
 protected:
  ProgramCache() {
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    folder_.Write("value.h", "#define VALUE 1\n");
    folder_.Write("a.cpp",
                  "#include <cstdio>\n#include \"value.h\"\nint main() { std::printf(\"%d\\n\", VALUE); }\n");
  }
  ~ProgramCache() override { unsetenv("XDG_CACHE_HOME"); }

  BuildRequest Request() const {
    return {.files = {folder_ / "a.cpp"}, .options = {"-O0"}, .pass = {}, .keep_messages = true};
  }
  // As if it had been written a minute before: times of files that are younger prove nothing.
  void WriteOld(const std::string& name, const std::string& text, int minutes = 1) const {
    folder_.Write(name, text);
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  }
  std::string OutputOf(const Compiled& compiled) const { return RunShell(compiled.program.string()).out; }

  ScratchFolder folder_;
};

TEST_F(ProgramCache, FindsAnUnchangedProgramAgain) {
  WriteOld("value.h", "#define VALUE 1\n");
  const Compiled first = BuildProgram(Request());
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(first.defines_main);
  EXPECT_EQ(OutputOf(first), "1\n");
  const Compiled second = BuildProgram(Request());
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.program, first.program);
  EXPECT_TRUE(second.defines_main);
}

TEST_F(ProgramCache, FindsItInAFolderThatOthersWriteToMeanwhile) {
  setenv("TMPDIR", folder_.path().c_str(), 1);  // the compiler's own files, too
  WriteOld("value.h", "#define VALUE 1\n");
  EXPECT_FALSE(BuildProgram(Request()).from_cache);
  EXPECT_TRUE(BuildProgram(Request()).from_cache);
  unsetenv("TMPDIR");
}

TEST_F(ProgramCache, MakesItAnewForAChangedHeaderAndGoesBack) {
  const Compiled first = BuildProgram(Request());
  folder_.Write("value.h", "#define VALUE 2\n");  // as long as before
  const Compiled second = BuildProgram(Request());
  EXPECT_FALSE(second.from_cache);
  EXPECT_EQ(OutputOf(second), "2\n");
  folder_.Write("value.h", "#define VALUE 1\n");
  const Compiled third = BuildProgram(Request());
  EXPECT_TRUE(third.from_cache);
  EXPECT_EQ(third.program, first.program);
}

TEST_F(ProgramCache, MakesItAnewForAFileThatIncludesFindFirst) {
  for (const char* const folder : {"first", "second", "first/deep", "second/deep"}) {
    fs::create_directory(folder_ / folder);
  }
  WriteOld("second/place.h", "#define PLACE 2\n");
  WriteOld("second/deep/down.h", "#define DOWN 2\n");
  WriteOld("b.cpp",
           "#include <cstdio>\n#include \"place.h\"\n#include <deep/down.h>\n"
           "#if __has_include(\"more.h\")\n#include \"more.h\"\n#else\n#define MORE 0\n#endif\n"
           "int main() { std::printf(\"%d %d %d\\n\", PLACE, DOWN, MORE); }\n");
  const BuildRequest request{.files = {folder_ / "b.cpp"},
                             .options = {"-O0", "-I" + (folder_ / "first"), "-I", folder_ / "second"},
                             .pass = {},
                             .keep_messages = true};
  const auto expect = [&](const std::string& output, bool from_cache) {
    const Compiled compiled = BuildProgram(request);
    EXPECT_EQ(OutputOf(compiled), output);
    EXPECT_EQ(compiled.from_cache, from_cache) << output;
  };
  expect("2 2 0\n", false);
  expect("2 2 0\n", true);
  WriteOld("unrelated.txt", "");
  expect("2 2 0\n", true);
  WriteOld("first/place.h", "#define PLACE 1\n");
  expect("1 2 0\n", false);
  WriteOld("first/deep/down.h", "#define DOWN 1\n");
  expect("1 1 0\n", false);
  WriteOld("second/more.h", "#define MORE 2\n");
  expect("1 1 2\n", false);
  WriteOld("place.h", "#define PLACE 3\n");  // beside the source
  expect("3 1 2\n", false);
  fs::remove(folder_ / "place.h");
  expect("1 1 2\n", true);
}

TEST_F(ProgramCache, FindsItForAFileThatWasOnlyTouched) {
  (void)BuildProgram(Request());
  WriteOld("value.h", "#define VALUE 1\n", 5);
  EXPECT_TRUE(BuildProgram(Request()).from_cache);
  EXPECT_TRUE(BuildProgram(Request()).from_cache);
}

TEST_F(ProgramCache, MakesItAnewForOtherOptionsCompilersAndTexts) {
  (void)BuildProgram(Request());
  BuildRequest options = Request();
  options.options.emplace_back("-DX=1");
  EXPECT_FALSE(BuildProgram(options).from_cache);
  BuildRequest extra = Request();
  extra.pass.extra.push_back({.kernel = "k", .text = "int x;"});
  EXPECT_FALSE(BuildProgram(extra).from_cache);
  setenv("CXX", "g++ -DY", 1);
  EXPECT_FALSE(BuildProgram(Request()).from_cache);
  unsetenv("CXX");
  EXPECT_TRUE(BuildProgram(Request()).from_cache);
}

TEST_F(ProgramCache, MakesItAnewForALibraryThatChanged) {
  const std::string folder = folder_ / "has a blank";
  fs::create_directory(folder);
  const auto make_library = [&](int value) {
    folder_.Write("two.cpp", "int Two() { return " + std::to_string(value) + "; }\n");
    const std::string in = "cd '" + folder + "' && ";
    ASSERT_EQ(RunShell(in + "g++ -O0 -c ../two.cpp && rm -f libtwo.a && ar rcs libtwo.a two.o").code, 0);
  };
  folder_.Write("a.cpp", "#include <cstdio>\nint Two();\nint main() { std::printf(\"%d\\n\", Two()); }\n");
  BuildRequest request = Request();
  request.options.insert(request.options.end(), {"-L" + folder, "-ltwo"});
  make_library(2);
  const Compiled first = BuildProgram(request);
  EXPECT_EQ(OutputOf(first), "2\n");
  EXPECT_TRUE(BuildProgram(request).from_cache);
  make_library(3);
  const Compiled second = BuildProgram(request);
  EXPECT_FALSE(second.from_cache);
  EXPECT_EQ(OutputOf(second), "3\n");
}

TEST_F(ProgramCache, RemovesWhatKilledBuildsHaveLeftBehind) {
  const fs::path cache = CacheFolder();
  fs::create_directories(cache);
  WriteOld("left", "", 25 * 60);
  fs::rename(folder_ / "left", cache / "new-1-0");
  WriteOld("in_the_making", "", 60);
  fs::rename(folder_ / "in_the_making", cache / "new-1-1");
  (void)BuildProgram(Request());
  EXPECT_FALSE(fs::exists(cache / "new-1-0"));
  EXPECT_TRUE(fs::exists(cache / "new-1-1"));
}

TEST_F(ProgramCache, KeepsTheKernels) {
  folder_.Write("k.asc",
                "#define __global__\n#define __cube__\nnamespace a { __global__ __cube__ void k(int* x, int) "
                "{} }\nint main() {}\n");
  BuildRequest request = Request();
  request.files = {folder_ / "k.asc"};
  for (const bool from_cache : {false, true}) {
    const Compiled compiled = BuildProgram(request);
    EXPECT_EQ(compiled.from_cache, from_cache);
    ASSERT_EQ(compiled.kernels.size(), 1U);
    const KernelDeclaration& kernel = compiled.kernels[0];
    EXPECT_EQ(kernel.name, "a::k");
    EXPECT_THAT(kernel.namespaces, ElementsAre("a"));
    EXPECT_EQ(kernel.qualifiers.kind, KernelQualifiers::Kind::kCube);
    ASSERT_EQ(kernel.parameters.size(), 2U);
    EXPECT_EQ(kernel.parameters[0].name, "x");
    EXPECT_EQ(kernel.parameters[0].type, "int*");
    EXPECT_EQ(kernel.line, 3);
  }
}

TEST_F(ProgramCache, TellsWhatTheCompilerSays) {
  folder_.Write("a.cpp", "int main() { return bad; }\n");
  try {
    (void)BuildProgram(Request());
    FAIL() << "it compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.cpp: does not compile"));
    EXPECT_THAT(error.messages, HasSubstr("a.cpp:1:21: error: "));
  }
  for (const fs::directory_entry& left : fs::directory_iterator(CacheFolder())) {
    ADD_FAILURE() << left.path() << " was left behind";
  }
}

TEST_F(ProgramCache, RefusesAnInstanceOfNoTemplate) {
  folder_.Write("a.cpp", "#define __global__\n__global__ void add(int) {}\nint main() {}\n");
  BuildRequest request = Request();
  request.pass.instances = {"ad<int>"};
  EXPECT_THAT([&] { (void)BuildProgram(request); },
              ThrowsMessage<UserError>(HasSubstr("no kernel template is named 'ad<int>'; ")));
}

TEST_F(ProgramCache, ServesSeveralThreads) {
  folder_.Write("b.cpp", "#include <cstdio>\nint main() { std::printf(\"%d\\n\", VALUE); }\n");
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(3);
  for (size_t i = 0; i < outputs.size(); ++i) {
    threads.emplace_back([&, i] {
      BuildRequest request = Request();
      request.files = {folder_ / "b.cpp"};
      request.options.push_back(i == 0 ? "-DVALUE=5" : "-DVALUE=6");  // two of them make the same program
      outputs[i] = OutputOf(BuildProgram(request));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(outputs, ElementsAre("5\n", "6\n", "6\n"));
}

TEST_F(ProgramCache, RemovesWhatWasUsedLongestAgo) {
  const CacheLimits tight{.most_bytes = 1};
  const Compiled first = BuildProgram(Request(), tight);
  EXPECT_TRUE(fs::exists(first.program));
  BuildRequest other = Request();
  other.options.emplace_back("-DX");
  const Compiled second = BuildProgram(other, tight);
  EXPECT_TRUE(fs::exists(second.program));
  EXPECT_FALSE(fs::exists(first.program));
  EXPECT_FALSE(BuildProgram(Request(), tight).from_cache);
}

TEST_F(ProgramCache, SurvivesAManifestThatIsNoJson) {
  (void)BuildProgram(Request());
  for (const fs::directory_entry& entry : fs::directory_iterator(CacheFolder())) {
    if (entry.path().extension() == ".json") {
      folder_.Write(fs::relative(entry.path(), folder_.path()).string(), "{\"broken\": [");
    }
  }
  EXPECT_FALSE(BuildProgram(Request()).from_cache);
  EXPECT_TRUE(BuildProgram(Request()).from_cache);
}

TEST_F(ProgramCache, SaysWhenNoFolderIsNamed) {
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_THAT([] { (void)CacheFolder(); }, ThrowsMessage<UserError>(HasSubstr("XDG_CACHE_HOME")));
  setenv("HOME", "/somewhere", 1);
  EXPECT_EQ(CacheFolder(), "/somewhere/.cache/tilesim/cc");
  setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace tilesim
