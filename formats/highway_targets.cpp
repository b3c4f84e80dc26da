// What Highway's HWY_DYNAMIC_DISPATCH asks of its library: which kinds of vectors this machine has. Some
// distributions have that library to be loaded at run time only; a program with kernels shall need nothing
// but itself. The definitions are weak: a program that links Highway's own archive has that one's. Of AVX2
// our sources use nothing of AES.
#include <hwy/targets.h>

#include <atomic>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace hwy {
namespace {

std::atomic<int64_t> only = 0;  // of SetSupportedTargetsForTest; 0: all

#if HWY_ARCH_X86
bool HasBit(unsigned leaf, unsigned bit) {  // of ECX
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> bit & 1U) != 0;
}

// __builtin_cpu_supports says what both the processor and the operating system have.
int64_t TargetsOfMachine() {
  const bool f16c = HasBit(1, 29), lzcnt = HasBit(0x80000001, 5);
  const bool avx2 = f16c && lzcnt && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq");
  return HWY_STATIC_TARGET | HWY_SCALAR | (avx2 ? HWY_AVX2 : 0) | (avx2 && avx512 ? HWY_AVX3 : 0);
}
#else
int64_t TargetsOfMachine() { return HWY_STATIC_TARGET; }  // those that every machine of the kind has
#endif

}  // namespace

[[gnu::weak]] int64_t SupportedTargets() {
  static const int64_t of_machine = TargetsOfMachine();
  const int64_t chosen = only;
  return chosen == 0 ? of_machine : chosen;
}

[[gnu::weak]] void SetSupportedTargetsForTest(int64_t targets) { only = targets; }

[[gnu::weak]] ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
