// The object API as its documentation shows it, and calls in a wrong order.
#include "lib/conv_backprop/conv3d_bp_filter_api.h"

#include "gtest/gtest.h"
#include "tests/support/filter_cases.h"
#include "tikicpulib.h"

namespace {

// The documented usage, by a kernel class of a user's own.
class UsersKernel {
 public:
  void Init(GM_ADDR x, GM_ADDR dy, GM_ADDR dw, const TConv3DBpFilterTiling* tiling) {
    x_.SetGlobalBuffer(reinterpret_cast<half*>(x));
    dy_.SetGlobalBuffer(reinterpret_cast<half*>(dy));
    gradWeightGm_.SetGlobalBuffer(reinterpret_cast<float*>(dw));
    tiling_ = tiling;
    gradWeight_.Init(tiling);
  }
  void Process() {
    offsetC_ = 0;
    gradWeight_.SetGradOutput(dy_);
    gradWeight_.SetInput(x_);
    gradWeight_.SetSingleShape(tiling_->cout, uint64_t{tiling_->cin} * tiling_->hk * tiling_->wk,
                               uint64_t{tiling_->ho} * tiling_->wo);
    gradWeight_.SetStartPosition(0);
    while (gradWeight_.Iterate()) {
      gradWeight_.GetTensorC(gradWeightGm_[offsetC_]);
    }
    gradWeight_.ctx.isFirstIter_ = true;
    gradWeight_.End();
  }

 private:
  using inputType =
      ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, half>;
  using weightSizeType =
      ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::ND, int32_t>;
  using gradOutputType =
      ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, half>;
  using gradWeightType =
      ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::FRACTAL_Z_3D, float>;

  AscendC::GlobalTensor<half> x_;
  AscendC::GlobalTensor<half> dy_;
  AscendC::GlobalTensor<float> gradWeightGm_;
  uint64_t offsetC_ = 0;
  const TConv3DBpFilterTiling* tiling_ = nullptr;
  ConvBackpropApi::Conv3DBackpropFilter<inputType, weightSizeType, gradOutputType, gradWeightType>
      gradWeight_;
};

void UsersEntry(GM_ADDR x, GM_ADDR dy, GM_ADDR dw, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(Conv3DBackpropFilterTilingData, tiling, tiling_data);
  UsersKernel kernel;
  kernel.Init(x, dy, dw, &tiling.dwTiling);
  kernel.Process();
}

TEST(Conv3DBackpropFilter, RunsTheDocumentedUsage) {
  const tilesim::SocConfig soc = tilesim::LoadSoc("ascend910b2");
  // 16 channels, 1x1 filter: dw(co, ci) is the sum of dy(co) * x(ci) over the pixels
  const tilesim::Conv3dProblem problem =
      tilesim::testing::MakeProblem(tilesim::DType::kFp16, 1, 16, {1, 4, 8}, 16, {1, 1, 1});
  Conv3DBackpropFilterTilingData tiling = tilesim::testing::MakePlan(problem, {}, soc).tiling.data;
  constexpr int kPixels = 32;
  auto* x = static_cast<half*>(AscendC::GmAlloc(kPixels * 16 * sizeof(half)));
  auto* dy = static_cast<half*>(AscendC::GmAlloc(kPixels * 16 * sizeof(half)));
  auto* dw = static_cast<float*>(AscendC::GmAlloc(16 * 16 * sizeof(float)));
  for (int i = 0; i < kPixels * 16; ++i) {
    x[i] = half(static_cast<float>(i % 7 - 3));
    dy[i] = half(static_cast<float>(i % 5 - 2));
  }
  AscendC::SetKernelMode(KernelMode::AIC_MODE);
  ICPU_RUN_KF(UsersEntry, 1, reinterpret_cast<uint8_t*>(x), reinterpret_cast<uint8_t*>(dy),
              reinterpret_cast<uint8_t*>(dw), reinterpret_cast<uint8_t*>(&tiling));
  for (int co = 0; co < 16; ++co) {
    for (int ci = 0; ci < 16; ++ci) {
      float sum = 0;
      for (int p = 0; p < kPixels; ++p) {
        sum += static_cast<float>(dy[p * 16 + co]) * static_cast<float>(x[p * 16 + ci]);
      }
      EXPECT_EQ(dw[co * 16 + ci], sum) << co << ", " << ci;
    }
  }
  EXPECT_GT(tilesim::LastCpuDebugLaunch().cycles, 0);
  AscendC::GmFree(x);
  AscendC::GmFree(dy);
  AscendC::GmFree(dw);
}

using GradWeight = ConvBackpropApi::Conv3DBackpropFilter<
    ConvBackpropApi::ConvType<AscendC::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, half>,
    ConvBackpropApi::ConvType<AscendC::TPosition::GM, ConvCommonApi::ConvFormat::ND, int32_t>,
    ConvBackpropApi::ConvType<AscendC::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, half>,
    ConvBackpropApi::ConvType<AscendC::TPosition::GM, ConvCommonApi::ConvFormat::FRACTAL_Z_3D, float>>;

// What a run of `body` on one core is refused with; empty when it is not.
std::string Refusal(const std::function<void(GradWeight&, const TConv3DBpFilterTiling&)>& body) {
  const tilesim::SocConfig soc = tilesim::LoadSoc("ascend910b2");
  const tilesim::Conv3dProblem problem =
      tilesim::testing::MakeProblem(tilesim::DType::kFp16, 1, 16, {1, 4, 8}, 32, {1, 1, 1});
  const tilesim::FilterTiling tiling = tilesim::testing::MakePlan(problem, {}, soc).tiling;
  std::vector<half> x(512, half(1.0F));
  std::vector<half> dy(1024, half(1.0F));
  std::vector<float> dw(512, 0.0F);
  tilesim::LaunchOptions options;
  const auto add = [&](const char* name, const void* data, size_t size_bytes) {
    options.gm.Add({.name = name, .address = reinterpret_cast<uint64_t>(data), .size_bytes = size_bytes});
  };
  add("x", x.data(), x.size() * 2);
  add("dy", dy.data(), dy.size() * 2);
  add("dw", dw.data(), dw.size() * 4);
  const tilesim::LaunchResult result = tilesim::Launch(soc, options, [&] {
    GradWeight grad_weight;
    body(grad_weight, tiling.data.dwTiling);
  });
  return result.faults.empty() ? "" : result.faults.front().what;
}

TEST(Conv3DBackpropFilter, RefusesCallsOutOfOrder) {
  AscendC::GlobalTensor<half> tensor;
  AscendC::GlobalTensor<float> output;
  const auto set = [&](GradWeight& g, const TConv3DBpFilterTiling& t) {
    g.Init(&t);
    g.SetInput(tensor);
    g.SetGradOutput(tensor);
    g.SetSingleShape(32, 16, 32);
    g.SetStartPosition(0);
  };
  EXPECT_NE(Refusal([&](GradWeight& g, const auto&) {
              g.SetSingleShape(1, 1, 1);
            }).find("call Init before the setters"),
            std::string::npos);
  EXPECT_NE(Refusal([&](GradWeight& g, const auto& t) {
              g.Init(&t);
              g.Init(&t);
            }).find("Init is to be called exactly once"),
            std::string::npos);
  EXPECT_NE(Refusal([&](GradWeight& g, const auto&) { g.Iterate(); }).find("call Init and the setters first"),
            std::string::npos);
  EXPECT_NE(Refusal([&](GradWeight& g, const auto& t) {
              g.Init(&t);
              g.Iterate();
            }).find("call SetInput, SetGradOutput and SetSingleShape first"),
            std::string::npos);
  EXPECT_NE(Refusal([&](GradWeight& g, const auto& t) {
              set(g, t);
              g.GetTensorC(output);
            }).find("only after an Iterate that gave true"),
            std::string::npos);
  EXPECT_NE(Refusal([&](GradWeight& g, const auto& t) {
              set(g, t);
              g.SetStartPosition(1);
              g.Iterate();
            }).find("pass the last output row"),
            std::string::npos);
  EXPECT_NE(Refusal([&](GradWeight& g, const auto& t) {
              g.Init(&t);
              g.End();
              g.End();
            }).find("End: once, after Init"),
            std::string::npos);
}

TEST(Conv3DBackpropFilter, RefusesCallsOutOfOrderBetweenBlocks) {
  const auto with_data = [](const std::function<void(GradWeight&, AscendC::GlobalTensor<float>&)>& body) {
    return Refusal([&](GradWeight& g, const TConv3DBpFilterTiling& t) {
      // the first registered buffers are x, dy, dw
      const auto& buffers = tilesim::CurrentCore().gm_space().buffers();
      AscendC::GlobalTensor<half> input;
      AscendC::GlobalTensor<half> grad;
      AscendC::GlobalTensor<float> output;
      input.SetGlobalBuffer(reinterpret_cast<half*>(buffers[0].address));
      grad.SetGlobalBuffer(reinterpret_cast<half*>(buffers[1].address));
      output.SetGlobalBuffer(reinterpret_cast<float*>(buffers[2].address));
      g.Init(&t);
      g.SetInput(input);
      g.SetGradOutput(grad);
      g.SetSingleShape(32, 16, 32);
      g.SetStartPosition(0);
      body(g, output);
    });
  };
  EXPECT_EQ(with_data([](GradWeight& g, AscendC::GlobalTensor<float>& output) {
              while (g.Iterate()) {
                g.GetTensorC(output);
              }
              g.End();
            }),
            "");
  EXPECT_NE(with_data([](GradWeight& g, AscendC::GlobalTensor<float>&) {
              g.Iterate();
              g.ctx.isFirstIter_ = false;
              g.Iterate();
            }).find("call GetTensorC after each Iterate"),
            std::string::npos);
  EXPECT_NE(with_data([](GradWeight& g, AscendC::GlobalTensor<float>& output) {
              while (g.Iterate()) {
                g.GetTensorC(output);
              }
              g.Iterate();
            }).find("set ctx.isFirstIter_ = true"),
            std::string::npos);
  EXPECT_NE(with_data([](GradWeight& g, AscendC::GlobalTensor<float>& output) {
              g.Iterate();
              g.GetTensorC(output);
              g.SetStartPosition(0);
            }).find("not allowed between the blocks"),
            std::string::npos);
  EXPECT_NE(with_data([](GradWeight& g, AscendC::GlobalTensor<float>&) {
              g.Iterate();
              g.End();
            }).find("until Iterate gives false"),
            std::string::npos);
}

}  // namespace
