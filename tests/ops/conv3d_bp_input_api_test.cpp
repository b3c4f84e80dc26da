// The object API as its documentation shows it, and calls in a wrong order.
#include "lib/conv_backprop/conv3d_bp_input_api.h"

#include <functional>
#include <type_traits>

#include "gtest/gtest.h"
#include "tests/support/input_cases.h"
#include "tikicpulib.h"

namespace {

template <class T, const ConvBackpropApi::Conv3dConfig& config = ConvBackpropApi::CONV3D_CFG_DEFAULT>
using GradInputWith = ConvBackpropApi::Conv3DBackpropInputWith<
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::FRACTAL_Z_3D, T>,
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::ND, int32_t>,
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, T>,
    ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, T>, config>;

// The documented usage, by a kernel class of a user's own.
class UsersKernel {
 public:
  void Init(GM_ADDR weight, GM_ADDR dy, GM_ADDR dx, const TConv3DBackpropInputTiling* tiling) {
    weight_.SetGlobalBuffer(reinterpret_cast<half*>(weight));
    dy_.SetGlobalBuffer(reinterpret_cast<half*>(dy));
    gradInputGm_.SetGlobalBuffer(reinterpret_cast<half*>(dx));
    tiling_ = tiling;
    gradInput_.Init(tiling);
  }
  void Process() {
    gradInput_.SetWeight(weight_);
    gradInput_.SetGradOutput(dy_);
    gradInput_.SetSingleShape(uint64_t{tiling_->hi} * tiling_->wi,
                              uint64_t{tiling_->dk} * tiling_->cout * tiling_->hk * tiling_->wk,
                              tiling_->cin);
    gradInput_.SetStartPosition(0, -static_cast<int32_t>(tiling_->backpropPadUp));
    while (gradInput_.Iterate()) {
      gradInput_.GetTensorC(gradInputGm_);
    }
    gradInput_.ctx.isFirstIter_ = true;
    gradInput_.End();
  }

 private:
  using weightType =
      ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::FRACTAL_Z_3D, half>;
  using inputSizeType =
      ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::ND, int32_t>;
  using gradOutputType =
      ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, half>;
  using gradInputType =
      ConvBackpropApi::ConvType<ConvCommonApi::TPosition::GM, ConvCommonApi::ConvFormat::NDC1HWC0, half>;

  AscendC::GlobalTensor<half> weight_;
  AscendC::GlobalTensor<half> dy_;
  AscendC::GlobalTensor<half> gradInputGm_;
  const TConv3DBackpropInputTiling* tiling_ = nullptr;
  ConvBackpropApi::Conv3DBackpropInput<weightType, inputSizeType, gradOutputType, gradInputType> gradInput_;
};

void UsersEntry(GM_ADDR weight, GM_ADDR dy, GM_ADDR dx, GM_ADDR tiling_data) {
  GET_TILING_DATA_WITH_STRUCT(Conv3DBackpropInputTilingData, tiling, tiling_data);
  UsersKernel kernel;
  kernel.Init(weight, dy, dx, &tiling.conv3DDxTiling);
  kernel.Process();
}

TEST(Conv3DBackpropInput, RunsTheDocumentedUsage) {
  // 16 channels, 1x1 filter: dx(ci) of a pixel is the sum of dy(co) * w(co, ci)
  const tilesim::Conv3dProblem problem =
      tilesim::testing::MakeProblem(tilesim::DType::kFp16, 1, 16, {1, 4, 8}, 16, {1, 1, 1});
  Conv3DBackpropInputTilingData tiling = tilesim::testing::MakeInputPlan(problem, {}).tiling.data;
  constexpr int kPixels = 32;
  auto* weight = static_cast<half*>(AscendC::GmAlloc(16 * 16 * sizeof(half)));  // (co, ci)
  auto* dy = static_cast<half*>(AscendC::GmAlloc(kPixels * 16 * sizeof(half)));
  auto* dx = static_cast<half*>(AscendC::GmAlloc(kPixels * 16 * sizeof(half)));
  for (int i = 0; i < 256; ++i) {
    weight[i] = half(static_cast<float>(i % 7 - 3));
  }
  for (int i = 0; i < kPixels * 16; ++i) {
    dy[i] = half(static_cast<float>(i % 5 - 2));
  }
  AscendC::SetKernelMode(KernelMode::AIC_MODE);
  ICPU_RUN_KF(UsersEntry, 1, reinterpret_cast<uint8_t*>(weight), reinterpret_cast<uint8_t*>(dy),
              reinterpret_cast<uint8_t*>(dx), reinterpret_cast<uint8_t*>(&tiling));
  for (int p = 0; p < kPixels; ++p) {
    for (int ci = 0; ci < 16; ++ci) {
      float sum = 0;
      for (int co = 0; co < 16; ++co) {
        sum += static_cast<float>(dy[p * 16 + co]) * static_cast<float>(weight[co * 16 + ci]);
      }
      EXPECT_EQ(static_cast<float>(dx[p * 16 + ci]), sum) << p << ", " << ci;
    }
  }
  EXPECT_GT(tilesim::LastCpuDebugLaunch().cycles, 0);
  AscendC::GmFree(weight);
  AscendC::GmFree(dy);
  AscendC::GmFree(dx);
}

TEST(Conv3DBackpropInput, HasTheDocumentedConfiguration) {
  using GradInput = GradInputWith<half>;
  static_assert(GradInput::conv3dConfig.loadB2Condition == ConvBackpropApi::LoadB2Condition::kAtLeastTaps);
  static_assert(!GradInput::conv3dConfig.enableKernelSplit);
  EXPECT_EQ(static_cast<int>(ConvBackpropApi::LoadB2Condition::kOneTap), 2);
}

constexpr ConvBackpropApi::Conv3dConfig kOneTapConfig = {ConvBackpropApi::LoadB2Condition::kOneTap, false};
constexpr ConvBackpropApi::Conv3dConfig kBelowTapsConfig = {ConvBackpropApi::LoadB2Condition::kBelowTaps,
                                                            false};

using GradInput = GradInputWith<half>;

// What a run of `body` on one core is refused with; empty when it is not.
template <class Object = GradInput>
std::string Refusal(
    const std::type_identity_t<std::function<void(Object&, TConv3DBackpropInputTiling)>>& body) {
  const tilesim::Conv3dProblem problem =
      tilesim::testing::MakeProblem(tilesim::DType::kFp16, 1, 32, {1, 4, 8}, 16, {1, 1, 1});
  const tilesim::InputTiling tiling = tilesim::testing::MakeInputPlan(problem, {}).tiling;
  std::vector<half> dy(512, half(1.0F));
  std::vector<half> filter(512, half(1.0F));
  std::vector<half> dx(1024, half(0.0F));
  tilesim::LaunchOptions options;
  const auto add = [&](const char* name, const std::vector<half>& data) {
    options.gm.Add({.name = name,
                    .address = reinterpret_cast<uint64_t>(data.data()),
                    .size_bytes = data.size() * sizeof(half)});
  };
  add("dy", dy);
  add("filter", filter);
  add("dx", dx);
  const tilesim::LaunchResult result = tilesim::Launch(tilesim::LoadSoc("ascend910b2"), options, [&] {
    Object grad_input;
    body(grad_input, tiling.data.conv3DDxTiling);
  });
  return result.faults.empty() ? "" : result.faults.front().what;
}

void ExpectRefused(const std::string& says,
                   const std::function<void(GradInput&, TConv3DBackpropInputTiling)>& body) {
  const std::string refusal = Refusal(body);
  EXPECT_NE(refusal.find(says), std::string::npos) << "expected: " << says << "\nfound: " << refusal;
}

TEST(Conv3DBackpropInput, RefusesCallsOutOfOrder) {
  const AscendC::GlobalTensor<half> tensor;
  ExpectRefused("call Init before the setters", [](auto& g, auto) { g.SetSingleShape(1, 1, 1); });
  ExpectRefused("Init is to be called exactly once", [](auto& g, auto t) {
    g.Init(&t);
    g.Init(&t);
  });
  ExpectRefused("call Init and the setters first", [](auto& g, auto) { g.Iterate(); });
  ExpectRefused("call SetWeight, SetGradOutput and SetSingleShape first", [](auto& g, auto t) {
    g.Init(&t);
    g.Iterate();
  });
  ExpectRefused("only after an Iterate that gave true", [&](auto& g, auto t) {
    g.Init(&t);
    g.GetTensorC(tensor);
  });
  ExpectRefused("End: once, after Init", [](auto& g, auto t) {
    g.Init(&t);
    g.End();
    g.End();
  });
  ExpectRefused("nothing can be set after End", [&](auto& g, auto t) {
    g.Init(&t);
    g.End();
    g.SetWeight(tensor);
  });
}

TEST(Conv3DBackpropInput, RefusesShapesThatTheTilingDoesNotHave) {
  const AscendC::GlobalTensor<half> tensor;
  const auto with_shape = [&](uint64_t m, uint64_t k, uint32_t n, uint32_t d, int32_t h) {
    return [=](GradInput& g, TConv3DBackpropInputTiling t) {
      g.Init(&t);
      g.SetWeight(tensor);
      g.SetGradOutput(tensor);
      g.SetSingleShape(m, k, n);
      g.SetStartPosition(d, h);
      g.Iterate();
    };
  };
  ExpectRefused("more than 0; their order is M, K, N", with_shape(32, 0, 32, 0, 0));
  ExpectRefused("M is whole rows of dx, a multiple of wi", with_shape(30, 16, 32, 0, 0));
  ExpectRefused("no core takes a part of K", with_shape(32, 32, 16, 0, 0));  // M, N, K
  ExpectRefused("N is at most cin1G * c0", with_shape(32, 16, 48, 0, 0));
  ExpectRefused("pass the rows of dx", with_shape(32, 16, 32, 0, 1));
  ExpectRefused("pass the rows of dx", with_shape(32, 16, 32, 0, -1));
  ExpectRefused("curDinStartIdx passes the last depth plane", with_shape(32, 16, 32, 1, 0));
  ExpectRefused("stepM and stepN are 1", [](auto& g, auto t) {
    t.stepM = 2;
    g.Init(&t);
  });
  ExpectRefused("multiples of hk * wk * c0", [](auto& g, auto t) {
    t.baseK = 24;
    g.Init(&t);
  });
  ExpectRefused("the smaller of stepKa and stepKb divides the larger", [](auto& g, auto t) {
    t.stepKa = 2;
    t.stepKb = 3;
    g.Init(&t);
  });
}

// What Init of an object with the configuration is refused with, for a filter of `taps` x 1 and baseK
// `base_k`.
template <const ConvBackpropApi::Conv3dConfig& config>
std::string RefusalOfInit(uint32_t taps, uint32_t base_k) {
  return Refusal<GradInputWith<half, config>>([=](auto& grad_input, TConv3DBackpropInputTiling t) {
    t.hk = taps;
    t.baseK = base_k;
    t.stepKa = t.stepKb = taps * 16 < base_k ? 1 : taps * 16 / base_k;
    grad_input.Init(&t);
    grad_input.End();
  });
}

TEST(Conv3DBackpropInput, RefusesATilingThatItsLoadB2ConditionDoesNotFit) {
  const std::string says = "Init: loadB2Condition of the configuration is not the tiling's";
  EXPECT_EQ(RefusalOfInit<kOneTapConfig>(1, 16), "");
  EXPECT_NE(RefusalOfInit<kOneTapConfig>(2, 32).find(says), std::string::npos);
  EXPECT_NE(RefusalOfInit<kOneTapConfig>(2, 16).find(says), std::string::npos);
  EXPECT_EQ(RefusalOfInit<kBelowTapsConfig>(2, 16), "");
  EXPECT_NE(RefusalOfInit<kBelowTapsConfig>(2, 32).find(says), std::string::npos);
  EXPECT_NE(RefusalOfInit<kBelowTapsConfig>(1, 16).find(says), std::string::npos);
  for (const uint32_t taps : {1, 2}) {  // the documented object's condition takes all
    EXPECT_EQ(RefusalOfInit<ConvBackpropApi::CONV3D_CFG_DEFAULT>(taps, 16), "");
  }
}

TEST(Conv3DBackpropInput, RefusesCallsOutOfOrderBetweenBlocks) {
  const auto with_data = [](const std::function<void(GradInput&, AscendC::GlobalTensor<half>&)>& body) {
    return [=](GradInput& g, const TConv3DBackpropInputTiling& t) {
      const auto& buffers = tilesim::CurrentCore().gm_space().buffers();  // dy, filter, dx
      AscendC::GlobalTensor<half> tensors[3];
      for (size_t i = 0; i < 3; ++i) {
        tensors[i].SetGlobalBuffer(reinterpret_cast<half*>(buffers[i].address));
      }
      g.Init(&t);
      g.SetGradOutput(tensors[0]);
      g.SetWeight(tensors[1]);
      g.SetSingleShape(32, 16, 32);
      g.SetStartPosition(0, 0);
      body(g, tensors[2]);
    };
  };
  EXPECT_EQ(Refusal(with_data([](GradInput& g, AscendC::GlobalTensor<half>& output) {
              while (g.Iterate()) {
                g.GetTensorC(output);
              }
              g.End();
            })),
            "");
  ExpectRefused("call GetTensorC after each Iterate", with_data([](GradInput& g, auto&) {
                  g.Iterate();
                  g.ctx.isFirstIter_ = false;
                  g.Iterate();
                }));
  ExpectRefused("set ctx.isFirstIter_ = true", with_data([](GradInput& g, auto& output) {
                  while (g.Iterate()) {
                    g.GetTensorC(output);
                  }
                  g.Iterate();
                }));
  ExpectRefused("isFirstIter_ is true in the middle", with_data([](GradInput& g, auto& output) {
                  g.Iterate();
                  g.GetTensorC(output);
                  g.ctx.isFirstIter_ = true;
                  g.Iterate();
                }));
  ExpectRefused("not allowed between the blocks", with_data([](GradInput& g, auto& output) {
                  g.Iterate();
                  g.GetTensorC(output);
                  g.SetStartPosition(0, 0);
                }));
  ExpectRefused("until Iterate gives false", with_data([](GradInput& g, auto&) {
                  g.Iterate();
                  g.End();
                }));
  ExpectRefused("enSequentialWrite is reserved", with_data([](GradInput& g, auto& output) {
                  g.Iterate();
                  g.GetTensorC(output, 0, true);
                }));
}

}  // namespace
