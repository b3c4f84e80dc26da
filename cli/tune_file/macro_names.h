#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>

namespace tilesim {

// The names that a -D may mean something to: those of a source and of what it includes from the user's
// folders, its own and those of -I. Reads text, expands nothing.
struct MacroNames {
  std::set<std::string, std::less<>> tested;                // in #if and its kin
  std::map<std::string, std::string, std::less<>> defined;  // by #define; where: "add.asc:12"
  std::set<std::string, std::less<>> guards;                // of those: without a text
  std::set<std::string, std::less<>> mentioned;             // in code
  // Of those: what code declares (`int TILE = 64`), where a macro of that name would spoil it; where.
  std::map<std::string, std::string, std::less<>> declared;
};
[[nodiscard]] MacroNames MacroNamesOf(const std::filesystem::path& source,
                                      std::span<const std::string> compiler_options);

}  // namespace tilesim
