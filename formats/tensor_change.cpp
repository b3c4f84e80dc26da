// The functions of tensor.h that touch every element: another layout, another type, random values.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "formats/convert.h"
#include "formats/error.h"
#include "formats/nearest_whole.h"
#include "formats/random.h"
#include "formats/strided_copy.h"
#include "formats/tensor.h"
#include "formats/walk.h"

namespace tilesim {
namespace {

// Elements that go through a buffer on the stack at a time: a buffer of floats stays in the first cache.
constexpr size_t kChunk = 2048;

// One element from type to type. Whole types: the nearest they hold, ties to even; NaN becomes 0.
template <class Dst, class Src>
Dst ElementAs(Src src) {
  if constexpr (!std::is_integral_v<Dst>) {
    return static_cast<Dst>(src);
  } else if constexpr (std::is_integral_v<Src>) {
    const int64_t whole = src;
    return static_cast<Dst>(
        std::clamp<int64_t>(whole, std::numeric_limits<Dst>::min(), std::numeric_limits<Dst>::max()));
  } else {
    return NearestWhole<Dst>(static_cast<double>(src));
  }
}

template <class Src, class Dst>
void ElementsAs(std::span<const Src> src, std::span<Dst> dst) {
  if constexpr (std::is_same_v<Src, Dst>) {
    std::ranges::copy(src, dst.begin());
  } else if constexpr ((kIs16Bit<Src> && std::is_same_v<Dst, float>) ||
                       (std::is_same_v<Src, float> && kIs16Bit<Dst>)) {
    ConvertElements(src, dst);
  } else if constexpr (kIs16Bit<Src> && kIs16Bit<Dst>) {
    std::array<float, kChunk> wide;
    for (size_t i = 0; i < src.size(); i += kChunk) {
      const size_t count = std::min(kChunk, src.size() - i);
      ConvertElements(src.subspan(i, count), std::span(wide).first(count));
      ConvertElements(std::span<const float>(wide).first(count), dst.subspan(i, count));
    }
  } else {
    std::ranges::transform(src, dst.begin(), ElementAs<Dst, Src>);
  }
}

// Runs of random elements: made as floats, rounded in bulk, then laid where they belong.
template <class T>
class RandomWriter {
 public:
  RandomWriter(uint64_t seed, const RandomRange& range, std::span<T> dst)
      : seed_(seed), range_(range), dst_(dst) {}

  // Indices first_index + i * run.src_stride go to dst offsets dst + i * run.dst_stride.
  void Write(int64_t first_index, int64_t dst, const BoxDim& run) {
    for (int64_t done = 0; done < run.count;) {
      const int64_t count = std::min<int64_t>(run.count - done, kChunk);
      const std::span<float> floats = std::span(floats_).first(static_cast<size_t>(count));
      RandomFloats(seed_, static_cast<uint64_t>(first_index + done * run.src_stride),
                   static_cast<uint64_t>(run.src_stride), range_, floats);
      T* const to = dst_.data() + dst + done * run.dst_stride;
      if (run.dst_stride == 1) {
        ElementsAs<float, T>(floats, {to, floats.size()});
      } else {
        const std::span<T> rounded = std::span(rounded_).first(floats.size());
        ElementsAs<float, T>(floats, rounded);
        for (int64_t i = 0; i < count; ++i) {
          to[i * run.dst_stride] = rounded[static_cast<size_t>(i)];
        }
      }
      done += count;
    }
  }

 private:
  uint64_t seed_;
  RandomRange range_;
  std::span<T> dst_;
  std::array<float, kChunk> floats_;
  std::array<T, kChunk> rounded_;
};

}  // namespace

Tensor Converted(const Tensor& src, const Layout& to) {
  Tensor dst(src.dtype(), to);
  ForEachBox(src.layout(), to,
             [&](const Box& box) { CopyBox(box, SizeOf(src.dtype()), src.data(), dst.data()); });
  return dst;
}

const Tensor& Canonical(const Tensor& tensor, std::optional<Tensor>& copy) {
  const Layout layout = CanonicalLayout(tensor.layout());
  return tensor.layout() == layout ? tensor : copy.emplace(Converted(tensor, layout));
}

Tensor Rounded(const Tensor& src, DType dtype) {
  Tensor dst(dtype, src.layout());
  VisitDType(src.dtype(), [&]<class Src>(TypeTag<Src>) {
    VisitDType(dtype, [&]<class Dst>(TypeTag<Dst>) { ElementsAs<Src, Dst>(src.As<Src>(), dst.As<Dst>()); });
  });
  return dst;
}

void FillRandom(Tensor& dst, uint64_t seed, double lo, double hi) {
  RequireUser(std::isfinite(lo) && std::isfinite(hi) && std::abs(lo) <= std::numeric_limits<float>::max() &&
                  std::abs(hi) <= std::numeric_limits<float>::max() && lo <= hi,
              "random range ", lo, ":", hi, ", must be two numbers lo:hi that float holds, lo at most hi");
  const RandomRange range(lo, hi);
  VisitDType(dst.dtype(), [&]<class T>(TypeTag<T>) {
    RandomWriter<T> writer(seed, range, dst.As<T>());
    ForEachBox(CanonicalLayout(dst.layout()), dst.layout(), [&](const Box& box) {
      const std::span<const BoxDim> loops = box.dims();
      if (loops.empty()) {
        writer.Write(box.src_base, box.dst_base, BoxDim{.count = 1, .src_stride = 1, .dst_stride = 1});
        return;
      }
      ForEachStep(loops.first(loops.size() - 1), box.src_base, box.dst_base,
                  [&](int64_t index, int64_t offset) { writer.Write(index, offset, loops.back()); });
    });
  });
}

}  // namespace tilesim
