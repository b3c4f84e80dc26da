// Structs of tiling data on the command line of a kernel file: which struct it is, and what a file must say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/cli/program.h"

namespace tilesim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kKernels = R"(
#include <cstdio>
#include "kernel_operator.h"

struct First { int32_t a; int32_t b; };
struct Second { int32_t b; int32_t a; };
extern "C" __global__ __vector__ void first(GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(First, data, tiling);
  AscendC::PRINTF("first %d %d\n", data.a, data.b);
}
#ifdef SECOND
extern "C" __global__ __vector__ void second(GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(Second, data, tiling);
  AscendC::PRINTF("second %d %d\n", data.a, data.b);
}
extern "C" __global__ __vector__ void third(__gm__ Second* tiling) {
  AscendC::PRINTF("third %d %d\n", tiling->a, tiling->b);
}
#endif
namespace ops {
struct Own { int32_t n; };
__global__ __vector__ void by_value(Own own) { AscendC::PRINTF("own %d\n", own.n); }
}  // namespace ops
)";

constexpr std::string_view kKeyed = R"(
#include "kernel_operator.h"
struct Usual { int32_t a; int32_t b; };
struct Special { int32_t b; int32_t c; int32_t a; };
extern "C" __global__ __vector__ void keyed(GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(Usual);
  REGISTER_TILING_FOR_TILINGKEY("(TILING_KEY_VAR / 10) == 2", Special);
  GET_TILING_DATA(data, tiling);
#if TILING_KEY_VAR / 10 == 2
  AscendC::PRINTF("special %d %d %d\n", data.a, data.b, data.c);
#else
  AscendC::PRINTF("usual %d %d\n", data.a, data.b);
#endif
}
)";

class KernelStruct : public testing::Test {
 protected:
  KernelStruct() { folder_.Write("k.cpp", std::string(kKernels)); }
  ProgramEnd Run(const std::string& arguments) const {
    return RunShell("cd '" + folder_.path().string() + "' && " + variables_ +
                    "XDG_CACHE_HOME=cache '" TILESIM_PROGRAM "' run k.cpp --blocks 1 " + arguments);
  }
  // Where the text that is looked through has no macros left.
  void ExpectTheStructsThatMacrosName() {
    folder_.Write("k.cpp", std::string(kKeyed) + R"(
#if 0
This isn't for g++ -fdirectives-only.
#endif
extern "C" __global__ __vector__ void named(GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(Special, data, tiling);
  AscendC::PRINTF("named %d %d %d\n", data.a, data.b, data.c);
}
)");
    const ProgramEnd usual = Run("--kernel keyed --arg 'tiling=struct:{\"a\":1,\"b\":2}'");
    EXPECT_THAT(usual.out, HasSubstr("usual 1 2")) << usual.err;
    const ProgramEnd special =
        Run("--kernel keyed --tiling-key 21 --arg 'tiling=struct:{\"a\":1,\"b\":2,\"c\":3}'");
    EXPECT_THAT(special.out, HasSubstr("special 1 2 3")) << special.err;
    const ProgramEnd named = Run("--kernel named --arg tiling=arange:int32:3");
    EXPECT_THAT(named.out, HasSubstr("named 2 0 1")) << named.err;

    folder_.Write("k.cpp", R"(
#include "kernel_operator.h"
#include "register/tilingdata_base.h"
#if 0
This isn't for g++ -fdirectives-only.
#endif
namespace optiling {
BEGIN_TILING_DATA_DEF(Filed)
  TILING_DATA_FIELD_DEF(int32_t, a);
  TILING_DATA_FIELD_DEF(int32_t, b);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Op, Filed)
}  // namespace optiling
extern "C" __global__ __vector__ void op(GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  AscendC::PRINTF("filed %d %d\n", data.a, data.b);
}
extern "C" __global__ __vector__ void none(GM_ADDR tiling) {
  REGISTER_NONE_TILING;
#ifdef ASKS
  GET_TILING_DATA(data, tiling);
#endif
}
)");
    const ProgramEnd filed = Run("--kernel op --arg tiling=arange:int32:2");
    EXPECT_THAT(filed.out, HasSubstr("filed 0 1")) << filed.err;
    const ProgramEnd none = Run("-DASKS --kernel none --arg tiling=arange:int32:2");
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.err,
                AllOf(HasSubstr("k.cpp:21"), HasSubstr("has no struct behind REGISTER_NONE_TILING")));
  }
  std::string variables_;
  ScratchFolder folder_;
};

TEST_F(KernelStruct, IsTheOneThatTheFileNames) {
  const ProgramEnd end = Run("--kernel first --arg 'tiling=struct:{\"b\":2,\"a\":1}'");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("first 1 2"));
}

TEST_F(KernelStruct, OfWhichAFieldIsMissingOrMisspeltNamesItsFields) {
  folder_.Write("fields.h", R"(
#define TILE_LENGTH 128
template <class T, int n = 1> struct Few { T all[n]; };
struct Many {
  struct Inner;
  enum Mode : uint32_t { kRow, kCol };
  Many() = default;
  static constexpr int kMost = 4;
  static constexpr uint32_t kDefault = 4;
 public:
  uint32_t tileLength = TILE_LENGTH, rest = kDefault;
  struct { int32_t deep; } inner;
  Mode mode = kRow;
  bool isLast{true};
  uint32_t low : kMost;
  float scale[2] = {1, 2}, last[kMost];
  int Sum() const { int sum = 0; return sum; }
  using Number = int;
  Few<char16_t, 3> few;
  Few<Few<unsigned, 2>> fewer;
};
)");
  folder_.Write(
      "k.cpp",
      "#include \"kernel_operator.h\"\n#include \"fields.h\"\n"
      "__global__ __vector__ void many(Many tiling) { AscendC::PRINTF(\"%d\\n\", tiling.rest); }\n");
  const ProgramEnd misspelt = Run("--kernel many --arg 'tiling=struct:{\"tileLen\":1}'");
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("the struct has no field tileLen; did you mean tileLength? fields: "
                                      "tileLength, rest, inner, mode, isLast, scale, last, few, fewer\n"));
  const ProgramEnd missing = Run("--kernel many --arg 'tiling=struct:{\"rest\":1}'");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(
      missing.err,
      HasSubstr("fields tileLength, inner, mode, isLast, scale, last, few, fewer have no value, or not all "
                "of their elements have one\n"));
}

// The headers of the library declare its tilings by macros.
TEST_F(KernelStruct, MayHoldATilingOfTheLibraryWhoseFieldsAreNamed) {
  folder_.Write("k.cpp", R"(
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
struct Whole { uint32_t rows; TCubeTiling cube; SoftMaxTiling softmax; };
__global__ __vector__ void whole(Whole tiling) {
  AscendC::PRINTF("%d %d\n", tiling.cube.N, tiling.softmax.tailReduceSize);
}
__global__ __vector__ void alone(SoftMaxTiling tiling) { AscendC::PRINTF("%d\n", tiling.reduceM); }
)");
  const ProgramEnd misspelt = Run("--kernel whole --arg 'tiling=struct:{\"cube\":{\"baseN1\":1}}'");
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("the struct has no field cube.baseN1; did you mean cube.baseN? fields: "
                                      "rows, cube.usedCoreNum, cube.M, cube.N,"));
  const ProgramEnd missing =
      Run("--kernel alone --arg 'tiling=struct:{\"srcM\":1,\"srcK\":2,\"srcSize\":3,\"outMaxM\":4}'");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(
      missing.err,
      HasSubstr("fields outMaxK, outMaxSize, splitM, splitK, splitSize, reduceM, reduceK, reduceSize, "
                "rangeM, tailM, tailSplitSize, tailReduceSize have no value\n"));
  std::string cube;
  for (const std::string field : {"usedCoreNum",
                                  "M",
                                  "N",
                                  "Ka",
                                  "Kb",
                                  "singleCoreM",
                                  "singleCoreN",
                                  "singleCoreK",
                                  "baseM",
                                  "baseN",
                                  "baseK",
                                  "depthA1",
                                  "depthB1",
                                  "stepM",
                                  "stepN",
                                  "isBias",
                                  "transLength",
                                  "iterateOrder",
                                  "shareMode",
                                  "shareL1Size",
                                  "shareL0CSize",
                                  "shareUbSize",
                                  "batchM",
                                  "batchN",
                                  "singleBatchM",
                                  "singleBatchN",
                                  "stepKa",
                                  "stepKb",
                                  "depthAL1CacheUB",
                                  "depthBL1CacheUB",
                                  "dbL0A",
                                  "dbL0B",
                                  "dbL0C",
                                  "ALayoutInfoB",
                                  "ALayoutInfoS",
                                  "ALayoutInfoN",
                                  "ALayoutInfoG",
                                  "ALayoutInfoD",
                                  "BLayoutInfoB",
                                  "BLayoutInfoS",
                                  "BLayoutInfoN",
                                  "BLayoutInfoG",
                                  "BLayoutInfoD",
                                  "CLayoutInfoB",
                                  "CLayoutInfoS1",
                                  "CLayoutInfoN",
                                  "CLayoutInfoG",
                                  "CLayoutInfoS2",
                                  "BatchNum",
                                  "mxTypePara"}) {
    cube += (cube.empty() ? "\"" : ",\"") + field + "\":" + (field == "N" ? "77" : "0");
  }
  std::string softmax;
  for (const std::string field :
       {"srcM", "srcK", "srcSize", "outMaxM", "outMaxK", "outMaxSize", "splitM", "splitK", "splitSize",
        "reduceM", "reduceK", "reduceSize", "rangeM", "tailM", "tailSplitSize", "tailReduceSize"}) {
    softmax += (softmax.empty() ? "\"" : ",\"") + field + "\":" + (field == "tailReduceSize" ? "88" : "0");
  }
  const ProgramEnd all = Run("--kernel whole --arg 'tiling=struct:{\"rows\":3,\"cube\":{" + cube +
                             "},\"softmax\":{" + softmax + "}}'");
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("77 88"));
}

TEST_F(KernelStruct, MayBePacked) {
  folder_.Write("k.cpp", R"(
#include "kernel_operator.h"
#pragma pack(push, 1)
struct Part { uint8_t tag; int16_t first; };
#pragma pack(pop)
struct __attribute__((packed)) Packed { uint8_t tag; Part parts[2]; float scale[2][2]; int64_t last; };
__global__ __vector__ void packed(Packed p) {
  AscendC::PRINTF("%d %d %d %ld\n", (int)sizeof(p), p.parts[1].first, (int)p.scale[1][0], p.last);
}
)");
  const ProgramEnd end =
      Run("--kernel packed --arg 'p=struct:{\"tag\":1,\"parts\":[{\"tag\":2,\"first\":3},"
          "{\"tag\":4,\"first\":-5}],\"scale\":[[6,7],[8,9]],\"last\":-10}'");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(end.err, "");
  EXPECT_THAT(end.out, HasSubstr("31 -5 8 -10"));
}

// A macro may have the name of a field of a tiling that the source does not include.
TEST_F(KernelStruct, GoesWithMacrosOfAnyName) {
  const ProgramEnd end = Run("-DM=1 -DN=2 -DbaseM=3 --kernel first --arg 'tiling=struct:{\"b\":2,\"a\":1}'");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("first 1 2"));
}

TEST_F(KernelStruct, MayHoldAnArrayOfStructs) {
  folder_.Write("k.cpp", R"(
#include "kernel_operator.h"
struct Part { uint16_t first; float rest[2]; };
struct All { Part parts[2]; float* where; };
struct Whole { Part parts[2]; };
__global__ __vector__ void takes(Whole whole) {
  AscendC::PRINTF("%d %d %d\n", whole.parts[0].first, whole.parts[1].first, (int)whole.parts[1].rest[1]);
}
__global__ __vector__ void points(All all) {}
)");
  const ProgramEnd whole =
      Run("--kernel takes --arg "
          "'whole=struct:{\"parts\":[{\"first\":7,\"rest\":[1,2]},{\"first\":8,\"rest\":[3,4]}]}'");
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("7 8 4"));
  const ProgramEnd half =
      Run("--kernel takes --arg 'whole=struct:{\"parts\":[{\"first\":7,\"rest\":[1,2]}]}'");
  EXPECT_EQ(half.code, 2);
  EXPECT_THAT(half.err,
              HasSubstr("--arg whole: bytes [12, 14) of the struct, which has 24, belong to a field that has "
                        "no value; known fields: parts[0].first, parts[0].rest, parts"));
  const ProgramEnd pointer = Run("--kernel points --arg 'all=struct:{\"where\":0}'");
  EXPECT_EQ(pointer.code, 2);
  EXPECT_THAT(pointer.err,
              HasSubstr("field where is a pointer, which cannot be given: only a program knows what it "
                        "points to; launch the kernel from a main()"));
  folder_.Write("k.cpp", R"(
#include "kernel_operator.h"
struct Empty {};
struct Holds { int32_t a; Empty e; int32_t b; };
__global__ __vector__ void holds(Holds h) { AscendC::PRINTF("%d %d\n", h.a, h.b); }
)");
  for (const std::string values : {R"({"a":1,"b":2})", R"({"a":1,"e":{},"b":2})"}) {
    const ProgramEnd empty = Run("--kernel holds --arg 'h=struct:" + values + "'");
    EXPECT_EQ(empty.code, 0) << empty.err;
    EXPECT_THAT(empty.out, HasSubstr("1 2"));
  }
}

TEST_F(KernelStruct, OfSeveralIsThatOfThePointer) {
  const ProgramEnd open = Run("-DSECOND --kernel second --arg 'tiling=struct:{\"a\":1,\"b\":2}'");
  EXPECT_EQ(open.code, 2);
  EXPECT_THAT(open.err, AllOf(HasSubstr("names several structs for it, First, Second"),
                              HasSubstr("declare the parameter as __gm__ Struct*")));
  const ProgramEnd said = Run("-DSECOND --kernel third --arg 'tiling=struct:{\"a\":1,\"b\":2}'");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("third 1 2"));
}

TEST_F(KernelStruct, IsTheOneOfTheTilingKey) {
  folder_.Write("k.cpp", std::string(kKeyed));
  const ProgramEnd usual = Run("--kernel keyed --arg 'tiling=struct:{\"a\":1,\"b\":2}'");
  EXPECT_THAT(usual.out, HasSubstr("usual 1 2")) << usual.err;
  const ProgramEnd special =
      Run("--kernel keyed --tiling-key 21 --arg 'tiling=struct:{\"a\":1,\"b\":2,\"c\":3}'");
  EXPECT_THAT(special.out, HasSubstr("special 1 2 3")) << special.err;
  const ProgramEnd wrong = Run("--kernel keyed --tiling-key 21 --arg 'tiling=struct:{\"a\":1,\"b\":2}'");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("field c"));

  const std::string program = folder_ / "k21";
  const ProgramEnd built = RunProgram("cc --tiling-key 21 " + (folder_ / "k.cpp") + " -o " + program);
  ASSERT_EQ(built.code, 0) << built.err;
  const std::string run = "run " + program + " --kernel keyed --arg tiling=arange:int32:3";
  EXPECT_THAT(RunProgram(run).out, HasSubstr("special 2 0 1"));  // b, c, a
  const ProgramEnd other = RunProgram(run + " --tiling-key 7");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("tiling key 7: the program was compiled for key 21 by --tiling-key; "
                                   "compile it for this one, or without that option"));
  const ProgramEnd noted =
      RunProgram("cc -MD -c --tiling-key 21 " + (folder_ / "k.cpp") + " -o " + (folder_ / "k.o"));
  EXPECT_EQ(noted.code, 0) << noted.err;
  std::ifstream dependencies(folder_ / "k.d");
  const std::string of_object(std::istreambuf_iterator<char>(dependencies), {});
  EXPECT_THAT(of_object, AllOf(HasSubstr("k.cpp"), testing::Not(HasSubstr("tiling_key.h"))));
  ASSERT_EQ(RunProgram("cc -c --tiling-key 7 " + (folder_ / "k.cpp") + " -o " + (folder_ / "other.o")).code,
            0);
  folder_.Write("main.cpp", "int main() {}");
  ASSERT_EQ(RunProgram("cc " + (folder_ / "k.o") + " " + (folder_ / "other.o") + " " +
                       (folder_ / "main.cpp") + " -Wl,--allow-multiple-definition -o " + (folder_ / "two"))
                .code,
            0);
  EXPECT_EQ(std::system((folder_ / "two").c_str()) / 256, 2);  // of two keys
  const ProgramEnd no_key = RunProgram("cc --tiling-key some " + (folder_ / "k.cpp"));
  EXPECT_EQ(no_key.code, 2);
  EXPECT_THAT(no_key.err, HasSubstr("--tiling-key = 'some': must be a whole number of 0 to"));
}

TEST_F(KernelStruct, IsTheOneThatAMacroNamesInTextThatOnlyThePreprocessorTakes) {
  ExpectTheStructsThatMacrosName();
}

TEST_F(KernelStruct, IsTheOneThatAMacroNamesForClang) {
  if (RunShell("clang++ --version").code != 0) {
    GTEST_SKIP() << "no clang++ here";
  }
  variables_ = "CXX=clang++ ";
  ExpectTheStructsThatMacrosName();
}

TEST_F(KernelStruct, OfANamespaceIsFound) {
  const ProgramEnd end = Run("--kernel ops::by_value --arg 'own=struct:{\"n\":7}'");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("own 7"));
}

TEST(KernelStructByPointer, IsAskedForAtTheKernelsLineOfTheUsersFile) {
  const ScratchFolder folder;
  folder.Write("k.asc", R"(#include "kernel_operator.h"
struct Tiling { uint32_t n; };
__global__ __vector__ void fill(GM_ADDR z, GM_ADDR tiling) {
  AscendC::PRINTF("%u", reinterpret_cast<__gm__ Tiling*>(tiling)->n);
}
)");
  const ProgramEnd end =
      RunProgram("run k.asc --kernel fill --blocks 1 --arg z=out:fp32:8 --arg 'tiling=struct:{\"n\":8}'",
                 folder.path().string());
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, AllOf(HasSubstr("k.asc:3:"), HasSubstr("parameter tiling of fill is a GM address"),
                             HasSubstr("or declare the parameter as __gm__ Struct*"),
                             testing::Not(HasSubstr("<arguments of"))));
}

}  // namespace
}  // namespace tilesim
