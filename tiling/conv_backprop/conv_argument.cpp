#include "tiling/conv_backprop/conv_argument.h"

#include "formats/error.h"

namespace tilesim {

void CheckApiGroupsAndDType(const ConvProblem& p, Rejections& reasons) {
  for (Rejection& reason : reasons) {
    if (reason.field == "groups" && p.groups > 1) {
      reason.rule = "planner api plans no groups";
      reason.mend = "use `--planner op`, or groups 1";
    }
  }
  if (p.dtype != DType::kFp16 && p.dtype != DType::kBf16) {
    reasons.push_back({Say("planner api plans fp16 and bf16, not ", Name(p.dtype)), "dtype", 0, 0,
                       "use `--planner op`, or fp16 or bf16", LimitKind::kInWords});
  }
}

}  // namespace tilesim
