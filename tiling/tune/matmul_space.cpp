#include "tiling/tune/matmul_space.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/units.h"
#include "sim/core/shared_rate.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {
namespace {

constexpr int64_t kMostBase = 4080;   // m, n and k of a Mmad are at most 4095
constexpr int64_t kMostRows = 16384;  // of a tile in L1
constexpr int kStepBits = 13;

// What a part of a dimension may be: whole fractals, or all there is.
std::vector<int64_t> PartsOf(int64_t whole) {
  std::vector<int64_t> parts = {whole};
  for (int64_t part = (whole - 1) / kFractalEdge * kFractalEdge; part >= kFractalEdge; part -= kFractalEdge) {
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

MatmulSpace::MatmulSpace(const MatmulShape& shape, const SocConfig& soc, int64_t cores, int64_t least_reads)
    : p_(shape),
      soc_(soc),
      cores_(cores),
      hbm_bytes_(Real(least_reads)),
      element_bytes_(static_cast<int64_t>(SizeOf(shape.dtype))),
      c0_(C0Of(shape.dtype)),
      cube_(soc, shape.dtype, shape.hf32) {
  const std::vector<int64_t> ks =
      shape.out == DType::kFp32 ? PartsOf(shape.k) : std::vector<int64_t>{shape.k};
  for (const int64_t m : PartsOf(shape.m)) {
    for (const int64_t n : PartsOf(shape.n)) {
      for (const int64_t k : ks) {
        parts_.push_back({m, n, k});
      }
    }
  }
}

TileSpace::Opened MatmulSpace::Open(int level, const TilePath& node, double cutoff_us) {
  return level == 0   ? OpenRoot(cutoff_us)
         : level == 1 ? OpenPart(node, cutoff_us)
         : level == 2 ? OpenBlock(node, cutoff_us)
                      : OpenVariants(node);
}

MatmulSpace::Tasks MatmulSpace::TasksOf(const Part& part) const {
  return {CeilDiv(p_.m, part.m) * CeilDiv(p_.n, part.n) * CeilDiv(p_.k, part.k),
          p_.m / part.m * (p_.n / part.n) * (p_.k / part.k)};
}

// Some core has so many full tasks, and one its share of all.
double MatmulSpace::TasksOfBusiest(const Part& part, int64_t cores) const {
  return Real(CeilDiv(TasksOf(part).full, cores));
}

double MatmulSpace::ProductCycles() const {
  return Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, p_.m, p_.n, p_.k).busy_cycles - soc_.mmad_issue_cycles);
}

// Parts of K add into C, which is zeroed first.
double MatmulSpace::BeginOf(const Part& part) const {
  return part.k == p_.k
             ? 0
             : Real(soc_.fixpipe_floor_cycles + soc_.gm_write_latency_cycles + soc_.cross_core_cycles);
}

double MatmulSpace::LongestUs(const CubeCycles& work, const CubeStart& start, int64_t cores) const {
  constexpr double kSlack = 2 * SharedRate::kSlotCycles;  // a shared rate is kept slot by slot
  const double even = start.begin + ProductCycles() / Real(cores) + cube_.Tail();
  return cube_.TimeUs(std::max({cube_.Longest(work, start), even,
                                hbm_bytes_ / soc_.hbm_total_bytes_per_cycle - kSlack + cube_.Tail()}),
                      cores);
}

TileSpace::Opened MatmulSpace::OpenRoot(double cutoff_us) const {
  Opened opened;
  for (uint64_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const Cost product = isa::MmadCost(soc_, p_.dtype, p_.hf32, part.m, part.n, part.k);
    double least = cube_.TimeUs(1e18, 1);
    for (int64_t cores = 1; cores <= std::min(cores_, TasksOf(part).all); ++cores) {
      CubeCycles work;
      work.m = TasksOfBusiest(part, cores) * Real(product.busy_cycles);
      least =
          std::min(least, std::max(MovesUs(part, cores), LongestUs(work, {.begin = BeginOf(part)}, cores)));
    }
    if (least < cutoff_us) {
      opened.nodes.push_back({least, {i}});
    }
  }
  return opened;
}

std::vector<MatmulSpace::Block> MatmulSpace::BlocksOf(const Part& part) const {
  const auto up = [](int64_t extent) { return std::min(AlignUp(extent, kFractalEdge), kMostBase); };
  std::vector<Block> blocks;
  for (int64_t m = up(part.m) / 16 * 16; m >= kFractalEdge; m -= kFractalEdge) {
    const int64_t most_n = std::min(up(part.n), soc_.l0c_bytes / 4 / m);
    for (int64_t n = most_n / 16 * 16; n >= kFractalEdge; n -= kFractalEdge) {
      const int64_t most_k =
          std::min({up(part.k), soc_.l0a_bytes / element_bytes_ / m, soc_.l0b_bytes / element_bytes_ / n});
      for (int64_t k = most_k / 16 * 16; k >= kFractalEdge; k -= kFractalEdge) {
        blocks.push_back({m, n, k});
      }
    }
  }
  return blocks;
}

TileSpace::Opened MatmulSpace::OpenPart(const TilePath& node, double cutoff_us) const {
  const Part& part = parts_[node[0]];
  const std::vector<Block> blocks = BlocksOf(part);
  const int64_t most = std::min(cores_, TasksOf(part).all);
  Opened opened;
  for (uint64_t block = 0; block < blocks.size(); ++block) {
    const CubeCycles task = CyclesOf(part, blocks[block]);
    for (int64_t cores = most; cores >= 1; --cores) {
      CubeCycles work;
      work.Add(task, TasksOfBusiest(part, cores));
      const double bound = LongestUs(work, {.begin = BeginOf(part)}, cores);
      if (bound < cutoff_us) {
        opened.nodes.push_back(
            {bound, {node[0], block * static_cast<uint64_t>(cores_) + static_cast<uint64_t>(cores - 1)}});
      }
    }
  }
  return opened;
}

template <class Visit>
void MatmulSpace::ForEachChoice(const Part& part, const Block& block, Visit&& visit) const {
  const int64_t blocks_m = CeilDiv(part.m, block.m);
  const int64_t blocks_n = CeilDiv(part.n, block.n);
  const int64_t blocks_k = CeilDiv(part.k, block.k);
  const int64_t a_bytes = block.m * block.k * element_bytes_;
  const int64_t b_bytes = block.n * block.k * element_bytes_;
  const int64_t most_l0 = 2 * a_bytes <= soc_.l0a_bytes && 2 * b_bytes <= soc_.l0b_bytes ? 2 : 1;
  const int64_t most_l0c = 2 * block.m * block.n * 4 <= soc_.l0c_bytes ? 2 : 1;
  const int64_t most_turns = blocks_m > 1 && blocks_n > 1 ? 2 : 1;
  for (int64_t ka = 1; ka <= blocks_k && ka * a_bytes <= soc_.l1_bytes; ++ka) {
    for (int64_t kb = 1; kb <= blocks_k && ka * a_bytes + kb * b_bytes <= soc_.l1_bytes; ++kb) {
      if ((ka > kb ? ka % kb : kb % ka) != 0 || std::max(ka, kb) * block.k > kMostRows) {
        continue;
      }
      for (int64_t copies = 0; copies < 4; ++copies) {
        Choice c{.step_ka = ka, .step_kb = kb};
        c.copies_a = 1 + copies / 2;
        c.copies_b = 1 + copies % 2;
        // blocks side by side only where all of K lies in L1
        const int64_t most_m = ka * c.copies_a * block.k >= part.k ? blocks_m : 1;
        const int64_t most_n = kb * c.copies_b * block.k >= part.k ? blocks_n : 1;
        for (c.step_m = 1; c.step_m <= most_m && c.step_m * block.m <= kMostRows; ++c.step_m) {
          for (c.step_n = 1; c.step_n <= most_n && c.step_n * block.n <= kMostRows; ++c.step_n) {
            if (c.step_m * ka * a_bytes * c.copies_a + c.step_n * kb * b_bytes * c.copies_b > soc_.l1_bytes) {
              break;
            }
            for (int64_t bits = 0; bits < 2 * most_turns * most_l0c * most_l0; ++bits) {
              c.unit_flag = bits % 2 != 0;
              c.n_fast = bits / 2 % most_turns != 0;
              c.l0c_copies = 1 + bits / 2 / most_turns % most_l0c;
              c.l0_copies = 1 + bits / 2 / most_turns / most_l0c;
              visit(c);
            }
          }
        }
      }
    }
  }
}

TileSpace::Opened MatmulSpace::OpenBlock(const TilePath& node, double cutoff_us) const {
  const Part& part = parts_[node[0]];
  const auto cores = static_cast<int64_t>(node[1] % static_cast<uint64_t>(cores_)) + 1;
  const Block block = BlocksOf(part)[node[1] / static_cast<uint64_t>(cores_)];
  const double tasks = TasksOfBusiest(part, cores);
  CubeCycles work;
  work.Add(CyclesOf(part, block), tasks);
  Opened opened;
  ForEachChoice(part, block, [&](const Choice& c) {
    ++opened.tilings;
    const double us = ChoiceUs(part, block, c, work, tasks, cores);
    if (us < cutoff_us) {
      uint64_t code = 0;
      for (const int64_t step : {c.step_ka, c.step_kb, c.step_m, c.step_n}) {
        code = code << kStepBits | static_cast<uint64_t>(step);
      }
      for (const int64_t bit : {c.copies_a - 1, c.copies_b - 1, c.l0_copies - 1, c.l0c_copies - 1,
                                int64_t{c.n_fast}, int64_t{c.unit_flag}}) {
        code = code << 1 | static_cast<uint64_t>(bit);
      }
      opened.nodes.push_back({us, {node[0], node[1], code}});
    }
  });
  return opened;
}

// Orders that deal out the same tasks the same way are one, and so are parts for L2.
std::vector<MatmulSpace::Variant> MatmulSpace::VariantsOf(const Part& part) const {
  const int64_t m_dim = CeilDiv(p_.m, part.m);
  const int64_t n_dim = CeilDiv(p_.n, part.n);
  const auto counts = [](int64_t tasks) {
    std::vector<int64_t> all;
    for (int64_t count = 1; count <= tasks; ++count) {
      if (CeilDiv(tasks, CeilDiv(tasks, count)) == count) {
        all.push_back(count);
      }
    }
    return all;
  };
  std::vector<Variant> variants;
  if (m_dim == 1 || n_dim == 1) {
    variants.push_back({});
    return variants;
  }
  for (const MatmulOrder order : {MatmulOrder::kColumn, MatmulOrder::kRow, MatmulOrder::kDiagonal}) {
    for (const int64_t m : counts(m_dim)) {
      for (const int64_t n : counts(n_dim)) {
        variants.push_back({order, m, n});
      }
    }
  }
  return variants;
}

// Which of them is best is not known before it is played: they differ in what L2 has.
TileSpace::Opened MatmulSpace::OpenVariants(const TilePath& node) const {
  Opened opened;
  const size_t count = VariantsOf(parts_[node[0]]).size();
  for (uint64_t variant = 0; variant < count; ++variant) {
    opened.nodes.push_back({0, {node[0], node[1], node[2], variant}});
  }
  opened.tilings = static_cast<int64_t>(count) - 1;  // one was counted with its choice
  return opened;
}

int64_t MatmulSpace::Count(const TilePath& node) const {
  const Part& part = parts_[node[0]];
  int64_t choices = 0;
  for (const Block& block : BlocksOf(part)) {
    ForEachChoice(part, block, [&](const Choice&) { ++choices; });
  }
  return choices * std::min(cores_, TasksOf(part).all) * static_cast<int64_t>(VariantsOf(part).size());
}

MatmulTiling MatmulSpace::TilingOf(const TilePath& path) const {
  const Part& part = parts_[path[0]];
  const Block block = BlocksOf(part)[path[1] / static_cast<uint64_t>(cores_)];
  const Variant variant = VariantsOf(part)[path[3]];
  uint64_t code = path[2];
  const auto take = [&](int bits) {
    const auto value = static_cast<uint32_t>(code & ((uint64_t{1} << bits) - 1));
    code >>= bits;
    return value;
  };
  const auto narrow = [](int64_t value) { return static_cast<uint32_t>(value); };
  MatmulTiling tiling;
  MatmulTilingData& t = tiling.data;
  MatmulSplit& s = tiling.split;
  s.unit_flag = take(1);
  t.iterateOrder = take(1);
  t.dbL0C = take(1) + 1;
  t.dbL0A = t.dbL0B = take(1) + 1;
  const uint32_t copies_b = take(1) + 1;
  const uint32_t copies_a = take(1) + 1;
  t.stepN = take(kStepBits);
  t.stepM = take(kStepBits);
  t.stepKb = take(kStepBits);
  t.stepKa = take(kStepBits);
  t.depthA1 = t.stepM * t.stepKa * copies_a;
  t.depthB1 = t.stepN * t.stepKb * copies_b;
  t.M = narrow(p_.m);
  t.N = narrow(p_.n);
  t.Ka = t.Kb = narrow(p_.k);
  t.singleCoreM = narrow(part.m);
  t.singleCoreN = narrow(part.n);
  t.singleCoreK = narrow(part.k);
  t.baseM = narrow(block.m);
  t.baseN = narrow(block.n);
  t.baseK = narrow(block.k);
  s.m_dim = CeilDiv(p_.m, part.m);
  s.n_dim = CeilDiv(p_.n, part.n);
  s.k_dim = CeilDiv(p_.k, part.k);
  s.order = variant.order;
  s.m_tile_count_l2 = variant.m_tiles;
  s.n_tile_count_l2 = variant.n_tiles;
  s.used_cores = static_cast<int64_t>(path[1] % static_cast<uint64_t>(cores_)) + 1;
  t.usedCoreNum = narrow(s.used_cores);
  return tiling;
}

size_t MatmulSpace::BusiestCoreOf(const TilePath& path) const {
  const MatmulTiling tiling = TilingOf(path);
  size_t busiest = 0;
  int64_t most = -1;
  for (int64_t core = 0; core < tiling.split.used_cores; ++core) {
    int64_t products = 0;
    ForEachMatmulTask(tiling, core, [&](const MatmulTask& task) {
      products += task.m.size() * task.n.size() * task.k.size();
    });
    if (products > most) {
      most = products;
      busiest = static_cast<size_t>(core);
    }
  }
  return busiest;
}

}  // namespace tilesim
