// The kernels that the sources of a program have registered, in the order of their registration.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/host/kernel_launch.h"

namespace tilesim::host {

void AddKernel(const KernelEntry& entry);
const std::vector<KernelEntry>& KnownKernels();
// By its name, or by the last part of it where that is of one kernel alone; nullptr: there is none.
const KernelEntry* FindKernel(std::string_view name);
const KernelEntry* FindKernel(void (*function)());  // by its address
// The kernel whose function the launch names; else, for a template or a call through a lambda, the one of its
// name.
const KernelEntry* EntryOf(const LaunchSite& site);
// As it is written there, but where that is a pointer to a function of another name, or the name of another
// kernel: that of the function.
std::string KernelNameOf(const LaunchSite& site);

}  // namespace tilesim::host
