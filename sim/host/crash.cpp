#include "sim/host/crash.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "sim/core/core.h"
#include "sim/core/current_core.h"

namespace tilesim::host {
namespace {

struct Crash {
  int signal;
  const char* what;
};
constexpr std::array kCrashes = {Crash{SIGSEGV, "a segmentation fault"}, Crash{SIGBUS, "a bus error"},
                                 Crash{SIGFPE, "a division by zero or another arithmetic trap"},
                                 Crash{SIGILL, "an illegal instruction of the host"},
                                 Crash{SIGABRT, "abort()"}};

constinit thread_local const char* running_kernel = nullptr;
std::array<struct sigaction, kCrashes.size()> actions_before;

// A handler may not allocate: the text is put together in place.
class PlainText {
 public:
  PlainText& operator<<(const char* text) {
    while (*text != 0 && size_ < sizeof(text_)) {
      text_[size_++] = *text++;
    }
    return *this;
  }
  PlainText& operator<<(int64_t number) {
    if (number < 0) {
      number = -number;
      *this << "-";
    }
    return Digits(static_cast<uint64_t>(number), 10);
  }
  PlainText& Hex(uint64_t number) { return (*this << "0x").Digits(number, 16); }
  void Write() const {
    size_t at = 0;
    while (at < size_) {
      const ssize_t written = write(STDERR_FILENO, text_ + at, size_ - at);
      if (written <= 0) {
        return;
      }
      at += static_cast<size_t>(written);
    }
  }

 private:
  PlainText& Digits(uint64_t number, unsigned base) {
    char digits[24];
    size_t count = sizeof(digits);
    digits[--count] = 0;
    do {
      digits[--count] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number != 0);
    return *this << digits + count;
  }
  char text_[1024];
  size_t size_ = 0;
};

void Tell(const Crash& crash, const Core& core, const siginfo_t& info) {
  const CoreIdentity& identity = core.identity();
  PlainText text;
  text << "tilesim: " << running_kernel << " on ";
  if (identity.kind == CoreKind::kAic) {
    text << "AIC " << identity.block;
  } else {
    text << "AIV " << identity.block;
    if (identity.aivs_per_block > 0) {
      text << "." << identity.sub_block;
    }
  }
  text << ": " << crash.what;
  if (crash.signal == SIGSEGV || crash.signal == SIGBUS) {
    text << " at address ";
    text.Hex(reinterpret_cast<uint64_t>(info.si_addr));
  }
  text << " in the kernel's own code";
  if (core.call_line().line != 0) {
    text << ", after " << core.call_name() << " (" << core.call_line().file << ":" << core.call_line().line
         << ")";
  } else {
    text << ", before its first API call";
  }
  if (crash.signal == SIGSEGV) {
    text << "; a pointer into GM must stay inside of its buffer, and tensors are no host memory";
  }
  text << "\ntilesim: the program ends here, with 1 fault more than told above\n";
  text.Write();
}

void Handle(int signal, siginfo_t* info, void*) {
  for (size_t i = 0; i < kCrashes.size(); ++i) {
    if (kCrashes[i].signal != signal) {
      continue;
    }
    if (running_kernel != nullptr && tilesim::internal::current_core != nullptr) {
      Tell(kCrashes[i], *tilesim::internal::current_core, *info);
      _exit(3);
    }
    sigaction(signal, &actions_before[i], nullptr);  // it comes again, as the program wants it
    if (signal == SIGABRT || info->si_code <= 0) {
      raise(signal);
    }
  }
}

void Install() {
  struct sigaction action = {};
  action.sa_sigaction = Handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kCrashes.size(); ++i) {
    sigaction(kCrashes[i].signal, &action, &actions_before[i]);
  }
}

// A stack that has run over has no room for the handler: each thread has another one for it.
struct HandlerStack {
  HandlerStack() {
    stack_t stack = {};
    stack.ss_sp = bytes.data();
    stack.ss_size = bytes.size();
    stack_t before = {};
    if (sigaltstack(nullptr, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0) {
      in_use = sigaltstack(&stack, nullptr) == 0;
    }
  }
  ~HandlerStack() {
    if (in_use) {
      stack_t none = {};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
    }
  }
  bool in_use = false;
  std::array<std::byte, 32768> bytes;
};

}  // namespace

KernelScope::KernelScope(const char* kernel) : before_(running_kernel) {
  static std::once_flag installed;
  std::call_once(installed, Install);
  static thread_local const HandlerStack stack;
  static_cast<void>(&stack);
  running_kernel = kernel;
}

KernelScope::~KernelScope() { running_kernel = before_; }

}  // namespace tilesim::host
