#include "sim/core/scheduler.h"

#include <algorithm>

namespace tilesim {

CoreScheduler::CoreScheduler(int cores, int threads, Hooks hooks)
    : threads_(threads), hooks_(std::move(hooks)) {
  for (int i = 0; i < cores; ++i) {
    slots_.push_back(std::make_unique<Slot>());
  }
}

void CoreScheduler::Rest(int core) {
  Slot& slot = *slots_[static_cast<size_t>(core)];
  slot.back.release();
  slot.go.acquire();
}

void CoreScheduler::Resume(int core) {
  Slot& slot = *slots_[static_cast<size_t>(core)];
  if (!slot.started) {
    slot.started = true;
    slot.thread = std::thread([this, core, &slot] {
      hooks_.body(core);
      slot.ended = true;
      slot.back.release();
    });
  } else {
    slot.go.release();
  }
  slot.back.acquire();
}

void CoreScheduler::RunRound(const std::vector<int>& runnable) {
  std::atomic<size_t> next{0};
  settled_ = 0;
  for (const int core : runnable) {
    slots_[static_cast<size_t>(core)]->rested = false;
  }
  const auto work = [&] {
    for (size_t i = next++; i < runnable.size(); i = next++) {
      Resume(runnable[i]);
      const std::lock_guard lock(settle_mutex_);
      slots_[static_cast<size_t>(runnable[i])]->rested = true;
      while (settled_ < runnable.size() && slots_[static_cast<size_t>(runnable[settled_])]->rested) {
        hooks_.settle(runnable[settled_++]);
      }
    }
  };
  std::vector<std::thread> helpers;
  for (int i = 1; i < std::min<int>(threads_, static_cast<int>(runnable.size())); ++i) {
    helpers.emplace_back(work);
  }
  work();
  for (std::thread& helper : helpers) {
    helper.join();
  }
  hooks_.end_round();
}

void CoreScheduler::Run() {
  bool giving_up = false;
  while (true) {
    std::vector<int> runnable;
    std::vector<int> resting;
    for (int core = 0; core < static_cast<int>(slots_.size()); ++core) {
      const Slot& slot = *slots_[static_cast<size_t>(core)];
      if (slot.ended) {
        continue;
      }
      (!slot.started || hooks_.can_resume(core) || giving_up ? runnable : resting).push_back(core);
    }
    if (runnable.empty() && resting.empty()) {
      break;
    }
    if (runnable.empty()) {
      for (const int core : resting) {
        hooks_.give_up(core);
      }
      giving_up = true;
      runnable = resting;
    }
    RunRound(runnable);
  }
  for (const std::unique_ptr<Slot>& slot : slots_) {
    if (slot->thread.joinable()) {
      slot->thread.join();
    }
  }
}

}  // namespace tilesim
