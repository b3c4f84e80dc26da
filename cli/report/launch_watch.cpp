#include "cli/report/launch_watch.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "formats/error.h"
#include "sim/explain/rerun.h"

namespace tilesim {

size_t LaunchWatch::SiteHash::operator()(const SiteKey& key) const {
  const size_t name = std::hash<const char*>()(key.name);
  const size_t place = std::hash<const char*>()(key.file) + static_cast<size_t>(key.line) * 31;
  return (name * 1'000'003) ^ (place * 8 + static_cast<size_t>(key.pipe));
}

LaunchWatch::LaunchWatch(std::vector<CoreIdentity> cores, GmSpace gm, int64_t cycles,
                         const std::vector<size_t>& shown, const WatchWindow& window)
    : cores_(std::move(cores)),
      gm_(std::move(gm)),
      cycles_(std::max<int64_t>(cycles, 1)),
      window_(window),
      slot_(cores_.size(), -1),
      sites_(cores_.size()) {
  for (const size_t core : shown) {
    slot_.at(core) = static_cast<int>(shown_.size());
    shown_.emplace_back();
    shown_.back().identity = cores_[core];
  }
}

void LaunchWatch::AddBusy(WatchedCore& core, const TimedRun& timed) const {
  constexpr auto kBins = static_cast<int64_t>(WatchedCore::kBins);
  auto& bins = core.busy[static_cast<size_t>(timed.step.pipe)];
  const auto begin_of = [this](int64_t bin) { return bin * cycles_ / kBins; };
  const int64_t end = std::min(timed.span.free, cycles_);
  int64_t at = timed.span.start;
  for (int64_t bin = std::min(at * kBins / cycles_, kBins - 1); at < end && bin < kBins; ++bin) {
    const int64_t until = bin == kBins - 1 ? end : std::min(end, begin_of(bin + 1));
    bins[static_cast<size_t>(bin)] += std::max<int64_t>(until - at, 0);
    at = std::max(at, until);
  }
}

void LaunchWatch::OnRun(const TimedRun& timed) {
  const auto core_index = static_cast<size_t>(timed.core_index);
  Sites& sites = sites_.at(core_index);
  const Step& step = timed.step;
  const auto [found, is_new] =
      sites.number.try_emplace({step.name, step.where.file, step.where.line, step.pipe}, sites.sites.size());
  if (is_new) {
    sites.sites.push_back(
        {.name = step.name, .pipe = step.pipe, .where = step.where, .calls = 0, .operands = {}});
  }
  CallSite& site = sites.sites[found->second];
  ++site.calls;
  site.busy_cycles += timed.span.free - timed.span.start;

  if (slot_[core_index] < 0) {
    return;
  }
  WatchedCore& core = shown_[static_cast<size_t>(slot_[core_index])];
  AddBusy(core, timed);
  const Span& span = timed.span;
  const bool inside =
      span.start < window_.to_cycle && std::max(span.free, span.start + 1) > window_.from_cycle;
  if (!inside || std::ssize(core.runs) >= window_.max_events) {
    ++core.left_out;
    return;
  }
  core.runs.push_back({.run = timed.run,
                       .name = step.name,
                       .pipe = step.pipe,
                       .where = step.where,
                       .span = span,
                       .reason = timed.reason,
                       .tile = {}});
}

std::string LaunchWatch::TextOf(const Operands& operands) const {
  std::string text;
  for (const Region& region : operands) {
    const GmBuffer* const buffer = region.memory == Memory::kGm ? gm_.Find(region.begin) : nullptr;
    text +=
        Say(text.empty() ? "" : ", ", region.operand, " ", Name(region.memory), buffer == nullptr ? "" : " ",
            buffer == nullptr ? "" : buffer->name, " ", region.total_bytes(), " B");
  }
  return text;
}

void LaunchWatch::OnInstruction(int core_index, const Issued& instruction, const Operands& operands) {
  const auto index = static_cast<size_t>(core_index);
  Sites& sites = sites_.at(index);
  const auto found =
      sites.number.find({instruction.name, instruction.where.file, instruction.where.line, instruction.pipe});
  if (found != sites.number.end() && sites.sites[found->second].operands.empty()) {
    sites.sites[found->second].operands = TextOf(operands);
  }
  if (slot_[index] < 0) {
    return;
  }
  WatchedCore& core = shown_[static_cast<size_t>(slot_[index])];
  if (WatchedRun* const run = MeetAgain(core.runs, core.told, instruction)) {
    run->tile = instruction.tile;
  }
}

void LaunchWatch::RequireWhole() const {
  for (const WatchedCore& core : shown_) {
    RequireAllMet(core.runs, core.told, core.identity);
  }
}

std::vector<WatchedCore> LaunchWatch::TakeShown() { return std::move(shown_); }

}  // namespace tilesim
