#include "sim/ascendc/lib/sort/topk.h"

#include <limits>

#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/lib/rows.h"
#include "sim/ascendc/local_copy.h"
#include "sim/ascendc/vector_gather.h"
#include "sim/ascendc/vector_sort.h"

namespace AscendC::simulator {

namespace {

template <class T>
class TopKRun {
 public:
  TopKRun(const RowSteps& steps, const TopKCall& call, RowScratch& scratch)
      : call_(call),
        inner_(static_cast<uint32_t>(call.shape.inner)),
        count_(static_cast<uint32_t>(call.shape.n)),
        rows_(static_cast<uint32_t>(call.shape.outter)),
        steps_(steps) {
    const uint32_t scores = inner_ * (call.small ? rows_ : 1);
    scores_ = scratch.Take<T>(scores);
    places_ = scratch.Take<int32_t>(scores);
    pairs_ = scratch.Take<T>(GetSortOffset<T>(scores));
    work_ = scratch.Take<T>(GetSortOffset<T>(scores));
  }

  void Run() { call_.small ? Small() : Normal(); }

 private:
  static constexpr uint32_t kUnit = ONE_BLK_SIZE / sizeof(T);

  void Normal() {
    NumberPlaces(places_, inner_);
    const uint32_t stride = (call_.k + kUnit - 1) / kUnit * kUnit;
    const uint32_t place_stride = (call_.k + 7) / 8 * 8;
    for (uint32_t row = 0; row < rows_; ++row) {
      Load(scores_, row);
      LocalTensor<T> concat = scores_;
      Sort<T, true>(pairs_, concat, places_.ReinterpretCast<uint32_t>(), work_,
                    static_cast<int32_t>(inner_ / 32), call_.where);
      steps_.Wait();
      Split((call_.k + 31) / 32);
      steps_.On(stride).Muls(As<T>(call_.dst)[row * stride], values_, Sign());
      steps_.On(place_stride).Adds(call_.places[row * place_stride], found_, 0);
      MarkFinished(row, call_.places[row * place_stride]);
    }
  }
  // All rows of 32 are sorted by one instruction; of each the first k are kept.
  void Small() {
    for (uint32_t row = 0; row < rows_; ++row) {
      Load(scores_[row * 32], row);
      NumberPlaces(places_[row * 32], 32, row);
    }
    for (uint32_t row = 0; row < rows_; row += 255) {
      const uint32_t some = std::min(255U, rows_ - row);
      Sort32(pairs_[GetSortOffset<T>(row * 32)], scores_[row * 32],
             places_.ReinterpretCast<uint32_t>()[row * 32], static_cast<int32_t>(some), call_.where);
    }
    steps_.Wait();
    Split(rows_);
    for (uint32_t row = 0; row < rows_; ++row) {
      MarkFinished(row, found_[row * 32]);
    }
    steps_.On(rows_ * 32).Muls(values_, values_, Sign());
    KeepFirst(As<T>(call_.dst), values_);
    KeepFirst(call_.places, found_);
  }
  [[nodiscard]] T Sign() const { return T(call_.largest ? 1.0F : -1.0F); }
  // A row's elements, so that the largest are wanted, behind them those that no other is below.
  void Load(const LocalTensor<T>& scores, uint32_t row) const {
    steps_.On(inner_).Duplicate(scores, T(-std::numeric_limits<float>::infinity()));
    steps_.On(count_).Muls(scores, As<T>(call_.src)[row * inner_], Sign());
  }
  void NumberPlaces(const LocalTensor<int32_t>& places, uint32_t count, uint32_t row = 0) const {
    if (call_.has_places) {
      steps_.On(count).Adds(places, call_.src_places[row * inner_], 0);
    } else {
      ArithProgression<int32_t>(places, 0, 1, static_cast<int32_t>(count), call_.where);
      steps_.Wait();
    }
  }
  // The pairs' scores and places, 32 * repeats of each.
  void Split(uint32_t repeats) {
    values_ = work_;
    const LocalTensor<int32_t> work = work_.template ReinterpretCast<int32_t>();
    found_ = work[work.GetSize() / 2];  // places beside as many scores
    for (uint32_t at = 0; at < repeats; at += 255) {
      const auto some = static_cast<int32_t>(std::min(255U, repeats - at));
      Extract(values_[at * 32], found_.ReinterpretCast<uint32_t>()[at * 32],
              pairs_[GetSortOffset<T>(at * 32)], some, call_.where);
    }
    ResetMask(call_.where);
    steps_.Wait();
  }
  template <class U>
  void KeepFirst(const LocalTensor<U>& dst, const LocalTensor<U>& src) const {
    uint64_t kept = 0;
    GatherMask(dst, src, uint8_t{7}, true, call_.k,
               {1, static_cast<uint16_t>(rows_), static_cast<uint16_t>(32 * sizeof(U) / ONE_BLK_SIZE), 0},
               kept, call_.where);
    ResetMask(call_.where);
    steps_.Wait();
  }
  void MarkFinished(uint32_t row, const LocalTensor<int32_t>& places) const {
    if (!call_.has_finish) {
      return;
    }
    if (row == 0) {
      OrderPipes(steps_.core(), HardEvent::V_S, call_.where);
    }
    if (call_.finish.ReinterpretCast<uint8_t>().GetValue(row, call_.where) != 0) {
      steps_.On(call_.k).Duplicate(places, call_.shape.n);
    }
  }

  const TopKCall& call_;
  uint32_t inner_, count_, rows_;
  RowSteps steps_;
  LocalTensor<T> scores_, pairs_, work_, values_;
  LocalTensor<int32_t> places_, found_;
};

CallTensors TensorsOf(const TopKCall& call) {
  const auto rows = static_cast<uint64_t>(call.shape.outter);
  const auto inner = static_cast<uint64_t>(call.shape.inner);
  // Results of the rows before the last, which may be padded to 32 bytes.
  const auto results = [&](uint32_t type_bytes) {
    return (rows - 1) * (call.small ? call.k : AlignUp(call.k, ONE_BLK_SIZE / type_bytes)) + call.k;
  };
  CallTensors tensors;
  tensors.Result("dstValue", call.dst, results(call.src.type == tilesim::isa::VectorType::kFp16 ? 2 : 4))
      .Result("dstIndex", call.places, results(sizeof(int32_t)))
      .Source("src", call.src, rows * inner);
  if (call.has_places) {
    tensors.Source("srcIndex", call.src_places, inner * (call.small ? rows : 1));
  }
  return tensors;
}

}  // namespace

void Run(const TopKCall& call) {
  const TopKInfo& shape = call.shape;
  const auto check = [&](tilesim::Core& core) {
    using tilesim::isa::RequireRange;
    RequireHalfOrFloat(call.src)(core);
    RequireRange(core, "inner", shape.inner, 32, call.small ? 32 : 4096,
                 call.small ? "TOPK_NSMALL sorts rows of 32" : "a row is sorted at once");
    core.Require(shape.inner % 32 == 0, tilesim::FaultKind::kAlignment, "inner", "is ", shape.inner,
                 ", allowed are multiples of 32; pad the rows, and say in n what they hold");
    RequireRange(core, "n", shape.n, 1, shape.inner, "it is what of a row counts");
    RequireRange(core, "k", call.k, 1, shape.n, "a row has no more elements");
    RequireRange(core, "outter", shape.outter, 1, call.small ? 65535 : INT32_MAX, "it is the number of rows");
  };
  RunOnRows(
      call, "TopK", TensorsOf(call),
      tilesim::library::TopKNeed(static_cast<uint64_t>(shape.inner), static_cast<uint64_t>(shape.outter),
                                 call.small),
      1,
      [&](const RowSteps& steps, RowScratch& scratch) {
        WithTypeOf(call.src, [&]<class T>(T) { TopKRun<T>(steps, call, scratch).Run(); });
      },
      check);
}

}  // namespace AscendC::simulator
