#include "sim/host/process_maps.h"

#include <link.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace tilesim::host {

bool IsInSharedLibrary() {
  struct Search {
    int objects = 0;
    int ours = 0;
  } search;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& found = *static_cast<Search*>(data);
        const auto here = reinterpret_cast<uint64_t>(&IsInSharedLibrary) - info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type == PT_LOAD && here >= part.p_vaddr && here - part.p_vaddr < part.p_memsz) {
            found.ours = found.objects;
          }
        }
        ++found.objects;
        return 0;
      },
      &search);
  return search.ours != 0;
}

uint64_t EndOfMapping(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  uint64_t end_before = 0;
  uint64_t found = 0;
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0;
    uint64_t end = 0;
    char readable = '-';
    if (std::sscanf(line.c_str(), "%lx-%lx %c", &begin, &end, &readable) != 3 || readable != 'r') {
      continue;
    }
    if (address >= begin && address < end) {
      found = end;
    } else if (found != 0 && begin == end_before) {
      found = end;  // the next one touches it
    } else if (found != 0) {
      break;
    }
    end_before = end;
  }
  return found;
}

}  // namespace tilesim::host
