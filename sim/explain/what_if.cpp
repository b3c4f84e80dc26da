#include "sim/explain/what_if.h"

#include <algorithm>
#include <cmath>

#include "formats/error.h"

namespace tilesim {
namespace {

int64_t CyclesWithout(const LaunchRecording& recording, SocConfig soc, Freed freed, Pipe pipe) {
  WhatIf what_if;
  switch (freed) {
    case Freed::kPipe:
      what_if = WhatIf::Free(pipe);
      break;
    case Freed::kL2Misses:
      what_if.all_in_l2 = true;
      break;
    case Freed::kSharing:
      what_if.gm_unshared = true;
      break;
    case Freed::kIssue:
      soc.scalar_issue_cycles = 0;
      break;
    case Freed::kQueues:
      for (int64_t* const depth :
           {&soc.queue_mte1, &soc.queue_m, &soc.queue_mte2, &soc.queue_mte3, &soc.queue_fix, &soc.queue_v}) {
        *depth = 0;  // no end
      }
      break;
    case Freed::kFlags:
      soc.flag_cycles = 0;
      soc.barrier_cycles = 0;
      soc.cross_core_cycles = 0;
      break;
  }
  return Replay(recording, soc, what_if).cycles;
}

std::string TextFor(Freed freed, Pipe pipe) {
  switch (freed) {
    case Freed::kPipe:
      return Say(Name(pipe), " took no time");
    case Freed::kL2Misses:
      return "every byte were found in L2";
    case Freed::kSharing:
      return "each core had L2 and HBM for itself";
    case Freed::kIssue:
      return "the scalar unit issued in no time";
    case Freed::kQueues:
      return "the issue queues had no end";
    case Freed::kFlags:
      return "flags and barriers were there at once";
  }
  return "?";
}

constexpr double kWorthReadingLess = 0.1;  // of the bytes read: an advice on less is none

bool ReadsAgain(const GmReadBytes& reads) { return reads.again() > kWorthReadingLess; }
// `part` in percent: "12 %".
std::string PercentText(double part) {
  const int64_t percent = std::lround(100 * part);
  return percent == 0 ? "less than 1 %" : Say(percent, " %");
}
std::string AgainText(const GmReadBytes& reads) {
  return Say(PercentText(reads.again()), " of the bytes read had been read before");
}
// The same where they are too few for an advice.
std::string HardlyAgainText(const GmReadBytes& reads) {
  return reads.all == reads.distinct
             ? "no byte is read twice"
             : Say("hardly any byte (", PercentText(reads.again()), ") is read twice");
}

std::string MendOfMisses(const GmReadBytes& reads) {
  const double more = reads.distinct == 0 ? 0
                                          : static_cast<double>(reads.missed - reads.distinct) /
                                                static_cast<double>(reads.distinct);
  if (more > kWorthReadingLess) {
    return "order the tiles so that cores that run together read the same bytes";
  }
  return Say(
      more <= 0 ? "each byte comes from HBM but once, as it must"
                : Say("hardly more (", PercentText(more), ") comes from HBM than each byte once"),
      ": load it further ahead of its use (more buffers), or fuse the kernel with the one that makes it");
}

std::string MendOfPipe(Pipe pipe, const GmReadBytes& reads) {
  switch (pipe) {
    case Pipe::kS:
      return "let the kernel read and write fewer single elements";
    case Pipe::kV:
      return "give vector instructions more elements each (larger UB tiles, more repeats), and cast less";
    case Pipe::kM:
      return "give every core work, and choose tiles whose edges are padded less to whole fractals";
    case Pipe::kMte1:
      return "a larger L0 tile (base M, N) where L0 has room, so that each fractal loaded serves more "
             "products";
    case Pipe::kMte2:
      return ReadsAgain(reads)
                 ? Say("read fewer bytes again (a larger tile in L1 or UB where it has room), and in longer "
                       "rows: ",
                       AgainText(reads))
                 : Say(HardlyAgainText(reads),
                       ", so load ahead of the use (two buffers or more), in fewer and larger moves");
    case Pipe::kMte3:
      return "write longer rows in fewer moves";
    case Pipe::kFix:
      return "split K less, so that fewer partial sums leave L0C";
  }
  return "";
}

}  // namespace

std::string TextOf(const WhatIfAnswer& answer) {
  return Say(TextFor(answer.freed, answer.pipe),
             answer.is_slower
                 ? "; about: the cores then reach L2 in another order, which costs more than that saves"
                 : "");
}

std::string BoundName(Freed freed, Pipe pipe) {
  switch (freed) {
    case Freed::kPipe:
      return std::string(Name(pipe));
    case Freed::kL2Misses:
      return "L2 misses";
    case Freed::kSharing:
      return "L2 and HBM, shared by the cores";
    case Freed::kIssue:
      return "the scalar unit's issue";
    case Freed::kQueues:
      return "full issue queues";
    case Freed::kFlags:
      return "flags and barriers";
  }
  return "?";
}

std::string MendOf(Freed freed, Pipe pipe, const GmReadBytes& reads) {
  switch (freed) {
    case Freed::kPipe:
      return MendOfPipe(pipe, reads);
    case Freed::kL2Misses:
      return MendOfMisses(reads);
    case Freed::kSharing:
      return ReadsAgain(reads) ? Say("read fewer bytes again (larger tiles, a split that shares operands): ",
                                     AgainText(reads))
                               : Say(HardlyAgainText(reads),
                                     ", so that only fewer bytes in all would help: fuse the kernel with the "
                                     "one before or behind it, or use a smaller type");
    case Freed::kIssue:
      return "issue fewer, larger instructions";
    case Freed::kQueues:
      return "issue the instructions that others wait for earlier";
    case Freed::kFlags:
      return "synchronise more rarely: larger tiles between flags";
  }
  return "";
}

std::vector<WhatIfAnswer> AskWhatIf(const LaunchRecording& recording, const SocConfig& soc,
                                    const LaunchTimes& now) {
  std::vector<WhatIfAnswer> answers;
  const auto ask = [&](Freed freed, Pipe pipe) {
    const int64_t cycles = CyclesWithout(recording, soc, freed, pipe);
    answers.push_back({.freed = freed, .pipe = pipe, .cycles = cycles, .is_slower = cycles > now.cycles});
  };
  for (int p = 0; p < kNumPipes; ++p) {
    const auto slot = static_cast<size_t>(p);
    if (std::ranges::any_of(now.cores, [&](const CoreTimes& core) { return core.busy_cycles[slot] > 0; })) {
      ask(Freed::kPipe, static_cast<Pipe>(p));
    }
    if (static_cast<Pipe>(p) == Pipe::kS && !answers.empty() && answers.back().cycles == now.cycles) {
      answers.pop_back();  // it only issued, which is asked below
    }
  }
  for (const Freed freed :
       {Freed::kL2Misses, Freed::kSharing, Freed::kIssue, Freed::kQueues, Freed::kFlags}) {
    ask(freed, Pipe::kS);
  }
  std::ranges::stable_sort(answers, {}, &WhatIfAnswer::cycles);
  return answers;
}

}  // namespace tilesim
