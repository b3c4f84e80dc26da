#include "sim/host/kernel_registry.h"

#include <algorithm>

#include "sim/host/instance_name.h"

namespace tilesim::host {
namespace {

std::vector<KernelEntry>& Kernels() {
  static std::vector<KernelEntry>& kernels = *new std::vector<KernelEntry>;
  return kernels;
}

std::string_view LastPart(std::string_view name) {
  const size_t arguments = name.find('<');
  const size_t colons = name.rfind("::", arguments);
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

}  // namespace

void AddKernel(const KernelEntry& entry) { Kernels().push_back(entry); }

const std::vector<KernelEntry>& KnownKernels() { return Kernels(); }

const KernelEntry* FindKernel(std::string_view name) {
  const KernelEntry* found = nullptr;
  for (const KernelEntry& kernel : Kernels()) {
    if (kernel.name == name) {
      return &kernel;
    }
  }
  for (const KernelEntry& kernel : Kernels()) {
    if (LastPart(kernel.name) == LastPart(name)) {
      if (found != nullptr) {
        return nullptr;
      }
      found = &kernel;
    }
  }
  return found;
}

const KernelEntry* FindKernel(void (*function)()) {
  const auto found = std::ranges::find(Kernels(), function, &KernelEntry::kernel);
  return function == nullptr || found == Kernels().end() ? nullptr : &*found;
}

const KernelEntry* EntryOf(const LaunchSite& site) {
  const KernelEntry* const same = FindKernel(site.function);
  return same == nullptr ? FindKernel(site.kernel) : same;
}

std::string KernelNameOf(const LaunchSite& site) {
  const KernelEntry* const same = FindKernel(site.function);
  const KernelEntry* const written = FindKernel(site.kernel);
  const bool is_other = same != nullptr && written != same && written != nullptr;
  return same == nullptr || (!is_other && LastPart(same->name) == LastPart(site.kernel))
             ? InstanceName(site.kernel, site.around)
             : same->name;
}

}  // namespace tilesim::host
