// Loads a library of kernels, as a Python script does with ctypes: library_caller LIBRARY SCENARIO.
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  void* const library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  const auto run = reinterpret_cast<void (*)(float*, float*)>(dlsym(library, "run_twice"));
  const auto make_known = reinterpret_cast<void (*)(void*, size_t)>(dlsym(library, "tilesim_register"));
  const std::string_view scenario = argv[2];
  std::vector<float> x(64, 3.0F);
  std::vector<float> z(64);
  if (scenario == "registered") {
    make_known(x.data(), 100);
    make_known(z.data(), 256);
    run(x.data(), z.data());
  } else if (scenario == "null") {
    run(nullptr, z.data());
  } else {
    for (int i = 0; i < 2; ++i) {
      run(x.data(), z.data());
      std::printf("%g\n", static_cast<double>(z[63]));
    }
  }
  return 7;
}
