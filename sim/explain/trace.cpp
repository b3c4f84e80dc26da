#include "sim/explain/trace.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "formats/error.h"
#include "sim/explain/rerun.h"
#include "sim/explain/watched_launch.h"

namespace tilesim {
namespace {

std::string Quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20) {
      quoted += "\\u00";
      quoted += kDigits[code / 16];
      quoted += kDigits[code % 16];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string MicrosecondsOf(int64_t picoseconds) {
  constexpr int64_t kPicoseconds = 1'000'000;
  const std::string fraction = std::to_string(picoseconds % kPicoseconds);
  return Say(picoseconds / kPicoseconds, ".", std::string(6 - fraction.size(), '0'), fraction);
}

const char* Verb(Use use) { return use == Use::kRead ? "read" : use == Use::kWrite ? "written" : "updated"; }

}  // namespace

ChromeTrace::ChromeTrace(const SocConfig& soc, const LaunchOptions& options, const TraceWindow& window)
    : ChromeTrace(soc, CoresOf(options), options.gm, window) {}

ChromeTrace::ChromeTrace(const SocConfig& soc, const std::vector<CoreIdentity>& cores, GmSpace gm,
                         const TraceWindow& window)
    : soc_name_(soc.name), clock_mhz_(soc.clock_mhz), gm_(std::move(gm)), window_(window) {
  for (const CoreIdentity& identity : cores) {
    cores_.push_back({.identity = identity, .events = {}, .operands = {}, .told = 0, .left_out = 0});
  }
  const auto count = static_cast<int64_t>(std::max<size_t>(cores_.size(), 1));
  max_events_of_core_ = static_cast<size_t>(std::max<int64_t>(window.max_events, 0) / count);
}

void ChromeTrace::OnRun(const TimedRun& timed) {
  Lanes& lanes = cores_.at(static_cast<size_t>(timed.core_index));
  const Span& span = timed.span;
  const int64_t idle_since =
      std::exchange(lanes.pipe_free[static_cast<size_t>(Index(timed.step.pipe))], span.free);
  const bool inside =
      span.start < window_.to_cycle && std::max(span.free, span.start + 1) > window_.from_cycle;
  if (!inside || lanes.events.size() >= max_events_of_core_) {
    ++lanes.left_out;
    return;
  }
  lanes.events.push_back({.run = timed.run,
                          .name = timed.step.name,
                          .pipe = timed.step.pipe,
                          .num_operands = 0,
                          .where = timed.step.where,
                          .tile = {},
                          .span = span,
                          .reason = timed.reason,
                          .idle_since = idle_since,
                          .on_path = false});
}

ChromeTrace::Event* ChromeTrace::Find(int core, int64_t run) {
  std::vector<Event>& events = cores_.at(static_cast<size_t>(core)).events;
  const auto at = std::ranges::lower_bound(events, run, {}, &Event::run);
  return at == events.end() || at->run != run ? nullptr : &*at;
}

void ChromeTrace::MarkPath(const std::vector<Stretch>& path) {
  const KeptRun* last = nullptr;
  for (const Stretch& stretch : path) {
    if (stretch.run == nullptr || stretch.run == last) {
      continue;
    }
    last = stretch.run;
    if (Event* const event = Find(last->core, last->run)) {
      event->on_path = true;
      path_.push_back({.core = last->core, .event = event});
    }
  }
}

void ChromeTrace::OnInstruction(int core_index, const Issued& instruction, const Operands& operands) {
  Lanes& lanes = cores_.at(static_cast<size_t>(core_index));
  Event* const event = MeetAgain(lanes.events, lanes.told, instruction);
  if (event == nullptr) {
    return;
  }
  event->tile = instruction.tile;
  event->num_operands = static_cast<uint8_t>(operands.size());
  for (const Region& region : operands) {
    lanes.operands.push_back({.memory = region.memory,
                              .use = region.use,
                              .name = region.operand,
                              .begin = region.begin,
                              .total_bytes = region.total_bytes()});
  }
}

void ChromeTrace::RequireWhole() const {
  for (const Lanes& lanes : cores_) {
    RequireAllMet(lanes.events, lanes.told, lanes.identity);
  }
}

int64_t ChromeTrace::kept() const {
  int64_t total = 0;
  for (const Lanes& lanes : cores_) {
    total += static_cast<int64_t>(lanes.events.size());
  }
  return total;
}

int64_t ChromeTrace::left_out() const {
  int64_t total = 0;
  for (const Lanes& lanes : cores_) {
    total += lanes.left_out;
  }
  return total;
}

int64_t ChromeTrace::Picoseconds(int64_t cycle) const {
  return std::llround(static_cast<double>(cycle) * 1e6 / clock_mhz_);
}

std::string ChromeTrace::Microseconds(int64_t from_cycle, int64_t to_cycle) const {
  return MicrosecondsOf(Picoseconds(to_cycle) - Picoseconds(from_cycle));
}

std::string ChromeTrace::Place(const Operand& operand) const {
  const GmBuffer* buffer = operand.memory == Memory::kGm ? gm_.Find(operand.begin) : nullptr;
  const std::string memory = buffer == nullptr ? std::string(Name(operand.memory)) : Say("GM ", buffer->name);
  return Say(memory, " + ", buffer == nullptr ? operand.begin : operand.begin - buffer->address, ", ",
             operand.total_bytes, " B ", Verb(operand.use));
}

void ChromeTrace::WriteNames(std::ostream& out, const Lanes& lanes, const char*& separator) const {
  const int pid = lanes.identity.index;
  const auto name = [&](const char* what, int tid, const std::string& args) {
    out << separator << R"({"ph":"M","name":")" << what << R"(","pid":)" << pid << ",\"tid\":" << tid
        << ",\"args\":{" << args << "}}";
    separator = ",\n";
  };
  name("process_name", 0, "\"name\":" + Quoted(lanes.identity.Name()));
  name("process_sort_index", 0, Say("\"sort_index\":", pid));
  for (int p = 0; p < kNumPipes; ++p) {
    const auto on_pipe = [&](const Event& event) { return Index(event.pipe) == p; };
    if (std::any_of(lanes.events.begin(), lanes.events.end(), on_pipe)) {
      name("thread_name", p, "\"name\":" + Quoted(Name(static_cast<Pipe>(p))));
      name("thread_sort_index", p, Say("\"sort_index\":", p));
    }
  }
}

void ChromeTrace::WriteWait(std::ostream& out, const Lanes& lanes, const Event& event) const {
  out << R"({"ph":"X","cat":"wait","cname":"grey","name":)" << Quoted("wait: " + TextOf(event.reason))
      << ",\"pid\":" << lanes.identity.index << ",\"tid\":" << Index(event.pipe)
      << ",\"ts\":" << Microseconds(0, event.idle_since)
      << ",\"dur\":" << Microseconds(event.idle_since, event.span.start)
      << ",\"args\":{\"cycles\":" << event.span.start - event.idle_since << "}}";
}

// From where the one let the other go: an arrow belongs to the event within which its end lies.
void ChromeTrace::WriteArrow(std::ostream& out, size_t id, const Event& from, int from_core, const Event& to,
                             int to_core) const {
  const int64_t begin = Picoseconds(from.span.start);
  const int64_t left = std::max(begin, Picoseconds(std::min(from.span.free, to.span.start)) - 1);
  const auto end = [&](const char* phase, int core, Pipe pipe, int64_t time) {
    out << R"({"name":"critical path","cat":"critical path",)" << phase << ",\"id\":" << id
        << ",\"pid\":" << core << ",\"tid\":" << Index(pipe) << ",\"ts\":" << MicrosecondsOf(time) << '}';
  };
  end(R"("ph":"s")", from_core, from.pipe, left);
  out << ",\n";
  end(R"("ph":"f","bp":"e")", to_core, to.pipe, Picoseconds(to.span.start));
}

void ChromeTrace::WriteEvent(std::ostream& out, const Lanes& lanes, const Event& event,
                             const Operand* operands) const {
  const Span& span = event.span;
  out << R"({"ph":"X","name":)" << Quoted(event.name) << ",\"pid\":" << lanes.identity.index
      << ",\"tid\":" << Index(event.pipe) << ",\"ts\":" << Microseconds(0, span.start)
      << ",\"dur\":" << Microseconds(span.start, span.free) << ",\"args\":{";
  const std::string tile = event.tile.Text();
  if (!tile.empty()) {
    out << "\"tile\":" << Quoted(tile) << ',';
  }
  for (int i = 0; i < event.num_operands; ++i) {
    out << Quoted(Say(i, " ", operands[i].name)) << ':' << Quoted(Place(operands[i])) << ',';
  }
  out << (event.on_path ? "\"critical_path\":true," : "")
      << "\"source\":" << Quoted(Say(event.where.file, ":", event.where.line))
      << ",\"issue_cycle\":" << span.issue << ",\"ready_cycle\":" << span.ready
      << ",\"start_cycle\":" << span.start << ",\"busy_cycles\":" << span.free - span.start
      << ",\"result_cycle\":" << span.done << ",\"waited_for_flags_cycles\":" << span.ready - span.issue
      << ",\"waited_for_pipe_cycles\":" << span.start - span.ready
      << ",\"waited_last_for\":" << Quoted(TextOf(event.reason)) << "}}";
}

void ChromeTrace::Write(std::ostream& out) const {
  out << R"({"displayTimeUnit":"ns","otherData":{"soc":)" << Quoted(soc_name_)
      << ",\"clock_mhz\":" << clock_mhz_ << ",\"events\":" << kept() << ",\"events_left_out\":" << left_out()
      << ",\"from_cycle\":" << window_.from_cycle;
  if (window_.to_cycle != std::numeric_limits<int64_t>::max()) {
    out << ",\"to_cycle\":" << window_.to_cycle;
  }
  out << "},\"traceEvents\":[\n";
  const char* separator = "";
  for (const Lanes& lanes : cores_) {
    WriteNames(out, lanes, separator);
    const Operand* operands = lanes.operands.data();
    for (const Event& event : lanes.events) {
      out << separator;
      if (event.span.start > std::max(event.idle_since, window_.from_cycle)) {
        WriteWait(out, lanes, event);
        out << ",\n";
      }
      WriteEvent(out, lanes, event, operands);
      operands += event.num_operands;
      separator = ",\n";
    }
  }
  for (size_t i = 1; i < path_.size(); ++i) {
    out << separator;
    WriteArrow(out, i, *path_[i - 1].event, path_[i - 1].core, *path_[i].event, path_[i].core);
  }
  out << "\n]}\n";
}

LaunchResult LaunchTraced(const SocConfig& soc, const LaunchOptions& options,
                          const std::function<void()>& kernel, ChromeTrace& trace) {
  WatchedLaunch watched = WatchLaunch(soc, options, kernel);
  FillTrace(watched, soc, trace);
  return std::move(watched.result);
}

}  // namespace tilesim
