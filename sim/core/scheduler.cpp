#include "sim/core/scheduler.h"

#include <algorithm>
#include <utility>

namespace tilesim {

CoreScheduler::CoreScheduler(int cores, int threads, Hooks hooks, bool may_rest)
    : threads_(threads), hooks_(std::move(hooks)), may_rest_(may_rest), slots_(static_cast<size_t>(cores)) {}

void CoreScheduler::Rest(int core) {
  const int next = Next(core);
  if (next != kNone) {
    StartThread(next);
  }
  slots_[static_cast<size_t>(core)].go.acquire();
}

int CoreScheduler::Next(int core) {
  const std::lock_guard lock(mutex_);
  slots_[static_cast<size_t>(core)].rested = true;
  while (settled_ < round_.size() && slots_[static_cast<size_t>(round_[settled_])].rested) {
    hooks_.settle(round_[settled_++]);
  }
  if (settled_ == round_.size()) {
    round_over_.release();
    return kNone;
  }
  if (begun_ == round_.size()) {
    return kNone;
  }
  const int next = round_[begun_++];
  Slot& slot = slots_[static_cast<size_t>(next)];
  if (!slot.started) {
    return next;
  }
  slot.go.release();
  return kNone;
}

void CoreScheduler::Carry(int core) {
  while (core != kNone) {
    Slot& slot = slots_[static_cast<size_t>(core)];
    slot.started = true;
    hooks_.body(core);
    slot.ended = true;
    core = Next(core);
  }
}

void CoreScheduler::StartThread(int core) {
  const std::lock_guard lock(mutex_);
  started_.emplace_back([this, core] { Carry(core); });
}

void CoreScheduler::RunRound() {
  const size_t at_once = std::min(round_.size(), static_cast<size_t>(std::max(threads_, 1)));
  begun_ = at_once;
  settled_ = 0;
  for (const int core : round_) {
    slots_[static_cast<size_t>(core)].rested = false;
  }
  for (size_t i = may_rest_ ? 0 : 1; i < at_once; ++i) {
    Slot& slot = slots_[static_cast<size_t>(round_[i])];
    if (slot.started) {
      slot.go.release();
    } else {
      StartThread(round_[i]);
    }
  }
  if (!may_rest_) {
    Carry(round_.front());
  }
  round_over_.acquire();
  hooks_.end_round();
}

void CoreScheduler::Run() {
  bool giving_up = false;
  while (true) {
    std::vector<int> resting;
    round_.clear();
    for (int core = 0; core < static_cast<int>(slots_.size()); ++core) {
      const Slot& slot = slots_[static_cast<size_t>(core)];
      if (!slot.ended) {
        (!slot.started || hooks_.can_resume(core) || giving_up ? round_ : resting).push_back(core);
      }
    }
    if (round_.empty() && resting.empty()) {
      break;
    }
    if (round_.empty()) {
      for (const int core : resting) {
        hooks_.give_up(core);
      }
      giving_up = true;
      round_ = std::move(resting);
    }
    RunRound();
  }
  for (std::thread& thread : started_) {
    thread.join();
  }
}

}  // namespace tilesim
