// A sequence of small numbers in which stretches that repeat what stands before them are folded: a loop of
// a million rounds takes the memory of one, where some number stands once a round; a loop around it keeps one
// round of the inner one for each of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilesim {

class FoldedSequence {
 public:
  // Of `period` numbers, the last before it, `count` more numbers.
  struct Fold {
    size_t begin = 0;     // its place in the sequence
    size_t literals = 0;  // how many numbers are kept before it
    size_t period = 0;
    size_t count = 0;
  };

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void push_back(uint32_t number) {
    ++size_;
    if (folding_) {
      Fold& fold = folds_.back();
      if (literals_[lap_] == number) {
        ++fold.count;
        lap_ = lap_ + 1 == fold.literals ? fold.literals - fold.period : lap_ + 1;
        return;
      }
      folding_ = false;
      distance_ = matched_ = 0;
    }
    AddLiteral(number);
  }
  uint32_t back() const {
    if (!EndsInFold()) {
      return literals_.back();
    }
    const Fold& fold = folds_.back();
    return literals_[fold.literals - fold.period + (fold.count - 1) % fold.period];
  }
  void pop_back() {
    --size_;
    folding_ = false;
    distance_ = matched_ = 0;
    if (!EndsInFoldOf(size_ + 1)) {
      literals_.pop_back();
    } else if (--folds_.back().count == 0) {
      folds_.pop_back();
    }
  }

  // Goes through the sequence; the sequence stays as it is meanwhile.
  class Cursor {
   public:
    explicit Cursor(const FoldedSequence& sequence) : sequence_(&sequence) {
      FindFold();
      Next();
    }
    // At the `place`-th number, or the end.
    Cursor(const FoldedSequence& sequence, size_t place);

    bool AtEnd() const { return place_ == sequence_->size_; }
    size_t place() const { return place_; }
    uint32_t operator*() const { return sequence_->literals_[literal_]; }
    Cursor& operator++() {
      ++place_;
      Next();
      return *this;
    }

   private:
    void Next() {
      if (left_ > 0) {
        --left_;
        literal_ = literal_ + 1 == next_ ? next_ - period_ : literal_ + 1;
      } else if (next_ == next_fold_) {
        Enter(sequence_->folds_[fold_]);
      } else {
        literal_ = next_++;
      }
    }
    void Enter(const Fold& fold) {
      period_ = fold.period;
      left_ = fold.count - 1;
      literal_ = next_ - period_;
      ++fold_;
      FindFold();
    }
    void FindFold() {
      next_fold_ = fold_ < sequence_->folds_.size() ? sequence_->folds_[fold_].literals : SIZE_MAX;
    }

    const FoldedSequence* sequence_;
    size_t place_ = 0;
    size_t literal_ = 0;    // the number's
    size_t next_ = 0;       // the literal that follows when no fold is left
    size_t left_ = 0;       // numbers of the fold after this one
    size_t period_ = 0;     // of that fold
    size_t fold_ = 0;       // the next
    size_t next_fold_ = 0;  // where it begins
  };

  // What it keeps.
  size_t literals() const { return literals_.size(); }
  size_t literal_room() const { return literals_.capacity(); }
  void MakeRoom(size_t literals) { literals_.reserve(literals); }
  size_t folds() const { return folds_.size(); }

  // For archives.
  template <class Archive>
  friend void Fields(Archive& archive, FoldedSequence& sequence) {
    archive(sequence.size_, sequence.literals_, sequence.folds_);
  }
  template <class Archive>
  friend void Fields(Archive& archive, Fold& fold) {
    archive(fold.begin, fold.literals, fold.period, fold.count);
  }

 private:
  static constexpr size_t kLeastFolded = 16;  // numbers, for which a fold takes less memory

  bool EndsInFoldOf(size_t size) const {
    return !folds_.empty() && folds_.back().begin + folds_.back().count == size;
  }
  bool EndsInFold() const { return EndsInFoldOf(size_); }

  // A fold is begun when as many numbers, and a whole period, equal those one distance before. The distance
  // is that to the last number of the same kind until it turns out to be another.
  void AddLiteral(uint32_t number) {
    const size_t at = literals_.size();
    const size_t first = folds_.empty() ? 0 : folds_.back().literals;
    literals_.push_back(number);
    if (number >= last_.size()) {
      last_.resize(std::max<size_t>(number + size_t{1}, 2 * last_.size()), SIZE_MAX);
    }
    if (distance_ != 0 && literals_[at - distance_] == number) {
      ++matched_;
    } else {
      const size_t last = last_[number];
      const bool is_known = last < at && last >= first && literals_[last] == number;
      distance_ = is_known ? at - last : 0;
      matched_ = is_known ? 1 : 0;
    }
    last_[number] = at;
    if (matched_ >= std::max(kLeastFolded, distance_)) {
      literals_.resize(literals_.size() - matched_);
      folds_.push_back(
          {.begin = size_ - matched_, .literals = literals_.size(), .period = distance_, .count = matched_});
      lap_ = literals_.size() - distance_ + matched_ % distance_;
      folding_ = true;
    }
  }

  size_t size_ = 0;
  std::vector<uint32_t> literals_;  // the numbers that are in no fold
  std::vector<Fold> folds_;         // by their places
  bool folding_ = false;            // whether the last fold may go on
  size_t lap_ = 0;                  // then the literal that would do so
  // The numbers before equal those so far before them, so many of them.
  size_t distance_ = 0;
  size_t matched_ = 0;
  std::vector<size_t> last_;  // by number: the literal that it was last
};

inline FoldedSequence::Cursor::Cursor(const FoldedSequence& sequence, size_t place) : sequence_(&sequence) {
  const auto fold = std::ranges::upper_bound(sequence.folds_, place, {}, &Fold::begin);
  place_ = place;
  fold_ = static_cast<size_t>(fold - sequence.folds_.begin());
  if (fold_ == 0) {
    next_ = place;
    FindFold();
    Next();
    return;
  }
  const Fold& before = sequence.folds_[fold_ - 1];
  FindFold();
  if (place < before.begin + before.count) {
    const size_t into = place - before.begin;
    period_ = before.period;
    next_ = before.literals;
    left_ = before.count - 1 - into;
    literal_ = next_ - period_ + into % period_;
    return;
  }
  next_ = before.literals + (place - before.begin - before.count);
  Next();
}

}  // namespace tilesim
