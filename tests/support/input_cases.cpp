#include "tests/support/input_cases.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "formats/units.h"
#include "ops/conv3d_backprop/conv3d_case.h"

namespace tilesim::testing {

InputPlan MakeInputPlan(const Conv3dProblem& problem, const HandInputTiling& hand) {
  const InputProblem input = ToInputProblem(problem);
  InputTiling tiling;
  TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  SetProblemFields(input, t);
  const uint32_t taps = t.hk * t.wk;
  const auto l0_fits = [&](uint32_t base_k) {
    const uint32_t extent = AlignUp(std::max(hand.base_m, hand.base_n), 16U);
    return extent * AlignUp(base_k, 16U) * 32 / t.c0 * 2 <= 65536;
  };
  uint32_t lines = hand.k_lines;
  uint32_t parts = taps % hand.k_parts == 0 ? hand.k_parts : taps;
  while (parts == 1 && lines > 1 && !l0_fits(lines * taps * t.c0)) {
    --lines;
  }
  if (!l0_fits(lines * taps * t.c0 / parts)) {
    parts = taps;
  }
  lines = parts > 1 ? 1 : lines;
  t.al0Pbuffer = t.bl0Pbuffer = hand.l0_buffers;
  t.cl0Pbuffer = hand.c_buffers;
  t.al1Pbuffer = hand.a1_buffers;
  t.bl1Pbuffer = hand.b1_buffers;
  t.baseM = hand.base_m;
  t.baseN = hand.base_n;
  t.baseK = lines * taps * t.c0 / parts;
  t.baseD = t.baseBatch = t.baseGroup = 1;
  t.stepM = t.stepN = t.stepBatch = t.stepGroup = 1;
  t.stepKa = hand.step_ka * parts;
  t.stepKb = hand.step_kb * parts;
  t.iterateOrder = hand.order;
  t.hf32Flag = problem.hf32 ? 1 : 0;
  t.singleCoreBatch = t.singleCoreGroup = t.singleCoreHo = 1;
  t.singleCoreDin = static_cast<uint32_t>(hand.single_dins);
  t.singleCoreCout = t.cout;
  t.singleCoreCout1 = t.cout1;
  const int64_t rows = hand.single_rows != 0 ? std::min<int64_t>(hand.single_rows, t.hi) : t.hi;
  t.singleCoreM = static_cast<uint64_t>(rows * t.wi);
  t.singleCoreCin1 =
      hand.single_lines != 0 ? static_cast<uint32_t>(std::min<int64_t>(hand.single_lines, t.cin1G)) : t.cin1G;
  t.singleCoreCin = uint64_t{t.singleCoreCin1} * t.c0;
  tiling.split = DealOut(input, t, hand.cores);
  tiling.split.strategy = hand.strategy;
  tiling.split.din_dim = CeilDiv(problem.in.d, hand.single_dins);
  tiling.split.used_cores = std::min(hand.cores, tiling.split.parts());
  return {.tiling = tiling, .legal = true, .planner = "by hand", .reasons = {}};
}

std::vector<InputCase> InputSynchronisationCases() {
  const Conv3dProblem small = MakeProblem(DType::kFp16, 1, 32, {2, 6, 8}, 32, {1, 3, 3});
  const Conv3dProblem wide = MakeProblem(DType::kBf16, 1, 64, {1, 8, 16}, 48, {1, 3, 3});
  const Conv3dProblem single = MakeProblem(DType::kFp32, 1, 16, {2, 6, 10}, 24, {3, 3, 3});
  Conv3dProblem strided = MakeProblem(DType::kFp16, 1, 32, {2, 9, 11}, 32, {1, 3, 3});
  strided.stride = {1, 2, 2};
  strided.out = ForwardExtents(strided);
  Conv3dProblem spread = MakeProblem(DType::kFp32, 1, 16, {1, 8, 11}, 32, {1, 3, 3});
  spread.stride = {1, 1, 2};
  spread.out = ForwardExtents(spread);
  Conv3dProblem unreached = MakeProblem(DType::kFp16, 1, 16, {5, 6, 7}, 16, {1, 1, 1});
  unreached.stride = {2, 2, 2};
  unreached.out = ForwardExtents(unreached);
  return {
      {"double buffers, M fast", small, {.step_ka = 2, .step_kb = 1, .cores = 2}},
      {"double buffers, N fast", small, {.step_ka = 1, .step_kb = 2, .order = 0, .cores = 2}},
      {"single buffers",
       small,
       {.k_parts = 3, .l0_buffers = 1, .a1_buffers = 1, .b1_buffers = 1, .cores = 2}},
      {"all of K in L1", small, {.step_ka = 2, .step_kb = 2, .c_buffers = 2}},
      {"large blocks", wide, {.base_m = 64, .base_n = 64, .k_parts = 3, .cores = 3}},
      {"fp32", single, {.base_m = 32, .k_lines = 2, .cores = 3}},
      {"phases of a stride", strided, {.base_m = 32, .cores = 2}},
      {"zeros between pixels", spread, {.base_m = 32, .base_n = 16, .cores = 2}},
      {"zeros between pixels, whole planes", spread, {.base_m = 96, .base_n = 16, .a1_buffers = 1}},
      {"pixels that nothing reaches", unreached, {.base_m = 32, .cores = 2}},
  };
}

std::vector<InputRow> ReadInputRows(const std::string& path) {
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) {
      cells.push_back(cell);
    }
    return cells;
  };
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split(line);
  std::vector<InputRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line);
    InputRow row;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].empty()) {
        row.cells[names[i]] = cells[i];
      }
    }
    row.id = row.cells.at("id");
    row.problem = ReadConv3dProblem(row.cells, row.cells.at("op").starts_with("conv2d"));
    rows.push_back(std::move(row));
  }
  return rows;
}

InputInputs MakeInputInputs(const Conv3dProblem& problem, uint64_t seed, bool whole) {
  InputInputs inputs{Tensor(problem.dtype, problem.DyLayout()),
                     Tensor(problem.dtype, problem.FilterLayout())};
  const double range = whole ? 4.0 : 1.0;
  FillRandom(inputs.dy, seed, -range, range);
  FillRandom(inputs.filter, seed + 1, -range, range);
  if (whole) {
    const auto make_whole = [&](Tensor& tensor) {
      const auto each = [](auto elements) {
        for (auto& element : elements) {
          element = std::nearbyint(static_cast<float>(element));
        }
      };
      problem.dtype == DType::kFp16   ? each(tensor.As<Half>())
      : problem.dtype == DType::kBf16 ? each(tensor.As<BFloat16>())
                                      : each(tensor.As<float>());
    };
    make_whole(inputs.dy);
    make_whole(inputs.filter);
  }
  return inputs;
}

}  // namespace tilesim::testing
