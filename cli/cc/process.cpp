#include "cli/cc/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "formats/error.h"

extern char** environ;

namespace tilesim {
namespace {

// A pipe whose ends a child only has where it is given them.
class OsPipe {
 public:
  OsPipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error(Say("pipe: ", std::strerror(errno)));
    }
  }
  ~OsPipe() {
    CloseWrite();
    close(ends_[0]);
  }
  OsPipe(const OsPipe&) = delete;
  OsPipe& operator=(const OsPipe&) = delete;

  int read() const { return ends_[0]; }
  int write() const { return ends_[1]; }
  void CloseWrite() {
    if (ends_[1] >= 0) {
      close(ends_[1]);
      ends_[1] = -1;
    }
  }

 private:
  std::array<int, 2> ends_{};
};

// Both to their ends, as they come.
void ReadBoth(const OsPipe& out, const OsPipe& err, ProcessEnd& end) {
  std::array<pollfd, 2> waits = {{{out.read(), POLLIN, 0}, {err.read(), POLLIN, 0}}};
  std::array<char, 1 << 16> block;
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    if (poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) {
        continue;  // `revents` are those of the time before
      }
      return;
    }
    for (size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].fd < 0 || waits[i].revents == 0) {
        continue;
      }
      const ssize_t length = read(waits[i].fd, block.data(), block.size());
      if (length > 0) {
        (i == 0 ? end.out : end.err).append(block.data(), static_cast<size_t>(length));
      } else if (length == 0 || errno != EINTR) {
        waits[i].fd = -1;
      }
    }
  }
}

std::vector<std::string> EnvironmentWith(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!variables.contains(text.substr(0, text.find('=')))) {
      all.push_back(text);
    }
  }
  for (const auto& [name, value] : variables) {
    all.push_back(Say(name, "=", value));
  }
  return all;
}

// As C has them, with a null at the end.
std::vector<char*> PointersTo(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::filesystem::path TemporaryFolder() {
  std::error_code failed;
  std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  const char* const given = std::getenv("TMPDIR");
  RequireUser(!failed, "TMPDIR = '", given == nullptr ? "/tmp" : given,
              "': there is no such folder; make it, or let TMPDIR name one that can be written");
  return folder;
}

ProcessEnd RunProcess(const std::vector<std::string>& words, const ProcessSettings& settings) {
  const Keep keep = settings.keep;
  OsPipe out;
  OsPipe err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (keep == Keep::kOutAndErr) {
    posix_spawn_file_actions_adddup2(&actions, out.write(), STDOUT_FILENO);
  }
  if (keep != Keep::kNothing) {
    posix_spawn_file_actions_adddup2(&actions, err.write(), STDERR_FILENO);
  }
  if (settings.output_aside) {
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;  // this program blocks signals to wait for them; the child is to end by them
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const std::vector<std::string> environment = EnvironmentWith(settings.variables);
  std::fflush(nullptr);  // what was said before stands before what the child says
  pid_t child = -1;
  const int failed = posix_spawnp(&child, words[0].c_str(), &actions, &attributes, PointersTo(words).data(),
                                  PointersTo(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  RequireUser(failed == 0, words[0], ": cannot be started: ", std::strerror(failed));
  out.CloseWrite();
  err.CloseWrite();
  ProcessEnd end;
  ReadBoth(out, err, end);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  }
  end.code = end.signal ? 128 + *end.signal : WEXITSTATUS(status);
  return end;
}

}  // namespace tilesim
