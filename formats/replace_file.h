// Files that have their name only when they are whole.
#pragma once

#include <filesystem>
#include <functional>

namespace tilesim {

// The path of the file that is written for `path`: at the end of its symbolic links, which stay. Throws
// UserError where these lead in a circle.
std::filesystem::path WrittenFor(const std::filesystem::path& path);

// False: something has the name that is no ordinary file (a device, a FIFO), and is written to as what it is.
bool IsReplaced(const std::filesystem::path& path);

// Lets `write` make a file beside `path`, then gives it that name: what has the name is never half written.
// Threads and processes may replace the same file at once. The rights of a file that is replaced stay.
// What is written for the file that standard output goes to is printed, behind what was printed there before.
// Throws UserError where the name cannot be given, and what `write` throws.
void ReplaceFile(const std::filesystem::path& path,
                 const std::function<void(const std::filesystem::path&)>& write);

}  // namespace tilesim
