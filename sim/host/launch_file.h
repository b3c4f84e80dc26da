// Launches on their way from a user's program to the commands that explain them: the program appends each to
// a file, the command reads them all. The file is of one version of tilesim, for one machine, and for one
// run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/identity.h"
#include "sim/explain/watched_launch.h"

namespace tilesim::host {

// How much of each launch is written. Each has what those before it have.
enum class WatchDepth : uint8_t {
  kResult,        // what came of it
  kRecording,     // and what its cores did
  kInstructions,  // and the tiles and operands of their instructions
};
constexpr std::string_view Name(WatchDepth depth) {
  return depth == WatchDepth::kResult      ? "result"
         : depth == WatchDepth::kRecording ? "recording"
                                           : "instructions";
}

// What a program says of a launch beside what came of it.
struct LaunchTitle {
  std::string kernel;  // as the program names it: "add_custom", "add_custom<half, 2>"
  KernelType type = KernelType::kAicOnly;
  int64_t blocks = 1;
  bool hazards_checked = false;
};

// The instructions of a launch, kept as the cores issue them.
class ToldInstructions : public Observer {
 public:
  // Of a launch of at most so many cores: while it runs, each core writes what is its own.
  explicit ToldInstructions(size_t most_cores);
  ~ToldInstructions() override;
  void OnInstruction(int core_index, const Issued& instruction, const Operands& operands) override;
  // Tells them again, core by core. A region of several blocks is told as one of as many bytes.
  void TellAgain(Observer& observer) const;

  struct OfCore;
  std::vector<OfCore>& cores() { return cores_; }
  // The launch has started so many.
  void SetCores(size_t count);

 private:
  std::vector<OfCore> cores_;
};

// A launch as it stands in a file.
struct FiledLaunch {
  LaunchTitle title;
  WatchedLaunch watched;  // what was not written is empty
};

// Appends a launch. `told`: nullptr but for kInstructions. Throws UserError where the file cannot be written.
void AppendLaunch(const std::filesystem::path& file, const LaunchTitle& title, const LaunchResult& result,
                  const GmSpace& gm, const LaunchRecording* recording, ToldInstructions* told);

// All launches that were written whole, in their order; a program that was killed may have left a part of
// another behind them. Texts that launches point to live as long as the process. Throws UserError for a file
// that is none of launches, or of another version.
std::vector<FiledLaunch> ReadLaunches(const std::filesystem::path& file);

}  // namespace tilesim::host
