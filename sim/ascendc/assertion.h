// Assertions of a kernel: where the expression does not hold they print "[ASSERT] file:line: : Assertion
// `expression' failed." and the text that a format and values behind the expression give, and stop the core
// with a fault that says the same. Outside of a launch they end the program, as the C library's does.
#pragma once

#include <cassert>

#include "sim/ascendc/print.h"

namespace AscendC::simulator {

[[noreturn]] void FailAssertion(const PrintFormat& expression, const std::string& text);
[[noreturn]] inline void AssertionFailed(PrintFormat expression) { FailAssertion(expression, ""); }
template <class... Values>
[[noreturn]] void AssertionFailed(PrintFormat expression, const char* format, const Values&... values) {
  FailAssertion(expression, FormatText(format, {PrintValue(values)...}));
}

}  // namespace AscendC::simulator

// `assert` is off with NDEBUG, and all are with ASCENDC_DUMP 0: the expression is not looked at then.
#if ASCENDC_DUMP != 0
#define ascendc_assert(expression, ...) \
  (static_cast<bool>(expression)        \
       ? static_cast<void>(0)           \
       : AscendC::simulator::AssertionFailed(#expression __VA_OPT__(, ) __VA_ARGS__))
#else
#define ascendc_assert(expression, ...) static_cast<void>(0)
#endif
#define ASSERT(expression) ascendc_assert(expression)
#define ASCENDC_ASSERT(expression, action) ascendc_assert(expression)
#undef assert
#ifdef NDEBUG
#define assert(expression, ...) static_cast<void>(0)
#else
#define assert(...) ascendc_assert(__VA_ARGS__)
#endif
