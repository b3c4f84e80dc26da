#include <algorithm>
#include <set>
#include <utility>

#include "formats/units.h"
#include "tiling/matmul/matmul_tasks.h"
#include "tiling/tune/cube_dealing.h"

namespace tilesim {
namespace {

constexpr int64_t kMostCompared = 1 << 12;  // tasks, in all orders

}  // namespace

int64_t MatmulDealing::TasksOf(const CubeSize& part) const {
  return CeilDiv(p_.m, part.m) * CeilDiv(p_.n, part.n) * CeilDiv(p_.k, part.k);
}

MatmulTiling MatmulDealing::TilingOf(const CubeSize& part, const MatmulVariant& variant,
                                     int64_t used_cores) const {
  MatmulTiling tiling = tilesim::TilingOf(p_, part, used_cores);
  tiling.split.order = variant.order;
  tiling.split.m_tile_count_l2 = variant.m_tiles;
  tiling.split.n_tile_count_l2 = variant.n_tiles;
  return tiling;
}

std::vector<MatmulVariant> MatmulDealing::VariantsOf(const CubeSize& part) const {
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

MatmulDealing::Busiest MatmulDealing::BusiestOf(const MatmulTiling& tiling) {
  Busiest busiest;
  int64_t most = -1;
  for (int64_t core = 0; core < tiling.split.used_cores; ++core) {
    std::vector<MatmulDealt> tasks;
    int64_t products = 0;
    ForEachMatmulTask(tiling, core, [&](const MatmulTask& task) {
      const CubeSize size = {task.m.size(), task.n.size(), task.k.size()};
      const auto same = std::ranges::find(tasks, size, &MatmulDealt::size);
      same == tasks.end() ? tasks.push_back({size, 1}) : void(++same->count);
      products += AlignUp(size.m, kFractalEdge) * AlignUp(size.n, kFractalEdge) * size.k;
    });
    if (products > most) {
      most = products;
      busiest = {static_cast<size_t>(core), std::move(tasks)};
    }
  }
  return busiest;
}

}  // namespace tilesim
