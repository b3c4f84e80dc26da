// Runs the kernels of docs/examples/kernels on the cores of a 910B2, as they are written and with planted
// bugs.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"
// after the others: it defines names in the global namespace
#include "sim/ascendc/kernel_operator.h"

// Kernels are compiled without the warnings of our own code.
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace tilesim::testing {

template <class T>
GM_ADDR At(std::vector<T>& values) {
  return reinterpret_cast<GM_ADDR>(values.data());
}

// The buffers of a launch.
class Example {
 public:
  explicit Example(KernelType type, int64_t blocks) {
    options_.type = type;
    options_.blocks = blocks;
  }
  template <class T>
  Example& In(const char* name, std::vector<T>& values) {
    return Add(name, values, true);
  }
  template <class T>
  Example& Out(const char* name, std::vector<T>& values) {
    return Add(name, values, false);
  }
  LaunchResult Run(const std::function<void()>& kernel) const {
    LaunchResult result = Launch(LoadSoc("ascend910b2"), options_, kernel);
    for (const std::string& notice : result.notices) {
      EXPECT_EQ(notice.find(" does nothing: it is for "), std::string::npos) << notice;
    }
    return result;
  }
  // Its faults, a line each; "" where there are none.
  std::string Faults(const std::function<void()>& kernel) const {
    std::string text;
    for (const Fault& fault : Run(kernel).faults) {
      text += fault.Text() + "\n";
    }
    return text;
  }

 private:
  template <class T>
  Example& Add(const char* name, std::vector<T>& values, bool initialised) {
    options_.gm.Add({.name = name,
                     .address = reinterpret_cast<uint64_t>(values.data()),
                     .size_bytes = values.size() * sizeof(T),
                     .initialised = initialised});
    return *this;
  }

  LaunchOptions options_;
};

template <class T>
std::vector<T> RandomNumbers(size_t count, float least, float most, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> numbers(count);
  for (T& number : numbers) {
    number = static_cast<T>(least + (most - least) * static_cast<float>(random() >> 8) * 0x1p-24f);
  }
  return numbers;
}

// Each found number is within `relative` of the expected one, or within `absolute`.
template <class T>
void ExpectClose(const std::vector<T>& found, const std::vector<double>& expected, double relative,
                 double absolute) {
  ASSERT_EQ(found.size(), expected.size());
  size_t wrong = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(static_cast<double>(static_cast<float>(found[i])) - expected[i]);
    if (!(difference <= absolute + relative * std::abs(expected[i])) && ++wrong == 1) {
      ADD_FAILURE() << "element " << i << " is " << static_cast<float>(found[i]) << ", expected "
                    << expected[i];
    }
  }
  EXPECT_EQ(wrong, 0U) << "of " << found.size();
}

inline void ExpectSays(const std::string& faults, const std::string& words) {
  EXPECT_NE(faults.find(words), std::string::npos) << faults.substr(0, 2000);
}

}  // namespace tilesim::testing
