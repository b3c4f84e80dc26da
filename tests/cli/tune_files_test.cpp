// What several runs of `tune` share: budgets, files that go on where a run was stopped, shares of the cases,
// merging.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>

#include "cli/tune/record_file.h"
#include "cli/tune/shard.h"
#include "cli/tune/tune_limits.h"
#include "formats/error.h"
#include "ops/knowledge/merged_records.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

using testing::HasSubstr;

KnowledgeRecord Record(const std::string& id, int64_t row, double time_us) {
  KnowledgeRecord record;
  record.key = {"matmul", {{"m", row}}};
  record.tiling = {.knowledge = R"({"matmulTiling":{"baseM":16}})", .rest = "{}"};
  record.origin.id = id;
  record.origin.row = row;
  record.origin.soc = "ascend910b2";
  record.origin.model = "1-00000000";
  record.origin.time_us = time_us;
  return record;
}

std::vector<std::string> Ids(std::span<const KnowledgeRecord> records) {
  std::vector<std::string> ids;
  for (const KnowledgeRecord& record : records) {
    ids.push_back(record.origin.id);
  }
  return ids;
}

std::string ErrorOf(const auto& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(RecordFile, HasItsNameWhenItIsFinished) {
  const ScratchFolder folder;
  RecordFile file(folder / "kb.jsonl");
  file.Add(Record("a", 1, 1));
  EXPECT_FALSE(std::filesystem::exists(folder / "kb.jsonl"));
  file.Finish();
  EXPECT_EQ(ReadFile(folder / "kb.jsonl"), LineOf(Record("a", 1, 1)));
  EXPECT_FALSE(std::filesystem::exists(folder / "kb.jsonl.part"));
}

TEST(RecordFile, KeepsTheRecordsThatAreThere) {
  const ScratchFolder folder;
  folder.Write("kb.jsonl", LineOf(Record("a", 1, 2)) + LineOf(Record("b", 2, 2)));
  RecordFile file(folder / "kb.jsonl");
  file.Add(Record("b", 2, 3));  // worse than what is there
  file.Add(Record("c", 3, 3));
  file.Finish();
  EXPECT_EQ(Ids(KnowledgeBase::Read(folder / "kb.jsonl").records()),
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(KnowledgeBase::Read(folder / "kb.jsonl").records()[1].origin.time_us, 2);
}

TEST(RecordFile, RefusesTimesOfAnotherModelBeforeAnythingIsTuned) {
  const ScratchFolder folder;
  folder.Write("kb.jsonl", LineOf(Record("a", 1, 2)));
  const RecordFile file(folder / "kb.jsonl");
  EXPECT_EQ(ErrorOf([&] { file.RequireModel("ascend910b2", "1-00000000"); }), "");
  EXPECT_EQ(ErrorOf([&] { file.RequireModel("ascend910b1", "2-00000000"); }), "");
  EXPECT_THAT(ErrorOf([&] { file.RequireModel("ascend910b2", "2-00000000"); }),
              HasSubstr("kb.jsonl:1: of model 1-00000000 of ascend910b2, this run is of 2-00000000"));
}

TEST(RecordFile, LeavesAPartOnlyWithSomethingInIt) {
  const ScratchFolder folder;
  { const RecordFile refused(folder / "kb.jsonl"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "kb.jsonl.part"));
  {
    RecordFile stopped(folder / "kb.jsonl");
    stopped.Add(Record("a", 1, 1));
  }
  { const RecordFile refused(folder / "kb.jsonl"); }
  EXPECT_EQ(ReadFile(folder / "kb.jsonl.part"), LineOf(Record("a", 1, 1)));
}

// A kill may leave any beginning of the text.
TEST(RecordFile, GoesOnAfterAKillAtAnyMoment) {
  const ScratchFolder folder;
  const std::string first = LineOf(Record("a", 1, 1));
  const std::string both = first + LineOf(Record("b", 2, 1));
  for (size_t bytes = 0; bytes <= both.size(); ++bytes) {
    folder.Write("kb.jsonl.part", both.substr(0, bytes));
    RecordFile file(folder / "kb.jsonl");
    const size_t left = bytes == both.size() ? 2 : bytes >= first.size() ? 1 : 0;
    ASSERT_EQ(file.left().records().size(), left) << bytes;
    for (size_t i = left; i < 2; ++i) {
      file.Add(i == 0 ? Record("a", 1, 1) : Record("b", 2, 1));
    }
    file.Finish();
    ASSERT_EQ(ReadFile(folder / "kb.jsonl"), both) << bytes;
  }
}

TEST(RecordFile, IsNotWholeWhereARecordCannotBeWritten) {
  const ScratchFolder folder;
  RecordFile file(folder / "kb.jsonl");
  file.Add(Record("a", 1, 1));
  EXPECT_TRUE(file.is_whole());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none = {.rlim_cur = 10, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const std::string error = ErrorOf([&] { file.Add(Record("b", 2, 1)); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(error, HasSubstr("kb.jsonl.part: cannot be written (File too large)"));
  EXPECT_FALSE(file.is_whole());
  EXPECT_EQ(file.held(), 1);
}

TEST(RecordFile, RefusesALeftFileOfSomethingElse) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "other.jsonl.part");
  EXPECT_THAT(ErrorOf([&] { const RecordFile file(folder / "other.jsonl"); }),
              HasSubstr("other.jsonl.part, under which it grows; remove that, or give another"));
  folder.Write("kb.jsonl.part", "id,cycles\n");
  EXPECT_THAT(ErrorOf([&] { const RecordFile file(folder / "kb.jsonl"); }),
              HasSubstr("kb.jsonl.part:1: no record of a knowledge base"));
  EXPECT_THAT(ErrorOf([&] { const RecordFile file(folder / "no/kb.jsonl"); }),
              HasSubstr("kb.jsonl.part cannot be written (No such file or directory)"));
  EXPECT_EQ(ReadFile(folder / "kb.jsonl.part"), "id,cycles\n");
}

Shard Given(const std::string& text) {
  return ShardOf(Arguments(FindCommand("tune"), std::vector<std::string>{"--shard", text}));
}

TEST(Shard, TogetherHaveEachCaseOnce) {
  for (size_t index = 0; index < 20; ++index) {
    int have = 0;
    for (size_t number = 1; number <= 7; ++number) {
      have += Shard{number, 7}.Has(index) ? 1 : 0;
    }
    EXPECT_EQ(have, 1) << index;
  }
}

TEST(Shard, NamesItsFiles) {
  EXPECT_EQ((Shard{2, 8}).Named("out/kb.jsonl"), "out/kb.2-of-8.jsonl");
  EXPECT_EQ(Shard().Named("out/kb.jsonl"), "out/kb.jsonl");
}

TEST(Shard, IsKnownByTheNameOfItsFile) {
  const std::optional<SharedName> name = SharedNameOf("out/kb.v2.12-of-80.jsonl");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->whole, "out/kb.v2.jsonl");
  EXPECT_EQ(name->shard.number, 12U);
  EXPECT_EQ(name->shard.count, 80U);
  EXPECT_EQ(SharedNameOf("out/kb.1-of-2").value().whole, "out/kb");
  for (const char* other : {"kb.jsonl", "kb", "best-of-3.jsonl", "kb.3-of-2.jsonl", "kb.0-of-2.jsonl",
                            "kb.a-of-2.jsonl", "kb.1-of-.jsonl"}) {
    EXPECT_FALSE(SharedNameOf(other)) << other;
  }
}

TEST(Shard, IsReadFromText) {
  EXPECT_EQ(Given("2/8").number, 2U);
  EXPECT_EQ(Given("2/8").count, 8U);
  for (const char* bad : {"0/2", "3/2", "1", "a/b", "1/", "/2", "1/2/3", "-1/2", ""}) {
    EXPECT_THAT(ErrorOf([&] { (void)Given(bad); }), HasSubstr("--shard = '" + std::string(bad) + "': must "))
        << bad;
  }
}

TuneLimits Budget(const std::string& text) {
  return TuneLimitsOf(Arguments(FindCommand("tune"), std::vector<std::string>{"--budget", text}));
}

TEST(Budget, IsReadFromText) {
  for (const auto& [text, seconds] :
       {std::pair("500ms", 0.5), {"30s", 30.}, {"30", 30.}, {"1.5m", 90.}, {"2h", 7200.}, {"0", 0.}}) {
    EXPECT_EQ(Budget(text).seconds, seconds) << text;
  }
  EXPECT_EQ(Budget("200runs").runs, 200);
  for (const char* bad :
       {"1e99s", "1e2runs", "1.5runs", "-1", "nan", "inf", "1 s", "s", "5M", "0x1s", "runs"}) {
    EXPECT_THAT(ErrorOf([&] { (void)Budget(bad); }),
                HasSubstr("--budget = '" + std::string(bad) + "': must be a time, such as 500ms"))
        << bad;
  }
}

class ShardOfEnvironment : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& name : set_) {
      unsetenv(name.c_str());
    }
  }
  void Set(const std::string& name, const std::string& value) {
    set_.push_back(name);
    setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<std::string> set_;
};

TEST_F(ShardOfEnvironment, IsOpenMpisRank) {
  EXPECT_THAT(ErrorOf([&] { (void)Given("mpi"); }), HasSubstr("start it with mpirun"));
  Set("OMPI_COMM_WORLD_RANK", "3");
  Set("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_EQ(Given("mpi").number, 4U);
  EXPECT_EQ(Given("mpi").count, 4U);
  Set("OMPI_COMM_WORLD_RANK", "x");
  EXPECT_THAT(ErrorOf([&] { (void)Given("mpi"); }), HasSubstr("OMPI_COMM_WORLD_RANK = 'x': must be a whole"));
}

TEST_F(ShardOfEnvironment, IsThePlaceInASlurmArray) {
  EXPECT_THAT(ErrorOf([&] { (void)Given("slurm"); }), HasSubstr("start it with sbatch --array=1-N"));
  Set("SLURM_ARRAY_TASK_ID", "5");
  Set("SLURM_ARRAY_TASK_MIN", "4");
  Set("SLURM_ARRAY_TASK_COUNT", "3");
  EXPECT_EQ(Given("slurm").number, 2U);
  EXPECT_EQ(Given("slurm").count, 3U);
  Set("SLURM_ARRAY_TASK_ID", "7");
  EXPECT_THAT(ErrorOf([&] { (void)Given("slurm"); }), HasSubstr("is not one of 3 tasks from 4 on"));
}

class Merging : public testing::Test {
 protected:
  std::vector<KnowledgeRecord> Merged(const std::vector<std::vector<KnowledgeRecord>>& files) {
    std::vector<KnowledgeBase> bases;
    for (const std::vector<KnowledgeRecord>& records : files) {
      std::string text;
      for (const KnowledgeRecord& record : records) {
        text += LineOf(record);
      }
      folder_.Write("kb.jsonl", text);
      bases.push_back(KnowledgeBase::Read(folder_ / "kb.jsonl"));
    }
    return MergedRecords(bases);
  }
  ScratchFolder folder_;
};

TEST_F(Merging, PutsShardsInTheOrderOfTheCases) {
  EXPECT_EQ(Ids(Merged({{Record("a", 1, 1), Record("c", 3, 1)}, {Record("b", 2, 1), Record("d", 4, 1)}})),
            (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST_F(Merging, KeepsTheBetterOfTwoForACase) {
  const std::vector<KnowledgeRecord> merged =
      Merged({{Record("a", 1, 3)}, {Record("a", 1, 2)}, {Record("a", 1, 2.5)}});
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].origin.time_us, 2);
}

TEST_F(Merging, KeepsTheBetterByTheObjective) {
  KnowledgeRecord fast = Record("a", 1, 1.3);
  fast.origin.objective = "traffic";
  fast.origin.gm_bytes = 172032;
  KnowledgeRecord lean = Record("a", 1, 1.4);
  lean.origin.objective = "traffic";
  lean.origin.gm_bytes = 57344;
  const std::vector<KnowledgeRecord> merged = Merged({{fast}, {lean}});
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].origin.gm_bytes, 57344);
}

TEST_F(Merging, KeepsEqualProblemsOfTwoRows) {
  KnowledgeRecord again = Record("b", 2, 1);
  again.key = Record("a", 1, 1).key;
  EXPECT_EQ(Ids(Merged({{Record("a", 1, 1)}, {again}})), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Merging, RefusesTimesOfTwoModels) {
  KnowledgeRecord other = Record("b", 2, 1);
  other.origin.model = "2-00000000";
  EXPECT_THAT(ErrorOf([&] {
                (void)Merged({{Record("a", 1, 1)}, {other}});
              }),
              HasSubstr("of model 2-00000000 of ascend910b2"));
  other.origin.soc = "ascend910b1";
  EXPECT_EQ(Merged({{Record("a", 1, 1)}, {other}}).size(), 2U);
}

}  // namespace
}  // namespace tilesim
