#include "sim/core/undefined.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "formats/error.h"
#include "sim/core/hazard.h"

namespace tilesim {

uint16_t UndefinedBits::OriginOf(Memory memory, uint64_t byte) const {
  const std::vector<uint16_t>& origins = origin_of_[static_cast<size_t>(memory)];
  return byte / kGrain < origins.size() ? origins[byte / kGrain] : 0;
}

void UndefinedBits::SetOrigin(Memory memory, uint64_t begin, uint64_t end, uint16_t origin) {
  std::vector<uint16_t>& origins = origin_of_[static_cast<size_t>(memory)];
  const uint64_t last = (end + kGrain - 1) / kGrain;
  if (origins.size() < last) {
    origins.resize(last);
  }
  std::fill(origins.begin() + static_cast<int64_t>(begin / kGrain),
            origins.begin() + static_cast<int64_t>(last), origin);
}

uint16_t UndefinedBits::NumberOf(const std::string& origin) {
  const auto at = std::ranges::find(origins_, origin);
  if (at != origins_.end()) {
    return static_cast<uint16_t>(at - origins_.begin() + 1);
  }
  if (origins_.size() < UINT16_MAX) {
    origins_.push_back(origin);
  }
  return static_cast<uint16_t>(origins_.size());
}

bool HazardChecker::MeetsUndefined(const Region& region) {
  if (region.memory == Memory::kGm) {
    const GmBuffer* const buffer = gm_.Find(region.begin);
    if (buffer == nullptr || buffer->initialised) {
      return false;
    }
    SettleWritten();
  } else if (written_[static_cast<size_t>(region.memory)].Holds(region.begin, region.end())) {
    return false;
  }
  bool meets = false;
  ForEachByteRuns(region, [&](const ByteRuns& bytes) { meets = meets || !IsWritten(region, bytes); });
  return meets;
}

bool HazardChecker::MeetsUndefined(const Operands& operands) {
  for (const Region& region : operands) {
    // of what is written with gaps, these stay without values
    const bool matters = region.use == Use::kRead || (region.with_gaps && region.memory != Memory::kGm);
    if (matters && MeetsUndefined(region)) {
      return true;
    }
  }
  return undefined_.any_of_compare_mask();
}

void HazardChecker::LeaveUndefined(const Region& region, uint64_t memory_bytes, const char* why) {
  if (!outcome_) {
    outcome_.emplace();
  }
  std::vector<uint8_t>& bits = undefined_.Of(region.memory, memory_bytes);
  region.ForEachRun([&](uint64_t begin, uint64_t end) {
    std::fill(bits.begin() + static_cast<int64_t>(begin), bits.begin() + static_cast<int64_t>(end),
              uint8_t{0xFF});
    outcome_->left.push_back({region.memory, begin, end, why});
  });
}

void HazardChecker::LeaveAs(const Region& region, uint64_t memory_bytes, ResultRegister result) {
  const UndefinedBits::OfResult& from = undefined_.result(result);
  if (from.bits == 0) {
    return;
  }
  if (!outcome_) {
    outcome_.emplace();
  }
  std::vector<uint8_t>& bits = undefined_.Of(region.memory, memory_bytes);
  for (uint64_t i = 0; i < region.block_bytes; ++i) {
    const auto open = static_cast<uint8_t>(from.bits >> 8 * i);
    if (open != 0) {
      bits[region.begin + i] = open;
      outcome_->left.push_back({.memory = region.memory,
                                .begin = region.begin + i,
                                .end = region.begin + i + 1,
                                .origin = from.origin});
    }
  }
}

void HazardChecker::ExpectOutcome(UndefinedOutcome outcome) {
  if (outcome_) {
    std::ranges::copy(outcome_->left, std::back_inserter(outcome.left));
  }
  outcome_ = std::move(outcome);
}

void HazardChecker::ApplyOutcome(AccessId id) {
  for (const UndefinedOutcome::Use& use : outcome_->uses) {
    ReportUse(use, id);
  }
  uint16_t made = outcome_->origin;
  const auto origin_of_made = [&] {
    if (made == 0) {
      const UndefinedOutcome::Left& read = outcome_->first_read;
      made = undefined_.NumberOf(
          Say(Describe(id), " made them of ", PlaceOf(read.memory, read.begin, read.end),
              ", which were never written; fill those first", DroppedBy(read.memory, read.begin, read.end)));
    }
    return made;
  };
  for (const UndefinedOutcome::Left& left : outcome_->left) {
    written_[static_cast<size_t>(left.memory)].Remove(left.begin, left.end);
    undefined_.NoteAny();
    if (left.untouched) {
      continue;
    }
    const uint16_t origin = left.origin != 0      ? left.origin
                            : left.why == nullptr ? origin_of_made()
                                                  : undefined_.NumberOf(Say(Describe(id), " ", left.why));
    undefined_.SetOrigin(left.memory, left.begin, left.end, origin);
  }
  if (outcome_->of_result != 0) {
    undefined_.result(outcome_->result) = {outcome_->of_result, origin_of_made()};
  }
  uint16_t& of_mask = undefined_.compare_mask_origin();
  if (!undefined_.any_of_compare_mask()) {
    of_mask = 0;
  } else if (of_mask == 0) {
    of_mask = origin_of_made();
  }
  outcome_.reset();
}

}  // namespace tilesim
