#include "sim/host/crash.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <mutex>
#include <new>
#include <semaphore>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "sim/core/core.h"
#include "sim/core/current_core.h"
#include "sim/core/line_end.h"

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

std::atomic<pid_t> thread_that_hands_over = 0;
std::atomic<pid_t> thread_that_looks_on = 0;
std::atomic<const char*> text_before = "";
std::array<struct sigaction, kCrashes.size()> actions_before;

// What a handler calls looks at no thread_local variable, and is no point at which the C library would end a
// cancelled thread: a kernel that overruns its stack overwrites what the library keeps of the thread. errno
// alone is written.
void Sleep(timespec time) { syscall(SYS_nanosleep, &time, nullptr); }
[[noreturn]] void SleepForEver() {
  for (;;) {
    Sleep({.tv_sec = 3600, .tv_nsec = 0});
  }
}
pid_t ThisThread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

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
  PlainText& operator<<(const PlainText& text) {
    for (size_t i = 0; i < text.size_ && size_ < sizeof(text_); ++i) {
      text_[size_++] = text.text_[i];
    }
    return *this;
  }
  PlainText& Hex(uint64_t number) { return (*this << "0x").Digits(number, 16); }
  [[nodiscard]] std::string_view View() const { return {text_, size_}; }
  void Write() const { WriteAll(text_, size_); }
  static void WriteAll(const char* text, size_t size, int file = STDERR_FILENO) {
    while (size > 0) {
      const ssize_t written = syscall(SYS_write, file, text, size);
      if (written <= 0) {
        return;
      }
      text += written;
      size -= static_cast<size_t>(written);
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

// A thread that runs a kernel. These are no thread_local variables, for those lie behind the thread's stack,
// which a kernel may overrun.
struct RunningKernel {
  std::atomic<pid_t> thread = 0;  // 0: this one is free
  const char* kernel = nullptr;
  SourceLine kernel_at;
  const Core* core = nullptr;
  const PlainText* being_told = nullptr;  // what the thread's handler is telling
};
constexpr size_t kMostThreads = 1024;  // as --threads may ask for
constinit std::array<RunningKernel, kMostThreads> running_kernels;

RunningKernel* RunningOn(pid_t thread) {
  for (RunningKernel& running : running_kernels) {
    if (running.thread == thread) {
      return &running;
    }
  }
  return nullptr;
}

bool AnyKernelRuns() {
  return std::ranges::any_of(running_kernels,
                             [](const RunningKernel& running) { return running.thread != 0; });
}

RunningKernel* FreeRunning() {
  for (RunningKernel& running : running_kernels) {
    pid_t free = 0;
    if (running.thread.compare_exchange_strong(free, ThisThread())) {
      return &running;
    }
  }
  return nullptr;
}

// The one T of the program, made by the first call; T's constructor is this function's alone. Never
// destroyed, for a kernel may call exit() and threads wait for ever; not on the heap, which a kernel may have
// spoilt.
template <class T>
T& Lasting() {
  alignas(T) static std::array<std::byte, sizeof(T)> room;
  static T& made = *new (room.data()) T;
  return made;
}

// What the cores of the launch have printed whose kernel has ended, in the order of the cores. Text goes to
// standard output with that of a launch that ends, and from here where the program ends before.
class PrintedSoFar {
 public:
  // A core that runs its kernel again, as of another type, prints again.
  void Add(const CoreIdentity& core, const std::string& text) {
    const std::lock_guard lock(mutex_);
    const auto at = std::ranges::lower_bound(texts_, PlaceOf(core), {}, &OfCore::place);
    if (at != texts_.end() && at->place == PlaceOf(core)) {
      at->text = text;
    } else {
      texts_.insert(at, {PlaceOf(core), text});
    }
  }
  void Clear() {
    const std::lock_guard lock(mutex_);
    texts_.clear();
  }

  // Where the program ends: with what `core` has printed itself, if its thread asks. Whole lines. Allocates
  // nothing; a thread that holds the lock for a second has been spoilt by the kernel, and then the others'
  // text is left out.
  void WriteWith(const Core& core, bool with_its_own) {
    constexpr timespec kStep = {.tv_sec = 0, .tv_nsec = 1'000'000};
    bool is_locked = mutex_.try_lock();
    for (int step = 0; step < 1000 && !is_locked; ++step) {
      Sleep(kStep);
      is_locked = mutex_.try_lock();
    }
    const Place place = PlaceOf(core.identity());
    const std::span<const OfCore> others = is_locked ? texts_ : std::span<const OfCore>();
    const auto next = std::ranges::find_if(others, [&](const OfCore& other) { return other.place > place; });
    for (auto other = others.begin(); other != next; ++other) {
      WriteLines(other->text);
    }
    if (with_its_own) {
      WriteLines(core.printed());
    }
    for (auto other = next; other != others.end(); ++other) {
      WriteLines(other->text);
    }
  }

 private:
  template <class T>
  friend T& Lasting();
  PrintedSoFar() = default;
  using Place = std::tuple<CoreKind, int64_t, int64_t>;  // in the order of a launch's cores
  struct OfCore {
    Place place;
    std::string text;
  };
  static Place PlaceOf(const CoreIdentity& core) { return {core.kind, core.block, core.sub_block}; }
  static void WriteLines(std::string_view text) {
    const std::string_view end = MissingLineEnd(text);
    PlainText::WriteAll(text.data(), text.size(), STDOUT_FILENO);
    PlainText::WriteAll(end.data(), end.size(), STDOUT_FILENO);
  }

  std::mutex mutex_;
  std::vector<OfCore> texts_;
};

// A kernel that cannot go on: where, and what happened there.
struct Ending {
  FaultKind kind;
  const char* kernel;
  SourceLine kernel_at;
  const Core* core;
  PlainText what;    // "a segmentation fault at address 0x8 in the kernel's own code"
  const char* mend;  // "; ..."
  // Told by the thread that runs the kernel, which prints no more then; another may not look at what it
  // prints.
  bool by_kernels_thread;
};

// Writes "tilesim: add_custom on AIV 3.1: " and what happened after which call.
void Tell(const Ending& ending) {
  const CoreIdentity& identity = ending.core->identity();
  PlainText text;
  text << "tilesim: " << ending.kernel << " on ";
  if (identity.kind == CoreKind::kAic) {
    text << "AIC " << identity.block;
  } else {
    text << "AIV " << identity.block;
    if (identity.aivs_per_block > 0) {
      text << "." << identity.sub_block;
    }
  }
  text << ": " << ending.what;
  const SourceLine call = ending.core->call_line();
  if (call.line != 0) {
    text << ", after " << ending.core->call_name() << " (" << call.file << ":" << call.line << ")";
  } else {
    text << ", before its first API call";
    if (ending.kernel_at.line != 0) {
      text << " (the kernel is at " << ending.kernel_at.file << ":" << ending.kernel_at.line << ")";
    }
  }
  text << ending.mend << "\ntilesim: the program ends here\n";
  const char* const before = text_before;
  PlainText::WriteAll(before, std::strlen(before));
  text.Write();
}

Fault FaultOf(const Ending& ending) {
  const bool has_call = ending.core->call_line().line != 0;
  Fault fault;
  fault.kind = ending.kind;
  fault.core = ending.core->identity().Name();
  fault.instruction = has_call ? ending.core->call_name() : ending.kernel;
  fault.where = has_call ? ending.core->call_line() : ending.kernel_at;
  fault.what = Say(ending.what.View(), has_call ? ", after this call" : ", before its first API call",
                   ending.mend, "; the program ends here");
  return fault;
}

// Runs `body` on a thread that takes crashes only, for a signal of the program's goes to its own threads, and
// a crash that is blocked would end the program without a word. Returns once the thread has begun: what it
// begins with lies on the heap, which a kernel may spoil.
void StartBesideKernels(void (*body)()) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  static std::binary_semaphore begun(0);
  std::thread([body] {
    void (*const run)() = body;
    sigset_t others;
    sigfillset(&others);
    for (const Crash& crash : kCrashes) {
      sigdelset(&others, crash.signal);
    }
    pthread_sigmask(SIG_BLOCK, &others, nullptr);
    begun.release();
    run();
  }).detach();
  begun.acquire();
}

// Hands an ending over to whoever took it on, from a thread that may allocate.
class EndingReceiver {
 public:
  void Set(const CrashTaker* taker) {
    if (taker != nullptr) {
      std::call_once(started_, [] { StartBesideKernels([] { Lasting<EndingReceiver>().HandOver(); }); });
    }
    taker_ = taker;
  }

  // Ends the program with 3, told by the taker or, where there is none, or it has not taken it after some
  // seconds, on standard error; before that comes what the cores of the launch have printed that have ended,
  // and the core itself, where its own thread tells it. Only the first ending counts. Allocates nothing.
  [[noreturn]] void End(const Ending& ending) {
    if (ending_.exchange(true)) {
      SleepForEver();
    }
    Lasting<PrintedSoFar>().WriteWith(*ending.core, ending.by_kernels_thread);
    if (taker_ != nullptr) {
      ending_to_take_ = &ending;
      sem_post(&has_ending_);
      constexpr timespec kStep = {.tv_sec = 0, .tv_nsec = 1'000'000};
      for (int step = 0; step < 5000 && answer_ == Answer::kNone; ++step) {
        Sleep(kStep);
      }
    }
    if (answer_ != Answer::kTaken) {
      Tell(ending);
    }
    _exit(3);
  }

  // On a thread that runs no kernel: where another one does, that may have spoilt what this thread works
  // with, and is told then. Returns where none crashes within a second.
  void GiveWayToKernels() const {
    constexpr timespec kStep = {.tv_sec = 0, .tv_nsec = 1'000'000};
    for (int step = 0; step < 1000 && AnyKernelRuns(); ++step) {
      if (ending_) {
        SleepForEver();
      }
      Sleep(kStep);
    }
  }

  // On the thread that hands over: it has crashed itself, in a heap that the kernel has spoilt.
  [[noreturn]] void GiveUp() {
    answer_ = Answer::kRefused;
    SleepForEver();
  }

  // On the thread that looks on: it has crashed itself, in memory that the kernel has spoilt. The kernel is
  // given a second to crash on its own, which says more.
  [[noreturn]] void GiveUpLooking() {
    constexpr timespec kSecond = {.tv_sec = 1, .tv_nsec = 0};
    Sleep(kSecond);
    if (ending_.exchange(true)) {
      SleepForEver();
    }
    const char* const before = text_before;
    PlainText::WriteAll(before, std::strlen(before));
    (PlainText()
     << "\ntilesim: a kernel has written over the simulator's own memory, by a pointer or an index of its "
        "own\ntilesim: the program ends here\n")
        .Write();
    _exit(3);
  }

 private:
  template <class T>
  friend T& Lasting();
  EndingReceiver() { sem_init(&has_ending_, 0, 0); }
  void HandOver() {
    while (sem_wait(&has_ending_) != 0) {
    }
    thread_that_hands_over = ThisThread();
    const Ending& ending = *ending_to_take_;
    try {
      (*taker_)(ending.core->identity(), FaultOf(ending));
      answer_ = Answer::kTaken;
    } catch (const std::exception&) {  // it is told on standard error then
      answer_ = Answer::kRefused;
    }
  }

  std::once_flag started_;
  std::atomic<const CrashTaker*> taker_ = nullptr;
  std::atomic<bool> ending_ = false;
  const Ending* ending_to_take_ = nullptr;
  sem_t has_ending_{};
  enum class Answer : uint8_t { kNone, kTaken, kRefused };
  std::atomic<Answer> answer_ = Answer::kNone;
};

void Handle(int signal, siginfo_t* info, void*) {
  const pid_t thread = ThisThread();
  if (thread == thread_that_hands_over) {
    Lasting<EndingReceiver>().GiveUp();
  }
  if (thread == thread_that_looks_on) {
    Lasting<EndingReceiver>().GiveUpLooking();
  }
  RunningKernel* const running = RunningOn(thread);
  if (running != nullptr && running->being_told != nullptr) {
    // what is known of the core lies in what the kernel has spoilt
    (PlainText() << "\ntilesim: in " << running->kernel << ": " << *running->being_told
                 << ", with the simulator's own memory spoilt\ntilesim: the program ends here\n")
        .Write();
    _exit(3);
  }
  if (running == nullptr) {
    Lasting<EndingReceiver>().GiveWayToKernels();
  }
  for (size_t i = 0; i < kCrashes.size(); ++i) {
    if (kCrashes[i].signal != signal) {
      continue;
    }
    if (running != nullptr) {
      Ending ending = {.kind = FaultKind::kCrash,
                       .kernel = running->kernel,
                       .kernel_at = running->kernel_at,
                       .core = running->core,
                       .what = {},
                       .mend = "",
                       .by_kernels_thread = true};
      ending.what << kCrashes[i].what;
      if (signal == SIGSEGV || signal == SIGBUS) {
        ending.what << " at address ";
        ending.what.Hex(reinterpret_cast<uint64_t>(info->si_addr));
      }
      ending.what << " in the kernel's own code";
      constexpr uint64_t kLargestMemory = 1 << 20;  // of a core, in bytes
      if (signal == SIGSEGV && reinterpret_cast<uint64_t>(info->si_addr) < kLargestMemory) {
        ending.mend =
            "; the pointer is null, or an index was added to one that is, or it is an address inside a "
            "core's "
            "memory (GetPhyAddr of a LocalTensor), which is none here: read it by GetValue, write it by "
            "SetValue";
      } else if (signal == SIGSEGV) {
        ending.mend =
            "; a pointer into GM must stay inside of its buffer, tensors are no host memory, and an array of "
            "the kernel's own must not be overrun";
      }
      running->being_told = &ending.what;
      Lasting<EndingReceiver>().End(ending);
    }
    sigaction(signal, &actions_before[i], nullptr);  // it comes again, as the program wants it
    if (signal == SIGABRT || info->si_code <= 0) {
      raise(signal);
    }
  }
}

// A kernel that calls exit() would end the program as if nothing had been launched.
void TellExit() {
  if (const RunningKernel* const running = RunningOn(ThisThread()); running != nullptr) {
    Ending ending = {.kind = FaultKind::kCrash,
                     .kernel = running->kernel,
                     .kernel_at = running->kernel_at,
                     .core = running->core,
                     .what = {},
                     .mend = "; a device has none, return from the kernel",
                     .by_kernels_thread = true};
    ending.what << "exit() in the kernel's own code";
    Lasting<EndingReceiver>().End(ending);
  }
}

void Install() {
  Lasting<EndingReceiver>();  // these are made here, for a handler may not
  Lasting<PrintedSoFar>();
  std::atexit(TellExit);
  std::at_quick_exit(TellExit);
  struct sigaction action = {};
  action.sa_sigaction = Handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // a teller may crash, too
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
    LeaveRseq();
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
  // The system writes into a thread's rseq area, which lies behind the stack, before it calls a handler, and
  // kills the process where that area is spoilt. Nothing but sched_getcpu's speed depends on it.
  static void LeaveRseq() {
#ifdef RSEQ_SIG
    constexpr uint32_t kRegisteredBytes = 32;  // by the C library; refused where it is another number
    syscall(SYS_rseq, static_cast<std::byte*>(__builtin_thread_pointer()) + __rseq_offset, kRegisteredBytes,
            RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
#endif
  }
  bool in_use = false;
  std::array<std::byte, 32768> bytes;
};

// Looks at the running cores from a thread of its own: has each made an API call since it looked last?
class StallWatch {
 public:
  void SetLimit(double cpu_seconds) {
    const std::lock_guard lock(mutex_);
    limit_ = cpu_seconds;
  }
  void Add(const Core* core, const char* kernel, SourceLine where) {
    clockid_t clock = 0;
    if (pthread_getcpuclockid(pthread_self(), &clock) != 0) {
      return;
    }
    const std::lock_guard lock(mutex_);
    running_.push_back(
        {.core = core, .kernel = kernel, .kernel_at = where, .clock = clock, .since = Seconds(clock)});
    if (!started_) {
      started_ = true;
      StartBesideKernels([] { Lasting<StallWatch>().Look(); });
    }
    any_.notify_one();
  }
  void Remove(const Core* core) {
    const std::lock_guard lock(mutex_);
    std::erase_if(running_, [&](const Running& one) { return one.core == core; });
  }

 private:
  template <class T>
  friend T& Lasting();
  StallWatch() = default;
  struct Running {
    const Core* core;
    const char* kernel;
    SourceLine kernel_at;
    clockid_t clock;
    double since;        // of its thread's time, when it made an API call last
    int64_t calls = -1;  // then
  };

  static double Seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  [[noreturn]] void Look() {
    thread_that_looks_on = ThisThread();
    std::unique_lock lock(mutex_);
    for (;;) {
      any_.wait(lock, [this] { return !running_.empty() && limit_ > 0; });
      for (Running& one : running_) {
        const int64_t calls = one.core->CallsSoFar();
        const double now = Seconds(one.clock);
        if (calls != one.calls) {
          one.calls = calls;
          one.since = now;
        } else if (now - one.since > limit_) {
          Ending ending = {
              .kind = FaultKind::kDeadlock,
              .kernel = one.kernel,
              .kernel_at = one.kernel_at,
              .core = one.core,
              .what = {},
              .mend = "; a core sees what another one writes by API calls, or --watchdog 0 waits on",
              .by_kernels_thread = false};
          ending.what << "a loop of the kernel's own code has run for "
                      << static_cast<int64_t>(now - one.since) << " seconds without an API call";
          Lasting<EndingReceiver>().End(ending);
        }
      }
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable any_;
  double limit_ = 60;
  bool started_ = false;
  std::vector<Running> running_;
};

}  // namespace

KernelScope::KernelScope(const char* kernel, SourceLine where) {
  static std::once_flag installed;
  std::call_once(installed, Install);
  static thread_local const HandlerStack stack;
  static_cast<void>(&stack);
  if (RunningKernel* const running = FreeRunning(); running != nullptr) {
    running->kernel = kernel;
    running->kernel_at = where;
    running->core = &CurrentCore();
  }
  Lasting<StallWatch>().Add(&CurrentCore(), kernel, where);
}

KernelScope::~KernelScope() {
  const Core& core = CurrentCore();
  Lasting<StallWatch>().Remove(&core);
  if (!core.printed().empty()) {
    Lasting<PrintedSoFar>().Add(core.identity(), core.printed());
  }
  if (RunningKernel* const running = RunningOn(ThisThread()); running != nullptr) {
    running->thread = 0;
  }
}

CrashScope::CrashScope(CrashTaker taker) : taker_(std::move(taker)) {
  Lasting<EndingReceiver>().Set(&taker_);
}

CrashScope::~CrashScope() { Lasting<EndingReceiver>().Set(nullptr); }

void ForgetPrinted() { Lasting<PrintedSoFar>().Clear(); }

void SetTextBeforeCrash(const char* text) { text_before = text; }

void SetStallLimit(double cpu_seconds) { Lasting<StallWatch>().SetLimit(cpu_seconds); }

}  // namespace tilesim::host
