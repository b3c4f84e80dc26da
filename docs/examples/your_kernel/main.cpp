// Launches the kernel on a simulated 910B2, compares C with a plain loop, writes the timeline to matmul.json.
//   matmul [m n k]
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "formats/error.h"
#include "matmul_kernel.h"
#include "sim/core/launch.h"
#include "sim/explain/trace.h"

namespace {

// Whole numbers from -4 to 3: every sum is exact, so C has to be equal and not only close.
std::vector<half> Numbers(size_t count, uint32_t seed) {
  std::vector<half> numbers(count);
  for (half& number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = half(static_cast<float>(seed >> 29) - 4.0f);
  }
  return numbers;
}

size_t WrongElements(const std::vector<half>& a, const std::vector<half>& b, const std::vector<float>& c,
                     const MatmulShape& shape) {
  size_t wrong = 0;
  for (size_t i = 0; i < shape.m; ++i) {
    std::vector<float> row(shape.n, 0.0f);
    for (size_t k = 0; k < shape.k; ++k) {
      for (size_t j = 0; j < shape.n; ++j) {
        row[j] += static_cast<float>(a[i * shape.k + k]) * static_cast<float>(b[k * shape.n + j]);
      }
    }
    for (size_t j = 0; j < shape.n; ++j) {
      wrong += c[i * shape.n + j] == row[j] ? 0 : 1;
    }
  }
  return wrong;
}

template <class T>
tilesim::GmBuffer Buffer(const char* name, std::vector<T>& values, bool initialised) {
  return {.name = name,
          .address = reinterpret_cast<uint64_t>(values.data()),
          .size_bytes = values.size() * sizeof(T),
          .initialised = initialised};
}
template <class T>
GM_ADDR Address(std::vector<T>& values) {
  return reinterpret_cast<GM_ADDR>(values.data());
}

int Run(const MatmulShape& shape) {
  std::vector<half> a = Numbers(size_t{shape.m} * shape.k, 1);
  std::vector<half> b = Numbers(size_t{shape.k} * shape.n, 2);
  std::vector<float> c(size_t{shape.m} * shape.n);

  const tilesim::SocConfig soc = tilesim::LoadSoc("ascend910b2", {});
  tilesim::LaunchOptions options;
  options.blocks = soc.aic_cores;
  options.gm.Add(Buffer("a", a, true));
  options.gm.Add(Buffer("b", b, true));
  options.gm.Add(Buffer("c", c, false));  // reading it before it is written is a fault
  tilesim::ChromeTrace trace(soc, options);

  const tilesim::LaunchResult result = tilesim::LaunchTraced(
      soc, options, [&] { matmul(Address(a), Address(b), Address(c), shape); }, trace);

  std::printf("%lld cycles on %zu cores, %.2f us with launch, %lld instructions\n",
              static_cast<long long>(result.cycles), result.cores.size(), result.time_us,
              static_cast<long long>(result.Instructions()));
  std::ofstream file("matmul.json");
  trace.Write(file);
  std::printf("%zu faults\n", result.faults.size());
  if (!result.faults.empty()) {
    std::printf("the first: %s\n", result.faults.front().Text().c_str());
    return 3;
  }
  const size_t wrong = WrongElements(a, b, c, shape);
  std::printf("%zu of %zu elements are wrong\n", wrong, c.size());
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto extent = [&](int i) { return argc == 4 ? static_cast<uint32_t>(std::atoi(argv[i])) : 512u; };
  const MatmulShape shape{extent(1), extent(2), extent(3)};
  if ((argc != 1 && argc != 4) || shape.m % 16 != 0 || shape.n % 16 != 0 || shape.k % 16 != 0 ||
      shape.m == 0 || shape.n == 0 || shape.k == 0 || shape.n > 65535 || shape.k > 65535) {
    std::fprintf(stderr, "usage: matmul [m n k]: positive multiples of 16, n and k below 65536\n");
    return 2;
  }
  try {
    return Run(shape);
  } catch (const tilesim::UserError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
