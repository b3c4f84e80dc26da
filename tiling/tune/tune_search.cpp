#include "tiling/tune/tune_search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace tilesim {
namespace {

// What a batch does at most.
constexpr size_t kOpenedABatch = 24;  // of each level
constexpr size_t kPlayedABatch = 48;
constexpr size_t kRunABatch = 2;          // of tilings, while what promises more is to be opened
constexpr size_t kPromisingABatch = 8;    // while no subtree promises more than they do
constexpr size_t kLastRunABatch = 32;     // where nothing is left to open
constexpr size_t kMostWaiting = 1 << 21;  // a level with so many nodes gets no more for now

// Calls job(0) ... job(count - 1), each once, on up to `threads` threads; throws what the first of them
// threw.
void InParallel(size_t count, int threads, const std::function<void(size_t)>& job) {
  std::atomic<size_t> next{0};
  std::exception_ptr error;
  std::mutex mutex;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        job(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = error ? error : std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads && static_cast<size_t>(i) < count; ++i) {
    others.emplace_back(work);
  }
  work();
  for (std::thread& thread : others) {
    thread.join();
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

// Nodes that wait, the one of least bound first, of equal ones the first of the space.
class Waiting {
 public:
  void Add(const TileNode& node) {
    nodes_.push_back(node);
    std::ranges::push_heap(nodes_, After);
  }
  // Those that promise most and less than `cutoff_us`; what does not is forgotten.
  std::vector<TileNode> Take(size_t most, double cutoff_us) {
    std::vector<TileNode> taken;
    while (taken.size() < most && least_us() < cutoff_us) {
      std::ranges::pop_heap(nodes_, After);
      taken.push_back(nodes_.back());
      nodes_.pop_back();
    }
    if (least_us() >= cutoff_us) {
      nodes_.clear();
    }
    return taken;
  }
  [[nodiscard]] double least_us() const {
    return nodes_.empty() ? std::numeric_limits<double>::infinity() : nodes_.front().bound_us;
  }
  [[nodiscard]] size_t size() const { return nodes_.size(); }

 private:
  static bool After(const TileNode& a, const TileNode& b) {
    return a.bound_us != b.bound_us ? a.bound_us > b.bound_us : a.path > b.path;
  }
  std::vector<TileNode> nodes_;
};

class Search {
 public:
  Search(TileSpace& space, const TuneMeasures& measures, double known_us, const TuneLimits& limits)
      : space_(space),
        measures_(measures),
        limits_(limits),
        best_us_(known_us),
        waiting_(static_cast<size_t>(space.levels()) + 1) {}

  TuneAnswer Find() {
    space_.GiveUpWhen([this] { return Late() || limits_.stop(); });
    waiting_[0].Add({});
    while (!Over() && DoBatch()) {
    }
    answer_.bound_us = std::min(best_us_, Least());
    answer_.proven = Least() >= best_us_;
    if (answer_.proven) {
      CountAll();
    }
    space_.GiveUpWhen({});
    return std::move(answer_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool Late() const {
    const std::chrono::duration<double> took = Clock::now() - start_;
    return took.count() >= limits_.seconds;
  }
  [[nodiscard]] bool Over() const {
    return Late() || answer_.simulated >= limits_.runs ||
           answer_.considered / kConsideredARun >= limits_.runs || limits_.stop();
  }

  // The least bound of all that is not done yet.
  [[nodiscard]] double Least() const {
    double least = played_.least_us();
    for (const Waiting& level : waiting_) {
      least = std::min(least, level.least_us());
    }
    return least;
  }

  // False when nothing is left to do.
  bool DoBatch() {
    double least_us = std::numeric_limits<double>::infinity();  // of what is to be opened
    for (const Waiting& level : waiting_) {
      least_us = std::min(least_us, level.least_us());
    }
    const size_t most_runs = least_us >= best_us_             ? kLastRunABatch
                             : played_.least_us() <= least_us ? kPromisingABatch
                                                              : kRunABatch;
    const auto runs_left = static_cast<size_t>(limits_.runs - answer_.simulated);
    std::vector<TileNode> run = played_.Take(std::min(most_runs, runs_left), best_us_);
    std::vector<TileNode> play = waiting_.back().Take(kPlayedABatch, best_us_);
    std::vector<std::pair<int, TileNode>> open;
    for (int level = space_.levels() - 1; level >= 0; --level) {
      Waiting& below = waiting_[static_cast<size_t>(level) + 1];
      const size_t most = below.size() < kMostWaiting ? kOpenedABatch : 0;
      for (const TileNode& node : waiting_[static_cast<size_t>(level)].Take(most, best_us_)) {
        open.emplace_back(level, node);
      }
    }
    std::vector<std::optional<TuneCost>> costs(run.size());
    std::vector<TileSpace::Opened> opened(open.size());
    const double cutoff_us = best_us_;
    InParallel(run.size() + play.size() + open.size(), limits_.threads, [&](size_t job) {  // longest first
      if (job < run.size()) {
        costs[job] = measures_.run(run[job].path, cutoff_us);
      } else if (job -= run.size(); job < open.size()) {
        opened[job] = space_.Open(open[job].first, open[job].second.path, cutoff_us);
        for (TileNode& child : opened[job].nodes) {  // no less than its parent's
          child.bound_us = std::max(child.bound_us, open[job].second.bound_us);
        }
      } else {
        TileNode& node = play[job - open.size()];
        node.bound_us = std::max(node.bound_us, measures_.least_us(node.path, cutoff_us));
      }
    });
    for (size_t i = 0; i < run.size(); ++i) {
      Note(run[i].path, costs[i]);
    }
    for (size_t i = 0; i < open.size(); ++i) {
      answer_.considered += opened[i].tilings;
      if (!opened[i].whole) {  // it stays to be done
        waiting_[static_cast<size_t>(open[i].first)].Add(open[i].second);
        continue;
      }
      for (const TileNode& node : opened[i].nodes) {
        waiting_[static_cast<size_t>(open[i].first) + 1].Add(node);
      }
    }
    answer_.played += static_cast<int64_t>(play.size());
    for (const TileNode& node : play) {
      played_.Add(node);
    }
    return !run.empty() || !play.empty() || !open.empty();
  }

  void Note(const TilePath& path, const std::optional<TuneCost>& cost) {
    ++answer_.simulated;
    if (!cost) {
      return;
    }
    const TuneAnswer::Run& run = answer_.runs.emplace_back(TuneAnswer::Run{path, *cost});
    if (run.cost.time_us < best_us_ ||
        (answer_.best && run.cost.time_us == best_us_ && run.path < answer_.best->path)) {
      best_us_ = run.cost.time_us;
      answer_.best = run;
    }
  }

  void CountAll() {
    const TileSpace::Opened root = space_.Open(0, {}, std::numeric_limits<double>::infinity());
    const std::vector<TileNode>& first = root.nodes;
    std::atomic<int64_t> all{0};
    std::atomic<bool> is_all{root.whole};
    InParallel(first.size(), limits_.threads, [&](size_t i) {
      if (Late()) {
        is_all = false;
        return;
      }
      all += space_.Count(first[i].path);
    });
    answer_.legal = all;
    answer_.legal_is_all = is_all;
  }

  TileSpace& space_;
  const TuneMeasures& measures_;
  const TuneLimits& limits_;
  const Clock::time_point start_ = Clock::now();
  double best_us_;
  std::vector<Waiting> waiting_;  // by level
  Waiting played_;                // tilings with the time of one core as bound
  TuneAnswer answer_;
};

}  // namespace

TuneAnswer SearchTiles(TileSpace& space, const TuneMeasures& measures, double known_us,
                       const TuneLimits& limits) {
  return Search(space, measures, known_us, limits).Find();
}

}  // namespace tilesim
