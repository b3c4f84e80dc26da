// What the runtime's calls have in common.
#pragma once

#include <mutex>
#include <string_view>

#include "sim/host/acl/acl_base.h"
#include "sim/host/program.h"

namespace tilesim::host {

// A call in hand: it holds the program as long as it lives.
class Call {
 public:
  explicit Call(const char* name) : name_(name), lock_(Program::Get().mutex()) {}

  [[nodiscard]] const char* name() const { return name_; }
  [[nodiscard]] Program& program() const { return Program::Get(); }
  [[nodiscard]] Program::Acl& acl() const { return program().acl(); }
  [[nodiscard]] DeviceMemory& memory() const { return program().memory(); }
  [[nodiscard]] Streams& streams() const { return program().streams(); }
  // Says why on stderr; gives the code.
  aclError Refuse(aclError code, std::string_view why) const { return program().Refuse(code, name_, why); }

 private:
  const char* name_;
  std::lock_guard<std::recursive_mutex> lock_;
};

// ACL_SUCCESS, or a refusal where this thread has no context.
aclError CheckContext(Program& program, const char* call);
Context* CurrentContext();

}  // namespace tilesim::host
