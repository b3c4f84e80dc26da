#include "tiling/tune/input_space.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "formats/units.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/conv_backprop/rough_time.h"

namespace tilesim {
namespace {

constexpr int64_t kMostMmad = 4080;  // m, n, k of an Mmad are 12-bit counts; blocks are multiples of 16
constexpr int kLineBits = 14;
constexpr int kBlockBits = 12;

}  // namespace

InputSpace::InputSpace(const InputProblem& problem, const SocConfig& soc, int64_t cores, int64_t least_reads)
    : p_(problem),
      soc_(soc),
      e_(ExtentsOf(problem)),
      cores_(cores),
      hbm_bytes_(Real(least_reads)),
      dealing_(problem, cores),
      cube_(soc, problem.dtype, problem.hf32),
      ks_(BlocksOfK(problem, kMostMmad)),
      deals_(static_cast<size_t>(dealing_.parts())) {}

TileSpace::Opened InputSpace::Open(int level, const TilePath& node, double cutoff_us) {
  return level == 0   ? OpenRoot(cutoff_us)
         : level == 1 ? OpenPart(node, cutoff_us)
                      : OpenBase(node, cutoff_us);
}

TileSpace::Opened InputSpace::OpenRoot(double cutoff_us) const {
  const double products = ProductCycles();
  std::vector<double> by_cores;  // the least time on so many cores at most
  double least = cube_.TimeUs(1e18, 1);
  for (int64_t cores = 1; cores <= cores_; ++cores) {
    least = std::min(least, cube_.TimeUs(products / Real(cores), cores));
    by_cores.push_back(least);
  }
  Opened opened;
  for (int64_t i = 0; i < dealing_.parts(); ++i) {
    const InputPart part = dealing_.PartOf(i);
    const InputTaskSpace space = dealing_.SpaceOf(part);
    const int64_t tasks =
        space.groups * space.batch * space.row_parts() * space.din_parts() * space.line_parts();
    const double bound = by_cores[static_cast<size_t>(std::min(tasks, cores_) - 1)];
    if (bound < cutoff_us) {
      opened.nodes.push_back({bound, {static_cast<uint64_t>(i)}});
    }
  }
  return opened;
}

std::vector<InputSpace::Base> InputSpace::BasesOf(const InputPart& part) const {
  const auto bytes = static_cast<int64_t>(SizeOf(p_.dtype));
  const int64_t m_extent = AlignUp(part.rows * p_.wi, kFractalEdge);
  const int64_t n_extent = AlignUp(part.lines * e_.c0, kFractalEdge);
  std::vector<Base> bases;
  const int64_t most_m = std::min({m_extent, kMostMmad, soc_.l0a_bytes / bytes / kFractalEdge});
  for (int64_t m = most_m / kFractalEdge * kFractalEdge; m >= kFractalEdge; m -= kFractalEdge) {
    const int64_t most_n =
        std::min({n_extent, kMostMmad, soc_.l0b_bytes / bytes / kFractalEdge, soc_.l0c_bytes / 4 / m});
    for (int64_t n = most_n / kFractalEdge * kFractalEdge; n >= kFractalEdge; n -= kFractalEdge) {
      bases.push_back({m, n});
    }
  }
  return bases;
}

TileSpace::Opened InputSpace::OpenPart(const TilePath& node, double cutoff_us) {
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(node[0]));
  const std::vector<Base> bases = BasesOf(part);
  const std::vector<InputDeal> all = dealing_.DealsOf(part);
  const double products = ProductCycles();
  std::map<uint64_t, Deal>& deals = deals_[node[0]];
  for (uint64_t i = 0; i < all.size(); ++i) {
    if (cube_.TimeUs(products / Real(all[i].used_cores), all[i].used_cores) < cutoff_us) {
      deals.emplace(i, Deal{all[i], dealing_.BusiestCore(part, all[i])});
    }
  }
  Opened opened;
  int64_t made_m = 0;
  std::vector<InputTileCycles> tile;  // of the baseM in hand
  for (uint64_t base = 0; base < bases.size(); ++base) {
    if (bases[base].m != made_m) {
      made_m = bases[base].m;
      tile.clear();
      tile.emplace_back(p_, soc_, part, made_m);
    }
    std::vector<std::pair<InputSamePlanes, CubeCycles>> each;  // of one plane and tap
    for (const auto& [i, deal] : deals) {
      CubeCycles work;
      for (const InputSamePlanes& kind : deal.busiest.kinds) {
        auto same = std::ranges::find_if(each, [&](const auto& known) {
          return known.first.rows == kind.rows && known.first.lines == kind.lines &&
                 known.first.outs == kind.outs && known.first.first_row == kind.first_row;
        });
        if (same == each.end()) {
          each.emplace_back(kind, tile.front().LeastOf(kind, bases[base].n));
          same = each.end() - 1;
        }
        CubeCycles planes = same->second;
        planes.fix *= Real(kind.planes);
        planes.blocks *= Real(kind.planes);
        planes.m *= Real(kind.taps);
        planes.mte1 *= Real(kind.taps);
        planes.products *= Real(kind.taps);
        work.Add(planes, 1);
      }
      const double bound = LongestUs(work, {}, deal.deal.used_cores);
      if (bound < cutoff_us) {
        opened.nodes.push_back({bound, {node[0], i, base}});
      }
    }
  }
  return opened;
}

template <class Visit>
void InputSpace::ForEachChoice(const InputPart& part, const Base& base, Visit&& visit) const {
  const auto bytes = static_cast<int64_t>(SizeOf(p_.dtype));
  const int64_t line = p_.hk * p_.wk * e_.c0;
  const bool orders = part.rows * p_.wi > base.m && part.lines * e_.c0 > base.n;
  InputTiling sized = tilesim::TilingOf(p_, {.rows = part.rows, .lines = part.lines}, {.base_m = base.m});
  const InputL1 l1 = InputL1::Of(sized.data.conv3DDxTiling);
  const int64_t a_line = l1.rows * l1.width * e_.c0 * bytes;
  const int64_t b_line = base.n * line * bytes;
  for (const int64_t k : ks_) {
    const int64_t l0a = AlignUp(base.m, kFractalEdge) * AlignUp(k, kFractalEdge) * bytes;
    const int64_t l0b = AlignUp(base.n, kFractalEdge) * AlignUp(k, kFractalEdge) * bytes;
    if (l0a > soc_.l0a_bytes || l0b > soc_.l0b_bytes) {
      break;
    }
    const int64_t most_l0 = 2 * l0a <= soc_.l0a_bytes && 2 * l0b <= soc_.l0b_bytes ? 2 : 1;
    const int64_t most_l0c = 2 * base.m * base.n * 4 <= soc_.l0c_bytes ? 2 : 1;
    const int64_t granule = std::max<int64_t>(1, k / line);  // lines of cout
    const int64_t most = 2 * e_.cout1_g + granule;
    // of lines that hold all of cout the fewest
    const auto is_least = [&](int64_t lines, int64_t other) {
      const int64_t unit = other < e_.cout1_g ? std::lcm(granule, other) : granule;
      return lines < e_.cout1_g || lines == AlignUp(e_.cout1_g, unit);
    };
    for (int64_t a = granule; a <= most && a * a_line <= soc_.l1_bytes; a += granule) {
      for (int64_t b = granule; b <= most && a * a_line + b * b_line <= soc_.l1_bytes; b += granule) {
        if ((a > b ? a % b : b % a) != 0 || !is_least(a, b) || !is_least(b, a) || a * line > 65535) {
          continue;
        }
        for (int64_t copies = 0; copies < 4; ++copies) {
          Choice choice{.base_k = k, .lines_a = a, .lines_b = b};
          choice.copies_a = 1 + copies / 2;
          choice.copies_b = 1 + copies % 2;
          if (a * a_line * choice.copies_a + b * b_line * choice.copies_b > soc_.l1_bytes) {
            continue;
          }
          for (int64_t turn = 0; turn < (orders ? 2 : 1); ++turn) {
            choice.m_fast = turn == 1;
            for (choice.l0c_copies = 1; choice.l0c_copies <= most_l0c; ++choice.l0c_copies) {
              for (choice.l0_copies = 1; choice.l0_copies <= most_l0; ++choice.l0_copies) {
                visit(choice);
              }
            }
          }
        }
      }
    }
  }
}

TileSpace::Opened InputSpace::OpenBase(const TilePath& node, double cutoff_us) const {
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(node[0]));
  const Base base = BasesOf(part)[node[2]];
  const Deal& deal = deals_[node[0]].at(node[1]);
  const InputTileCycles cycles(p_, soc_, part, base.m);
  const std::vector<InputSamePlanes>& kinds = deal.busiest.kinds;
  std::vector<Moved> moved;
  for (const InputSamePlanes& kind : kinds) {
    moved.push_back({kind, cycles.RowsOf(kind), CeilDiv(kind.lines * e_.c0, base.n)});
  }
  const InputTileCycles::FirstRows first = cycles.FirstRowsOf(kinds.front());
  struct Known {
    InputTile tile;
    CubeCycles work;
    InputTileCycles::Load load;
  };
  std::vector<Known> known;
  Opened opened;
  ForEachChoice(part, base, [&](const Choice& choice) {
    ++opened.tilings;
    const InputTile tile{.base_m = base.m,
                         .base_n = base.n,
                         .base_k = choice.base_k,
                         .step_lines = std::min(choice.lines_a, choice.lines_b)};
    if (known.empty() || known.back().tile.base_k != tile.base_k ||
        known.back().tile.step_lines != tile.step_lines) {
      Known now{tile, {}, cycles.LoadOf(kinds.front(), tile)};
      for (const InputSamePlanes& kind : kinds) {
        now.work.Add(cycles.Of(kind, tile), 1);
        const InputTileCycles::Load more = cycles.LoadOf(kind, tile);
        now.load.longest_a = std::max(now.load.longest_a, more.longest_a);
        now.load.longest_b = std::max(now.load.longest_b, more.longest_b);
      }
      known.push_back(now);
    }
    const Known& of = known.back();
    CubeStart start{.first_a = of.load.first_a, .first_b = of.load.first_b};
    if (first.pixels > 0 && kinds.front().planes > 0) {
      const int64_t outs = kinds.front().outs;
      const int64_t lines = std::min(kinds.front().lines, base.n / e_.c0);
      start.tile_a =
          cube_.ReadCycles(Real(std::min(outs, choice.lines_a) * first.pixels * kDataBlockBytes), 1.0);
      start.tile_b = cube_.ReadCycles(
          Real(std::min(outs, choice.lines_b) * lines * first.taps * e_.c0 * kDataBlockBytes), 1.0);
    } else {
      start = {};
    }
    const double us = ChoiceUs(of.work, start, of.load, moved, choice, deal.deal.used_cores);
    if (us < cutoff_us) {
      opened.nodes.push_back({us, {node[0], node[1], node[2], CodeOf(choice)}});
    }
  });
  return opened;
}

int64_t InputSpace::Count(const TilePath& node) const {
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(node[0]));
  int64_t choices = 0;
  for (const Base& base : BasesOf(part)) {
    ForEachChoice(part, base, [&](const Choice&) { ++choices; });
  }
  return choices * static_cast<int64_t>(dealing_.DealsOf(part).size());
}

uint64_t InputSpace::CodeOf(const Choice& choice) {
  uint64_t code = static_cast<uint64_t>(choice.base_k);
  code = code << kLineBits | static_cast<uint64_t>(choice.lines_a);
  code = code << kLineBits | static_cast<uint64_t>(choice.lines_b);
  for (const int64_t bit : {choice.copies_a - 1, choice.copies_b - 1, int64_t{choice.m_fast},
                            choice.l0c_copies - 1, choice.l0_copies - 1}) {
    code = code << 1 | static_cast<uint64_t>(bit);
  }
  return code;
}

InputSpace::Choice InputSpace::Decode(uint64_t code) {
  const auto take = [&](int bits) {
    const auto value = static_cast<int64_t>(code & ((uint64_t{1} << bits) - 1));
    code >>= bits;
    return value;
  };
  Choice choice;
  choice.l0_copies = take(1) + 1;
  choice.l0c_copies = take(1) + 1;
  choice.m_fast = take(1) != 0;
  choice.copies_b = take(1) + 1;
  choice.copies_a = take(1) + 1;
  choice.lines_b = take(kLineBits);
  choice.lines_a = take(kLineBits);
  choice.base_k = take(kBlockBits);
  return choice;
}

InputTiling InputSpace::TilingOf(const TilePath& path) const {
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(path[0]));
  const InputDeal deal = dealing_.DealsOf(part)[path[1]];
  const Base base = BasesOf(part)[path[2]];
  const Choice choice = Decode(path[3]);
  const int64_t line = p_.hk * p_.wk * e_.c0;
  const InputCut cut{
      .strategy = deal.strategy, .rows = part.rows, .lines = part.lines, .cores = deal.used_cores};
  InputTiling tiling = tilesim::TilingOf(p_, cut,
                                         {.base_m = base.m,
                                          .base_n = base.n,
                                          .base_k = choice.base_k,
                                          .step_ka = choice.lines_a * line / choice.base_k,
                                          .step_kb = choice.lines_b * line / choice.base_k,
                                          .l1_copies_a = choice.copies_a,
                                          .l1_copies_b = choice.copies_b,
                                          .l0c_copies = choice.l0c_copies,
                                          .m_fast = choice.m_fast});
  TConv3DBackpropInputTiling& t = tiling.data.conv3DDxTiling;
  t.al0Pbuffer = t.bl0Pbuffer = static_cast<uint32_t>(choice.l0_copies);
  t.singleCoreDin = static_cast<uint32_t>(part.dins);
  tiling.split = DealOut(p_, t, deal.used_cores);
  tiling.split.strategy = deal.strategy;
  return tiling;
}

size_t InputSpace::BusiestCoreOf(const TilePath& path) const {
  const std::map<uint64_t, Deal>& deals = deals_[path[0]];
  if (const auto deal = deals.find(path[1]); deal != deals.end()) {
    return deal->second.busiest.core;
  }
  const InputPart part = dealing_.PartOf(static_cast<int64_t>(path[0]));
  return dealing_.BusiestCore(part, dealing_.DealsOf(part)[path[1]]).core;
}

}  // namespace tilesim
