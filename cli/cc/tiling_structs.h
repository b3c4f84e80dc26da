#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cc/launch_finder.h"
#include "cli/cc/tokens.h"

namespace tilesim {

// The structs that a unit says its tiling data is, by the macros that name them; as text, no types.
class TilingStructs {
 public:
  // `key`: that the unit is compiled for; none: only a running kernel knows it. `text` must outlive this.
  TilingStructs(const TokenText& text, std::optional<uint64_t> key) : text_(text), key_(key) {}

  // The structs that the tiling data may be: those of the key, else the kernels' default ones, else those
  // that kernels name, else the one that GET_TILING_DATA finds among the operator's host classes. More than
  // one: the unit does not say which kernel's it is.
  [[nodiscard]] std::set<std::string> Names() const;

  // GET_TILING_DATA takes the struct of this key where it stands; and what an operator project's host classes
  // declare in a namespace is the kernel's, too, which knows the same structs without one.
  [[nodiscard]] std::vector<TextEdit> Edits() const;

 private:
  struct MacroUse {
    Token name;
    std::vector<std::string> arguments;
  };
  [[nodiscard]] std::vector<MacroUse> UsesOf(std::string_view macro) const;
  // The argument, from 0, of each of the macro's uses that have so many.
  [[nodiscard]] std::set<std::string> ArgumentsOf(std::string_view macro, size_t argument) const;
  // Where the unit registers a struct for the key that it is compiled for.
  [[nodiscard]] std::vector<MacroUse> RegisteredForThisKey() const;
  void AddNamesOfHostClasses(std::vector<TextEdit>& edits) const;
  // Does the unit declare a struct of that name by itself?
  [[nodiscard]] bool DeclaresStruct(std::string_view name) const;
  // One that cannot be read is a fault of the kernel that runs into it.
  [[nodiscard]] bool Holds(std::string_view condition) const;

  const TokenText& text_;
  std::optional<uint64_t> key_;
};

// What `struct NAME { ... }` declares, as far as its words tell: the last name of a declaration, before any
// initialiser, extent or width. Functions, types and static members are left out; macros stand as they are.
[[nodiscard]] std::vector<std::string_view> MembersDeclaredIn(const TokenText& text, std::string_view name);

}  // namespace tilesim
