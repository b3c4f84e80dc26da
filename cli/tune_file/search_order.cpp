#include "cli/tune_file/search_order.h"

#include <algorithm>
#include <random>
#include <utility>

namespace tilesim {
namespace {

constexpr size_t kBatch = 32;           // enough for the cores of a machine
constexpr size_t kMostNeighbours = 16;  // of a batch
constexpr uint64_t kSeed = 2201;

}  // namespace

SearchOrder::SearchOrder(const CombinationSpace& space, std::vector<size_t> candidates)
    : space_(space), random_(std::move(candidates)), candidates_(random_.begin(), random_.end()) {
  std::mt19937_64 random(kSeed);
  for (size_t left = random_.size(); left > 1; --left) {  // std::shuffle differs from library to library
    std::swap(random_[left - 1], random_[random() % left]);
  }
}

std::vector<size_t> SearchOrder::Next(const std::function<bool(size_t)>& was_tried,
                                      std::span<const size_t> best_first) {
  std::vector<size_t> batch;
  for (const size_t best : best_first) {
    for (const size_t neighbour : space_.Neighbours(best)) {  // the nearest first
      if (batch.size() < kMostNeighbours && candidates_.contains(neighbour) && !was_tried(neighbour)) {
        batch.push_back(neighbour);
      }
    }
    if (!batch.empty()) {
      break;
    }
  }
  for (; random_at_ < random_.size() && batch.size() < kBatch; ++random_at_) {
    const size_t number = random_[random_at_];
    if (!was_tried(number) && std::ranges::find(batch, number) == batch.end()) {
      batch.push_back(number);
    }
  }
  return batch;
}

}  // namespace tilesim
