// What the kernel of a core says of its work before it does it, so that cores which do the same at other
// places of GM need be recorded once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tilesim {

// Where a task begins in a tensor of GM; beside it where the task touches nothing of it.
struct TaskPlace {
  uint64_t tensor = 0;  // address of its first byte; 0: no tensor
  uint64_t address = 0;
};

// A piece of a core's work. Kernels in which two cores with the same `kind`s one after another issue the same
// instructions, but for GM: there each access of a task lies as far behind the task's place in the tensor.
// Tasks of one `kind` have the same instructions on all pipes but MTE2, whatever is before them: what that
// brings may stand in L1 already.
struct CoreTask {
  std::array<int64_t, 8> kind{};
  std::array<TaskPlace, 4> places{};  // of tensors in different buffers
};

// The tasks of one core in their order, each with what was recorded before it.
class CoreTasks {
 public:
  static constexpr size_t kAll = std::numeric_limits<size_t>::max();

  // The kernel is to do the first `most`.
  explicit CoreTasks(size_t most) : most_(most) {}

  // True: the kernel is to do it.
  bool Begin(const CoreTask& task, size_t steps, size_t moves);
  [[nodiscard]] size_t size() const { return tasks_.size(); }
  [[nodiscard]] size_t done() const { return DoneOf(tasks_.size()); }
  [[nodiscard]] const CoreTask& operator[](size_t i) const { return tasks_[i]; }
  // Steps, and moves of GM.
  [[nodiscard]] size_t first_step(size_t i) const { return first_steps_[i]; }
  [[nodiscard]] size_t first_move(size_t i) const { return first_moves_[i]; }
  // Of those that are done; and both have others, or neither.
  [[nodiscard]] bool DoneAlike(const CoreTasks& other) const;

 private:
  [[nodiscard]] size_t DoneOf(size_t tasks) const { return most_ < tasks ? most_ : tasks; }

  size_t most_;
  std::vector<CoreTask> tasks_;
  std::vector<size_t> first_steps_, first_moves_;
};

}  // namespace tilesim
