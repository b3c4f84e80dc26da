// The Matmul object on a vector core of a mixed kernel: its calls are done by the cube core of the block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "kernel_operator.h"
#include "lib/matmul/matmul_bias.h"
#include "lib/matmul/matmul_call.h"
#include "lib/matmul/matmul_impl.h"
#include "lib/matmul/matmul_messages.h"
#include "lib/matmul/matmul_setters.h"

namespace AscendC {

namespace simulator {

// Operands of UB reach the cube core over GM.
template <class Type>
using OnCubeCore =
    MatmulType<Type::pos == TPosition::VECOUT || Type::pos == TPosition::VECIN ? TPosition::GM : Type::pos,
               Type::format, typename Type::T, Type::isTrans, Type::layout, Type::ibShare>;

template <class Impl>
class MatmulServedBy final : public MatmulServed, public Impl {
 public:
  void Leave() override { this->LeaveBuffers(); }
  void Return(TPipe* pipe) override { this->TakeBuffers(pipe); }
};

}  // namespace simulator

// Setters are collected and go with the next product; a block is computed when it is asked for (GetTensorC).
// Calls that end in a result wait for it unless they say `sync` = false.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
class MatmulClient : public simulator::MatmulSetters<
                         MatmulClient<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>,
                         A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY> {
  using Setters =
      simulator::MatmulSetters<MatmulClient, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
  friend Setters;
  using Setters::Begin;
  using Setters::ready_;
  using Side = simulator::MatmulSide;
  static_assert(A_TYPE::pos != TPosition::TSCM && B_TYPE::pos != TPosition::TSCM &&
                    C_TYPE::pos != TPosition::TSCM,
                "tilesim does not model TPosition::TSCM from vector cores of the Matmul object yet");
  static_assert(C_TYPE::pos != TPosition::CO1,
                "Matmul: C stays in CO1 on cube cores only; use MatmulImpl or ASCENDC_CUBE_ONLY");

 public:
  using DstT = typename C_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;
  using Impl =
      MatmulImpl<simulator::OnCubeCore<A_TYPE>, simulator::OnCubeCore<B_TYPE>, simulator::OnCubeCore<C_TYPE>,
                 simulator::OnCubeCore<BIAS_TYPE>, MM_CFG, MM_CB, MATMUL_POLICY>;
  using Served = simulator::MatmulServedBy<Impl>;

  MatmulClient() = default;

  // Used by REGIST_MATMUL_OBJ: which of the core's objects it is.
  void Connect(int number) {
    number_ = number;
    a_room_ = b_room_ = bias_room_ = c_room_ = {};  // of a registration before
    left_.clear();
    sends_product_ = false;
  }

  __aicore__ inline void Init(const TCubeTiling* cubeTiling, TPipe* /*tpipe*/ = nullptr,
                              SourceLine where = SourceLine::Here()) {
    const simulator::MatmulCall call("Matmul::Init", where);
    if (!IsHere(call)) {
      return;
    }
    extents_.Init(cubeTiling, MM_CFG);
    tilesim::CheckCubeTiling(Core(), extents_.tiling(), Impl::kRuleTypes);
    ready_ = true;
    Restart();
    LeaveOperands();
    Leave(bias_room_);
    Collect([tiling = extents_.tiling(), where](Impl& mm) {
      simulator::this_matmul_server->Renew();
      mm.Init(&tiling, simulator::this_matmul_server->pipe(), where);
    });
  }
  __aicore__ inline void SetSubBlockIdx(uint8_t /*subBlockIdx*/) {}
  __aicore__ inline uint8_t GetSubBlockIdx() const { return static_cast<uint8_t>(AscendC::GetSubBlockIdx()); }

  // Where Iterate<false> leaves its blocks: at least the part of C of this core. `size`: bytes.
  template <class T>
  __aicore__ inline void SetWorkspace(__gm__ const T* addr, int size, SourceLine where = SourceLine::Here()) {
    UseWorkspace(addr, int64_t{size}, "give the bytes that are there", where);
  }
  template <class T>
  __aicore__ inline void SetWorkspace(GlobalTensor<T>& addr, SourceLine where = SourceLine::Here()) {
    UseWorkspace(addr.GetPhyAddr(), static_cast<int64_t>(addr.GetSize() * sizeof(T)),
                 "tell the tensor its size: SetGlobalBuffer(buffer, bufferSize)", where);
  }

  using Setters::GetTensorC;
  // To both.
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const GlobalTensor<DstT>& gm, const LocalTensor<DstT>& co2Local,
                                    uint8_t enAtomic = 0, bool enSequentialWrite = false,
                                    SourceLine where = SourceLine::Here()) {
    this->RequireGetTensorC();
    const simulator::MatmulCall call("Matmul::GetTensorC", where);
    if (Begin(call)) {
      RequireBlock();
      tilesim::MatmulBlockPlace place = PlaceOf(extents_, block_m_, block_n_, enSequentialWrite);
      const int64_t offset = std::exchange(place.offset, 0);
      const Runs runs = RunsOf(block_m_, block_n_, place);
      RequireUb("co2Local", co2Local, runs);
      GetTensorC<sync>(gm, enAtomic, enSequentialWrite, where);
      Copy(co2Local, gm[static_cast<uint64_t>(offset)], runs);
    }
  }
  // The next block of Iterate<false>, where it lies.
  template <bool sync = true>
  __aicore__ inline GlobalTensor<DstT> GetTensorC(uint8_t /*enAtomic*/ = 0,
                                                  bool /*enSequentialWrite*/ = false,
                                                  SourceLine where = SourceLine::Here()) {
    this->RequireGetTensorC();
    static_assert(!sync, "Matmul: GetTensorC without a destination is for Iterate<false>");
    const simulator::MatmulCall call("Matmul::GetTensorC", where);
    return Begin(call) ? TakeBlock(where) : workspace_;
  }

  // Of the last IterateAll<false>.
  __aicore__ inline void WaitIterateAll(SourceLine where = SourceLine::Here()) {
    const simulator::MatmulCall call("Matmul::WaitIterateAll", where);
    if (Begin(call)) {
      Core().Require(iterated_ != 0, tilesim::FaultKind::kMisuse, "WaitIterateAll",
                     "there is nothing to wait for; call IterateAll<false> before");
      TakeAnswer("WaitIterateAll", "IterateAll<false> with waitIterateAll");
      Await(iterated_, where);
      if (to_ub_) {
        std::exchange(to_ub_, nullptr)();
      }
    }
  }
  // `batchA` matrices of A and `batchB` of B: one product after the other, as MatmulImpl::IterateBatch.
  template <bool sync = true, bool waitIterateBatch = false>
  __aicore__ inline void IterateBatch(const GlobalTensor<DstT>& gm, uint32_t batchA, uint32_t batchB,
                                      bool enSequentialWrite, uint32_t matrixStrideA = 0,
                                      uint32_t matrixStrideB = 0, uint32_t matrixStrideC = 0,
                                      bool enPartialSum = false, uint8_t enAtomic = 0,
                                      SourceLine where = SourceLine::Here()) {
    this->RequireIterateBatch();
    const simulator::MatmulCall call("Matmul::IterateBatch", where);
    if (Begin(call)) {
      CollectBatch(batchA, batchB, where);
      Collect([=](Impl& mm) {
        mm.IterateBatch(gm, enPartialSum, enAtomic, enSequentialWrite, matrixStrideA, matrixStrideB,
                        matrixStrideC, where);
      });
      SendProduct<sync>(waitIterateBatch, where);
    }
  }
  // `batchLoop` rounds of it into the workspace, each behind the one before; GetBatchTensorC<false> takes
  // them in turn.
  template <bool sync = true, bool waitIterateBatch = false>
  __aicore__ inline void IterateNBatch(uint32_t batchLoop, uint32_t batchA, uint32_t batchB,
                                       bool enSequentialWrite, uint32_t matrixStrideA = 0,
                                       uint32_t matrixStrideB = 0, uint32_t matrixStrideC = 0,
                                       bool enPartialSum = false, uint8_t enAtomic = 0,
                                       SourceLine where = SourceLine::Here()) {
    this->RequireIterateNBatch();
    const simulator::MatmulCall call("Matmul::IterateNBatch", where);
    if (!Begin(call)) {
      return;
    }
    constexpr bool kOneBehindTheOther =
        C_TYPE::layout == LayoutMode::NORMAL || C_TYPE::layout == LayoutMode::BNGS1S2;
    Core().Require(!enPartialSum && (kOneBehindTheOther || enSequentialWrite) && matrixStrideC == 0,
                   tilesim::FaultKind::kMisuse, "IterateNBatch",
                   "leaves parts of C that begin with zero one behind the other: tilesim models "
                   "enPartialSum = false, matrixStrideC = 0 and, but for NORMAL and BNGS1S2, "
                   "enSequentialWrite = true");
    const uint64_t of_round = ElementsOfRound(batchA, batchB);
    RequireWorkspace(batchLoop * of_round, tilesim::Say("IterateNBatch leaves ", batchLoop, " rounds of C"),
                     "");
    CollectBatch(batchA, batchB, where);
    for (uint32_t loop = 0; loop < batchLoop; ++loop) {
      Do("Matmul::IterateNBatch", where, [=, gm = workspace_[loop * of_round]](auto& mm) {
        mm.WriteBatch(gm, enAtomic, true, {matrixStrideA, matrixStrideB, 0}, loop);
      });
    }
    round_ = 0;
    rounds_ = batchLoop;
    SendProduct<sync>(waitIterateBatch, where);
  }
  __aicore__ inline void WaitIterateBatch(SourceLine where = SourceLine::Here()) {
    const simulator::MatmulCall call("Matmul::WaitIterateBatch", where);
    if (Begin(call)) {
      Core().Require(iterated_ != 0, tilesim::FaultKind::kMisuse, "WaitIterateBatch",
                     "there is nothing to wait for; call IterateBatch<false> before");
      TakeAnswer("WaitIterateBatch", "IterateBatch<false> or IterateNBatch<false> with waitIterateBatch");
      Await(iterated_, where);
    }
  }
  // The next round of IterateNBatch, where it lies.
  template <bool sync = true>
  __aicore__ inline GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB,
                                                       bool /*enSequentialWrite*/ = false,
                                                       SourceLine where = SourceLine::Here()) {
    const simulator::MatmulCall call("Matmul::GetBatchTensorC", where);
    if (!Begin(call)) {
      return workspace_;
    }
    Core().Require(round_ < rounds_, tilesim::FaultKind::kMisuse, "GetBatchTensorC",
                   "there is no round of IterateNBatch that was not taken; call it once for each of its ",
                   rounds_, " rounds");
    Await(iterated_, where);
    return workspace_[round_++ * ElementsOfRound(batchA, batchB)];
  }
  template <bool sync = true>
  __aicore__ inline void GetBatchTensorC(const LocalTensor<DstT>& c, uint32_t batchA, uint32_t batchB,
                                         bool enSequentialWrite = false,
                                         SourceLine where = SourceLine::Here()) {
    const GlobalTensor<DstT> round = GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, where);
    if (!simulator::OnCube(Core())) {
      const simulator::MatmulCall call("Matmul::GetBatchTensorC", where);
      const Runs runs = {0, 1, static_cast<int64_t>(ElementsOfRound(batchA, batchB)), 0, 0};
      Core().Require(c.memory() == tilesim::Memory::kUb && int64_t{c.GetSize()} >= runs.length,
                     tilesim::FaultKind::kBounds, "c", "holds ", c.GetSize(), " elements in ",
                     tilesim::Name(c.memory()), "; a round has ", runs.length, " and goes to UB");
      Copy(c, round, runs);
    }
  }
  template <bool sync = true>
  __aicore__ inline GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB,
                                                 bool enSequentialWrite = false,
                                                 SourceLine where = SourceLine::Here()) {
    return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, where);
  }
  __aicore__ inline void End(SourceLine where = SourceLine::Here()) {
    this->RequireEnd();
    const simulator::MatmulCall call("Matmul::End", where);
    if (Begin(call)) {
      Restart();
      Collect([where](Impl& mm) { mm.End(where); });
      Send(where);
      LeaveOperands();
    }
  }

 private:
  using Work = std::function<void(Impl&)>;

  static tilesim::Core& Core() { return simulator::ThisCore(); }
  static simulator::MatmulMessages& Messages() { return simulator::MatmulMessages::Here(); }

  // Is the call to be done on this core?
  __aicore__ inline bool IsHere(const simulator::MatmulCall& call) const {
    if (simulator::OnCube(Core())) {
      return false;
    }
    call.Name();
    Messages();
    Core().Require(number_ >= 0, tilesim::FaultKind::kMisuse, "REGIST_MATMUL_OBJ",
                   "does not name this object; register it");
    return true;
  }
  template <bool sync>
  __aicore__ inline bool NextBlock(bool enPartialSum, SourceLine where) {
    const bool is_first = !walk_;
    walk_ = BlockBehind(walk_);
    has_block_ = walk_.has_value();
    if (!walk_) {
      if constexpr (sync) {
        Collect([where](Impl& mm) { mm.Iterate(false, where); });  // gives false there, too
      }
      return false;
    }
    HoldBlock(*walk_);
    if constexpr (sync) {
      Collect([enPartialSum, where](Impl& mm) { mm.Iterate(enPartialSum, where); });
      sends_product_ = true;
    } else {
      Core().Require(!enPartialSum, tilesim::FaultKind::kMisuse, "enPartialSum",
                     "is true with Iterate<false>; sums go on only in Iterate<true>");
      if (is_first) {
        IterateIntoWorkspace(where);
      }
    }
    return true;
  }
  template <bool sync>
  __aicore__ inline void BlockTo(const GlobalTensor<DstT>& gm, uint8_t atomic, bool sequential,
                                 SourceLine where) {
    static_assert(sync, "tilesim does not model GetTensorC<false> to GM of the Matmul object yet");
    Collect([=](Impl& mm) { mm.GetTensorC(gm, atomic, sequential, where); });
    Await(Send(where), where);
  }
  template <bool sync>
  __aicore__ inline void BlockTo(const LocalTensor<DstT>& ub, uint8_t atomic, bool sequential,
                                 SourceLine where) {
    if constexpr (sync) {
      RequireBlock();
      const Runs runs = RunsOfPacked(block_m_, block_n_, sequential);
      RequireUb("co2Local", ub, runs);
      const GlobalTensor<DstT> staged = StageC("co2Local", ub, runs, atomic, where);
      Do("Matmul::GetTensorC", where, [=](auto& mm) { mm.WriteOne(staged, atomic, sequential, true); });
      Await(Send(where), where);
      Copy(ub, staged, runs);
      Leave(c_room_);
    } else {
      const GlobalTensor<DstT> block = TakeBlock(where);
      const Runs runs = RunsOfPacked(block_m_, block_n_, true);
      RequireUb("co2Local", ub, runs);
      Copy(ub, block, runs);
    }
  }
  template <bool sync>
  __aicore__ inline void AllTo(const GlobalTensor<DstT>& gm, uint8_t atomic, bool sequential, bool waited_for,
                               SourceLine where) {
    Restart();
    Collect([=](Impl& mm) { mm.IterateAll(gm, atomic, sequential, false, false, where); });
    SendProduct<sync>(waited_for, where);
  }
  template <bool sync>
  __aicore__ inline void AllTo(const LocalTensor<DstT>& ub, uint8_t atomic, bool /*sequential*/,
                               bool waited_for, SourceLine where) {
    const Runs runs = RunsOfPacked({0, extents_.single_m}, {0, extents_.single_n}, true);
    RequireUb("ubCmatrix", ub, runs);
    Restart();
    const GlobalTensor<DstT> staged = StageC("ubCmatrix", ub, runs, atomic, where);
    Do("Matmul::IterateAll", where, [=](auto& mm) { mm.WriteAll(staged, atomic, false, true); });
    iterated_ = Send(where);
    has_answer_ = waited_for;
    to_ub_ = [this, ub, staged, runs] {
      Copy(ub, staged, runs);
      Leave(c_room_);
    };
    if constexpr (sync) {
      WaitIterateAll(where);
    }
  }
  __aicore__ inline void Collect(Work work) { collected_.push_back(std::move(work)); }
  // What the setters come to.
  template <class Set>
  __aicore__ inline void SetExtents(const char* name, SourceLine where, Set set) {
    const simulator::MatmulCall call(name, where);
    if (Begin(call)) {
      set(extents_);
      Restart();
      Collect([=](Impl& mm) { mm.SetExtents(name, where, set); });
    }
  }
  template <Side side, class L>
  __aicore__ inline void SetMatrix(const L& matrix, bool transposed, SourceLine where) {
    using Type = std::conditional_t<side == Side::kA, A_TYPE, B_TYPE>;
    constexpr simulator::MatmulSideNames kNames = simulator::NamesOf(side);
    const int64_t elements = Impl::template PackedOperandElements<Type>(
        simulator::KInRows(side, transposed), side == Side::kA ? MostM() : MostN(), MostK());
    SetTensor(kNames.call, kNames.matrix, matrix, elements, Type::pos, side == Side::kA ? a_room_ : b_room_,
              where, [=](Impl& mm, const auto& gm, bool packed) {
                mm.template SetMatrix<side>(gm, transposed, where, packed);
              });
  }
  template <class L>
  __aicore__ inline void SetBiasTensor(const L& bias, SourceLine where) {
    SetTensor("Matmul::SetBias", "inputBias", bias, MostN(), BIAS_TYPE::pos, bias_room_, where,
              [=](Impl& mm, const auto& gm, bool) { mm.SetBiasTensor(gm, where); });
  }
  __aicore__ inline void DropBias(SourceLine where) {
    const simulator::MatmulCall call("Matmul::DisableBias", where);
    if (Begin(call)) {
      Leave(bias_room_);
      Collect([where](Impl& mm) { mm.DropBias(where); });
    }
  }
  template <class Work>
  __aicore__ inline void Do(const char* name, SourceLine where, Work work) {
    const simulator::MatmulCall call(name, where);
    if (Begin(call)) {
      Collect([=](Impl& mm) { mm.Do(name, where, work); });
    }
  }
  __aicore__ inline void Tell(Work work) { Collect(std::move(work)); }
  // set(MatmulImpl&, tensor in GM, whether it holds this core's part alone) of a tensor in GM, or in UB, of
  // which the first `most` elements go to the staging area.
  template <class L, class F>
  __aicore__ inline void SetTensor(const char* name, const char* what, const L& tensor, int64_t most,
                                   TPosition pos, simulator::MatmulRoom& room, SourceLine where, F set) {
    const simulator::MatmulCall call(name, where);
    if (!Begin(call)) {
      return;
    }
    Restart();
    if constexpr (requires { Stage(what, tensor, most, pos, room, where); }) {
      Collect([set, gm = Stage(what, tensor, most, pos, room, where)](Impl& mm) { set(mm, gm, true); });
    } else {
      Leave(room);
      Collect([set, tensor](Impl& mm) { set(mm, tensor, false); });
    }
  }
  // What was collected goes to the cube core, to be done at one time; gives the message's number.
  __aicore__ inline uint32_t Send(SourceLine where) {
    const uint32_t message = Messages().Post(
        [work = std::exchange(collected_, {}), number = number_,
         sub_block = static_cast<int>(AscendC::GetSubBlockIdx()), where] {
          const simulator::MatmulCall call("Matmul", where);
          Impl& mm = simulator::this_matmul_server->Use<Served>(number, sub_block);
          for (const Work& one : work) {
            one(mm);
          }
        },
        where);
    sends_product_ = false;
    for (simulator::MatmulRoom& room : left_) {
      Leave(room);
    }
    left_.clear();
    return message;
  }
  // The message of a product of all blocks, whose end it waits for with `sync`; without, a wait of the
  // kernel's own does where the product is `waited_for`.
  template <bool sync>
  __aicore__ inline void SendProduct(bool waited_for, SourceLine where) {
    iterated_ = Send(where);
    has_answer_ = !sync && waited_for;
    to_ub_ = nullptr;
    if constexpr (sync) {
      Await(iterated_, where);
    }
  }
  __aicore__ inline void Await(uint32_t number, SourceLine where) const { Messages().Await(number, where); }
  __aicore__ inline void Restart() { walk_.reset(); }

  // The operand that had the room is no more. What is collected may still read it, until it is sent: who
  // stages anew waits for all that is sent.
  void Leave(simulator::MatmulRoom& room) {
    if (room.size() == 0) {
      return;
    }
    if (sends_product_) {
      left_.push_back(std::exchange(room, {}));
    } else {
      Messages().staging().GiveBack(room);
    }
  }
  void LeaveOperands() {
    Leave(a_room_);
    Leave(b_room_);
  }
  // Room for `elements` in the place of what had it.
  template <class T>
  GlobalTensor<T> Staged(const char* name, uint64_t elements, simulator::MatmulRoom& room, SourceLine where) {
    Leave(room);
    Messages().AwaitAll(where);  // those before may read there
    room = Messages().staging().Take(name, simulator::BytesOf<T>(elements));
    GlobalTensor<T> staged;
    staged.SetGlobalBuffer(reinterpret_cast<T*>(Messages().AddressOf(room)), elements);
    return staged;
  }
  // What operands in UB may have to hold: sizes may be set anew behind them, up to the tiling's.
  [[nodiscard]] int64_t MostM() const {
    return std::max(extents_.single_m, int64_t{extents_.tiling().singleCoreM});
  }
  [[nodiscard]] int64_t MostN() const {
    return std::max(extents_.single_n, int64_t{extents_.tiling().singleCoreN});
  }
  [[nodiscard]] int64_t MostK() const {
    return std::max(extents_.single_k, int64_t{extents_.tiling().singleCoreK});
  }
  // The first `most` elements of the tensor; what it has beyond them nobody reads.
  template <class T>
  GlobalTensor<T> Stage(const char* name, const LocalTensor<T>& tensor, int64_t most, TPosition pos,
                        simulator::MatmulRoom& room, SourceLine where) {
    Core().Require(pos == TPosition::VECOUT && tensor.memory() == tilesim::Memory::kUb,
                   tilesim::FaultKind::kMisuse, name, "is in ", tilesim::Name(tensor.memory()),
                   "; on a vector core a LocalTensor must be in UB and its MatmulType say TPosition::VECOUT");
    const auto elements = static_cast<uint32_t>(std::min(int64_t{tensor.GetSize()}, most));
    const GlobalTensor<T> staged = Staged<T>(name, elements, room, where);
    CopyToStaging(staged, tensor, static_cast<uint32_t>(simulator::BytesOf<T>(elements)));
    return staged;
  }
  template <class T>
  static void CopyToStaging(const GlobalTensor<T>& staged, const LocalTensor<T>& tensor, uint32_t bytes) {
    tilesim::MatmulPass<HardEvent::V_MTE3>();
    tilesim::MatmulPass<HardEvent::MTE2_MTE3>();
    DataCopyPad(staged, tensor, DataCopyExtParams(1, bytes, 0, 0, 0));
  }
  __aicore__ inline void RequireBlock() const {
    Core().Require(has_block_, tilesim::FaultKind::kMisuse, "GetTensorC",
                   "there is no block of C; call it once after each Iterate that gave true");
  }
  static tilesim::MatmulBlockPlace PlaceOf(const tilesim::MatmulExtents& extents,
                                           const tilesim::MatmulRange& m, const tilesim::MatmulRange& n,
                                           bool sequential) {
    return tilesim::PlaceOfBlock(extents, m, n, Impl::StripOfC(), Impl::kWidthGranule, sequential);
  }
  // Of C: `count` runs of `length` elements from `offset` on, `gap` from one to the next.
  struct Runs {
    int64_t offset = 0;
    int64_t count = 1;
    int64_t length = 0;
    int64_t gap = 0;
    int64_t rounding = 0;  // of the last run: columns that C has not
    [[nodiscard]] int64_t End() const { return offset + (count - 1) * (length + gap) + length; }
  };
  __aicore__ inline void RequireUb(const char* name, const LocalTensor<DstT>& tensor,
                                   const Runs& runs) const {
    Core().Require(C_TYPE::pos == TPosition::VECIN && tensor.memory() == tilesim::Memory::kUb,
                   tilesim::FaultKind::kMisuse, name, "is in ", tilesim::Name(tensor.memory()),
                   "; a LocalTensor for C must be in UB and its MatmulType say TPosition::VECIN");
    const int64_t needed = runs.End() - runs.rounding;
    Core().Require(int64_t{tensor.GetSize()} >= needed, tilesim::FaultKind::kBounds, name, "holds ",
                   tensor.GetSize(), " elements, and C goes to its elements ", runs.offset, "..", needed - 1,
                   "; give a tensor of ", needed,
                   " elements, or take blocks by themselves (enSequentialWrite)");
  }
  // A block, or this core's part, in its place. Whole data blocks.
  static Runs RunsOf(const tilesim::MatmulRange& rows, const tilesim::MatmulRange& columns,
                     const tilesim::MatmulBlockPlace& place) {
    constexpr int64_t kStrip = Impl::StripOfC();
    const int64_t m = rows.size();
    const int64_t n =
        (columns.size() + Impl::kColumnGranule - 1) / Impl::kColumnGranule * Impl::kColumnGranule;
    if constexpr (kStrip == 0) {
      const int64_t rounding = n - columns.size();
      return n == place.stride ? Runs{place.offset, 1, m * n, 0, rounding}
                               : Runs{place.offset, m, n, place.stride - n, rounding};
    } else {
      const int64_t strips = (n + kStrip - 1) / kStrip;
      return {place.offset, strips, m * kStrip, (place.stride - m) * kStrip,
              strips * kStrip - columns.size()};
    }
  }
  // In a C that holds this core's part alone.
  [[nodiscard]] Runs RunsOfPacked(const tilesim::MatmulRange& m, const tilesim::MatmulRange& n,
                                  bool sequential) const {
    return RunsOf(m, n, PlaceOf(extents_.Packed(), m, n, sequential));
  }
  // Room for C on its way to UB, with what is there where the product is added to it.
  GlobalTensor<DstT> StageC(const char* name, const LocalTensor<DstT>& ub, const Runs& runs, uint8_t atomic,
                            SourceLine where) {
    const GlobalTensor<DstT> staged = Staged<DstT>(name, static_cast<uint64_t>(runs.End()), c_room_, where);
    if (atomic != 0) {
      const int64_t bytes = std::min(runs.End(), int64_t{ub.GetSize()}) * static_cast<int64_t>(sizeof(DstT));
      CopyToStaging(staged, ub, static_cast<uint32_t>(bytes));
    }
    return staged;
  }
  // From GM to the same place in UB; of columns that C has not, as many as the tensor has room for.
  void Copy(const LocalTensor<DstT>& ub, const GlobalTensor<DstT>& gm, const Runs& runs) const {
    constexpr auto kBytes = static_cast<int64_t>(sizeof(DstT));
    const auto& [offset, count, whole, gap, rounding] = runs;
    const int64_t room = static_cast<int64_t>(ub.GetSize()) - offset;
    const int64_t length = count == 1 && whole > room ? room : whole;
    Core().Require(count == 1 || (length * kBytes % 32 == 0 && gap * kBytes % 32 == 0),
                   tilesim::FaultKind::kAlignment, "co2Local", "rows of ", length * kBytes, " bytes, ",
                   (length + gap) * kBytes,
                   " from one to the next, do not lie at multiples of 32 in UB; take the block by itself "
                   "(enSequentialWrite) or make baseN and N multiples of ",
                   32 / kBytes);
    tilesim::MatmulPass<HardEvent::V_MTE2>();
    tilesim::MatmulPass<HardEvent::MTE3_MTE2>();
    DataCopyPad(
        ub[static_cast<uint32_t>(offset)], gm[static_cast<uint64_t>(offset)],
        DataCopyExtParams(static_cast<uint16_t>(count), static_cast<uint32_t>(length * kBytes),
                          static_cast<uint32_t>(gap * kBytes), static_cast<uint32_t>(gap * kBytes / 32), 0),
        DataCopyPadExtParams<DstT>());
    tilesim::MatmulPass<HardEvent::MTE2_V>();
    tilesim::MatmulPass<HardEvent::MTE2_MTE3>();
  }

  // The next of the blocks that Iterate<false> left in the workspace, which becomes the one in hand.
  GlobalTensor<DstT> TakeBlock(SourceLine where) {
    Core().Require(untaken_ > 0, tilesim::FaultKind::kMisuse, "GetTensorC",
                   "there is no block of Iterate<false> that was not taken; call Iterate<false> before, and "
                   "this once for each of its blocks");
    Await(iterated_, where);
    taken_ = BlockBehind(taken_);
    HoldBlock(*taken_);
    const int64_t before = extents_.NumBlocks() - untaken_--;
    return workspace_[static_cast<uint64_t>(before) * BlockElements()];
  }
  [[nodiscard]] uint64_t BlockElements() const {
    return static_cast<uint64_t>(extents_.tiling().baseM) * static_cast<uint64_t>(extents_.tiling().baseN);
  }
  [[nodiscard]] std::optional<tilesim::MatmulWalk> BlockBehind(
      const std::optional<tilesim::MatmulWalk>& before) const {
    return simulator::MatmulBlockBehind<MATMUL_POLICY>(before, tilesim::ToMatmulTilingData(extents_.tiling()),
                                                       extents_.Task());
  }
  void HoldBlock(const tilesim::MatmulWalk& walk) {
    block_m_ = extents_.Task().m.Part(walk.m(), extents_.tiling().baseM);
    block_n_ = extents_.Task().n.Part(walk.n(), extents_.tiling().baseN);
  }
  void UseWorkspace(const void* address, int64_t bytes, const char* mend, SourceLine where) {
    if (simulator::OnCube(Core())) {
      return;
    }
    const simulator::MatmulCall call("Matmul::SetWorkspace", where);
    call.Name();
    Core().Require(bytes > 0, tilesim::FaultKind::kLimit, "size", "is ", bytes, " bytes, must be positive; ",
                   mend);
    workspace_.SetGlobalBuffer(static_cast<DstT*>(const_cast<void*>(address)),
                               static_cast<uint64_t>(bytes) / sizeof(DstT));
  }
  // Room for `elements`; `what` leaves them there.
  void RequireWorkspace(uint64_t elements, const std::string& what, const char* or_else) const {
    Core().Require(workspace_.GetSize() >= elements, tilesim::FaultKind::kBounds, "SetWorkspace", "has ",
                   workspace_.GetSize() * sizeof(DstT), " bytes, ", what, " there and needs ",
                   elements * sizeof(DstT), "; give it as much", or_else);
  }
  void CollectBatch(uint32_t batch_a, uint32_t batch_b, SourceLine where) {
    this->RequireBatchTypes();
    Restart();
    Collect([=](Impl& mm) {
      mm.SetBatchNum(static_cast<int32_t>(batch_a), static_cast<int32_t>(batch_b), where);
    });
  }
  // Of the parts of C of one round of IterateNBatch.
  [[nodiscard]] uint64_t ElementsOfRound(uint32_t batch_a, uint32_t batch_b) const {
    return std::max(batch_a, batch_b) * static_cast<uint64_t>(Impl::PackedElements(extents_));
  }
  // A wait of the kernel's own. The cube core answers a product once, and one that nobody was to wait for not
  // at all.
  void TakeAnswer(const char* wait, const char* call) {
    Core().Require(
        std::exchange(has_answer_, false), tilesim::FaultKind::kDeadlock, wait,
        "the cube core sends no answer for the last product, or it was taken, so the core would wait "
        "for ever; call ",
        call, " = true, and this once for each");
  }
  void IterateIntoWorkspace(SourceLine where) {
    const auto blocks = static_cast<uint64_t>(extents_.NumBlocks());
    RequireWorkspace(blocks * BlockElements(), tilesim::Say("Iterate<false> leaves ", blocks, " blocks of C"),
                     ", or use Iterate<true>");
    Do("Matmul::Iterate", where, [gm = workspace_](auto& mm) { mm.WriteAll(gm, 0, true); });
    iterated_ = Send(where);
    has_answer_ = false;
    untaken_ = extents_.NumBlocks();
    taken_.reset();
  }

  int number_ = -1;
  tilesim::MatmulExtents extents_;
  std::optional<tilesim::MatmulWalk> walk_;  // none between shapes
  bool has_block_ = false;                   // Iterate gave one,
  tilesim::MatmulRange block_m_, block_n_;   // this
  std::vector<Work> collected_;
  bool sends_product_ = false;  // there is a block to be computed among it
  simulator::MatmulRoom a_room_, b_room_, bias_room_, c_room_;
  std::vector<simulator::MatmulRoom> left_;   // of operands of a block that is not sent
  uint32_t iterated_ = 0;                     // the message of the last product of all blocks
  bool has_answer_ = false;                   // that a WaitIterateAll or WaitIterateBatch is to take
  int64_t untaken_ = 0;                       // of its blocks in the workspace,
  std::optional<tilesim::MatmulWalk> taken_;  // behind this one
  std::function<void()> to_ub_;               // what is left of it
  GlobalTensor<DstT> workspace_;
  uint32_t round_ = 0;   // of IterateNBatch: the next to be taken
  uint32_t rounds_ = 0;  // that there are
};

}  // namespace AscendC
