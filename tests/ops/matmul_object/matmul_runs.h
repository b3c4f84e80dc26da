// Products by the Matmul object and what they must be: matrices in each format, a direct double loop, and
// kernels as users write them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lib/matmul_intf.h"
#include "sim/core/launch.h"
#include "sim/soc/soc_config.h"

namespace tilesim::testing {

inline int64_t Up(int64_t value, int64_t granule) { return (value + granule - 1) / granule * granule; }

template <class T>
inline constexpr bool kIsNibble = std::is_same_v<T, AscendC::int4b_t>;

template <class T>
double ToReal(T value) {
  return static_cast<double>(static_cast<float>(value));
}

// A matrix as it lies in GM: row-major, or strips of `c0` columns with rows up to a multiple of 16. A value
// of int4b_t is two elements.
template <class T>
struct Matrix {
  static constexpr int64_t kInValue = kIsNibble<T> ? 2 : 1;

  int64_t rows = 0;
  int64_t columns = 0;
  int64_t c0 = 0;     // 0: row-major
  int64_t width = 0;  // row-major: elements from row to row
  std::vector<T> values;

  Matrix(int64_t r, int64_t c, int64_t strip, int64_t w = 0)
      : rows(r),
        columns(c),
        c0(strip),
        width(w == 0 ? c : w),
        values(static_cast<size_t>((strip == 0 ? r * width : Up(c, strip) * Up(r, 16)) / kInValue)) {}
  [[nodiscard]] int64_t Offset(int64_t r, int64_t c) const {
    return c0 == 0 ? r * width + c : c / c0 * Up(rows, 16) * c0 + r * c0 + c % c0;
  }
  T& At(int64_t r, int64_t c) { return values[static_cast<size_t>(Offset(r, c))]; }
  const T& At(int64_t r, int64_t c) const { return values[static_cast<size_t>(Offset(r, c))]; }
  [[nodiscard]] double Real(int64_t r, int64_t c) const {
    if constexpr (kIsNibble<T>) {
      const int64_t at = Offset(r, c);
      const int nibble = values[static_cast<size_t>(at / 2)].pair >> (at % 2 * 4) & 0xF;
      return nibble < 8 ? nibble : nibble - 16;
    } else {
      return ToReal(At(r, c));
    }
  }
};

template <class T>
T FromInt(int value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<float>(value));
  }
}

// Operands have strips of 32 bytes, C of 16 columns unless of 8 bits.
template <class Type>
constexpr int64_t OperandStrip() {
  using T = typename Type::T;
  return Type::format == CubeFormat::NZ ? 32 * Matrix<T>::kInValue / static_cast<int64_t>(sizeof(T)) : 0;
}

struct ProductSizes {
  int64_t m = 0, n = 0, k = 0;
  int64_t single_m = 0, single_n = 0;  // of a core
  [[nodiscard]] int64_t CoresM() const { return (m + single_m - 1) / single_m; }
  [[nodiscard]] int64_t CoresN() const { return (n + single_n - 1) / single_n; }
};

// Base blocks and steps; the rest of a tiling follows from the sizes.
struct ProductBlocks {
  int base_m = 32, base_n = 32, base_k = 32;
  int step_m = 1, step_n = 1, step_ka = 1, step_kb = 1;
  int copies_a = 2, copies_b = 2, db_l0 = 2, db_l0c = 1;
  int order = 0;
};

inline TCubeTiling TilingOf(const ProductSizes& s, const ProductBlocks& b, bool bias) {
  TCubeTiling t;
  t.usedCoreNum = static_cast<int32_t>(s.CoresM() * s.CoresN());
  t.M = static_cast<int32_t>(s.m);
  t.N = static_cast<int32_t>(s.n);
  t.Ka = t.Kb = t.singleCoreK = static_cast<int32_t>(s.k);
  t.singleCoreM = static_cast<int32_t>(s.single_m);
  t.singleCoreN = static_cast<int32_t>(s.single_n);
  t.baseM = b.base_m;
  t.baseN = b.base_n;
  t.baseK = b.base_k;
  t.stepM = b.step_m;
  t.stepN = b.step_n;
  t.stepKa = b.step_ka;
  t.stepKb = b.step_kb;
  t.depthA1 = b.copies_a * b.step_m * b.step_ka;
  t.depthB1 = b.copies_b * b.step_n * b.step_kb;
  t.isBias = bias ? 1 : 0;
  t.iterateOrder = b.order;
  t.dbL0A = t.dbL0B = b.db_l0;
  t.dbL0C = b.db_l0c;
  return t;
}

// A buffer as large as what `values` holds.
template <class Values>
void AddBuffer(GmSpace& gm, const char* name, Values& values, bool initialised) {
  gm.Add({.name = name,
          .address = reinterpret_cast<uint64_t>(values.data()),
          .size_bytes = values.size() * sizeof(values[0]),
          .initialised = initialised});
}

// A, B, bias and C of one product. Values are small whole numbers, so that all sums are exact.
template <class A, class B, class C, class Bias = C>
struct Product {
  ProductSizes sizes;
  bool with_bias;
  Matrix<typename A::T> a;
  Matrix<typename B::T> b;
  std::vector<typename Bias::T> bias;
  Matrix<typename C::T> c;

  Product(const ProductSizes& s, bool biased, std::mt19937_64& random)
      : sizes(s),
        with_bias(biased),
        a(A::isTrans ? s.k : s.m, A::isTrans ? s.m : s.k, OperandStrip<A>()),
        b(B::isTrans ? s.n : s.k, B::isTrans ? s.k : s.n, OperandStrip<B>()),
        bias(static_cast<size_t>(s.n)),
        c(s.m, s.n, C::format == CubeFormat::NZ ? (sizeof(typename C::T) == 1 ? 32 : 16) : 0,
          C::format == CubeFormat::ND_ALIGN ? Up(s.n, 32 / static_cast<int64_t>(sizeof(typename C::T))) : 0) {
    const auto fill = [&](auto& values) {
      for (auto& value : values) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (kIsNibble<T>) {
          value.pair = static_cast<uint8_t>(random());
        } else {
          value = FromInt<T>(static_cast<int>(random() % 7) - 3);
        }
      }
    };
    fill(a.values);
    fill(b.values);
    fill(bias);
  }
  [[nodiscard]] double Expected(int64_t i, int64_t j) const {
    double sum = with_bias ? ToReal(bias[static_cast<size_t>(j)]) : 0;
    for (int64_t k = 0; k < sizes.k; ++k) {
      sum += (A::isTrans ? a.Real(k, i) : a.Real(i, k)) * (B::isTrans ? b.Real(j, k) : b.Real(k, j));
    }
    return sum;
  }
  // The first element that is not `of(expected)`, in words; empty where all are.
  template <class F>
  [[nodiscard]] std::string Wrong(F&& of) const {
    for (int64_t i = 0; i < sizes.m; ++i) {
      for (int64_t j = 0; j < sizes.n; ++j) {
        const double expected = ToReal(static_cast<typename C::T>(of(Expected(i, j))));
        if (ToReal(c.At(i, j)) != expected) {
          return "C(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                 std::to_string(ToReal(c.At(i, j))) + ", expected " + std::to_string(expected);
        }
      }
    }
    return "";
  }
  [[nodiscard]] std::string Wrong() const {
    return Wrong([](double value) { return static_cast<float>(value); });
  }

  // The buffers of a launch, each as large as the matrix.
  void AddTo(GmSpace& gm) {
    AddBuffer(gm, "a", a.values, true);
    AddBuffer(gm, "b", b.values, true);
    AddBuffer(gm, "bias", bias, true);
    AddBuffer(gm, "c", c.values, false);
  }

  // The parts of core (m, n) of the cores' grid.
  AscendC::GlobalTensor<typename A::T> PartOfA(int64_t m) {
    return Window(a, A::isTrans ? a.Offset(0, m * sizes.single_m) : a.Offset(m * sizes.single_m, 0));
  }
  AscendC::GlobalTensor<typename B::T> PartOfB(int64_t n) {
    return Window(b, B::isTrans ? b.Offset(n * sizes.single_n, 0) : b.Offset(0, n * sizes.single_n));
  }
  AscendC::GlobalTensor<typename C::T> PartOfC(int64_t m, int64_t n) {
    return Window(c, c.Offset(m * sizes.single_m, n * sizes.single_n));
  }
  AscendC::GlobalTensor<typename Bias::T> PartOfBias(int64_t n) {
    AscendC::GlobalTensor<typename Bias::T> part;
    part.SetGlobalBuffer(bias.data(), bias.size());
    return part[static_cast<uint64_t>(n * sizes.single_n)];
  }

 private:
  template <class T>
  static AscendC::GlobalTensor<T> Window(Matrix<T>& matrix, int64_t offset) {
    AscendC::GlobalTensor<T> part;
    part.SetGlobalBuffer(matrix.values.data(), matrix.values.size() * Matrix<T>::kInValue);
    return part[static_cast<uint64_t>(offset)];
  }
};

// A callback that writes the block where it belongs, cut at 0 where it gets 7 and 8.
inline void WriteRelu(const __gm__ void* gm, const AscendC::LocalTensor<int8_t>& co1, const void* out,
                      const uint64_t tiling, const uint64_t data) {
  const auto& params = *static_cast<const AscendC::DataCopyOutParams*>(out);
  AscendC::FixpipeParams<float> fixpipe(params.cBurstNum, params.burstLen, params.srcStride,
                                        params.dstStride);
  fixpipe.nz2ndParams = AscendC::Nz2NdParams(true, 1, 0, 0, params.oriNSize);
  fixpipe.reluEn = tiling == 7 && data == 8;
  AscendC::GlobalTensor<float> c;
  c.SetGlobalBuffer(static_cast<float*>(const_cast<void*>(gm)));
  AscendC::Fixpipe(c, co1.ReinterpretCast<float>(), fixpipe);
}

// Callbacks that bring blocks of 32 x 32 of row-major matrices of halves with `kCallbackRow` elements in a
// row.
inline constexpr int kCallbackBlock = 32;
inline constexpr int kCallbackRowA = 50;
inline constexpr int kCallbackRowB = 90;
inline void CopyBlock(const AscendC::LocalTensor<int8_t>& l1, const __gm__ void* gm, int row, int column,
                      int rows, int columns, int stride) {
  AscendC::GlobalTensor<half> matrix;
  matrix.SetGlobalBuffer(static_cast<half*>(const_cast<void*>(gm)));
  AscendC::DataCopy(
      l1.ReinterpretCast<half>(), matrix[static_cast<uint64_t>((row * stride + column) * kCallbackBlock)],
      AscendC::Nd2NzParams(1, static_cast<uint16_t>(rows), static_cast<uint16_t>(columns), 0,
                           static_cast<uint16_t>(stride), static_cast<uint16_t>(Up(rows, 16)), 1, 0));
}
inline void CopyA1(const AscendC::LocalTensor<int8_t>& l1, const __gm__ void* gm, int row, int column,
                   int use_m, int use_k, const uint64_t, const uint64_t) {
  CopyBlock(l1, gm, row, column, use_m, use_k, kCallbackRowA);
}
inline void CopyB1(const AscendC::LocalTensor<int8_t>& l1, const __gm__ void* gm, int row, int column,
                   int use_k, int use_n, const uint64_t, const uint64_t) {
  CopyBlock(l1, gm, row, column, use_k, use_n, kCallbackRowB);
}

// The faults of a run, in words.
inline std::string FaultsOf(const LaunchResult& result) {
  std::string text;
  for (const Fault& fault : result.faults) {
    text += fault.core + " " + fault.instruction + " " + fault.operand + ": " + fault.what + "\n";
  }
  return text;
}

}  // namespace tilesim::testing
