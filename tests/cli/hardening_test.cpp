// Files that are no ordinary files, bytes that are no text, and two processes at once.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "cli/output_files.h"
#include "cli/tune_file/tried_file.h"
#include "formats/error.h"
#include "formats/npy.h"
#include "formats/shown_text.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

const std::string kPooling = " --op max_pool2d --input 1x1x8x8 --filter 2 --stride 2 ";
const std::string kProduct = " --op matmul --m 64 --n 64 --k 64 ";

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// --- what is written ---

TEST(WrittenFile, ALinkStaysAndItsFileIsReplaced) {
  const ScratchFolder folder;
  fs::create_directory(folder.path() / "there");
  folder.Write("there/real.bin", "old");
  fs::permissions(folder / "there/real.bin", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("there/real.bin", folder / "link");
  fs::create_symlink("link", folder / "link_of_link");
  WriteWholeText(folder / "link_of_link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_TRUE(fs::is_symlink(folder / "link_of_link"));
  EXPECT_EQ(ReadFile(folder / "there/real.bin"), "new");
  EXPECT_EQ(fs::status(folder / "there/real.bin").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(WrittenFile, ALinkToNothingGetsItsFile) {
  const ScratchFolder folder;
  fs::create_symlink("real", folder / "link");
  WriteWholeText(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(ReadFile(folder / "real"), "new");
}

TEST(WrittenFile, LinksInACircleAreRefused) {
  const ScratchFolder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  const ProgramEnd end = RunProgram("plan --quiet --binary " + (folder / "a") + kPooling);
  EXPECT_EQ(end.code, 2);
  EXPECT_EQ(end.err,
            "tilesim: " + (folder / "a") + ": its symbolic links lead in a circle; give another name\n");
}

TEST(WrittenFile, ADeviceStaysADevice) {
  const ScratchFolder folder;
  const std::string x = "tests/data/oracle/dw3-t-001-basic/x.npy";
  EXPECT_EQ(RunProgram("convert " + x + " /dev/null --from NCDHW --to NDHWC").code, 0);
  EXPECT_EQ(RunProgram("plan --quiet --binary /dev/null" + kPooling).code, 0);
  ASSERT_EQ(RunProgram("tune --quiet --budget 0 --kb-out " + (folder / "kb.jsonl") + kProduct).code, 0);
  EXPECT_EQ(RunProgram("tune --merge " + (folder / "kb.jsonl") + " --kb-out /dev/null").code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(WrittenFile, AFifoGivesItsReaderTheBytes) {
  const ScratchFolder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const ProgramEnd end =
      RunShell("cat " + fifo + " | wc -c & '" TILESIM_PROGRAM "' plan --quiet --format csv --binary " + fifo +
               kPooling + ">" + (folder / "out") + "; wait");
  EXPECT_EQ(end.err, "");
  EXPECT_EQ(end.out, "368\n");
  EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST(WrittenFile, APipeHasANameToo) {
  const ProgramEnd end =
      RunShell("'" TILESIM_PROGRAM "' plan --quiet --format csv --binary /dev/stdout" + kPooling +
               "| wc -c; '" TILESIM_PROGRAM
               "' convert tests/data/oracle/dw3-t-001-basic/x.npy /dev/fd/1 --from NCDHW --to "
               "NDHWC | head -c 6 | tail -c 5");
  EXPECT_EQ(end.err, "");
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_EQ(lines.size(), 2U) << end.out;
  EXPECT_GT(std::stoi(lines[0]), 368);  // the row of the plan follows
  EXPECT_EQ(lines[1], "NUMPY");
}

TEST(WrittenFile, StandardOutputOfAFileTakesWhatIsPrintedToo) {
  const ScratchFolder folder;
  const std::string out = folder / "out";
  const ProgramEnd end = RunShell("'" TILESIM_PROGRAM "' plan --quiet --format csv --binary /dev/stdout" +
                                  kPooling + "> " + out + "; wc -c < " + out + "; grep -ac ',op,' " + out);
  EXPECT_EQ(end.err, "");
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_EQ(lines.size(), 2U) << end.out;
  EXPECT_GT(std::stoi(lines[0]), 368);
  EXPECT_EQ(lines[1], "1");  // the row of the plan
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

// --- two processes ---

TEST(TwoProcesses, ATableBelongsToTheFirst) {
  const ScratchFolder folder;
  const std::string output = folder / "out";
  fs::create_directory(output);
  folder.Write("out/results.csv.part", "rows\n");
  // `flock` stands for the first: it holds the file as this program does
  const ProgramEnd end =
      RunShell("flock --no-fork " + output + "/results.csv.part sh -c 'echo > " + (folder / "held") +
               "; exec sleep 60' & first=$!; until [ -e " + (folder / "held") +
               " ]; do sleep 0.01; done; '" TILESIM_PROGRAM "' run --quiet --mode timing --output " + output +
               kPooling + "; echo $?; echo $first; kill $first; wait");
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[0], "2");
  EXPECT_TRUE(end.err.starts_with("tilesim: " + output + "/results.csv.part is being written by process " +
                                  lines[1] +
                                  " of tilesim; wait for its end, or give --output a folder of its own\n"))
      << end.err;
  EXPECT_EQ(ReadFile(output + "/results.csv.part"), "rows\n");
}

TEST(TwoProcesses, ATableIsFreeOnceTheFirstHasEnded) {
  const ScratchFolder folder;
  fs::create_directory(folder / "out");
  folder.Write("out/results.csv.part", "left by a run that was killed\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(RunProgram("run --quiet --mode timing --output " + (folder / "out") + kPooling).code, 0);
    EXPECT_EQ(Lines(ReadFile(folder / "out/results.csv")).size(), 2U);
  }
}

TEST(TwoProcesses, AKnowledgeBaseBelongsToTheFirst) {
  const ScratchFolder folder;
  const std::string base = folder / "kb.jsonl";
  const ProgramEnd end =
      RunShell("touch " + base + ".part; flock --no-fork " + base + ".part sh -c 'echo > " +
               (folder / "held") + "; exec sleep 60' & first=$!; until [ -e " + (folder / "held") +
               " ]; do sleep 0.01; done; '" TILESIM_PROGRAM "' tune --quiet --budget 0 --kb-out " + base +
               kProduct + "; echo $?; kill $first; wait");
  EXPECT_EQ(Lines(end.out).front(), "2");
  EXPECT_TRUE(
      Contains(end.err, "tilesim: --kb-out = '" + base + "': " + base + ".part is being written by process "))
      << end.err;
  EXPECT_TRUE(Contains(end.err, " of tilesim; wait for its end, or give another name\n")) << end.err;
}

TEST(TwoProcesses, TriedCombinationsBelongToTheFirst) {
  const ScratchFolder folder;
  const std::string path = folder / "tried.jsonl";
  {
    const TriedFile first(path, {{"file", "k.asc"}});
    try {
      const TriedFile second(path, {{"file", "k.asc"}});
      FAIL();
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(), "--kb-out = '" + path + "': is being written by process " +
                                  std::to_string(getpid()) +
                                  " of tilesim; wait for its end, or give another name");
    }
  }
  const TriedFile later(path, {{"file", "k.asc"}});
  EXPECT_EQ(Lines(ReadFile(path)).size(), 1U);
}

// Whoever comes second is refused or adds to what the first has written; no row is lost with exit 0.
TEST(TwoProcesses, LoseNoRecordOfWhoEndsWithZero) {
  const ScratchFolder folder;
  const std::string base = folder / "kb.jsonl";
  const auto tune = [&](const std::string& n) {
    return "'" TILESIM_PROGRAM "' tune --quiet --budget 0 --op matmul --m 64 --k 64 --n " + n + " --id n" +
           n + " --kb-out " + base + " >" + (folder / ("out" + n)) + " 2>&1 && echo n" + n;
  };
  const ProgramEnd end =
      RunShell("(" + tune("16") + ") & (" + tune("32") + ") & (" + tune("48") + ") & wait");
  const std::vector<std::string> done = Lines(end.out);
  EXPECT_GE(done.size(), 1U);
  const std::string records = ReadFile(base);
  for (const std::string& id : done) {
    EXPECT_TRUE(Contains(records, "\"" + id + "\"")) << id << ": " << records;
  }
}

// --- what is read ---

TEST(Pipe, GivesATilingAPartAndATensor) {
  const ScratchFolder folder;
  const std::string program = "'" TILESIM_PROGRAM "' ";
  ASSERT_EQ(RunProgram("plan --quiet --output " + folder.path().string() + kPooling).code, 0);
  ASSERT_EQ(RunProgram("run --quiet --output " + folder.path().string() + " --op copy --input 16").code, 0);
  const auto run = [&](const std::string& file, const std::string& options) {
    const ProgramEnd end = RunShell("cat " + file + " | " + program + options);
    EXPECT_EQ(end.code, 0) << options << end.out << end.err;
  };
  run(folder / "case.tiling.json", "run --quiet --mode timing --tiling /dev/stdin" + kPooling);
  run("configs/ascend910b2.cfg", "run --quiet --mode timing --soc /dev/stdin" + kPooling);
  run(folder / "case.y.npy", "compare --quiet --op copy --input 16 --x_file /dev/stdin");
}

TEST(NotUtf8, IsRefusedInItsRowAndTheOthersStay) {
  const ScratchFolder folder;
  folder.Write("c.csv",
               "id,op,input,x_file\na\xff,copy,16,\nb,copy,16,\nc,copy,16,\xc3\x28.npy\nd\x1b[1m,copy,16,\ne,"
               "copy,8,\n");
  for (const std::string command : {"plan", "run --format json", "run --format csv", "run"}) {
    const ProgramEnd end = RunProgram(command + " --quiet --cases " + (folder / "c.csv"));
    EXPECT_EQ(end.code, 2) << command << end.err;
    const std::string all = end.out + end.err;
    EXPECT_FALSE(FirstNotUtf8(all).has_value()) << command;
    EXPECT_FALSE(Contains(all, "\x1b")) << command;
    EXPECT_TRUE(Contains(all, "row 1 (a\\")) << all;
    EXPECT_TRUE(Contains(all,
                         "must be UTF-8 without line breaks, tabs or other control characters; write it "
                         "without, files as UTF-8"))
        << all;
  }
  const ProgramEnd end = RunProgram("run --quiet --format csv --cases " + (folder / "c.csv"));
  EXPECT_EQ(Lines(end.out).size(), 6U) << end.out;
  EXPECT_TRUE(Contains(end.out, "\nb,")) << end.out;
  EXPECT_TRUE(Contains(end.out, "\ne,")) << end.out;
}

TEST(NotUtf8, IsRefusedOnTheCommandLine) {
  for (const std::string option : {"--tiling", "--kb-out", "--id"}) {
    const std::string command = option == "--kb-out" ? "tune --budget 0" : "plan";
    const ProgramEnd end =
        RunShell("'" TILESIM_PROGRAM "' " + command + kProduct + option + " \"$(printf 't\\377')\"");
    EXPECT_EQ(end.code, 2);
    EXPECT_EQ(end.err, "tilesim: " + option +
                           " = 't\\xff': byte 2 is not UTF-8; write it, and names of files, as UTF-8\n");
  }
}

TEST(Overflow, OfANumberInATilingIsRefused) {
  const ScratchFolder folder;
  folder.Write("t.json", "{\"tiling\":1e999}");
  const std::string tiling = folder / "t.json";
  const std::string says =
      tiling +
      ": number '1e999' is beyond all that are read; fields of a tiling are whole numbers, "
      "`plan --format json` writes them";
  for (const std::string command :
       {"run --quiet --tiling ", "plan --quiet --format table --tiling ", "trace --tiling "}) {
    const ProgramEnd end = RunProgram(command + tiling + kPooling);
    EXPECT_EQ(end.code, 2) << command << end.err;
    EXPECT_TRUE(Contains(end.out + end.err, says)) << end.out << end.err;
  }
  const ProgramEnd end = RunProgram("diff " + tiling + " " + tiling + kPooling);
  EXPECT_EQ(end.code, 2);
  EXPECT_TRUE(Contains(end.out + end.err, says)) << end.out << end.err;
}

TEST(Echo, IsCutAndEscaped) {
  const ScratchFolder folder;
  const std::string longest(16384, 'h');
  folder.Write("c.csv", longest + "\x1b,op\n1,copy\n");
  folder.Write("part.cfg", "[memory]\n" + longest + "\x1b = 1\n");
  folder.Write("t.json", "{\"" + longest + "\":{}}");
  const std::string header = "{'descr': '" + longest + "', 'fortran_order': False, 'shape': (1,), }\n";
  folder.Write("x.npy", std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(header.size() & 0xff) +
                            static_cast<char>(header.size() >> 8) + header);
  for (const std::string& arguments :
       {"run --cases " + (folder / "c.csv"), "run --soc " + (folder / "part.cfg") + kPooling,
        "run --tiling " + (folder / "t.json") + kPooling,
        "run --op copy --input 1 --x_file " + (folder / "x.npy"), "run --op copy --input " + longest,
        "run --" + longest + " 1" + kPooling, "run " + longest + kPooling}) {
    const ProgramEnd end = RunProgram(arguments);
    EXPECT_EQ(end.code, 2) << end.err;
    EXPECT_LT((end.out + end.err).size(), 6000U) << arguments.substr(0, 80);
    EXPECT_FALSE(Contains(end.out + end.err, "\x1b"));
  }
}

// --- shapes ---

TEST(Shapes, ConvertAndTransDataTakeEachOthersFiles) {
  const ScratchFolder folder;
  struct Blocked {
    std::string plain, blocked, input;
    std::vector<int64_t> shape;
  };
  const Blocked all[] = {{"NCHW", "NC1HWC0", "2x35x4x5", {2, 3, 4, 5, 16}},
                         {"NCDHW", "NDC1HWC0", "2x35x3x4x5", {2, 3, 3, 4, 5, 16}},
                         {"OIHW", "FRACTAL_Z", "35x20x3x5", {2 * 3 * 5, 3, 16, 16}},
                         {"OIDHW", "FRACTAL_Z_3D", "35x20x2x3x5", {2 * 2 * 3 * 5, 3, 16, 16}}};
  for (const Blocked& one : all) {
    const std::string formats =
        " --layout " + one.plain + " --to_layout " + one.blocked + " --input " + one.input;
    const std::string back =
        " --layout " + one.blocked + " --to_layout " + one.plain + " --input " + one.input;
    const std::string output = " --quiet --output " + folder.path().string();
    ASSERT_EQ(RunProgram("run --op trans_data --id there" + formats + output).code, 0);
    EXPECT_EQ(ReadNpyHeader(folder / "there.y.npy").shape, one.shape) << one.blocked;
    ASSERT_EQ(RunProgram("convert " + (folder / "there.y.npy") + " " + (folder / "plain.npy") + " --from " +
                         one.blocked + " --to " + one.plain + " --shape " + one.input)
                  .code,
              0)
        << one.blocked;
    ASSERT_EQ(RunProgram("convert " + (folder / "plain.npy") + " " + (folder / "blocked.npy") + " --from " +
                         one.plain + " --to " + one.blocked)
                  .code,
              0);
    EXPECT_EQ(ReadFile(folder / "blocked.npy"), ReadFile(folder / "there.y.npy")) << one.blocked;
    ASSERT_EQ(
        RunProgram("compare --op trans_data --id back --x_file " + (folder / "blocked.npy") + back + output)
            .code,
        0);
    ASSERT_EQ(
        RunProgram("run --op trans_data --id back --x_file " + (folder / "blocked.npy") + back + output).code,
        0);
    EXPECT_EQ(ReadFile(folder / "back.y.npy"), ReadFile(folder / "plain.npy")) << one.blocked;
  }
}

TEST(Shapes, OneAxisStaysOneAxis) {
  const ScratchFolder folder;
  const std::string output = " --quiet --output " + folder.path().string();
  for (const std::string op : {"copy", "mem_set", "add"}) {
    ASSERT_EQ(RunProgram("run --id a --input 16 --op " + op + output).code, 0) << op;
    EXPECT_EQ(ReadNpyHeader(folder / "a.y.npy").shape, (std::vector<int64_t>{16})) << op;
  }
  EXPECT_EQ(RunProgram("compare --op copy --input 16 --x_file " + (folder / "a.y.npy") + output).code, 0);
  const ProgramEnd end =
      RunProgram("compare --op copy --input 1x16 --x_file " + (folder / "a.y.npy") + output);
  EXPECT_EQ(end.code, 2);
  EXPECT_TRUE(Contains(end.out, "shape (16,), must be (1, 16)")) << end.out;
  ASSERT_EQ(RunProgram("run --id a --input 1x16 --op copy" + output).code, 0);
  EXPECT_EQ(ReadNpyHeader(folder / "a.y.npy").shape, (std::vector<int64_t>{1, 16}));
}

}  // namespace
}  // namespace tilesim
