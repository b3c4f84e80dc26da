#include "sim/host/stream_hazards.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "formats/error.h"

namespace tilesim::host {
namespace {

constexpr size_t kMostKept = 1000;

bool IsOver(const StreamOrder& order, uint64_t stream, int64_t number) {
  const auto known = order.find(stream);
  return known != order.end() && known->second >= number;
}

struct Clash {
  std::string_view other;  // what the earlier launch does
  std::string_view own;
  std::pair<uint64_t, uint64_t> bytes;
};

// Atomic updates of both have the same outcome in any order.
std::optional<Clash> FirstClash(const GmTouched& other, const GmTouched& own) {
  constexpr std::string_view kReads = "reads";
  constexpr std::string_view kWrites = "writes";
  constexpr std::string_view kUpdates = "updates";
  const std::array<Clash, 7> clashes = {{{kWrites, kReads, other.written.FirstCommon(own.read)},
                                         {kWrites, kWrites, other.written.FirstCommon(own.written)},
                                         {kWrites, kUpdates, other.written.FirstCommon(own.updated)},
                                         {kReads, kWrites, other.read.FirstCommon(own.written)},
                                         {kReads, kUpdates, other.read.FirstCommon(own.updated)},
                                         {kUpdates, kReads, other.updated.FirstCommon(own.read)},
                                         {kUpdates, kWrites, other.updated.FirstCommon(own.written)}}};
  const auto* const found =
      std::ranges::find_if(clashes, [](const Clash& clash) { return clash.bytes.second != 0; });
  return found == clashes.end() ? std::nullopt : std::optional(*found);
}

std::string Text(const LaunchName& name) {
  const std::string place = name.where.line == 0 ? "" : Say(" (", name.where.file, ":", name.where.line, ")");
  return Say(name.kernel, place);
}

std::string PlaceOf(const std::pair<uint64_t, uint64_t>& bytes, const GmSpace& gm) {
  const GmBuffer* const buffer = gm.Find(bytes.first);
  const uint64_t from = buffer == nullptr ? 0 : buffer->address;
  return Say(buffer == nullptr ? "" : Say(buffer->name, " "), "bytes [", bytes.first - from, ", ",
             bytes.second - from, ")");
}

}  // namespace

std::vector<Fault> StreamHazards::Add(const Stream& stream, const StreamOrder& host, const LaunchName& name,
                                      GmTouched touched, const GmSpace& gm) {
  std::erase_if(done_, [&](const Done& done) { return IsOver(host, done.stream, done.number); });
  std::vector<Fault> faults;
  for (const Done& other : done_) {
    if (other.stream == stream.number || IsOver(stream.order, other.stream, other.number)) {
      continue;
    }
    const std::optional<Clash> clash = FirstClash(other.touched, touched);
    if (!clash || !told_.emplace(Text(other.name), Text(name)).second) {
      continue;
    }
    Fault fault;
    fault.kind = FaultKind::kHazard;
    fault.instruction = name.kernel;
    fault.operand = "GM";
    fault.where = name.where;
    fault.what = Say(clash->own, " ", PlaceOf(clash->bytes, gm), " that launch ", other.name.number, ", ",
                     Text(other.name), ", ", clash->other,
                     " on another stream, and nothing orders the two: needs aclrtRecordEvent behind that one "
                     "and aclrtStreamWaitEvent before this one, or aclrtSynchronizeStream between them");
    faults.push_back(std::move(fault));
  }
  done_.push_back(
      {.stream = stream.number, .number = stream.launches + 1, .name = name, .touched = std::move(touched)});
  if (done_.size() > kMostKept) {
    done_.pop_front();
  }
  return faults;
}

}  // namespace tilesim::host
