#include "cli/tune_file/file_tuner.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <iterator>
#include <thread>
#include <tuple>
#include <utility>

#include "cli/case_source.h"
#include "cli/tune/merge.h"
#include "cli/tune_file/search_order.h"
#include "formats/counted.h"
#include "formats/error.h"
#include "ops/knowledge/model_version.h"

namespace tilesim {
namespace {

constexpr size_t kRunInFull = 3;  // of the best that the search has found

// The outputs of a kernel are not written: there are as many as combinations.
FileCall CallOf(const Arguments& arguments) {
  RequireKernelFile(arguments.words().front());
  FileCall call = FileCallOf(arguments);
  std::vector<std::string>& words = call.kernel.words;
  if (const auto output = std::ranges::find(words, "--output"); output != words.end()) {
    words.erase(output, output + 2);
  }
  return call;
}

// The combinations of this process, and the default in any case.
std::vector<size_t> Share(const std::vector<size_t>& allowed, const Shard& shard) {
  std::vector<size_t> share;
  for (size_t i = 0; i < allowed.size(); ++i) {
    if (i == 0 || shard.Has(i)) {
      share.push_back(allowed[i]);
    }
  }
  return share;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += Say(text.empty() ? "" : " ", word);
  }
  return text;
}

}  // namespace

FileTuner::FileTuner(const Arguments& arguments, NotedInterrupt& interrupt)
    : arguments_(arguments),
      interrupt_(interrupt),
      soc_(SocOf(arguments)),
      shard_(ShardOf(arguments)),
      limits_(TuneLimitsOf(arguments)),
      objective_([&] {
        static constexpr std::array<std::string_view, 4> kNames = {"time", "cycles", "traffic", "pareto"};
        const std::string name = arguments.Choice("objective", kNames);
        return name == "traffic"  ? Objective::kTraffic
               : name == "pareto" ? Objective::kPareto
                                  : Objective::kTime;
      }()),
      call_(CallOf(arguments)),
      space_(VariedOf(arguments, call_)),
      candidates_(Share(AllowedCombinations(arguments, space_), shard_)),
      runner_(arguments, soc_, space_, call_),
      progress_(candidates_.size(), static_cast<double>(candidates_.size()), arguments.Has("quiet")) {}

TriedIdentity FileTuner::Identity() {
  return {{"file", call_.file.string()},
          {"program", runner_.ProgramIdentity()},
          {"part", soc_.name},
          {"model", ModelVersion(soc_)},
          {"names", Joined(space_.names())},
          {"default", space_.Text(0)},
          {"options", ProgramOptions(arguments_, {.mode = "full", .threads = 1})},
          {"launch", arguments_.Text("launch", "all")},
          {"words", Joined(call_.kernel.words) + " -- " + Joined(call_.program_words)}};
}

void FileTuner::Take(const TriedResults& results) {
  for (const size_t number : candidates_) {
    const auto found = results.by_values.find(space_.Values(number));
    if (found != results.by_values.end()) {
      results_[number] = found->second;
    }
  }
}

std::string FileTuner::Begin() {
  const TriedIdentity identity = Identity();
  std::optional<bool> known_off;  // that values do not matter, in all that is known
  const auto take_known = [&](const TriedResults& known) {
    Take(known);
    known_off = known_off.value_or(true) && known.values_off;
  };
  std::vector<std::string> merged;
  for (const std::string& list : arguments_.All("merge")) {
    std::ranges::copy(SplitAtCommas(list), std::back_inserter(merged));
  }
  RequireAllShares(merged);
  for (const std::string& path : merged) {
    const std::optional<TriedResults> results = ReadTried(path, identity);
    RequireUser(results.has_value(), "--merge: ", path, " is not there, or empty; give what --kb-out wrote");
    take_known(*results);
  }
  const std::string kept = KeptIn();
  std::optional<TriedResults> own = kept.empty() ? std::nullopt : ReadTried(kept, identity);
  if (own) {
    take_known(*own);
  }
  if (known_off == false) {  // what was timed without values may have been cut short before it was run anew
    std::erase_if(results_, [](const auto& one) { return one.second.verdict == TriedVerdict::kTimed; });
  }
  const size_t left = results_.size();
  if (!results_.contains(0)) {
    results_[0] = runner_.Run(0, true, limits_.threads);
  }
  launches_of_default_ = results_[0].num_launches;
  if (known_off) {
    values_off_ = *known_off;
  } else {
    // its result may be wrong without harm to the comparison
    const Tried& full = results_[0];
    values_off_ = (full.verdict == TriedVerdict::kOk || full.verdict == TriedVerdict::kMismatch) &&
                  runner_.Run(0, false, limits_.threads).launches == full.launches;
  }
  if (!kept.empty()) {
    file_.emplace(kept, identity);
    if (!own || own->values_off != values_off_) {
      file_->SetValuesOff(values_off_);
    }
    for (const auto& [number, tried] : results_) {
      if (!own || !own->by_values.contains(space_.Values(number))) {
        file_->Add(space_.Values(number), tried);
      }
    }
  }
  const bool is_right = results_[0].verdict == TriedVerdict::kOk;
  return Say(left == 0 ? "" : Say("goes on from ", left, " of ", candidates_.size(), " combinations; "),
             values_off_ ? Say("the search times the kernel without computing its results, which takes less "
                               "long, and runs the best in full: the first values, ",
                               space_.Text(0), ", take the same cycles either way")
             : is_right  ? Say("every combination is run in full: the first values, ", space_.Text(0),
                               ", take other cycles where results are not computed")
                         : Say("every combination is run in full: the first values, ", space_.Text(0),
                               ", do not show whether it may be timed without computing results"),
             is_right ? "" : Say("; their own verdict is ", Name(results_[0].verdict)));
}

void FileTuner::Search() {
  interrupt_.BeginNoting();
  SearchOrder order(space_, candidates_);
  const auto was_tried = [&](size_t number) { return results_.contains(number); };
  auto left = static_cast<size_t>(limits_.runs);
  for (std::vector<size_t> batch = order.Next(was_tried, BestFirst()); !batch.empty();
       batch = order.Next(was_tried, BestFirst())) {
    const bool is_cut = batch.size() > left;
    batch.resize(std::min(batch.size(), left));
    left -= batch.size();
    if (!TryAll(batch) || is_cut) {
      return;
    }
  }
}

bool FileTuner::TryAll(const std::vector<size_t>& batch) {
  const size_t workers = std::min(static_cast<size_t>(limits_.threads), batch.size());
  std::atomic<size_t> next = 0;
  std::atomic<bool> ended = false;
  std::exception_ptr failed;
  const auto work = [&] {
    try {
      for (size_t i = next++; i < batch.size(); i = next++) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
        if (ended || interrupt_.asked() || took.count() >= limits_.seconds) {
          ended = true;
          return;
        }
        Try(batch[i], !values_off_, std::max(1, limits_.threads / static_cast<int>(workers)));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed = std::current_exception();
      ended = true;
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < workers; ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (failed) {
    std::rethrow_exception(failed);
  }
  return !ended;
}

void FileTuner::Try(size_t number, bool values, int threads) {
  const bool was_asked = interrupt_.asked();
  progress_.Begin(space_.Text(number), 1);
  Tried tried;
  try {
    tried = values ? runner_.Run(number, true, threads) : Timed(number, threads);
  } catch (const UserError& error) {  // what is wrong with all of them, the default has shown
    tried.verdict = TriedVerdict::kRefused;
    tried.message = error.what();
  }
  progress_.End();
  if (!was_asked && interrupt_.asked()) {  // Ctrl-C reaches compiler and program, too
    runner_.ForgetPrograms();
    return;
  }
  const std::lock_guard lock(mutex_);
  results_[number] = tried;
  if (file_) {
    file_->Add(space_.Values(number), tried);
  }
}

Tried FileTuner::Timed(size_t number, int threads) {
  Tried tried = runner_.Run(number, false, threads);
  if (tried.verdict != TriedVerdict::kTimed || tried.num_launches == launches_of_default_ ||
      interrupt_.asked()) {
    return tried;
  }
  const std::string told =
      Say(Counted(tried.num_launches, "launch", "launches"),
          " without computing results, the first values have ", launches_of_default_, ": run in full");
  tried = runner_.Run(number, true, threads);
  tried.message = tried.message.empty() ? told : Say(tried.message, " (", told, ")");
  return tried;
}

std::string FileTuner::RunBestInFull() {
  std::string told;
  for (std::optional<size_t> next = NextInFull(); next; next = NextInFull()) {
    const int64_t cycles_without = results_.at(*next).cycles;
    Try(*next, true, limits_.threads);
    const Tried& full = results_.at(*next);
    const bool was_run = full.verdict == TriedVerdict::kOk || full.verdict == TriedVerdict::kMismatch;
    if (values_off_ && was_run && full.cycles != cycles_without) {
      values_off_ = false;
      if (file_) {
        file_->SetValuesOff(false);
      }
      told = Say("the computed results change the time: ", space_.Text(*next), " takes ", full.cycles,
                 " cycles with them, ", cycles_without, " without; ");
      told += TryAll(TimedOnly()) ? "all that were tried are run in full now"
                                  : "those with verdict timed were timed without them";
    }
  }
  return told;
}

std::vector<size_t> FileTuner::TimedOnly() const {
  std::vector<size_t> timed;
  for (const auto& [number, tried] : results_) {
    if (tried.verdict == TriedVerdict::kTimed) {
      timed.push_back(number);
    }
  }
  return timed;
}

std::optional<size_t> FileTuner::NextInFull() const {
  const std::vector<size_t> order = objective_ == Objective::kPareto ? Front() : BestFirst();
  bool any_right = false;
  for (size_t place = 0; place < order.size(); ++place) {
    if (place >= kRunInFull && any_right && objective_ != Objective::kPareto) {
      break;
    }
    if (results_.at(order[place]).verdict == TriedVerdict::kTimed) {
      return order[place];
    }
    any_right = true;
  }
  return std::nullopt;
}

std::vector<size_t> FileTuner::BestFirst() const {
  std::vector<size_t> order;
  for (const auto& [number, tried] : results_) {
    if (tried.MayBeRight()) {
      order.push_back(number);
    }
  }
  std::ranges::stable_sort(order, {}, [&](size_t number) {
    const Tried& tried = results_.at(number);
    const auto bytes = static_cast<double>(tried.gm_bytes);
    return objective_ == Objective::kTraffic ? std::pair(bytes, tried.time_us)
                                             : std::pair(tried.time_us, bytes);
  });
  return order;
}

std::vector<size_t> FileTuner::Front() const {
  std::vector<size_t> front;
  for (const size_t number : BestFirst()) {  // by time: a later one is of the front where it moves less
    if (front.empty() || results_.at(number).gm_bytes < results_.at(front.back()).gm_bytes) {
      front.push_back(number);
    }
  }
  return front;
}

std::optional<size_t> FileTuner::Best() const {
  for (const size_t number : BestFirst()) {
    if (results_.at(number).verdict == TriedVerdict::kOk) {
      return number;
    }
  }
  return std::nullopt;
}

std::vector<size_t> FileTuner::InOrder() const {
  std::vector<size_t> order = BestFirst();
  for (const auto& [number, tried] : results_) {
    if (!tried.MayBeRight()) {
      order.push_back(number);
    }
  }
  return order;
}

std::string FileTuner::RoleOf(size_t number) const {
  std::string role = Best() == number ? "best" : "";
  const std::vector<size_t> front = objective_ == Objective::kPareto ? Front() : std::vector<size_t>();
  if (role.empty() && std::ranges::find(front, number) != front.end()) {
    role = "front";
  }
  return role + (number != 0 ? "" : role.empty() ? "first values" : ", first values");
}

std::string FileTuner::KeptIn() const {
  return arguments_.Has("kb-out") ? shard_.Named(arguments_.Text("kb-out", "")).string() : "";
}

}  // namespace tilesim
