#include "tiling/tune/matmul_dealing.h"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/units.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {
namespace {

constexpr int64_t kMostCompared = 1 << 12;  // tasks, in all orders

// A task with the operands it reads, by number.
struct Dealt {
  MatmulSize size;
  size_t a = 0, b = 0;
};

// How many of them are different, and how many of these nobody reads earlier.
void CountParts(std::vector<size_t> parts, const std::vector<int64_t>& first_round, int64_t round,
                MatmulDealtOperand& operand) {
  std::ranges::sort(parts);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  operand.parts = static_cast<int64_t>(parts.size());
  operand.new_parts = std::ranges::count_if(parts, [&](size_t part) { return first_round[part] == round; });
}

// All cores fetch their first tile of A at once, in their order: with how many each fetcher shares HBM.
std::vector<int64_t> SharersOf(const std::vector<std::vector<Dealt>>& cores, size_t parts) {
  std::vector<int64_t> sharers(parts, 0);
  auto left = static_cast<int64_t>(cores.size());
  for (const std::vector<Dealt>& core : cores) {
    int64_t& of_part = sharers[core.front().a];
    if (of_part == 0) {
      of_part = left;
    } else {
      --left;  // it waits for what another has fetched
    }
  }
  return sharers;
}

}  // namespace

MatmulDealing::MatmulDealing(const MatmulShape& shape, int64_t l2_bytes) : p_(shape) {
  const auto operand = static_cast<int64_t>(SizeOf(shape.dtype));
  constexpr int64_t kGranules = 1 << 16;  // whole ones of each matrix
  all_in_l2_ = (shape.m * shape.k + shape.k * shape.n) * operand +
                   shape.m * shape.n * static_cast<int64_t>(SizeOf(shape.out)) + kGranules <=
               l2_bytes;
}

int64_t MatmulDealing::TasksOf(const MatmulSize& part) const {
  return CeilDiv(p_.m, part.m) * CeilDiv(p_.n, part.n) * CeilDiv(p_.k, part.k);
}

size_t MatmulDealing::BusiestCoreOf(const MatmulTiling& tiling) {
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

MatmulTiling MatmulDealing::TilingOf(const MatmulSize& part, const MatmulVariant& variant,
                                     int64_t used_cores) const {
  const auto narrow = [](int64_t value) { return static_cast<uint32_t>(value); };
  MatmulTiling tiling;
  tiling.data.usedCoreNum = narrow(used_cores);
  tiling.data.M = narrow(p_.m), tiling.data.N = narrow(p_.n);
  tiling.data.Ka = tiling.data.Kb = narrow(p_.k);
  tiling.data.singleCoreM = narrow(part.m);
  tiling.data.singleCoreN = narrow(part.n);
  tiling.data.singleCoreK = narrow(part.k);
  tiling.split = {.order = variant.order,
                  .used_cores = used_cores,
                  .m_dim = CeilDiv(p_.m, part.m),
                  .n_dim = CeilDiv(p_.n, part.n),
                  .k_dim = CeilDiv(p_.k, part.k),
                  .m_tile_count_l2 = variant.m_tiles,
                  .n_tile_count_l2 = variant.n_tiles};
  return tiling;
}

std::vector<MatmulVariant> MatmulDealing::VariantsOf(const MatmulSize& part) const {
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
  if (m_dim == 1 || n_dim == 1) {
    return {{}};
  }
  const std::vector<int64_t> counts_m = counts(m_dim);
  const std::vector<int64_t> counts_n = counts(n_dim);
  const auto all = static_cast<int64_t>(3 * counts_m.size() * counts_n.size());
  const bool compares = all * m_dim * n_dim <= kMostCompared;
  std::set<std::vector<std::pair<int64_t, int64_t>>> met;  // where the tasks of a part of K begin
  std::vector<MatmulVariant> variants;
  for (const MatmulOrder order : {MatmulOrder::kColumn, MatmulOrder::kRow, MatmulOrder::kDiagonal}) {
    for (const int64_t m : counts_m) {
      for (const int64_t n : counts_n) {
        const MatmulVariant variant{order, m, n};
        const MatmulTiling tiling = TilingOf(part, variant, 1);
        std::vector<std::pair<int64_t, int64_t>> list;
        for (int64_t i = 0; compares && i < m_dim * n_dim; ++i) {
          const MatmulTask task = TaskOf(tiling, i);
          list.emplace_back(task.m.begin, task.n.begin);
        }
        if (!compares || met.insert(std::move(list)).second) {
          variants.push_back(variant);
        }
      }
    }
  }
  return variants;
}

MatmulDealt MatmulDealing::DealtBy(const MatmulSize& part, const MatmulVariant& variant, int64_t used_cores,
                                   MatmulPlaces* places) const {
  const MatmulTiling tiling = TilingOf(part, variant, used_cores);
  const MatmulSplit& s = tiling.split;
  std::vector<std::vector<Dealt>> cores(static_cast<size_t>(used_cores));
  std::vector<int64_t> first_a(static_cast<size_t>(s.m_dim * s.k_dim), -1);
  std::vector<int64_t> first_b(static_cast<size_t>(s.n_dim * s.k_dim), -1);
  for (int64_t i = 0; i < TasksOf(part); ++i) {
    const MatmulTask task = TaskOf(tiling, i);
    const Dealt dealt{.size = {task.m.size(), task.n.size(), task.k.size()},
                      .a = static_cast<size_t>(task.m.begin / part.m * s.k_dim + task.k_part),
                      .b = static_cast<size_t>(task.n.begin / part.n * s.k_dim + task.k_part)};
    cores[static_cast<size_t>(i % used_cores)].push_back(dealt);
    for (int64_t* const first : {&first_a[dealt.a], &first_b[dealt.b]}) {
      *first = *first < 0 ? i / used_cores : *first;
    }
  }
  const auto work = [](const std::vector<Dealt>& tasks) {
    int64_t products = 0;
    for (const Dealt& task : tasks) {
      products += AlignUp(task.size.m, kFractalEdge) * AlignUp(task.size.n, kFractalEdge) * task.size.k;
    }
    return products;
  };
  const std::vector<Dealt>& busiest = *std::ranges::max_element(cores, {}, work);
  std::vector<const std::vector<Dealt>*> alike;
  for (size_t core = 0; core < cores.size(); ++core) {
    const bool same = std::ranges::equal(cores[core], busiest, {}, &Dealt::size, &Dealt::size);
    if (same) {
      alike.push_back(&cores[core]);
    }
    if (places != nullptr) {
      places->tasks.push_back(TaskOf(tiling, static_cast<int64_t>(core)));
    }
    if (places != nullptr && same) {
      places->alike.push_back(core);
    }
  }
  MatmulDealt dealt;
  dealt.alike = static_cast<int64_t>(alike.size());
  dealt.even = alike.size() == cores.size();
  dealt.all_in_l2 = all_in_l2_;
  const std::vector<int64_t> sharers = SharersOf(cores, first_a.size());
  dealt.sharers = dealt.least_sharers = used_cores;
  for (const std::vector<Dealt>& tasks : cores) {
    dealt.least_sharers = std::min(dealt.least_sharers, sharers[tasks.front().a]);
  }
  for (const std::vector<Dealt>* tasks : alike) {
    dealt.sharers = std::min(dealt.sharers, sharers[tasks->front().a]);
  }
  for (size_t i = 0; i < busiest.size(); ++i) {
    const auto round = static_cast<int64_t>(i);
    MatmulDealtTask task;
    task.size = busiest[i].size;
    task.a.first = task.b.first = true;
    MatmulDealtTask least = task;
    std::vector<size_t> parts_a, parts_b;
    for (const std::vector<Dealt>* tasks : alike) {
      parts_a.push_back((*tasks)[i].a);
      parts_b.push_back((*tasks)[i].b);
      task.a.first = task.a.first && first_a[parts_a.back()] == round;
      task.b.first = task.b.first && first_b[parts_b.back()] == round;
    }
    CountParts(parts_a, first_a, round, task.a);
    CountParts(parts_b, first_b, round, task.b);
    for (const std::vector<Dealt>& tasks : cores) {
      if (i < tasks.size()) {
        least.size = {std::min(least.size.m, tasks[i].size.m), std::min(least.size.n, tasks[i].size.n),
                      std::min(least.size.k, tasks[i].size.k)};
        least.a.first = least.a.first && first_a[tasks[i].a] == round;
        least.b.first = least.b.first && first_b[tasks[i].b] == round;
      }
    }
    dealt.tasks.push_back(task);
    dealt.least.push_back(least);
  }
  return dealt;
}

}  // namespace tilesim
