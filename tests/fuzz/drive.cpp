// Drives a fuzz target where the compiler has no engine for it: the inputs that are kept, then inputs that
// are made of them by a seeded loop.
//   fuzz_<parser> FOLDER [--seconds N]
// An input that ends the program otherwise than by a refusal is written to "found.<number>" in the folder of
// the call, with the seed that repeats the run (TILESIM_TEST_SEED); keep it in FOLDER, with its mend.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "tests/support/repetitions.h"
#include "tests/support/test_seed.h"

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 1 << 14;

std::string current;  // for Keep, which may not allocate

void Keep() {
  char name[64];
  std::snprintf(name, sizeof name, "found.%d", static_cast<int>(getpid()));
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    const bool written = write(file, current.data(), current.size()) == static_cast<ssize_t>(current.size());
    std::fprintf(stderr, "%s the input is in %s\n", written ? "" : "a part of", name);
    close(file);
  }
}

void OnSignal(int signal) {
  Keep();
  std::_Exit(128 + signal);
}

bool Runs(const std::string& input) {
  current = input;
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "no refusal but an internal error: %s\n", error.what());
    Keep();
    return false;
  }
}

std::vector<std::string> KeptInputs(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> inputs;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

// Inputs made of kept ones: a few small changes each.
class Changes {
 public:
  Changes(const std::vector<std::string>& kept, uint64_t seed) : kept_(kept), random_(seed) {}

  std::string Next() {
    std::string input = Any(kept_);
    for (size_t left = 1 + Below(4); left > 0; --left) {
      Change(input);
    }
    input.resize(std::min(input.size(), kMostBytes));
    return input;
  }

 private:
  size_t Below(size_t end) { return end == 0 ? 0 : random_() % end; }
  const std::string& Any(const std::vector<std::string>& all) { return all[Below(all.size())]; }

  void Change(std::string& input) {
    static const std::vector<std::string> kTokens = {"1e999",
                                                     "-1",
                                                     "0",
                                                     "9223372036854775807",
                                                     "9223372036854775808",
                                                     "18446744073709551616",
                                                     "1e308",
                                                     "nan",
                                                     "inf",
                                                     "-inf",
                                                     "0x7fffffff",
                                                     "\xff",
                                                     "\xc3\x28",
                                                     "\xed\xa0\x80",
                                                     std::string(1, '\0'),
                                                     "\x1b[31m",
                                                     "\"",
                                                     "'",
                                                     ",",
                                                     ":",
                                                     "{",
                                                     "}",
                                                     "[",
                                                     "]",
                                                     "(",
                                                     ")",
                                                     "<",
                                                     ">",
                                                     "=",
                                                     "\n",
                                                     "\r\n",
                                                     "\t",
                                                     "#",
                                                     "\\",
                                                     "/*",
                                                     "//",
                                                     "null",
                                                     "true",
                                                     "__global__",
                                                     "__aicore__",
                                                     "<<<1, nullptr, s>>>",
                                                     "template <",
                                                     "R\"x(",
                                                     std::string(300, 'a'),
                                                     std::string(300, '['),
                                                     std::string(40, '9')};
    const size_t at = Below(input.size() + 1);
    const size_t count = Below(std::min<size_t>(input.size() - at, 16) + 1);
    switch (Below(7)) {
      case 0:
        if (at < input.size()) {
          input[at] = static_cast<char>(input[at] ^ (1 << Below(8)));
        }
        break;
      case 1:
        input.erase(at, count);
        break;
      case 2:
        input.insert(at, input.substr(at, count));
        break;
      case 3:
        input.insert(at, Any(kTokens));
        break;
      case 4:
        input.replace(at, count, Any(kTokens));
        break;
      case 5: {
        const std::string& other = Any(kept_);
        input = input.substr(0, at) + other.substr(Below(other.size() + 1));
        break;
      }
      default:
        input.insert(at, 1, static_cast<char>(random_()));
    }
  }

  const std::vector<std::string>& kept_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool timed = argc == 4 && std::string(argv[2]) == "--seconds";
  if (argc != 2 && !timed) {
    std::cerr << "fuzz: give the folder of kept inputs, and maybe --seconds N\n";
    return 2;
  }
  const std::chrono::duration<double> most((timed ? std::stod(argv[3]) : 7) / tilesim::TestPart());
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) {
    std::signal(signal, OnSignal);
  }
  const std::vector<std::string> kept = KeptInputs(argv[1]);
  if (kept.empty()) {
    std::cerr << argv[1] << ": holds no input to begin with\n";
    return 2;
  }
  Changes changes(kept, tilesim::testing::TestSeed());
  std::cout.flush();  // a crash prints no more
  bool right = true;
  for (const std::string& input : kept) {
    right = Runs(input) && right;
  }
  const auto start = std::chrono::steady_clock::now();
  int64_t made = 0;
  while (right && std::chrono::steady_clock::now() - start < most) {
    right = Runs(changes.Next());
    ++made;
  }
  std::cout << kept.size() << " kept inputs, " << made << " made of them, "
            << (right ? "all read or refused" : "one not refused") << "\n";
  return right ? 0 : 1;
}
