#include "sim/core/core_tasks.h"

#include <cstddef>

namespace tilesim {

bool CoreTasks::Begin(const CoreTask& task, size_t steps, size_t moves) {
  tasks_.push_back(task);
  first_steps_.push_back(steps);
  first_moves_.push_back(moves);
  return tasks_.size() <= most_;
}

bool CoreTasks::DoneAlike(const CoreTasks& other) const {
  if (done() != DoneOf(other.size()) || (done() == size()) != (done() == other.size())) {
    return false;
  }
  for (size_t i = 0; i < done(); ++i) {
    if (tasks_[i].kind != other[i].kind) {
      return false;
    }
  }
  return true;
}

}  // namespace tilesim
