// What the lists of calls are compiled with: names of types, and arguments of each type. Never run.
#pragma once

#include <string>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "sim/host/tikicpulib.h"

using namespace AscendC;

using i4 = int4b_t;
using i8 = int8_t;
using u8 = uint8_t;
using i16 = int16_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using bf16 = bfloat16_t;

// An argument of this type.
template <class T>
T& Object();
template <class T>
struct Argument {
  using Type = const T&;
};
template <class T>
struct Argument<T&> {
  using Type = T&;
};
template <class T>
struct Argument<T*> {
  using Type = T*;
};
template <class T>
typename Argument<T>::Type In();
template <class T>
const LocalTensor<T>& L();
template <class T>
const GlobalTensor<T>& G();

template <class T>
const LocalTensor<TensorTrait<T>>& Trait();
template <class T>
const GlobalTensor<TensorTrait<T>>& GlobalTrait();

// One of each class template whose members the lists name.
using Queue = TQue<TPosition::VECIN, 1>;
using Bound = TQueBind<TPosition::VECIN, TPosition::VECOUT, 1>;
using InPlaceQueue = TQue<TPosition::VECIN, 0>;
using Buffer = TBuf<TPosition::VECCALC>;
using Pool = TBufPool<TPosition::VECCALC>;
class OwnPool {
 public:
  EXTERN_IMPL_BUFPOOL(OwnPool, TPosition::VECCALC, 4);
};
inline void FreeFunction(int32_t) {}
inline void FreeKernel(GM_ADDR) {}
struct OneField {
  uint32_t field;
};
struct Message {};
struct Matmuls {};
template <class MatmulApi, class Msg>
struct CallBack {};
template <class T>
struct AnyParams {};
