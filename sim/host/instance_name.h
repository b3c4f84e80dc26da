// Which instance of a kernel template a launch in a template is: its source says add<T, kTile>.
#pragma once

#include <string>
#include <string_view>

namespace tilesim::host {

// `written`, the kernel's name in the source, with the template parameters of the function around it replaced
// by their arguments: "add<T, kTile>" is "add<half, 512>" in "void Run() [with T = tilesim::Half; int kTile =
// 512]". `function` is the compiler's name of it (__PRETTY_FUNCTION__); what that does not say stays as
// written.
std::string InstanceName(std::string_view written, std::string_view function);

}  // namespace tilesim::host
