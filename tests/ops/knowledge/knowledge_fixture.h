#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "ops/knowledge/known_plan.h"
#include "ops/knowledge/model_version.h"
#include "ops/operator_run.h"
#include "ops/operators.h"
#include "ops/plans/choose_plan.h"
#include "tests/support/default_soc.h"

namespace tilesim::testing {

inline const CaseCells kFilter = {{"op", "conv3d_backprop_filter"},
                                  {"input", "2x32x4x16x16"},
                                  {"filter", "64x32x3x3x3"},
                                  {"pad", "1x0x2x1x0x1"}};
inline const CaseCells kInput = {{"op", "conv3d_backprop_input"},
                                 {"input", "2x32x4x16x15"},
                                 {"filter", "64x32x3x3x3"},
                                 {"stride", "2"},
                                 {"pad", "1"},
                                 {"dtype", "bf16"}};
inline const CaseCells kPool = {
    {"op", "max_pool2d"}, {"input", "2x70x15x16"}, {"filter", "3x3"}, {"stride", "2"}, {"pad", "1"}};
inline const CaseCells kPoolGrad = {
    {"op", "max_pool3d_grad"}, {"input", "2x70x5x15x16"}, {"filter", "3x3x3"}};
inline const CaseCells kMatmul = {
    {"op", "matmul"}, {"m", "1000"}, {"n", "700"}, {"k", "300"}, {"transpose_b", "1"}};

inline CaseCells With(CaseCells cells, const std::string& column, const std::string& value) {
  cells[column] = value;
  return cells;
}

struct Tuned {
  Case problem;
  std::unique_ptr<Operator> op;
  int64_t cores = 0;
  Plan plan;

  explicit Tuned(const CaseCells& cells, PlannerKind planner = PlannerKind::kOp)
      : problem(ReadCase(cells, 0, "")), op(MakeOperator(problem)), cores(CoresOf(*op, Soc())) {
    plan = op->MakePlan(planner, Soc(), cores);
  }

  [[nodiscard]] KnowledgeRecord Record() const {
    return {.key = *KeyOf(problem),
            .tiling = PartsOf(problem, plan.tiling),
            .origin = {.id = "a case",
                       .row = 3,
                       .soc = Soc().name,
                       .cores = cores,
                       .model = ModelVersion(Soc()),
                       .objective = "time",
                       .time_us = 5.5,
                       .gm_bytes = 11,
                       .l1_bytes = 12,
                       .used_cores = 13,
                       .op_us = 6.5,
                       .api_us = {},
                       .from = "search",
                       .bound_us = 4.5,
                       .optimal = true,
                       .legal = 99,
                       .considered = 98,
                       .played = 97,
                       .simulated = 7,
                       .sentence = "the best of all"}};
  }
};

class Knowledge : public ::testing::Test {
 protected:
  ~Knowledge() override { std::filesystem::remove(path_); }

  KnowledgeBase Base(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return KnowledgeBase::Read(path_);
  }
  std::string Refused(const std::string& text) {
    try {
      (void)Base(text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  std::string RefusedFor(const Tuned& tuned, const KnowledgeRecord& record, const SocConfig& soc = Soc()) {
    try {
      (void)KnownPlan(Base(LineOf(record)), tuned.problem, *tuned.op, soc, tuned.cores);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const std::string path_ = ::testing::TempDir() + "knowledge_test_" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
};

}  // namespace tilesim::testing
