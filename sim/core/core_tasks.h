// What the kernel of a core says of its work before it does it, so that cores which do the same at other
// places of GM need be recorded once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilesim {

// Where a task begins in a tensor of GM; beside it where the task touches nothing of it.
struct TaskPlace {
  uint64_t tensor = 0;  // address of its first byte; 0: no tensor
  uint64_t address = 0;
};

// A piece of a core's work. Kernels in which two cores with the same `kind`s one after another issue the same
// instructions, but for GM: there each access of a task lies as far behind the task's place in the tensor.
struct CoreTask {
  std::array<int64_t, 8> kind{};
  std::array<TaskPlace, 4> places{};  // of tensors in different buffers
};

// The tasks of one core in their order, each with the moves of GM recorded before it.
class CoreTasks {
 public:
  enum class Wanted : uint8_t { kWork, kListOnly };

  explicit CoreTasks(Wanted wanted) : wanted_(wanted) {}

  // True: the kernel is to do it.
  bool Begin(const CoreTask& task, size_t moves) {
    tasks_.push_back(task);
    first_moves_.push_back(moves);
    return wanted_ == Wanted::kWork;
  }
  [[nodiscard]] size_t size() const { return tasks_.size(); }
  [[nodiscard]] const CoreTask& operator[](size_t i) const { return tasks_[i]; }
  [[nodiscard]] size_t first_move(size_t i) const { return first_moves_[i]; }
  [[nodiscard]] bool SameKinds(const CoreTasks& other) const {
    if (size() != other.size()) {
      return false;
    }
    for (size_t i = 0; i < size(); ++i) {
      if (tasks_[i].kind != other[i].kind) {
        return false;
      }
    }
    return true;
  }

 private:
  Wanted wanted_;
  std::vector<CoreTask> tasks_;
  std::vector<size_t> first_moves_;
};

}  // namespace tilesim
