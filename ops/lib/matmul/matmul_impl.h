// The Matmul object on the cube core: the product itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/matmul/matmul_batch.h"
#include "lib/matmul/matmul_bias.h"
#include "lib/matmul/matmul_call.h"
#include "lib/matmul/matmul_config.h"
#include "lib/matmul/matmul_extents.h"
#include "lib/matmul/matmul_operand.h"
#include "lib/matmul/matmul_product.h"
#include "lib/matmul/matmul_result.h"
#include "lib/matmul/matmul_rules.h"
#include "lib/matmul/matmul_setters.h"
#include "lib/matmul/matmul_types.h"

namespace AscendC {

// C = A * B + bias of this core's part, block by block: Init; the setters; Iterate and GetTensorC in turn
// until Iterate gives false, or IterateAll; End. On a vector core its calls do nothing.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
class MatmulImpl : public simulator::MatmulSetters<
                       MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>, A_TYPE,
                       B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY> {
  using Setters =
      simulator::MatmulSetters<MatmulImpl, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
  friend Setters;
  using Setters::Begin;
  using Setters::ready_;
  using Side = simulator::MatmulSide;

 public:
  using SrcT = typename A_TYPE::T;
  using DstT = typename C_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;
  using L0cT = typename tilesim::MatmulProduct<SrcT>::Sum;

  static constexpr MatmulConfig kConfig = simulator::ConfigOf(MM_CFG);
  static constexpr int64_t kWidthGranule =
      C_TYPE::format == CubeFormat::ND_ALIGN ? 32 / static_cast<int64_t>(sizeof(DstT)) : 1;
  static constexpr int64_t kColumnGranule = C_TYPE::format == CubeFormat::NZ ? 16 : kWidthGranule;
  static constexpr tilesim::MatmulRuleTypes kRuleTypes = {
      .input_bits = tilesim::MatmulOperand<SrcT>::kBits,
      .bias_bytes = sizeof(BiasT),
      .a_k_in_rows = A_TYPE::isTrans,
      .b_k_in_rows = !B_TYPE::isTrans,
      .a_in_gm = A_TYPE::pos != TPosition::TSCM,
      .b_in_gm = B_TYPE::pos != TPosition::TSCM,
      .whole_strips = A_TYPE::format == CubeFormat::NZ || B_TYPE::format == CubeFormat::NZ ||
                      (C_TYPE::format == CubeFormat::NZ && sizeof(DstT) == 1),
      .large_loads = kConfig.doMultiDataLoad};
  // Columns of a strip of C; 0: C is row-major.
  static constexpr int64_t StripOfC() {
    return C_TYPE::format != CubeFormat::NZ ? 0
           : kConfig.isEnableChannelSplit   ? 8
           : sizeof(DstT) == 1              ? 32
                                            : 16;
  }

  MatmulImpl() = default;

  // Elements of a C that holds this core's part alone.
  static int64_t PackedElements(const tilesim::MatmulExtents& extents) {
    return WholeElements<C_TYPE>({extents.single_m, extents.single_n}, StripOfC(), kWidthGranule);
  }
  // Elements of an A or B that holds `free` of M or N and `k`, and no more.
  template <class Type>
  static int64_t PackedOperandElements(bool k_in_rows, int64_t free, int64_t k) {
    return WholeElements<Type>(SidesOf(k_in_rows, free, k), tilesim::MatmulOperand<SrcT>::kC0, 1);
  }
  // May be called again: a tiling of the same blocks takes the buffers of the one before.
  __aicore__ inline void Init(const TCubeTiling* cubeTiling, TPipe* tpipe = nullptr,
                              SourceLine where = SourceLine::Here()) {
    const simulator::MatmulCall call("Matmul::Init", where);
    if (!IsHere(call)) {
      return;
    }
    const TCubeTiling before = extents_.tiling();
    extents_.Init(cubeTiling, MM_CFG);
    tilesim::CheckCubeTiling(Core(), extents_.tiling(), kRuleTypes);
    tiling_ = tilesim::ToMatmulTilingData(extents_.tiling());
    TPipe* const pipe = tpipe != nullptr ? tpipe : GetTPipePtr();
    Core().Require(pipe != nullptr, tilesim::FaultKind::kMisuse, "tpipe",
                   "is nullptr, and the core has no TPipe; construct one before");
    call.Name();
    if (!ready_ || !HasBuffersOf(before)) {
      Allocate(*pipe);
    }
    ready_ = true;
    walk_.reset();
    has_block_ = false;
    bias_.Drop();
    a_.set = b_.set = false;
  }

  // Which of the registered objects it is, told by REGIST_MATMUL_OBJ: it does its work here, whichever.
  void Connect(int /*number*/) { SetSubBlockIdx(0); }
  __aicore__ inline void SetSubBlockIdx(uint8_t subBlockIdx) { sub_block_ = subBlockIdx; }
  __aicore__ inline uint8_t GetSubBlockIdx() const { return sub_block_; }

  using Setters::SetQuantVector;
  __aicore__ inline void SetQuantVector(const LocalTensor<uint64_t>& quantTensor,
                                        SourceLine where = SourceLine::Here()) {
    this->RequireSetQuantVector();
    Do("Matmul::SetQuantVector", where, [=](auto& mm) { mm.ScaleBy(quantTensor); });
  }

  // What the setters come to, here and from a vector core. `packed`: the matrix holds this core's part alone.
  template <class Set>
  __aicore__ inline void SetExtents(const char* name, SourceLine where, const Set& set) {
    const simulator::MatmulCall call(name, where);
    if (BeginSetting(call)) {
      set(extents_);
    }
  }
  template <Side side>
  __aicore__ inline void SetMatrix(const GlobalTensor<SrcT>& gm, bool transposed, SourceLine where,
                                   bool packed = false) {
    SetOperand<side>({.gm = gm, .l1 = {}, .packed = packed}, transposed, where);
  }
  template <Side side>
  __aicore__ inline void SetMatrix(const LocalTensor<SrcT>& l1, bool transposed, SourceLine where) {
    SetOperand<side>({.gm = {}, .l1 = l1, .in_l1 = true}, transposed, where);
  }
  template <class Tensor>
  __aicore__ inline void SetBiasTensor(const Tensor& bias, SourceLine where) {
    const simulator::MatmulCall call("Matmul::SetBias", where);
    if (BeginSetting(call)) {
      Core().Require(extents_.tiling().isBias == 1, tilesim::FaultKind::kMisuse, "isBias",
                     "tiling: isBias = 0; call EnableBias(true) of the tiling before GetTiling");
      if constexpr (std::is_same_v<Tensor, LocalTensor<BiasT>>) {
        RequireInL1("inputBias", bias, TPosition::TSCM);
      }
      bias_.Set(bias);
    }
  }
  __aicore__ inline void DropBias(SourceLine /*where*/) { bias_.Drop(); }
  template <class Work>
  __aicore__ inline void Do(const char* name, SourceLine where, const Work& work) {
    const simulator::MatmulCall call(name, where);
    if (Begin(call)) {
      work(*this);
    }
  }
  template <class Work>
  __aicore__ inline void Tell(const Work& work) {
    work(*this);
  }
  __aicore__ inline void UseHF32(bool enable, int32_t mode) const {
    Core().Require(mode == 0 || mode == 1, tilesim::FaultKind::kLimit, "transMode", "is ", mode,
                   ", allowed 0 (nearest, ties to even) and 1 (nearest, ties away from zero)");
    SetHF32Mode(enable);
    SetHF32TransMode(mode == 1);
  }
  // By one word for all columns, or by a tensor with one for each.
  template <class Words>
  __aicore__ inline void ScaleBy(const Words& words) {
    static_assert(kQuantised,
                  "Matmul: results are scaled only from int8_t to half and int8_t, and from half "
                  "and bfloat16_t to int8_t");
    if constexpr (std::is_same_v<Words, uint64_t>) {
      word_ = words;
      quant_ = Quant::kScalar;
    } else {
      words_.Set(words);
      quant_ = Quant::kVector;
    }
  }
  __aicore__ inline void UseUserInfo(uint64_t info) { user_info_ = info; }
  __aicore__ inline void UseSelfData(uint64_t data) { self_data_ = data; }

  using Setters::Iterate;
  // Into a tensor of the kernel's own in L0C, which the kernel itself takes from there.
  template <bool sync = true, class T>
  __aicore__ inline bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix,
                                 SourceLine where = SourceLine::Here()) {
    this->RequireIterate();
    static_assert(std::is_same_v<T, L0cT> && C_TYPE::pos == TPosition::CO1,
                  "Matmul: Iterate with a tensor takes one of float (int32_t for int8_t), and C in CO1");
    this->RefuseAxes();
    const simulator::MatmulCall call("Matmul::Iterate", where);
    if (!Begin(call) || !Advance()) {
      return false;
    }
    blocks_.Use(localCmatrix);
    ComputeBlock(enPartialSum, false);
    return true;
  }
  __aicore__ inline void WaitIterateAll() {}

  // How many matrices of A and B the next IterateBatch takes.
  __aicore__ inline void SetBatchNum(int32_t batchA, int32_t batchB, SourceLine where = SourceLine::Here()) {
    const simulator::MatmulCall call("Matmul::SetBatchNum", where);
    if (BeginSetting(call)) {
      batch_a_ = batchA;
      batch_b_ = batchB;
    }
  }
  // One product after the other of matrices that lie as the layouts say or, unless 0, `matrixStride` elements
  // apart. `enSequentialWrite`: the parts of C lie by themselves, one behind the other.
  __aicore__ inline void IterateBatch(const GlobalTensor<DstT>& gm, bool enPartialSum, uint8_t enAtomic,
                                      bool enSequentialWrite, uint32_t matrixStrideA = 0,
                                      uint32_t matrixStrideB = 0, uint32_t matrixStrideC = 0,
                                      SourceLine where = SourceLine::Here()) {
    this->RequireIterateBatch();
    const simulator::MatmulCall call("Matmul::IterateBatch", where);
    if (Begin(call)) {
      Core().Require(!enPartialSum, tilesim::FaultKind::kMisuse, "enPartialSum",
                     "is true; tilesim does not model sums that go on from batch to batch. The numbers of "
                     "matrices are given by SetBatchNum(batchA, batchB)");
      WriteBatch(gm, enAtomic, enSequentialWrite, {matrixStrideA, matrixStrideB, matrixStrideC}, 0);
    }
  }

  // What calls of products come to, here and from a vector core; `packed`: C holds this core's part alone.
  // The block in L0C,
  template <class Dst>
  __aicore__ inline void WriteOne(const Dst& dst, uint8_t atomic, bool sequential, bool packed = false) {
    Core().Require(has_block_, tilesim::FaultKind::kMisuse, "GetTensorC",
                   "there is no block in L0C; call it once after each Iterate that gave true");
    BeginAtomic(atomic);
    if constexpr (std::is_same_v<Dst, LocalTensor<DstT>>) {
      RequireInL1("co2Local", dst, C_TYPE::pos);
    }
    WriteBlock(dst, sequential, packed);
    EndAtomic(atomic);
  }
  // all blocks, `sequential` one behind the other,
  template <class Dst>
  __aicore__ inline void WriteAll(const Dst& dst, uint8_t atomic, bool sequential, bool packed = false) {
    BeginAtomic(atomic);
    uint64_t at = 0;
    while (Advance()) {
      ComputeBlock(false);
      WriteBlock(dst[static_cast<uint32_t>(at)], sequential, packed);
      at += sequential ? uint64_t{tiling_.baseM} * tiling_.baseN : 0;
    }
    EndAtomic(atomic);
  }
  // and the products of round `loop` of IterateNBatch, of which each takes the matrices behind those of the
  // one before; IterateBatch has one round.
  __aicore__ inline void WriteBatch(const GlobalTensor<DstT>& gm, uint8_t atomic, bool sequential,
                                    const tilesim::MatmulStrides& strides, int64_t loop) {
    this->RequireBatchTypes();
    RequireOperands();
    const tilesim::MatmulBatches batches = Batches();
    for (int64_t i = 0; i < batches.count(); ++i) {
      batch_ = Matrices(batches, strides, loop, i, sequential);
      WriteAll(gm[static_cast<uint64_t>(batch_.c.offset)], atomic, false, sequential);
    }
    batch_ = {};
  }
  // L1 and L0C go to another object, and come back; what lay there does not, and there is no block in L0C.
  __aicore__ inline void LeaveBuffers() {
    if (ready_) {
      product_.Drop();
      EndBuffers();
    }
  }
  __aicore__ inline void TakeBuffers(TPipe* pipe) {
    if (ready_) {
      Allocate(*pipe);
    }
  }

  // L0C and L1 are free.
  __aicore__ inline void End(SourceLine where = SourceLine::Here()) {
    this->RequireEnd();
    if (!simulator::OnCube(Core())) {
      return;
    }
    const simulator::MatmulCall call("Matmul::End", where);
    call.Name();
    if (!ready_) {
      return;
    }
    if (has_block_) {
      blocks_.ToFixpipe();
      blocks_.ToCube();
    }
    Restart();
    EndBuffers();
    a_.set = a_.set && !a_.packed;  // who staged them gives their room to others
    b_.set = b_.set && !b_.packed;
  }

 private:
  static constexpr bool kQuantised = simulator::kMatmulQuantised<L0cT, DstT>;
  // A move to L1 is of all base blocks that a buffer has, not of one. Callbacks are told such moves; the
  // object's own moves are always large.
  static constexpr bool kLargeLoads = kConfig.doMultiDataLoad || kConfig.doSpecialMDL;
  static constexpr bool kNzC = C_TYPE::format == CubeFormat::NZ;
  enum class Quant : uint8_t { kNone, kScalar, kVector };
  // A or B as the kernel has set it.
  struct Operand {
    GlobalTensor<SrcT> gm;
    LocalTensor<SrcT> l1;
    bool in_l1 = false;
    bool k_in_rows = false;
    bool packed = false;  // it holds this core's part alone
    bool set = false;
  };
  // Of a matrix in memory.
  struct Sides {
    int64_t rows;
    int64_t columns;
  };
  static constexpr Sides SidesOf(bool k_in_rows, int64_t free, int64_t k) {
    return k_in_rows ? Sides{k, free} : Sides{free, k};
  }

  static tilesim::Core& Core() { return simulator::ThisCore(); }

  // Is the call to be done on this core?
  __aicore__ inline bool IsHere(const simulator::MatmulCall& call) const {
    call.Name();
    return simulator::OnCube(Core());
  }
  // A setter's: what is iterated begins anew.
  __aicore__ inline bool BeginSetting(const simulator::MatmulCall& call) {
    if (!Begin(call)) {
      return false;
    }
    Restart(true);
    return true;
  }
  __aicore__ inline void Restart(bool keep_block = false) {
    if (walk_) {
      product_.Drop();
      walk_.reset();
    }
    has_block_ = has_block_ && keep_block;
  }
  template <Side side>
  __aicore__ inline void SetOperand(const Operand& given, bool transposed, SourceLine where) {
    using Type = std::conditional_t<side == Side::kA, A_TYPE, B_TYPE>;
    constexpr simulator::MatmulSideNames kNames = simulator::NamesOf(side);
    const simulator::MatmulCall call(kNames.call, where);
    if (BeginSetting(call)) {
      if (given.in_l1) {
        RequireInL1(kNames.matrix, given.l1, Type::pos);
      }
      RequireTranspose(kNames.transpose, transposed, Type::isTrans);
      Operand& operand = side == Side::kA ? a_ : b_;
      operand = given;
      operand.k_in_rows = simulator::KInRows(side, transposed);
      operand.set = true;
    }
  }
  __aicore__ inline void RequireTranspose(const char* name, bool wanted, bool allowed) const {
    Core().Require(allowed || !wanted, tilesim::FaultKind::kMisuse, name,
                   "is true, but the MatmulType says ISTRANS = false; set it there to true");
    constexpr bool kFixed = sizeof(SrcT) != 2;
    Core().Require(!kFixed || wanted == allowed, tilesim::FaultKind::kMisuse, name, "is ",
                   wanted ? "true" : "false",
                   ", must be as the MatmulType's ISTRANS for types other than half and bfloat16_t");
  }
  template <class T>
  __aicore__ inline void RequireInL1(const char* name, const LocalTensor<T>& tensor, TPosition pos) const {
    Core().Require(pos == TPosition::TSCM && tensor.memory() == tilesim::Memory::kL1,
                   tilesim::FaultKind::kMisuse, name, "is in ", tilesim::Name(tensor.memory()),
                   "; on a cube core a LocalTensor must be in L1 and its MatmulType say TPosition::TSCM");
  }
  __aicore__ inline void BeginAtomic(uint8_t atomic) const {
    Core().Require(atomic <= 3, tilesim::FaultKind::kLimit, "enAtomic", "is ", static_cast<int>(atomic),
                   ", allowed 0 (none), 1 (add), 2 (max), 3 (min)");
    if (atomic == 1) {
      SetAtomicAdd<DstT>();
    } else if (atomic == 2) {
      SetAtomicMax<DstT>();
    } else if (atomic == 3) {
      SetAtomicMin<DstT>();
    }
  }
  __aicore__ inline void EndAtomic(uint8_t atomic) const {
    if (atomic != 0) {
      SetAtomicNone();
    }
  }

  __aicore__ inline void EndBuffers() {
    product_.End();
    // Others cut L0A and L0B into other copies, which lie across ours: no flag of a copy orders the two.
    tilesim::MatmulPass<HardEvent::M_MTE1>();
    if constexpr (C_TYPE::pos != TPosition::CO1) {
      blocks_.End();
    }
    if (extents_.tiling().isBias == 1) {
      bias_.End();
    }
  }
  __aicore__ inline void Allocate(TPipe& pipe) {
    product_.InitBesideOthers(pipe, tiling_, {kRuleTypes.a_in_gm, kRuleTypes.b_in_gm});
    if constexpr (C_TYPE::pos != TPosition::CO1) {
      blocks_.Init(pipe, tiling_.dbL0C, tiling_.baseM * tiling_.baseN * static_cast<uint32_t>(sizeof(L0cT)),
                   false);
    }
    if (extents_.tiling().isBias == 1) {
      bias_.Init(pipe, tiling_.baseN);
    }
    if constexpr (kQuantised) {
      words_.Init(pipe, tiling_.baseN);
    }
    l1_end_ = simulator::State(Core()).buffers.used_bytes(tilesim::Memory::kL1);
  }
  // Do the buffers of the tiling before serve this one, and are they still ours?
  __aicore__ inline bool HasBuffersOf(const TCubeTiling& before) const {
    const auto sizes = [](const TCubeTiling& t) {
      return std::array{t.baseM,  t.baseN,  t.baseK,  t.depthA1, t.depthB1, t.stepM, t.stepN,
                        t.stepKa, t.stepKb, t.isBias, t.dbL0A,   t.dbL0B,   t.dbL0C};
    };
    return simulator::State(Core()).buffers.used_bytes(tilesim::Memory::kL1) >= l1_end_ && l1_end_ > 0 &&
           sizes(before) == sizes(extents_.tiling());
  }

  template <class T>
  static __aicore__ inline GM_ADDR AddressOf(const GlobalTensor<T>& gm,
                                             const tilesim::MatmulBatchPlace& matrix) {
    return reinterpret_cast<GM_ADDR>(gm[static_cast<uint64_t>(matrix.offset)].GetPhyAddr());
  }
  // `org_free` x `org_k` is the whole matrix, of which this core has `own_free` of M or N.
  template <class Type>
  __aicore__ inline tilesim::MatmulOperand<SrcT> Placed(const Operand& given,
                                                        const tilesim::MatmulBatchPlace& matrix,
                                                        bool whole_fractals, int64_t org_free, int64_t org_k,
                                                        int64_t own_free) const {
    const Sides own = SidesOf(given.k_in_rows, own_free, extents_.single_k);
    const Sides whole = given.packed ? own : SidesOf(given.k_in_rows, org_free, org_k);
    const int64_t row = matrix.row != 0 ? matrix.row : whole.columns;
    constexpr int64_t kInByte = tilesim::MatmulOperand<SrcT>::kBits == 4 ? 2 : 1;
    Core().Require(Type::format == CubeFormat::NZ || row % kInByte == 0, tilesim::FaultKind::kLimit,
                   "SetOrgShape", "a row of the matrix has ", row,
                   " elements, allowed even numbers for int4b_t, of which two share a byte");
    tilesim::MatmulOperand<SrcT> operand;
    if constexpr (Type::pos == TPosition::TSCM) {
      operand.InitResident(given.l1, {.rows = (own.rows + 15) / 16 * 16, .columns = own.columns},
                           given.k_in_rows);
    } else if constexpr (Type::format == CubeFormat::NZ) {
      operand.InitStrips(AddressOf(given.gm, matrix), (whole.rows + 15) / 16 * 16, given.k_in_rows);
    } else {
      Core().Require(row <= 65535 || kConfig.intrinsicsCheck, tilesim::FaultKind::kLimit, "SetOrgShape",
                     "a row of the matrix has ", row,
                     " elements, allowed 65535; use a MatmulConfig with intrinsicsCheck = true");
      operand.Init(AddressOf(given.gm, matrix), row, given.k_in_rows, whole_fractals);
      operand.SetLimit(given.gm.limit());
      operand.PadColumns(kColumnGranule);
    }
    return operand;
  }
  __aicore__ inline void RequireOperands() const {
    Core().Require(a_.set && b_.set, tilesim::FaultKind::kMisuse, a_.set ? "SetTensorB" : "SetTensorA",
                   "was not called since Init, or not since End and the operand is one of UB; set both "
                   "operands before a product");
  }
  // The sizes of a configuration for whole base blocks alone.
  __aicore__ inline void RequireNoTails() const {
    struct Extent {
      const char* name;
      int64_t size;
      const char* base_name;
      int64_t base;
    };
    for (const Extent& side : {Extent{"singleCoreM", extents_.single_m, "baseM", tiling_.baseM},
                               {"singleCoreN", extents_.single_n, "baseN", tiling_.baseN},
                               {"singleCoreK", extents_.single_k, "baseK", tiling_.baseK}}) {
      Core().Require(side.size % side.base == 0, tilesim::FaultKind::kLimit, side.name, "is ", side.size,
                     ", allowed with a BasicBlock configuration, which has no tails, are multiples of ",
                     side.base_name, " = ", side.base, "; use CFG_NORM, or a base block that divides it");
    }
  }
  __aicore__ inline void BeginShape() {
    RequireOperands();
    if constexpr (kConfig.doBasicBlock || kConfig.doSpecialBasicBlock) {
      RequireNoTails();
    }
    const tilesim::MatmulExtents& e = extents_;
    product_.SetOperands(Placed<A_TYPE>(a_, batch_.a, false, e.org_m, e.org_ka, e.single_m),
                         Placed<B_TYPE>(b_, batch_.b, !b_.k_in_rows, e.org_n, e.org_kb, e.single_n),
                         a_.k_in_rows && sizeof(SrcT) == sizeof(float));
    if constexpr (MM_CB::CopyA1Ptr != nullptr) {
      product_.MoveA(
          [this](const LocalTensor<SrcT>& dst, int row, int column, int m, int k) {
            const simulator::MatmulCall own;
            MM_CB::CopyA1Ptr(dst.template ReinterpretCast<int8_t>(), a_.gm.GetPhyAddr(), row, column, m, k,
                             user_info_, self_data_);
          },
          !kLargeLoads);
    }
    if constexpr (MM_CB::CopyB1Ptr != nullptr) {
      product_.MoveB(
          [this](const LocalTensor<SrcT>& dst, int column, int row, int n, int k) {
            const simulator::MatmulCall own;
            MM_CB::CopyB1Ptr(dst.template ReinterpretCast<int8_t>(), b_.gm.GetPhyAddr(), row, column, k, n,
                             user_info_, self_data_);
          },
          !kLargeLoads);
    }
    task_ = e.Task();
    product_.Start(task_);
  }
  template <bool sync>
  __aicore__ inline bool NextBlock(bool enPartialSum, SourceLine /*where*/) {
    this->RefuseAxes();
    if (!Advance()) {
      return false;
    }
    Core().Require(!has_block_ || enPartialSum, tilesim::FaultKind::kMisuse, "Iterate",
                   "the block before is still in L0C; call GetTensorC after each Iterate that gives true");
    Core().Require(!enPartialSum || extents_.NumBlocks() == 1, tilesim::FaultKind::kLimit, "enPartialSum",
                   "is true with ", extents_.NumBlocks(),
                   " blocks of C; sums go on only where baseM and baseN cover singleCoreM and singleCoreN");
    ComputeBlock(has_block_);
    return true;
  }
  // False, and the next call begins anew, after the last block.
  __aicore__ inline bool Advance() {
    if (!walk_) {
      BeginShape();
      walk_ = simulator::MatmulBlockBehind<MATMUL_POLICY>(std::nullopt, tiling_, task_);
    } else {
      walk_ = next_;
    }
    next_ = walk_ ? simulator::MatmulBlockBehind<MATMUL_POLICY>(walk_, tiling_, task_) : std::nullopt;
    return walk_.has_value();
  }
  [[nodiscard]] __aicore__ inline tilesim::MatmulRange BlockM() const {
    return task_.m.Part(walk_->m(), tiling_.baseM);
  }
  [[nodiscard]] __aicore__ inline tilesim::MatmulRange BlockN() const {
    return task_.n.Part(walk_->n(), tiling_.baseN);
  }
  // `own`: in a block of the object, which it begins unless it `add`s.
  __aicore__ inline void ComputeBlock(bool add, bool own = true) {
    if (!add && own) {
      blocks_.Begin(BlockM().size());
    }
    const LocalTensor<L0cT>* bias = nullptr;
    if (bias_.on() && !add) {
      const tilesim::MatmulRange n = BlockN();
      bias = &bias_.Bring({batch_.bias + n.begin, batch_.bias + n.end});
    }
    product_.Compute(*walk_, next_, blocks_, {.bias = bias, .add = add, .column_granule = kColumnGranule});
    block_m_ = BlockM();
    block_n_ = BlockN();
    has_block_ = own;
  }
  // Dst: GlobalTensor or LocalTensor; the block goes to its place in it or, `sequential`, to its start.
  template <class Dst>
  __aicore__ inline void WriteBlock(const Dst& dst, bool sequential, bool packed = false) {
    tilesim::MatmulWriting writing = {
        .row_major = !kNzC, .channel_split = kConfig.isEnableChannelSplit, .words = {}};
    if constexpr (kQuantised) {
      Core().Require(quant_ != Quant::kNone, tilesim::FaultKind::kMisuse, "SetQuantScalar",
                     "C is of a type that sums are scaled to; call SetQuantScalar or SetQuantVector before");
      writing.word = word_;
      writing.by_columns = quant_ == Quant::kVector;
      if (writing.by_columns) {
        writing.words = words_.Bring(block_n_);
      }
    }
    const tilesim::MatmulExtents& extents = packed ? extents_.Packed() : extents_.WithRowsOfC(batch_.c.row);
    const tilesim::MatmulBlockPlace place =
        tilesim::PlaceOfBlock(extents, block_m_, block_n_, StripOfC(), kWidthGranule, sequential);
    writing.stride = place.stride;
    blocks_.ToFixpipe();
    if constexpr (MM_CB::DataCopyOutPtr != nullptr) {
      WriteByCallback(dst[static_cast<uint32_t>(place.offset)], writing);
      blocks_.ToCube();
      has_block_ = false;
      return;
    }
    tilesim::WriteMatmulBlock<DstT>(dst[static_cast<uint32_t>(place.offset)], blocks_.c(), block_m_.size(),
                                    (block_n_.size() + kColumnGranule - 1) / kColumnGranule * kColumnGranule,
                                    writing, 0);
    blocks_.ToCube();
    has_block_ = false;
  }
  template <class Dst>
  __aicore__ inline void WriteByCallback(const Dst& dst, const tilesim::MatmulWriting& writing) {
    const int64_t m = block_m_.size();
    const int64_t n = block_n_.size();
    const auto row_blocks = static_cast<int64_t>(sizeof(DstT) == 4 ? 2 : 1);
    const DataCopyOutParams params = {
        .quantMode = static_cast<uint8_t>(tilesim::MatmulQuantMode<DstT, L0cT>(writing.by_columns)),
        .cBurstNum = static_cast<uint16_t>((n + 15) / 16),
        .burstLen = static_cast<uint16_t>(2 * m),
        .srcStride = 0,
        .dstStride = static_cast<uint32_t>(kNzC ? (writing.stride - m) * row_blocks : writing.stride),
        .oriNSize = static_cast<uint16_t>(n),
        .enUnitFlag = false,
        .quantScalar = writing.word,
        .curM = static_cast<int32_t>(m),
        .curN = static_cast<int32_t>(n),
        .cbufWorkspaceAddr = writing.by_columns ? writing.words.GetPhyAddr() : 0};
    const simulator::MatmulCall own;
    MM_CB::DataCopyOutPtr(reinterpret_cast<const void*>(dst.GetPhyAddr()),
                          blocks_.c().template ReinterpretCast<int8_t>(), &params, user_info_, self_data_);
  }
  template <bool sync, class Dst>
  __aicore__ inline void BlockTo(const Dst& dst, uint8_t atomic, bool sequential, SourceLine /*where*/) {
    WriteOne(dst, atomic, sequential);
  }
  template <bool sync, class Dst>
  __aicore__ inline void AllTo(const Dst& dst, uint8_t atomic, bool sequential, bool /*waited_for*/,
                               SourceLine /*where*/) {
    this->RefuseAxes();
    if constexpr (std::is_same_v<Dst, LocalTensor<DstT>>) {
      RequireInL1("ubCmatrix", dst, C_TYPE::pos);
    }
    WriteAll(dst, atomic, sequential);
  }

  // Where the matrices of A, B or C lie: `rows` and `columns` of a whole one, and of this core's part.
  template <class Type>
  [[nodiscard]] static int64_t WholeElements(const Sides& sides, int64_t strip, int64_t granule) {
    return Type::format == CubeFormat::NZ
               ? tilesim::AlignUp(sides.rows, int64_t{16}) * tilesim::AlignUp(sides.columns, strip)
               : sides.rows * tilesim::AlignUp(sides.columns, granule);
  }
  __aicore__ inline void RequirePart(const char* setter, const tilesim::MatmulBatchAxes& axes,
                                     const Sides& part) const {
    Core().Require(axes.layout == LayoutMode::NORMAL || (part.rows <= axes.s && part.columns <= axes.d),
                   tilesim::FaultKind::kBounds, setter, "tiling: matrices are ", axes.s, " x ", axes.d,
                   ", of which the product takes ", part.rows, " x ", part.columns,
                   "; give smaller sizes to SetSingleShape or SetTail");
  }
  __aicore__ inline tilesim::MatmulBatches Batches() const {
    const TCubeTiling& t = extents_.tiling();
    const tilesim::MatmulExtents& e = extents_;
    const tilesim::MatmulBatches batches = {
        .a = tilesim::AxesOf(A_TYPE::layout, t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG,
                             t.ALayoutInfoD),
        .b = tilesim::AxesOf(B_TYPE::layout, t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG,
                             t.BLayoutInfoD),
        .c = tilesim::AxesOf(C_TYPE::layout, t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG,
                             t.CLayoutInfoS2),
        .batch_a = batch_a_,
        .batch_b = batch_b_};
    batches.Check(Core());
    RequirePart("SetALayout", batches.a, SidesOf(a_.k_in_rows, e.single_m, e.single_k));
    RequirePart("SetBLayout", batches.b, SidesOf(b_.k_in_rows, e.single_n, e.single_k));
    RequirePart("SetCLayout", batches.c, {e.single_m, e.single_n});
    return batches;
  }
  // Product `index` of round `loop`.
  __aicore__ inline tilesim::MatmulOfBatch Matrices(const tilesim::MatmulBatches& batches,
                                                    const tilesim::MatmulStrides& strides, int64_t loop,
                                                    int64_t index, bool packed) const {
    const tilesim::MatmulExtents& e = extents_;
    const int64_t of_c = loop * batches.count() + index;
    constexpr int64_t kC0 = tilesim::MatmulOperand<SrcT>::kC0;
    const int64_t width_c = e.org_kc != 0 ? e.org_kc : e.org_n;
    tilesim::MatmulOfBatch one;
    one.a = batches.a.At(loop * batches.batch_a + batches.IndexA(index), strides.a,
                         WholeElements<A_TYPE>(SidesOf(a_.k_in_rows, e.org_m, e.org_ka), kC0, 1));
    one.b = batches.b.At(loop * batches.batch_b + batches.IndexB(index), strides.b,
                         WholeElements<B_TYPE>(SidesOf(b_.k_in_rows, e.org_n, e.org_kb), kC0, 1));
    one.c = packed ? tilesim::MatmulBatchPlace{index * PackedElements(e), 0}
                   : batches.c.At(of_c, strides.c,
                                  WholeElements<C_TYPE>({e.org_m, width_c}, StripOfC(), kWidthGranule));
    one.bias =
        kConfig.isBiasBatch ? of_c * (batches.c.layout == LayoutMode::NORMAL ? e.org_n : batches.c.d) : 0;
    return one;
  }

  uint8_t sub_block_ = 0;
  uint64_t l1_end_ = 0;  // bytes of L1 that were held after Init
  tilesim::MatmulExtents extents_;
  tilesim::MatmulTilingData tiling_;
  Operand a_;
  Operand b_;
  Quant quant_ = Quant::kNone;
  uint64_t word_ = 0;
  uint64_t user_info_ = 0;
  uint64_t self_data_ = 0;
  tilesim::MatmulProduct<SrcT> product_;
  tilesim::MatmulBlocks<L0cT> blocks_;
  tilesim::MatmulBias<BiasT, L0cT> bias_;
  tilesim::MatmulColumnWords words_;
  tilesim::MatmulTask task_;
  std::optional<tilesim::MatmulWalk> walk_;  // none between shapes
  std::optional<tilesim::MatmulWalk> next_;
  tilesim::MatmulRange block_m_;  // of the block in L0C
  tilesim::MatmulRange block_n_;
  bool has_block_ = false;
  int32_t batch_a_ = 0;
  int32_t batch_b_ = 0;
  tilesim::MatmulOfBatch batch_;  // of IterateBatch: the product in hand
};

}  // namespace AscendC

namespace matmul {
using AscendC::MatmulImpl;
}  // namespace matmul
