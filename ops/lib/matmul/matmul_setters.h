// The calls of the Matmul object that are the same on a cube core and on the vector cores of a mixed kernel:
// setters, and products of two matrices.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "lib/matmul/matmul_call.h"
#include "lib/matmul/matmul_config.h"
#include "lib/matmul/matmul_extents.h"
#include "lib/matmul/matmul_refused.h"
#include "lib/matmul/matmul_static_tiling.h"
#include "lib/matmul/matmul_types.h"

namespace AscendC::simulator {

enum class MatmulSide : uint8_t { kA, kB };
struct MatmulSideNames {
  const char* call;
  const char* matrix;
  const char* transpose;
};
constexpr MatmulSideNames NamesOf(MatmulSide side) {
  return side == MatmulSide::kA ? MatmulSideNames{"Matmul::SetTensorA", "leftMatrix", "isTransposeA"}
                                : MatmulSideNames{"Matmul::SetTensorB", "rightMatrix", "isTransposeB"};
}
// Does K run down the rows of a matrix that is given so?
constexpr bool KInRows(MatmulSide side, bool transposed) { return transposed == (side == MatmulSide::kA); }

// `Object`, the class itself, does what they say: MatmulImpl at once, MatmulClient by having a MatmulImpl of
// the cube core do it. SetExtents is of sizes, SetMatrix of A and B, SetBiasTensor and DropBias of the bias;
// Do calls work(MatmulImpl&) for an object that is ready, Tell for any. IsHere(call) says whether a call is
// to be done on this core; NextBlock whether there is a block, which BlockTo, or AllTo of all blocks, writes
// to GM or to a LocalTensor.
template <class Object, class A, class B, class C, class Bias, const auto& cfg, class CallBack,
          template <const auto&, class, class, class, class> class Policy>
class MatmulSetters : public MatmulRefused<A, B, C, Bias, cfg, CallBack, Policy> {
  using Extents = tilesim::MatmulExtents;
  using O = typename C::T;

 public:
  // Its configuration says all that a tiling would.
  static constexpr bool kNeedsNoTiling = IsWhole(cfg);
  using AType = A;
  using BType = B;
  using CType = C;
  using BiasType = Bias;
  using SrcAT = typename A::T;
  using SrcBT = typename B::T;

  __aicore__ inline void SetOrgShape(int orgM, int orgN, int orgK, SourceLine where = SourceLine::Here()) {
    SetOrgShape(orgM, orgN, orgK, orgK, 0, where);
  }
  __aicore__ inline void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0,
                                     SourceLine where = SourceLine::Here()) {
    this->RequireSetOrgShape();
    Self().SetExtents("Matmul::SetOrgShape", where,
                      [=](Extents& extents) { extents.SetOrgShape(orgM, orgN, orgKa, orgKb, orgKc); });
  }
  __aicore__ inline void SetSingleShape(int singleM, int singleN, int singleK,
                                        SourceLine where = SourceLine::Here()) {
    Self().SetExtents("Matmul::SetSingleShape", where,
                      [=](Extents& extents) { extents.SetSingleShape(singleM, singleN, singleK); });
  }
  __aicore__ inline void SetTail(int tailM = -1, int tailN = -1, int tailK = -1,
                                 SourceLine where = SourceLine::Here()) {
    this->RequireSetTail();
    Self().SetExtents("Matmul::SetTail", where,
                      [=](Extents& extents) { extents.SetSingleShape(tailM, tailN, tailK); });
  }

  __aicore__ inline void SetTensorA(const GlobalTensor<typename A::T>& gm, bool isTransposeA = false,
                                    SourceLine where = SourceLine::Here()) {
    Self().template SetMatrix<MatmulSide::kA>(gm, isTransposeA, where);
  }
  __aicore__ inline void SetTensorB(const GlobalTensor<typename B::T>& gm, bool isTransposeB = false,
                                    SourceLine where = SourceLine::Here()) {
    Self().template SetMatrix<MatmulSide::kB>(gm, isTransposeB, where);
  }
  // All of this core's part: from a cube core its strips in L1 already (TSCM), from a vector core in UB.
  __aicore__ inline void SetTensorA(const LocalTensor<typename A::T>& leftMatrix, bool isTransposeA = false,
                                    SourceLine where = SourceLine::Here()) {
    Self().template SetMatrix<MatmulSide::kA>(leftMatrix, isTransposeA, where);
  }
  __aicore__ inline void SetTensorB(const LocalTensor<typename B::T>& rightMatrix, bool isTransposeB = false,
                                    SourceLine where = SourceLine::Here()) {
    Self().template SetMatrix<MatmulSide::kB>(rightMatrix, isTransposeB, where);
  }
  __aicore__ inline void SetTensorA(typename A::T aScalar) { this->RefuseValue(aScalar); }
  __aicore__ inline void SetTensorB(typename B::T bScalar) { this->RefuseValue(bScalar); }

  __aicore__ inline void SetBias(const GlobalTensor<typename Bias::T>& biasGlobal,
                                 SourceLine where = SourceLine::Here()) {
    this->RequireSetBias();
    Self().SetBiasTensor(biasGlobal, where);
  }
  __aicore__ inline void SetBias(const LocalTensor<typename Bias::T>& inputBias,
                                 SourceLine where = SourceLine::Here()) {
    this->RequireSetBias();
    Self().SetBiasTensor(inputBias, where);
  }
  __aicore__ inline void DisableBias(SourceLine where = SourceLine::Here()) { Self().DropBias(where); }
  __aicore__ inline void ClearBias(SourceLine where = SourceLine::Here()) { Self().DropBias(where); }

  __aicore__ inline void SetHF32(bool enableHF32 = false, int32_t transMode = 0,
                                 SourceLine where = SourceLine::Here()) {
    Self().Do("Matmul::SetHF32", where, [=](auto& mm) { mm.UseHF32(enableHF32, transMode); });
  }
  __aicore__ inline void SetQuantScalar(const uint64_t quantScalar, SourceLine where = SourceLine::Here()) {
    Self().Do("Matmul::SetQuantScalar", where, [=](auto& mm) { mm.ScaleBy(quantScalar); });
  }
  __aicore__ inline void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor,
                                        SourceLine where = SourceLine::Here()) {
    this->RequireSetQuantVector();
    Self().Do("Matmul::SetQuantVector", where, [=](auto& mm) { mm.ScaleBy(quantTensor); });
  }
  // Of parts that turn row-major matrices in UB; here without effect.
  __aicore__ inline void SetLocalWorkspace(const LocalTensor<uint8_t>& /*tmpBuffer*/) {}
  // What callbacks get; before or after Init.
  __aicore__ inline void SetUserDefInfo(const uint64_t tilingPtr) {
    Self().Tell([=](auto& mm) { mm.UseUserInfo(tilingPtr); });
  }
  __aicore__ inline void SetSelfDefineData(const uint64_t dataPtr) {
    this->RequireSetSelfDefineData();
    Self().Tell([=](auto& mm) { mm.UseSelfData(dataPtr); });
  }

  // The next block of C; false: there is none. `enPartialSum`: added to the one that is there.
  template <bool sync = true>
  __aicore__ inline bool Iterate(bool enPartialSum = false, SourceLine where = SourceLine::Here()) {
    this->RequireIterate();
    const MatmulCall call("Matmul::Iterate", where);
    return Begin(call) && Self().template NextBlock<sync>(enPartialSum, where);
  }
  // Writes the block.
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const GlobalTensor<O>& gm, uint8_t enAtomic = 0,
                                    bool enSequentialWrite = false, SourceLine where = SourceLine::Here()) {
    this->RequireGetTensorC();
    const MatmulCall call("Matmul::GetTensorC", where);
    if (Begin(call)) {
      Self().template BlockTo<sync>(gm, enAtomic, enSequentialWrite, where);
    }
  }
  template <bool sync = true>
  __aicore__ inline void GetTensorC(const LocalTensor<O>& co2Local, uint8_t enAtomic = 0,
                                    bool enSequentialWrite = false, SourceLine where = SourceLine::Here()) {
    this->RequireGetTensorC();
    const MatmulCall call("Matmul::GetTensorC", where);
    if (Begin(call)) {
      Self().template BlockTo<sync>(co2Local, enAtomic, enSequentialWrite, where);
    }
  }
  // All blocks of C. `enSequentialWrite`: in their order, baseM * baseN elements apart. `waitIterateAll`:
  // with sync = false WaitIterateAll is called for it.
  template <bool sync = true>
  __aicore__ inline void IterateAll(const GlobalTensor<O>& gm, uint8_t enAtomic = 0,
                                    bool enSequentialWrite = false, bool waitIterateAll = false,
                                    bool fakeMsg = false, SourceLine where = SourceLine::Here()) {
    this->RequireIterateAll();
    const MatmulCall call("Matmul::IterateAll", where);
    if (Begin(call) && !fakeMsg) {
      Self().template AllTo<sync>(gm, enAtomic, enSequentialWrite, waitIterateAll, where);
    }
  }
  template <bool sync = true>
  __aicore__ inline void IterateAll(const LocalTensor<O>& ubCmatrix, uint8_t enAtomic = 0,
                                    SourceLine where = SourceLine::Here()) {
    this->RequireIterateAll();
    const MatmulCall call("Matmul::IterateAll", where);
    if (Begin(call)) {
      Self().template AllTo<sync>(ubCmatrix, enAtomic, false, true, where);
    }
  }
  __aicore__ inline void WaitGetTensorC() {}

 protected:
  // Is the call to be done on this core? Refused for an object that is not ready.
  __aicore__ inline bool Begin(const MatmulCall& call) const {
    if (!static_cast<const Object&>(*this).IsHere(call)) {
      return false;
    }
    ThisCore().Require(ready_, tilesim::FaultKind::kMisuse, "tiling",
                       "the object has none; call Init, or register it with its tiling, before");
    return true;
  }
  bool ready_ = false;

 private:
  __aicore__ inline Object& Self() { return static_cast<Object&>(*this); }
};

}  // namespace AscendC::simulator
