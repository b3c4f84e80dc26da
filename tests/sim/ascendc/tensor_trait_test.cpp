// Tensors of traits: every call takes them as tensors of their elements.
#include <string>
#include <type_traits>
#include <vector>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using AscendC::GlobalTensor;
using AscendC::is_tensorTrait;
using AscendC::Layout;
using AscendC::LocalTensor;
using AscendC::PrimT;
using AscendC::Shape;
using AscendC::Stride;
using AscendC::TBuf;
using AscendC::TensorTrait;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;
using AscendC::Std::Int;

template <class... Ts>
constexpr bool AsLargeAsTheirElements() {
  return ((sizeof(TensorTrait<Ts>) == sizeof(Ts)) && ...);
}
static_assert(AsLargeAsTheirElements<AscendC::int4b_t, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t,
                                     int32_t, uint32_t, float, int64_t, uint64_t>());
static_assert(std::is_same_v<PrimT<TensorTrait<half>>, half> && std::is_same_v<PrimT<half>, half>);
static_assert(std::is_same_v<LocalTensor<TensorTrait<half>>::PrimType, half>);
static_assert(std::is_same_v<GlobalTensor<TensorTrait<half>>::PrimType, half>);
static_assert(is_tensorTrait<TensorTrait<half>>::value && !is_tensorTrait<half>::value);

TEST(TensorTrait, KnowsItsLayout) {
  const auto layout = AscendC::MakeLayout(AscendC::MakeShape(2, 3), AscendC::MakeStride(3, 1));
  auto trait = AscendC::MakeTensorTrait<half, TPosition::VECIN>(layout);
  static_assert(decltype(trait)::tPos == TPosition::VECIN);
  static_assert(std::is_same_v<decltype(trait)::LiteType, half>);
  EXPECT_EQ(trait.GetLayout()(AscendC::MakeCoord(1, 2)), 5U);
  trait.SetLayout(AscendC::MakeLayout(AscendC::MakeShape(2, 3), AscendC::MakeStride(4, 1)));
  EXPECT_EQ(trait.GetLayout()(AscendC::MakeCoord(1, 2)), 6U);
}

TEST(TensorTrait, PlacesStaticTensors) {
  using Known = Layout<Shape<Int<4>, Int<16>>, Stride<Int<16>, Int<1>>>;
  using Trait = TensorTrait<half, TPosition::VECIN, Known>;
  EXPECT_EQ(FaultsOf(
                [] {
                  const LocalTensor<Trait> at(64);
                  EXPECT_EQ(at.GetSize(), 64U);
                  EXPECT_EQ(at.GetPhyAddr(), 64U);
                  EXPECT_EQ(at.GetPosition(), static_cast<int32_t>(TPosition::VECIN));
                  AscendC::LocalMemAllocator<AscendC::Hardware::UB> ub;
                  EXPECT_EQ(ub.Alloc<Trait>().GetSize(), 64U);
                  const auto layout = AscendC::MakeLayout(AscendC::MakeShape(size_t{2}, size_t{32}),
                                                          AscendC::MakeStride(size_t{32}, size_t{1}));
                  using Open = TensorTrait<float, TPosition::VECOUT, std::decay_t<decltype(layout)>>;
                  const LocalTensor<Open> open = ub.Alloc<Open>(layout);
                  EXPECT_EQ(open.GetPhyAddr(), 128U);
                  EXPECT_EQ(open.GetSize(), 64U);
                  EXPECT_EQ(ub.GetCurAddr(), 384U);
                  AscendC::Duplicate(at, half(1), 64);
                },
                KernelType::kAivOnly),
            "");
}

template <class T>
GlobalTensor<TensorTrait<T>> TraitOf(Gm<T>& gm) {
  GlobalTensor<TensorTrait<T>> tensor;
  tensor.SetGlobalBuffer(gm.data().data(), gm.data().size());
  return tensor;
}

// A kernel on tensors of traits, x and y of 128 elements in, the result out; every kind of call once.
template <class T>
std::vector<T> Through(
    const std::function<void(const LocalTensor<TensorTrait<T>>& dst, const LocalTensor<TensorTrait<T>>& x,
                             const LocalTensor<TensorTrait<T>>& y)>& compute) {
  using Trait = TensorTrait<T>;
  Gm<T> x(128);
  Gm<T> y(128);
  Gm<T> out(128);
  for (int i = 0; i < 128; ++i) {
    x.data()[static_cast<size_t>(i)] = T(static_cast<float>(i));
    y.data()[static_cast<size_t>(i)] = T(static_cast<float>(3 * i + 1));
  }
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  TPipe pipe;
                  TQue<TPosition::VECIN, 1> in;
                  TQue<TPosition::VECOUT, 1> to;
                  pipe.InitBuffer(in, 2, 128 * sizeof(T));
                  pipe.InitBuffer(to, 1, 128 * sizeof(T));
                  LocalTensor<Trait> a = in.AllocTensor<Trait>();
                  EXPECT_EQ(a.GetSize(), 128U);
                  EXPECT_EQ(a[32].GetSize(), 96U);
                  static_assert(std::is_same_v<decltype(a[32]), LocalTensor<Trait>>);
                  AscendC::DataCopy(a, TraitOf(x), 128);
                  in.EnQue(a);
                  a = in.DeQue<Trait>();
                  LocalTensor<Trait> b = in.AllocTensor<Trait>();
                  AscendC::DataCopyPad(b, TraitOf(y), AscendC::DataCopyExtParams(1, 128 * sizeof(T), 0, 0, 0),
                                       AscendC::DataCopyPadExtParams<T>());
                  in.EnQue<Trait>(b);
                  in.DeQue<Trait>(b);
                  LocalTensor<Trait> c = to.AllocTensor<Trait>();
                  compute(c, a, b);
                  to.EnQue(c);
                  c = to.DeQue<Trait>();
                  AscendC::DataCopy(TraitOf(out)[0], c, 128);
                  in.FreeTensor(a);
                  in.FreeTensor(b);
                  to.FreeTensor(c);
                },
                {}, x, y, out)),
            "");
  return out.data();
}

template <class T>
void ExpectIs(const std::vector<T>& found, const std::function<float(int)>& wanted) {
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(static_cast<float>(found[static_cast<size_t>(i)]), wanted(i)) << i;
  }
}

TEST(TensorTrait, PassesThroughQueueCopiesAndArithmetic) {
  using H = TensorTrait<half>;
  ExpectIs<half>(
      Through<half>([](const auto& dst, const auto& x, const auto& y) { AscendC::Add(dst, x, y, 128); }),
      [](int i) { return static_cast<float>(4 * i + 1); });
  ExpectIs<half>(Through<half>([](const auto& dst, const auto& x, const auto& y) {
                   AscendC::Sub<H>(dst, y, x, 128, 1, {1, 1, 1, 8, 8, 8});
                 }),
                 [](int i) { return static_cast<float>(2 * i + 1); });
  ExpectIs<half>(Through<half>([](const auto& dst, const auto& x, const auto&) {
                   AscendC::Adds(dst, x, half(5), 128);
                   AscendC::PipeBarrier<PIPE_V>();
                   AscendC::Muls<H, half>(dst, dst, half(2), 128);
                 }),
                 [](int i) { return static_cast<float>(2 * i + 10); });
  ExpectIs<float>(Through<float>([](const auto& dst, const auto& x, const auto& y) {
                    AscendC::Duplicate(dst, 0.5F, 128);
                    AscendC::PipeBarrier<PIPE_V>();
                    AscendC::Axpy(dst, x, 2.0F, 128);
                    AscendC::PipeBarrier<PIPE_V>();
                    AscendC::Max(dst, dst, y, 64, 2, {1, 1, 1, 8, 8, 8});
                  }),
                  [](int i) { return static_cast<float>(3 * i + 1 > 2 * i + 0.5 ? 3 * i + 1 : 2 * i); });
  ExpectIs<int32_t>(Through<int32_t>([](const auto& dst, const auto& x, const auto& y) {
                      AscendC::Or(dst, x, y, 256);  // lanes of 16 bits
                    }),
                    [](int i) { return static_cast<float>(i | (3 * i + 1)); });
  ExpectIs<half>(Through<half>([](const auto& dst, const auto& x, const auto&) {
                   AscendC::Copy(dst, x, 128, 1, {1, 1, 8, 8});
                 }),
                 [](int i) { return static_cast<float>(i); });
}

TEST(TensorTrait, BuffersAndViewsGiveThem) {
  EXPECT_EQ(FaultsOf(
                [] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 256);
                  const auto tensor = buffer.Get<TensorTrait<half>>();
                  EXPECT_EQ(tensor.GetSize(), 128U);
                  EXPECT_EQ(buffer.Get<TensorTrait<float>>(8).GetSize(), 8U);
                  const auto other = tensor.ReinterpretCast<TensorTrait<float>>();
                  static_assert(std::is_same_v<decltype(other), const LocalTensor<TensorTrait<float>>>);
                  EXPECT_EQ(other.GetSize(), 64U);
                  tensor.SetValue(3, half(2));
                  EXPECT_EQ(static_cast<float>(tensor.GetValue(3)), 2.0F);
                  EXPECT_EQ(static_cast<float>(half(tensor(3))), 2.0F);
                },
                KernelType::kAivOnly),
            "");
}

}  // namespace
}  // namespace tilesim
