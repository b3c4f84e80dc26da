// IterateBatch and IterateNBatch of the Matmul object: each layout against loops over all axes.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "lib/matmul_intf.h"
#include "tests/ops/matmul_object/matmul_runs.h"
#include "tests/support/test_seed.h"

namespace tilesim::testing {
namespace {

using AscendC::TPosition;
template <class T, LayoutMode layout, bool trans = false, CubeFormat format = CubeFormat::ND>
using Batch = AscendC::MatmulType<TPosition::GM, format, T, trans, layout>;

// The axes of a tensor in the order in which they lie in memory, the last one fastest.
constexpr std::string_view OrderOf(LayoutMode layout) {
  return layout == LayoutMode::BSNGD ? "bsngd" : layout == LayoutMode::SBNGD ? "sbngd" : "bngsd";
}

struct Axes {
  int64_t b = 1, s = 1, n = 1, g = 1, d = 1;
  [[nodiscard]] int64_t Of(char axis) const {
    return axis == 'b' ? b : axis == 's' ? s : axis == 'n' ? n : axis == 'g' ? g : d;
  }
};

template <class T>
struct Tensor {
  std::string_view order;
  Axes axes;
  std::vector<T> values;

  Tensor(LayoutMode layout, const Axes& a) : order(OrderOf(layout)), axes(a) {
    values.resize(static_cast<size_t>(a.b * a.s * a.n * a.g * a.d));
  }
  [[nodiscard]] int64_t Offset(const Axes& at) const {
    int64_t offset = 0;
    for (const char axis : order) {
      offset = offset * axes.Of(axis) + at.Of(axis);
    }
    return offset;
  }
  [[nodiscard]] double At(const Axes& at) const { return ToReal(values[static_cast<size_t>(Offset(at))]); }
  AscendC::GlobalTensor<T> From(const Axes& at) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(values.data(), values.size());
    return tensor[static_cast<uint64_t>(Offset(at))];
  }
};

// Products of all (b, n, g); N and G of an operand may be parts of those of the other.
struct BatchSizes {
  int64_t m = 20, n = 36, k = 40;
  int64_t b = 2, n_a = 3, n_b = 3, g_a = 1, g_b = 1;
  [[nodiscard]] int64_t N() const { return std::max(n_a, n_b); }
  [[nodiscard]] int64_t G() const { return std::max(g_a, g_b); }
};

template <class A, class B, class C, class Bias = C>
struct BatchProduct {
  BatchSizes sizes;
  bool biased;
  Tensor<typename A::T> a;
  Tensor<typename B::T> b;
  Tensor<typename C::T> c;
  std::vector<typename Bias::T> bias;  // a row for each product
  bool c_is_initialised = false;

  BatchProduct(const BatchSizes& s, bool with_bias, std::mt19937_64& random)
      : sizes(s),
        biased(with_bias),
        a(A::layout, {s.b, A::isTrans ? s.k : s.m, s.n_a, s.g_a, A::isTrans ? s.m : s.k}),
        b(B::layout, {s.b, B::isTrans ? s.n : s.k, s.n_b, s.g_b, B::isTrans ? s.k : s.n}),
        c(C::layout, {s.b, s.m, s.N(), s.G(), s.n}),
        bias(static_cast<size_t>(s.b * s.N() * s.G() * s.n)) {
    const auto fill = [&](auto& values) {
      for (auto& value : values) {
        value = FromInt<std::decay_t<decltype(value)>>(static_cast<int>(random() % 7) - 3);
      }
    };
    fill(a.values);
    fill(b.values);
    fill(bias);
  }

  [[nodiscard]] double Expected(const Axes& at) const {
    const auto& [batch, row, head, group, column] = at;
    const int64_t head_a = head * sizes.n_a / sizes.N(), group_a = group * sizes.g_a / sizes.G();
    const int64_t head_b = head * sizes.n_b / sizes.N(), group_b = group * sizes.g_b / sizes.G();
    double sum = 0;
    if (biased) {
      const int64_t product = (batch * sizes.N() + head) * sizes.G() + group;
      sum = ToReal(bias[static_cast<size_t>(product * sizes.n + column)]);
    }
    for (int64_t k = 0; k < sizes.k; ++k) {
      sum += a.At(A::isTrans ? Axes{batch, k, head_a, group_a, row} : Axes{batch, row, head_a, group_a, k}) *
             b.At(B::isTrans ? Axes{batch, column, head_b, group_b, k}
                             : Axes{batch, k, head_b, group_b, column});
    }
    return sum;
  }
  // The first wrong element of C, in words.
  [[nodiscard]] std::string Wrong() const {
    for (int64_t i = 0; i < c.axes.b * c.axes.n * c.axes.g * sizes.m * sizes.n; ++i) {
      const Axes at = {.b = i / (c.axes.n * c.axes.g * sizes.m * sizes.n),
                       .s = i / sizes.n % sizes.m,
                       .n = i / (c.axes.g * sizes.m * sizes.n) % c.axes.n,
                       .g = i / (sizes.m * sizes.n) % c.axes.g,
                       .d = i % sizes.n};
      const double expected = ToReal(FromInt<typename C::T>(static_cast<int>(Expected(at))));
      if (c.At(at) != expected) {
        return Say("C(b ", at.b, ", ", at.s, ", n ", at.n, ", g ", at.g, ", ", at.d, ") is ", c.At(at),
                   ", expected ", expected);
      }
    }
    return "";
  }

  [[nodiscard]] TCubeTiling Tiling(const ProductBlocks& blocks, int64_t single_m) const {
    TCubeTiling t =
        TilingOf({.m = sizes.m, .n = sizes.n, .k = sizes.k, .single_m = single_m, .single_n = sizes.n},
                 blocks, biased);
    const auto axes = [](const Axes& from, auto&... fields) {
      const std::array<int64_t, 5> values = {from.b, from.s, from.n, from.g, from.d};
      int i = 0;
      ((fields = static_cast<int32_t>(values[static_cast<size_t>(i++)])), ...);
    };
    axes(a.axes, t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD);
    axes(b.axes, t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD);
    axes(c.axes, t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2);
    return t;
  }
  void AddTo(GmSpace& gm) {
    AddBuffer(gm, "a", a.values, true);
    AddBuffer(gm, "b", b.values, true);
    AddBuffer(gm, "bias", bias, true);
    AddBuffer(gm, "c", c.values, c_is_initialised);
  }
  [[nodiscard]] int BatchA() const { return static_cast<int>(sizes.n_a * sizes.g_a); }
  [[nodiscard]] int BatchB() const { return static_cast<int>(sizes.n_b * sizes.g_b); }
  AscendC::GlobalTensor<typename Bias::T> BiasFrom(int64_t batch) {
    AscendC::GlobalTensor<typename Bias::T> tensor;
    tensor.SetGlobalBuffer(bias.data(), bias.size());
    return tensor[static_cast<uint64_t>(batch * sizes.N() * sizes.G() * sizes.n)];
  }
};

struct BatchRun {
  BatchSizes sizes;
  ProductBlocks blocks;
  bool bias = false;
  bool at_once = true;    // all b by one call
  int64_t single_m = 16;  // rows of a core
};

// Each core has rows of all products; the tensors begin at its first row.
template <class Object, class P, class F>
void SetOperands(Object& mm, P& product, const BatchRun& run, int64_t batch, F&& iterate) {
  using A = typename Object::AType;
  const int64_t row = AscendC::GetBlockIdx() * run.single_m;
  mm.SetTail(static_cast<int>(std::min(run.single_m, run.sizes.m - row)));
  mm.SetTensorA(product.a.From(A::isTrans ? Axes{batch, 0, 0, 0, row} : Axes{batch, row, 0, 0, 0}),
                A::isTrans);
  mm.SetTensorB(product.b.From({batch, 0, 0, 0, 0}), Object::BType::isTrans);
  if (run.bias) {
    mm.SetBias(product.BiasFrom(batch));
  }
  iterate(product.c.From({batch, row, 0, 0, 0}));
}

template <class P>
LaunchOptions OptionsOf(P& product, const BatchRun& run, KernelType type) {
  LaunchOptions options{.type = type};
  options.blocks = (run.sizes.m + run.single_m - 1) / run.single_m;
  options.threads = 2;
  product.AddTo(options.gm);
  return options;
}

template <class A, class B, class C, class Bias = C>
std::string RunOnCube(const BatchRun& run, uint64_t seed) {
  std::mt19937_64 random(seed);
  BatchProduct<A, B, C, Bias> product(run.sizes, run.bias, random);
  const TCubeTiling tiling = product.Tiling(run.blocks, run.single_m);
  const LaunchResult result =
      Launch(LoadSoc("ascend910b2"), OptionsOf(product, run, KernelType::kAicOnly), [&] {
        AscendC::TPipe pipe;
        AscendC::MatmulImpl<A, B, C, Bias> mm;
        mm.SetSubBlockIdx(0);
        mm.Init(&tiling, &pipe);
        const int times = run.at_once ? static_cast<int>(run.sizes.b) : 1;
        for (int64_t batch = 0; batch < run.sizes.b; batch += times) {
          SetOperands(mm, product, run, batch, [&](const auto& c) {
            mm.SetBatchNum(times * product.BatchA(), times * product.BatchB());
            mm.IterateBatch(c, false, 0, false);
          });
        }
        mm.End();
      });
  return FaultsOf(result) + product.Wrong();
}

int Pick(std::mt19937_64& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint64_t>(high - low + 1));
}

BatchRun RandomRun(std::mt19937_64& random, bool normal, int granule = 16) {
  BatchRun run;
  run.blocks = {.base_m = granule * Pick(random, 1, 3),
                .base_n = granule * Pick(random, 1, 3),
                .base_k = granule * Pick(random, 1, 3),
                .step_ka = Pick(random, 1, 2),
                .step_kb = Pick(random, 1, 2),
                .db_l0c = Pick(random, 1, 2),
                .order = Pick(random, 0, 1)};
  BatchSizes& s = run.sizes;
  s = {.m = Pick(random, 1, 70), .n = Pick(random, 1, 70), .k = Pick(random, 1, 70), .b = Pick(random, 1, 3)};
  // One operand has all of N and G, the other parts.
  const auto axis = [&](int64_t& whole, int64_t& part) {
    const int halvings = normal ? 0 : Pick(random, 0, 2);
    whole = int64_t{1} << halvings;
    part = whole >> Pick(random, 0, halvings);
  };
  const bool a_is_whole = Pick(random, 0, 1) == 1;
  axis(a_is_whole ? s.n_a : s.n_b, a_is_whole ? s.n_b : s.n_a);
  axis(a_is_whole ? s.g_a : s.g_b, a_is_whole ? s.g_b : s.g_a);
  run.bias = Pick(random, 0, 1) == 1;
  run.at_once = Pick(random, 0, 1) == 1;
  run.single_m = Up(Pick(random, 1, 70), 16);
  return run;
}

std::string Text(const BatchRun& run) {
  const BatchSizes& s = run.sizes;
  return Say("m ", s.m, " n ", s.n, " k ", s.k, " b ", s.b, " n ", s.n_a, " ", s.n_b, " g ", s.g_a, " ",
             s.g_b, " bias ", run.bias, " at once ", run.at_once, " single ", run.single_m, " base ",
             run.blocks.base_m, " ", run.blocks.base_n, " ", run.blocks.base_k);
}

template <class A, class B, class C, class Bias = C>
void ExpectRight() {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 6; ++i) {
    const BatchRun run =
        RandomRun(random, A::layout == LayoutMode::NORMAL, sizeof(typename A::T) == 1 ? 32 : 16);
    EXPECT_EQ((RunOnCube<A, B, C, Bias>(run, random())), "") << Text(run);
  }
}

template <LayoutMode layout>
void ExpectRightInEachTransposition() {
  ExpectRight<Batch<half, layout>, Batch<half, layout>, Batch<float, layout>>();
  ExpectRight<Batch<half, layout, true>, Batch<half, layout>, Batch<half, layout>>();
  ExpectRight<Batch<half, layout>, Batch<half, layout, true>, Batch<float, layout>, Batch<half, layout>>();
  ExpectRight<Batch<half, layout, true>, Batch<half, layout, true>, Batch<float, layout>>();
}

TEST(MatmulBatch, TakesMatricesOneBehindTheOther) { ExpectRightInEachTransposition<LayoutMode::NORMAL>(); }
TEST(MatmulBatch, TakesBsngd) { ExpectRightInEachTransposition<LayoutMode::BSNGD>(); }
TEST(MatmulBatch, TakesSbngd) { ExpectRightInEachTransposition<LayoutMode::SBNGD>(); }
TEST(MatmulBatch, TakesBngs1s2) { ExpectRightInEachTransposition<LayoutMode::BNGS1S2>(); }
// As attention has them: scores from queries and keys, then what they weigh.
TEST(MatmulBatch, TakesALayoutForEachMatrix) {
  ExpectRight<Batch<half, LayoutMode::BSNGD>, Batch<half, LayoutMode::BSNGD, true>,
              Batch<float, LayoutMode::BNGS1S2>>();
  ExpectRight<Batch<half, LayoutMode::BNGS1S2>, Batch<half, LayoutMode::SBNGD>,
              Batch<half, LayoutMode::BSNGD>>();
}
TEST(MatmulBatch, TakesOtherTypes) {
  ExpectRight<Batch<float, LayoutMode::BSNGD>, Batch<float, LayoutMode::BSNGD>,
              Batch<float, LayoutMode::BSNGD>>();
  ExpectRight<Batch<int8_t, LayoutMode::NORMAL>, Batch<int8_t, LayoutMode::NORMAL>,
              Batch<int32_t, LayoutMode::NORMAL>>();
}

// Strips of 16 columns, of which each matrix has whole ones.
TEST(MatmulBatch, TakesStrips) {
  using A = Batch<half, LayoutMode::NORMAL, false, CubeFormat::NZ>;
  using C = Batch<float, LayoutMode::NORMAL, false, CubeFormat::NZ>;
  constexpr int64_t kM = 24;
  constexpr int64_t kN = 40;
  constexpr int64_t kK = 50;
  std::mt19937_64 random(TestSeed());
  std::vector<Product<A, A, C>> products(3, Product<A, A, C>({kM, kN, kK, kM, kN}, false, random));
  std::vector<half> a;
  std::vector<half> b;
  for (auto& product : products) {
    product = Product<A, A, C>({kM, kN, kK, kM, kN}, false, random);
    a.insert(a.end(), product.a.values.begin(), product.a.values.end());
    b.insert(b.end(), product.b.values.begin(), product.b.values.end());
  }
  const size_t of_c = products[0].c.values.size();
  std::vector<float> c(3 * of_c);
  LaunchOptions options{.type = KernelType::kAicOnly, .blocks = 1};
  AddBuffer(options.gm, "a", a, true);
  AddBuffer(options.gm, "b", b, true);
  AddBuffer(options.gm, "c", c, false);
  const TCubeTiling tiling = TilingOf({kM, kN, kK, kM, kN}, {}, false);
  const LaunchResult result = Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    AscendC::MatmulImpl<A, A, C> mm;
    mm.SetSubBlockIdx(0);
    mm.Init(&tiling, &pipe);
    AscendC::GlobalTensor<half> gm_a;
    AscendC::GlobalTensor<half> gm_b;
    AscendC::GlobalTensor<float> gm_c;
    gm_a.SetGlobalBuffer(a.data(), a.size());
    gm_b.SetGlobalBuffer(b.data(), b.size());
    gm_c.SetGlobalBuffer(c.data(), c.size());
    mm.SetTensorA(gm_a);
    mm.SetTensorB(gm_b);
    mm.SetBatchNum(3, 3);
    mm.IterateBatch(gm_c, false, 0, false);
    mm.End();
  });
  EXPECT_EQ(FaultsOf(result), "");
  for (size_t i = 0; i < 3; ++i) {
    std::copy_n(c.begin() + static_cast<std::ptrdiff_t>(i * of_c), of_c, products[i].c.values.begin());
    EXPECT_EQ(products[i].Wrong(), "") << i;
  }
}

// A kernel for one block and cube core of NORMAL; the parameters of its call.
struct NormalCall {
  int64_t b = 4;
  int batch_a = 4, batch_b = 4;
  bool partial = false;
  uint8_t atomic = 0;
  bool sequential = false;
  uint32_t stride_a = 0, stride_b = 0, stride_c = 0;
  int single_m = -1;
};
using Normal = BatchProduct<Batch<half, LayoutMode::NORMAL>, Batch<half, LayoutMode::NORMAL>,
                            Batch<float, LayoutMode::NORMAL>>;
std::string RunNormal(Normal& product, const NormalCall& call) {
  const BatchRun run = {.sizes = product.sizes, .blocks = {}, .single_m = product.sizes.m};
  const TCubeTiling tiling = product.Tiling(run.blocks, run.single_m);
  LaunchOptions options = OptionsOf(product, run, KernelType::kAicOnly);
  return FaultsOf(Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    AscendC::MatmulImpl<Batch<half, LayoutMode::NORMAL>, Batch<half, LayoutMode::NORMAL>,
                        Batch<float, LayoutMode::NORMAL>>
        mm;
    mm.SetSubBlockIdx(0);
    mm.Init(&tiling, &pipe);
    mm.SetTail(call.single_m);
    mm.SetTensorA(product.a.From({0, 0, 0, 0, 0}));
    mm.SetTensorB(product.b.From({0, 0, 0, 0, 0}));
    mm.SetBatchNum(call.batch_a, call.batch_b);
    mm.IterateBatch(product.c.From({0, 0, 0, 0, 0}), call.partial, call.atomic, call.sequential,
                    call.stride_a, call.stride_b, call.stride_c);
    mm.End();
  }));
}

// C of product i is A of i / 2 times B of i.
TEST(MatmulBatch, LetsAMatrixServeSeveral) {
  std::mt19937_64 random(TestSeed());
  Normal product({.b = 4, .n_a = 1, .n_b = 1}, false, random);
  ASSERT_EQ(RunNormal(product, {.batch_a = 2, .batch_b = 4}), "");
  for (const int64_t i : {0, 1, 2, 3}) {
    for (const int64_t row : {0, 19}) {
      double sum = 0;
      for (int64_t k = 0; k < 40; ++k) {
        sum += product.a.At({i / 2, row, 0, 0, k}) * product.b.At({i, k, 0, 0, 35});
      }
      EXPECT_EQ(product.c.At({i, row, 0, 0, 35}), sum) << i << " " << row;
    }
  }
}

TEST(MatmulBatch, TakesEverySecondMatrix) {
  std::mt19937_64 random(TestSeed());
  Normal product({.b = 4, .n_a = 1, .n_b = 1}, false, random);
  ASSERT_EQ(
      RunNormal(product, {.batch_a = 2, .batch_b = 2, .stride_a = 1600, .stride_b = 2880, .stride_c = 1440}),
      "");
  for (const int64_t i : {0, 2}) {
    EXPECT_EQ(product.c.At({i, 19, 0, 0, 35}), product.Expected({i, 19, 0, 0, 35})) << i;
  }
}

TEST(MatmulBatch, WritesPartsOneBehindTheOther) {
  std::mt19937_64 random(TestSeed());
  Normal product({.b = 4, .n_a = 1, .n_b = 1}, false, random);
  ASSERT_EQ(RunNormal(product, {.sequential = true, .single_m = 5}), "");
  for (const int64_t i : {0, 1, 2, 3}) {
    EXPECT_EQ(product.c.values[static_cast<size_t>((i * 5 + 4) * 36 + 35)],
              product.Expected({i, 4, 0, 0, 35}))
        << i;
  }
}

TEST(MatmulBatch, AddsToC) {
  std::mt19937_64 random(TestSeed());
  Normal product({.b = 4, .n_a = 1, .n_b = 1}, false, random);
  std::fill(product.c.values.begin(), product.c.values.end(), 5.0F);
  product.c_is_initialised = true;
  ASSERT_EQ(RunNormal(product, {.atomic = 1}), "");
  EXPECT_EQ(product.c.At({3, 19, 0, 0, 35}), product.Expected({3, 19, 0, 0, 35}) + 5);
}

TEST(MatmulBatch, RefusesBatchesThatAreNotThere) {
  std::mt19937_64 random(TestSeed());
  Normal product({.b = 4, .n_a = 1, .n_b = 1}, false, random);
  const auto expect = [&](const NormalCall& call, const char* words) {
    EXPECT_NE(RunNormal(product, call).find(words), std::string::npos) << words << "\n"
                                                                       << RunNormal(product, call);
  };
  expect({.batch_a = 0, .batch_b = 0}, "without SetBatchNum they are 0");
  expect({.batch_a = 2, .batch_b = 3}, "one is a multiple of the other");
  expect({.partial = true}, "sums that go on from batch to batch");
  expect({.batch_a = 5, .batch_b = 5}, "it is the byte behind the end of a, which has 6400 bytes");
}

TEST(MatmulBatch, RefusesLayoutsThatDoNotFit) {
  using Type = Batch<half, LayoutMode::BSNGD>;
  using C = Batch<float, LayoutMode::BSNGD>;
  const auto faults = [](auto&& change, int batch_a = 12, int batch_b = 12) {
    std::mt19937_64 random(TestSeed());
    BatchProduct<Type, Type, C> product({.g_a = 2, .g_b = 2}, false, random);
    const BatchRun run = {.sizes = product.sizes, .blocks = {}, .single_m = product.sizes.m};
    TCubeTiling tiling = product.Tiling(run.blocks, run.single_m);
    change(tiling);
    return FaultsOf(Launch(LoadSoc("ascend910b2"), OptionsOf(product, run, KernelType::kAicOnly), [&] {
      AscendC::TPipe pipe;
      AscendC::MatmulImpl<Type, Type, C> mm;
      mm.SetSubBlockIdx(0);
      mm.Init(&tiling, &pipe);
      mm.SetTensorA(product.a.From({0, 0, 0, 0, 0}));
      mm.SetTensorB(product.b.From({0, 0, 0, 0, 0}));
      mm.SetBatchNum(batch_a, batch_b);
      mm.IterateBatch(product.c.From({0, 0, 0, 0, 0}), false, 0, false);
      mm.End();
    }));
  };
  const auto has = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  };
  EXPECT_EQ(faults([](TCubeTiling&) {}), "");
  has(faults([](TCubeTiling& t) { t.ALayoutInfoN = 0; }), "call SetALayout of the tiling before GetTiling");
  has(faults([](TCubeTiling& t) { t.BLayoutInfoN = 2; }), "N and G of B are 2 and 2, of A 3 and 2");
  has(faults([](TCubeTiling& t) { t.CLayoutInfoG = 1; }), "does not model sums over G");
  has(faults([](TCubeTiling& t) { t.BLayoutInfoS = 39; }), "of which the product takes 40 x 36");
  has(faults([](TCubeTiling&) {}, 12, 4), "which are not N * G of their layouts");
}

// On vector cores, whose cube core computes.
template <class Object, class P, class F>
std::string RunMixed(P& product, const BatchRun& run, uint64_t workspace_elements, F&& iterate) {
  const TCubeTiling tiling = product.Tiling(run.blocks, run.single_m);
  LaunchOptions options = OptionsOf(product, run, KernelType::kMixAic1_1);
  std::vector<uint8_t> system(size_t{16} << 20);
  std::vector<float> workspace(workspace_elements * static_cast<uint64_t>(options.blocks));
  AddBuffer(options.gm, "system", system, false);
  AddBuffer(options.gm, "workspace", workspace, false);
  return FaultsOf(Launch(LoadSoc("ascend910b2"), options, [&] {
    AscendC::TPipe pipe;
    Object mm;
    REGIST_MATMUL_OBJ(&pipe, system.data(), mm, &tiling);
    mm.SetWorkspace(workspace.data() + workspace_elements * static_cast<uint64_t>(AscendC::GetBlockIdx()),
                    static_cast<int>(workspace_elements * sizeof(float)));
    SetOperands(mm, product, run, 0, [&](const auto& c) { iterate(mm, c, pipe); });
    mm.End();
  }));
}

using MixedA = Batch<half, LayoutMode::BSNGD>;
using MixedB = Batch<half, LayoutMode::BSNGD, true>;
using MixedC = Batch<float, LayoutMode::BNGS1S2>;
using MixedProduct = BatchProduct<MixedA, MixedB, MixedC>;
using MixedObject = AscendC::Matmul<MixedA, MixedB, MixedC>;

TEST(MixedMatmulBatch, WritesToGm) {
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 6; ++i) {
    BatchRun run = RandomRun(random, false);
    MixedProduct product(run.sizes, run.bias, random);
    const auto b = static_cast<uint32_t>(run.sizes.b);
    const auto batch_a = b * static_cast<uint32_t>(product.BatchA());
    const auto batch_b = b * static_cast<uint32_t>(product.BatchB());
    const std::string faults =
        RunMixed<MixedObject>(product, run, 1, [&](auto& mm, const auto& c, AscendC::TPipe&) {
          if (i % 2 == 0) {
            mm.IterateBatch(c, batch_a, batch_b, false);
          } else {
            mm.template IterateBatch<false, true>(c, batch_a, batch_b, false);
            mm.WaitIterateBatch();
          }
        });
    EXPECT_EQ(faults + product.Wrong(), "") << Text(run);
  }
}

// A round for each b: taken from the workspace by way of UB.
TEST(MixedMatmulBatch, GivesRoundsFromTheWorkspace) {
  std::mt19937_64 random(TestSeed());
  for (const bool to_ub : {false, true}) {
    BatchRun run;
    run.sizes = {.m = 24, .n = 40, .k = 33, .b = 3, .n_a = 2, .n_b = 2, .g_a = 2, .g_b = 1};
    run.single_m = 24;
    run.bias = true;
    MixedProduct product(run.sizes, run.bias, random);
    constexpr uint32_t kRound = 2 * 2 * 24 * 40;
    const std::string faults =
        RunMixed<MixedObject>(product, run, 3 * kRound, [&](auto& mm, const auto& c, AscendC::TPipe& pipe) {
          AscendC::TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, kRound * sizeof(float));
          AscendC::LocalTensor<float> ub = buffer.Get<float>();
          mm.template IterateNBatch<false>(3, 4, 2, false);
          for (uint32_t round = 0; round < 3; ++round) {
            if (to_ub) {
              mm.template GetBatchTensorC<false>(ub, 4, 2);
            } else {
              const auto from = mm.template GetBatchTensorC<false>(4, 2);
              tilesim::MatmulPass<AscendC::HardEvent::MTE3_MTE2>();
              AscendC::DataCopy(ub, from, kRound);
              tilesim::MatmulPass<AscendC::HardEvent::MTE2_MTE3>();
            }
            AscendC::DataCopy(c[uint64_t{round} * kRound], ub, kRound);
          }
        });
    EXPECT_EQ(faults + product.Wrong(), "") << to_ub;
  }
}

TEST(MixedMatmulBatch, RefusesRoundsThatAreNotThere) {
  std::mt19937_64 random(TestSeed());
  BatchRun run;
  run.sizes = {.m = 16, .n = 16, .k = 16, .b = 2, .n_a = 2, .n_b = 2};
  const auto has = [&](uint64_t room, const char* words, auto&& iterate) {
    MixedProduct product(run.sizes, false, random);
    const std::string text = RunMixed<MixedObject>(product, run, room, iterate);
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  };
  has(1023, "IterateNBatch leaves 2 rounds of C there and needs 4096; give it as much",
      [](auto& mm, const auto&, auto&) { mm.IterateNBatch(2, 2, 2, false); });
  has(1024, "call it once for each of its 2 rounds", [](auto& mm, const auto&, auto&) {
    mm.IterateNBatch(2, 2, 2, false);
    for (int i = 0; i < 3; ++i) {
      mm.template GetBatchTensorC<false>(2, 2);
    }
  });
  has(1024, "call IterateBatch<false> before", [](auto& mm, const auto&, auto&) { mm.WaitIterateBatch(); });
  has(1024, "WaitIterateBatch: the cube core sends no answer for the last product",
      [](auto& mm, const auto&, auto&) {
        mm.template IterateNBatch<false>(2, 2, 2, false);
        mm.WaitIterateBatch();
      });
  has(1024, "tilesim models enPartialSum = false",
      [](auto& mm, const auto&, auto&) { mm.IterateNBatch(2, 2, 2, false, 0, 0, 0, true); });
}

}  // namespace
}  // namespace tilesim::testing
