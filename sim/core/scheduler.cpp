#include "sim/core/scheduler.h"

#include <algorithm>
#include <utility>

namespace tilesim {

CoreScheduler::CoreScheduler(int cores, int threads, Hooks hooks)
    : threads_(threads), hooks_(std::move(hooks)), slots_(static_cast<size_t>(cores)) {}

void CoreScheduler::Rest(int core) {
  const int next = Next(core);
  if (next != kNone) {
    const std::lock_guard lock(mutex_);
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
    hooks_.end_round();
    if (!FillRound()) {
      all_over_.release();
      return kNone;
    }
    return BeginRound();
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
  started_.emplace_back([this, core] { Carry(core); });
}

bool CoreScheduler::FillRound() {
  std::vector<int> resting;
  round_.clear();
  for (int core = 0; core < static_cast<int>(slots_.size()); ++core) {
    const Slot& slot = slots_[static_cast<size_t>(core)];
    if (!slot.ended) {
      (!slot.started || hooks_.can_resume(core) || giving_up_ ? round_ : resting).push_back(core);
    }
  }
  if (round_.empty() && !resting.empty()) {
    for (const int core : resting) {
      hooks_.give_up(core);
    }
    giving_up_ = true;
    round_ = std::move(resting);
  }
  return !round_.empty();
}

int CoreScheduler::BeginRound() {
  const size_t at_once = std::min(round_.size(), static_cast<size_t>(std::max(threads_, 1)));
  begun_ = at_once;
  settled_ = 0;
  for (const int core : round_) {
    slots_[static_cast<size_t>(core)].rested = false;
  }
  int for_caller = kNone;
  for (size_t i = 0; i < at_once; ++i) {
    Slot& slot = slots_[static_cast<size_t>(round_[i])];
    if (slot.started) {
      slot.go.release();
    } else if (for_caller == kNone) {
      for_caller = round_[i];
    } else {
      StartThread(round_[i]);
    }
  }
  return for_caller;
}

void CoreScheduler::Run() {
  int first = kNone;
  {
    const std::lock_guard lock(mutex_);
    if (!FillRound()) {
      return;
    }
    first = BeginRound();
  }
  Carry(first);
  all_over_.acquire();
  for (std::thread& thread : started_) {
    thread.join();
  }
}

}  // namespace tilesim
