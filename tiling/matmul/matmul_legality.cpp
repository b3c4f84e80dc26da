#include "tiling/matmul/matmul_legality.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "formats/units.h"
#include "tiling/cube_choice.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {
namespace {

constexpr int64_t kMostMatmulStep = 1 << 15;  // none beyond fits any L1

std::string Path(std::string_view field) { return Say("matmulTiling.", field); }

void CheckSizes(const MatmulTilingData& t, const MatmulShape& shape, Rejections& reasons) {
  const ValueRange ranges[] = {
      {"rows of A and C", "matmulTiling.M", t.M, shape.m, shape.m},
      {"columns of B and C", "matmulTiling.N", t.N, shape.n, shape.n},
      {"K of A", "matmulTiling.Ka", t.Ka, shape.k, shape.k},
      {"K of B", "matmulTiling.Kb", t.Kb, shape.k, shape.k},
      {"m of a Mmad, whole fractals", "matmulTiling.baseM", t.baseM, 16, kMostMmad, 16},
      {"n of a Mmad, whole fractals", "matmulTiling.baseN", t.baseN, 16, kMostMmad, 16},
      {"k of a Mmad, whole fractals", "matmulTiling.baseK", t.baseK, 16, kMostMmad, 16},
      {"base blocks of M in L1", "matmulTiling.stepM", t.stepM, 1, kMostMatmulStep},
      {"base blocks of N in L1", "matmulTiling.stepN", t.stepN, 1, kMostMatmulStep},
      {"base blocks of K of A in L1", "matmulTiling.stepKa", t.stepKa, 1, kMostMatmulStep},
      {"base blocks of K of B in L1", "matmulTiling.stepKb", t.stepKb, 1, kMostMatmulStep},
      {"0: M first, 1: N first", "matmulTiling.iterateOrder", t.iterateOrder, 0, 1},
      {"buffers in L0A", "matmulTiling.dbL0A", t.dbL0A, 1, 2},
      {"buffers in L0B", "matmulTiling.dbL0B", t.dbL0B, 1, 2},
      {"buffers in L0C", "matmulTiling.dbL0C", t.dbL0C, 1, 2},
  };
  CheckRanges(ranges, reasons);
}

// A part of one dimension is whole fractals, or all of it.
void CheckParts(const MatmulTiling& tiling, const MatmulShape& shape, int64_t cores, Rejections& reasons) {
  struct Dimension {
    std::string_view single_field;
    std::string_view count_field;
    int64_t single;
    int64_t whole;
    int64_t count;
  };
  const MatmulTilingData& t = tiling.data;
  const MatmulSplit& s = tiling.split;
  int64_t tasks = 1;  // 0: a part is wrong
  for (const Dimension& d : {Dimension{"singleCoreM", "mDim", t.singleCoreM, shape.m, s.m_dim},
                             Dimension{"singleCoreN", "nDim", t.singleCoreN, shape.n, s.n_dim},
                             Dimension{"singleCoreK", "kDim", t.singleCoreK, shape.k, s.k_dim}}) {
    const std::string single = Path(d.single_field);
    const ValueRange range = {
        "of a task, whole fractals or all there is", single,  d.single,
        std::min<int64_t>(kFractalEdge, d.whole),    d.whole, d.single < d.whole ? kFractalEdge : 1};
    const size_t before = reasons.size();
    CheckRanges(std::span(&range, 1), reasons);
    const int64_t parts = reasons.size() == before ? CeilDiv(d.whole, d.single) : 0;
    tasks = std::min<int64_t>(tasks * parts, INT32_MAX);
    if (parts != 0) {
      CheckExact(Say("tasks of ", d.single, " in ", d.whole), Say("split.", d.count_field), d.count, parts,
                 reasons);
    }
  }
  if (tasks > 0) {
    const ValueRange used = {"cores, of which each has a task", "matmulTiling.usedCoreNum", s.used_cores, 1,
                             std::min(cores, tasks)};
    CheckRanges(std::span(&used, 1), reasons);
  }
}

void CheckSplit(const MatmulSplit& s, const MatmulShape& shape, Rejections& reasons) {
  const ValueRange ranges[] = {
      {"parts of the tasks along M for L2", "split.mTileCntL2", s.m_tile_count_l2, 1,
       std::max<int64_t>(s.m_dim, 1)},
      {"parts of the tasks along N for L2", "split.nTileCntL2", s.n_tile_count_l2, 1,
       std::max<int64_t>(s.n_dim, 1)},
      {"0: flags of the pipes, 1: unit flags", "split.unitFlag", s.unit_flag, 0, 1},
  };
  CheckRanges(ranges, reasons);
  if (s.k_dim > 1 && shape.out != DType::kFp32) {
    reasons.push_back({Say("parts of K add into C, which must be fp32 and is ", Name(shape.out)),
                       "split.kDim", s.k_dim, 1,
                       Say(Path("singleCoreK"), " ", shape.k, " with split.kDim 1 fits, or out_dtype fp32"),
                       LimitKind::kExact});
  }
  if (!reasons.empty()) {
    return;
  }
  const auto check_parts = [&](std::string_view field, int64_t count, int64_t tasks) {
    const int64_t each = CeilDiv(tasks, count);
    CheckExact(Say(tasks, " tasks in parts of ", each, " leave some empty"), Say("split.", field), count,
               CeilDiv(tasks, each), reasons);
  };
  check_parts("mTileCntL2", s.m_tile_count_l2, s.m_dim);
  check_parts("nTileCntL2", s.n_tile_count_l2, s.n_dim);
}

struct Side {
  std::string_view depth_field;
  std::string_view step_field;
  std::string_view step_k_field;
  int64_t depth;
  int64_t step;
  int64_t step_k;
  int64_t base;
};

void CheckDepth(const Side& side, const MatmulTilingData& t, Rejections& reasons) {
  const int64_t one = side.step * side.step_k;
  if (side.depth != one && side.depth != 2 * one) {
    reasons.push_back({Say("base blocks in L1, ", side.step_field, " * ", side.step_k_field, " = ", one,
                           " or twice that: found ", side.depth),
                       Path(side.depth_field), side.depth, one,
                       Say(side.depth_field, " ", one, " and ", 2 * one, " fit"), LimitKind::kInWords});
    return;
  }
  const int64_t rows = std::max(side.step * side.base, side.step_k * t.baseK);
  if (rows > kMostNd2NzRows) {
    reasons.push_back({"rows of a tile in L1",
                       Path(side.step * side.base == rows ? side.step_field : side.step_k_field), rows,
                       kMostNd2NzRows, "fewer base blocks a step fit"});
  }
  const int64_t held = side.depth / side.step * t.baseK;  // of K, in all copies
  if (side.step > 1 && held < t.singleCoreK) {
    reasons.push_back({Say("1 where not all of K lies in L1 (", held, " of singleCoreK ", t.singleCoreK, ")"),
                       Path(side.step_field), side.step, 1,
                       Say(side.step_field, " 1 fits, or a larger ", side.depth_field), LimitKind::kExact});
  }
}

void CheckSteps(const MatmulTilingData& t, Rejections& reasons) {
  CheckDepth({"depthA1", "stepM", "stepKa", t.depthA1, t.stepM, t.stepKa, t.baseM}, t, reasons);
  CheckDepth({"depthB1", "stepN", "stepKb", t.depthB1, t.stepN, t.stepKb, t.baseN}, t, reasons);
  const int64_t more = std::max(t.stepKa, t.stepKb);
  const int64_t less = std::min(t.stepKa, t.stepKb);
  if (more % less != 0) {
    const std::string field = Path(t.stepKa > t.stepKb ? "stepKa" : "stepKb");
    reasons.push_back({Say("of stepKa and stepKb one is a multiple of the other, here of ", less), field,
                       more, less, Say(field, " ", more / less * less, " fits"), LimitKind::kMultiple});
  }
}

}  // namespace

MatmulBytes MatmulBytesOf(const MatmulTilingData& t, DType dtype) {
  const auto element = static_cast<int64_t>(SizeOf(dtype));
  const int64_t a = int64_t{t.baseM} * t.baseK * element;
  const int64_t b = int64_t{t.baseN} * t.baseK * element;
  return {.l1 = t.depthA1 * a + t.depthB1 * b,
          .l0a = t.dbL0A * a,
          .l0b = t.dbL0B * b,
          .l0c = int64_t{t.dbL0C} * t.baseM * t.baseN * static_cast<int64_t>(sizeof(float))};
}

void CheckMatmulCapacity(const MatmulTilingData& t, DType dtype, const CoreMemory& memory,
                         Rejections& reasons) {
  const MatmulBytes bytes = MatmulBytesOf(t, dtype);
  const auto element = static_cast<int64_t>(SizeOf(dtype));
  // `field` times `step_bytes` bytes are too many
  const auto check = [&](std::string_view what, std::string_view field, int64_t found, int64_t most,
                         int64_t step_bytes, int64_t granule) {
    if (found > most) {
      const int64_t fits = most / step_bytes / granule * granule;
      reasons.push_back({Say("bytes of ", what), Path(field), found, most,
                         fits > 0 ? Say(field, " ", fits, " fits") : "make the other sizes smaller"});
    }
  };
  check("L0A", "baseK", bytes.l0a, memory.l0a_bytes, int64_t{t.dbL0A} * t.baseM * element, 16);
  check("L0B", "baseK", bytes.l0b, memory.l0b_bytes, int64_t{t.dbL0B} * t.baseN * element, 16);
  check("L0C", "baseN", bytes.l0c, memory.l0c_bytes, int64_t{t.dbL0C} * t.baseM * 4, 16);
  if (bytes.l1 > memory.l1_bytes) {
    reasons.push_back({"bytes of L1: depthA1 blocks of A and depthB1 of B", Path("depthA1"), bytes.l1,
                       memory.l1_bytes, "smaller stepKa and stepKb, with their depths, fit"});
  }
}

Rejections WhyNot(const MatmulTiling& tiling, const MatmulShape& shape, const CoreMemory& memory,
                  int64_t cores) {
  Rejections reasons;
  CheckSizes(tiling.data, shape, reasons);
  CheckParts(tiling, shape, cores, reasons);
  CheckSplit(tiling.split, shape, reasons);
  if (reasons.empty()) {  // nothing below divides by 0 or is beyond 64 bits
    CheckSteps(tiling.data, reasons);
    CheckMatmulCapacity(tiling.data, shape.dtype, memory, reasons);
  }
  return reasons;
}

}  // namespace tilesim
