#pragma once
#include <cstdint>
#include <utility>

#include "tiling/conv_backprop/conv3d_bp_setters.h"
#include "tiling/conv_backprop/gradient_api_planner.h"
#include "tiling/conv_backprop/gradient_text.h"

namespace ConvBackpropApi {

// What both classes answer: `Data` as the kernel reads it, `Buffer` as the host writes it.
template <class Data, class Buffer>
class Conv3DBpTiling : public Conv3DBpSetters {
 public:
  // 0 and a complete tiling, or -1 and `tiling` as it was.
  int64_t GetTiling(Buffer& tiling) {
    Plan();
    if (plan_.accepted) {
      const auto bytes = tilesim::ToBytes(plan_.data);
      tiling.LoadFromBuffer(bytes.data(), bytes.size());
    }
    return plan_.accepted ? 0 : -1;
  }
  int64_t GetTiling(Data& tiling) {
    Plan();
    tiling = plan_.accepted ? plan_.data : tiling;
    return plan_.accepted ? 0 : -1;
  }

  // The last GetTiling's answer with its flags (a result that does not fit is returned all the same) and,
  // after -1, every reason.
  [[nodiscard]] const tilesim::ApiPlan<Data>& plan() const { return plan_; }

 protected:
  using Conv3DBpSetters::Conv3DBpSetters;
  ~Conv3DBpTiling() = default;

  // What planner `api` says of what was told, but refused for `reasons` where there are any.
  void Keep(tilesim::ApiPlan<Data> plan, tilesim::Rejections reasons) {
    plan_ = std::move(plan);
    if (!reasons.empty()) {
      reasons.insert(reasons.end(), plan_.reasons.begin(), plan_.reasons.end());
      plan_ = {.accepted = false, .data = {}, .flags = {}, .reasons = std::move(reasons)};
    }
  }
  [[nodiscard]] tilesim::ApiPlan<Data>& kept() { return plan_; }

 private:
  virtual void Plan() = 0;  // ends with Keep

  tilesim::ApiPlan<Data> plan_;
};

}  // namespace ConvBackpropApi
