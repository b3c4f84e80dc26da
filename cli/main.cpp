// The program: chooses the command, and alone turns how it ended into an exit code.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "formats/error.h"
#include "sim/core/fault.h"

namespace tilesim {
namespace {

int ExitCode(CommandEnd end) {
  if (end.exit_code() != 0) {
    return end.exit_code();
  }
  switch (end.outcome()) {
    case Outcome::kDone:
      return 0;
    case Outcome::kNo:
      return 1;
    case Outcome::kUserMistake:
      return 2;
    case Outcome::kKernelFault:
      return 3;
    case Outcome::kOurBug:
      return 4;
  }
  return 4;
}

constexpr int kInterrupted = 130;  // 128 + SIGINT, as shells say it

CommandEnd RunProgram(std::span<const std::string> words) {
  if (words.empty()) {
    throw UserError(Say("no command; `tilesim --help` lists them"));
  }
  const std::string& first = words.front();
  if (first == "--help" || first == "-h" || first == "help") {
    std::fputs(ProgramHelp().c_str(), stdout);
    return Outcome::kDone;
  }
  if (first == "--version") {
    std::puts("tilesim " TILESIM_VERSION);
    return Outcome::kDone;
  }
  RequireUser(!first.starts_with("-"), "'", first,
              "' stands where the command belongs; `tilesim --help` lists them");
  const Command& command = FindCommand(first);
  if (command.run_words != nullptr) {
    const bool asks = words.size() == 2 && (words[1] == "--help" || words[1] == "-h");
    std::fputs(asks ? CommandHelp(command).c_str() : "", stdout);
    return asks ? Outcome::kDone : command.run_words(words.subspan(1));
  }
  const Arguments arguments(command, words.subspan(1));
  if (arguments.Has("help")) {
    std::fputs(CommandHelp(command).c_str(), stdout);
    return Outcome::kDone;
  }
  return command.run(arguments);
}

CommandEnd Guarded(std::span<const std::string> words) {
  try {
    return RunProgram(words);
  } catch (const UserError& error) {
    std::fprintf(stderr, "tilesim: %s\n", error.what());
    return Outcome::kUserMistake;
  } catch (const KernelFault& fault) {
    std::fprintf(stderr, "tilesim: %s\n", fault.what());
    return Outcome::kKernelFault;
  } catch (const std::bad_alloc&) {
    std::fputs("tilesim: the machine has not enough memory for this; give a smaller case\n", stderr);
    return Outcome::kUserMistake;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilesim: internal error (please report): %s\n", error.what());
    return Outcome::kOurBug;
  }
}

}  // namespace
}  // namespace tilesim

int main(int argc, char** argv) {
  tilesim::WatchForInterrupt(tilesim::kInterrupted);
  const std::vector<std::string> words(argv + 1, argv + argc);
  const int code = tilesim::ExitCode(tilesim::Guarded(words));
  if (std::fflush(stdout) != 0) {
    std::fputs("tilesim: standard output cannot be written\n", stderr);
    return tilesim::ExitCode(tilesim::Outcome::kUserMistake);
  }
  return code;
}
