#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilesim {

// Which cores read which parts of tensors, all cores in step: a part is known by a number. What was read
// so long ago that the cores have fetched more than L2 holds since has left it. Knows no task.
class PartReaders {
 public:
  // Reads of `most_parts` different parts at the most.
  PartReaders(double l2_bytes, size_t most_parts)
      : l2_bytes_(l2_bytes), places_(std::bit_ceil(2 * most_parts + 1)) {}

  // The next step; all reads of the one before are over.
  void NextStep();
  // In the step in hand. `bytes` are fetched unless the part is in L2.
  void Read(int64_t part, int64_t core, double bytes);

  // Of a part that is read in the step in hand, once all of the step are told.
  struct Found {
    bool in_l2 = false;     // from a step before
    bool by_other = false;  // which another core read last
    int64_t together = 1;   // cores that read it in this step
  };
  [[nodiscard]] Found FoundBy(int64_t part, int64_t core) const;
  // Is a part in L2 from a step before; is it read in the step in hand?
  [[nodiscard]] bool InL2(int64_t part) const;
  [[nodiscard]] bool IsRead(int64_t part) const;

 private:
  struct Part {
    int64_t number = -1;
    double fetched = 0;        // by all cores before the last step that read it
    int32_t step = -1;         // that read it last
    int32_t core = -1;         // that read it last
    int32_t core_before = -1;  // that read it last before the last step that did
    int32_t together = 0;
    bool was_in_l2 = false;  // when the last step that read it began
  };
  // Where it is, or an empty place for it.
  [[nodiscard]] size_t PlaceOf(int64_t part) const;
  [[nodiscard]] bool HasKept(const Part& part) const {
    return part.step >= 0 && fetched_before_ - part.fetched <= l2_bytes_;
  }

  double l2_bytes_;
  double fetched_ = 0;         // by all cores
  double fetched_before_ = 0;  // the step in hand
  int32_t step_ = 0;
  std::vector<Part> places_;  // a power of two, by hash, each in the first free place behind
};

}  // namespace tilesim
