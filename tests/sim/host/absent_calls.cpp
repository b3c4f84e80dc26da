// Calls of the vendor's framework: the test expects the compiler to refuse each by its name.
#include <cstdint>

#include "acl/acl.h"

aclTensor* Uses() {
  const int64_t shape[] = {1};
  aclrtcProg program = nullptr;
  aclrtcCreateProg(&program, "source", "name", 0, nullptr, nullptr);
  return aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, nullptr) == 0 ? nullptr
                                                                                                 : nullptr;
}
