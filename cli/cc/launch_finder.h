#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cc/kernel_pass.h"
#include "cli/cc/words.h"

namespace tilesim {

// The launch expressions of a unit, in its text and in the texts of its macros, and what to write in their
// place. Knows nothing of kernels but what it is asked to call.

// Words of the text from `begin` to `end` give way to `text`.
struct TextEdit {
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string text;
};

// How a launch names its kernel.
struct LaunchedName {
  std::string name;             // "ops::add<half, 2>"
  std::string expression = {};  // a C string of it: of a macro's parameter k, `#k`
  bool is_parameter = false;    // the last name comes from a macro's parameter
  std::string last_name_expression = {};
  size_t num_arguments = 0;  // that the launch gives; a macro may hide more or fewer
};

struct LaunchEdits {
  std::vector<TextEdit> edits;  // in the order of the text
  std::vector<KernelPassNote> notes;
  std::vector<WrittenLaunch> launches;
  bool any = false;
};

// What is written for the kernel of a launch: its qualifiers, and the function or a lambda that calls it.
struct KernelForm {
  std::string qualifiers;
  bool through_lambda = false;
  std::string parameters = {};  // of a template, which no registration names: "x, y"
};

[[nodiscard]] LaunchEdits FindLaunches(const TokenText& text,
                                       const std::function<KernelForm(const LaunchedName&)>& form_of);

}  // namespace tilesim
