// Calls of the vendor's framework that tilesim does not model: each is refused at compile time, by its name,
// where a program calls it.
#pragma once

namespace tilesim::host::internal {

// False, known only once the types are.
template <class...>
inline constexpr bool kModelled = false;

}  // namespace tilesim::host::internal

#define TILESIM_NOT_MODELLED(name, instead)                         \
  template <class... Arguments>                                     \
  int name(const Arguments&...) {                                   \
    static_assert(tilesim::host::internal::kModelled<Arguments...>, \
                  "tilesim does not model " #name ": " instead);    \
    return 0;                                                       \
  }
#define TILESIM_NOT_MODELLED_OPERATOR(name) \
  TILESIM_NOT_MODELLED(name, "it runs kernels, not the framework's operators; launch the kernel itself")
#define TILESIM_NOT_MODELLED_RUNTIME(name) \
  TILESIM_NOT_MODELLED(name, "it has no callbacks, profiler, data buffers or host caches")
#define TILESIM_NOT_MODELLED_COMPILER(name) \
  TILESIM_NOT_MODELLED(name, "it has no run-time compiler; put the kernel into a file for `tilesim cc`")

// --- single operators
TILESIM_NOT_MODELLED_OPERATOR(aclCreateTensor)
TILESIM_NOT_MODELLED_OPERATOR(aclDestroyTensor)
TILESIM_NOT_MODELLED_OPERATOR(aclCreateTensorList)
TILESIM_NOT_MODELLED_OPERATOR(aclDestroyTensorList)
TILESIM_NOT_MODELLED_OPERATOR(aclCreateScalar)
TILESIM_NOT_MODELLED_OPERATOR(aclDestroyScalar)
TILESIM_NOT_MODELLED_OPERATOR(aclCreateIntArray)
TILESIM_NOT_MODELLED_OPERATOR(aclDestroyIntArray)
TILESIM_NOT_MODELLED_OPERATOR(aclopExecuteV2)
TILESIM_NOT_MODELLED_OPERATOR(aclopSetModelDir)
TILESIM_NOT_MODELLED_OPERATOR(aclopCreateAttr)
TILESIM_NOT_MODELLED_OPERATOR(aclmdlLoadFromFile)
TILESIM_NOT_MODELLED_OPERATOR(aclmdlExecute)

// --- callbacks, profiling and caches
TILESIM_NOT_MODELLED_RUNTIME(aclrtSetOpWaitTimeout)
TILESIM_NOT_MODELLED_RUNTIME(aclrtSubscribeReport)
TILESIM_NOT_MODELLED_RUNTIME(aclrtUnSubscribeReport)
TILESIM_NOT_MODELLED_RUNTIME(aclrtProcessReport)
TILESIM_NOT_MODELLED_RUNTIME(aclrtLaunchCallback)
TILESIM_NOT_MODELLED_RUNTIME(aclrtSetExceptionInfoCallback)
TILESIM_NOT_MODELLED_RUNTIME(aclrtMemFlush)
TILESIM_NOT_MODELLED_RUNTIME(aclrtMemInvalidate)
TILESIM_NOT_MODELLED_RUNTIME(aclrtGetStreamId)
TILESIM_NOT_MODELLED_RUNTIME(aclrtHostRegister)
TILESIM_NOT_MODELLED_RUNTIME(aclrtHostUnregister)
TILESIM_NOT_MODELLED_RUNTIME(aclCreateDataBuffer)
TILESIM_NOT_MODELLED_RUNTIME(aclDestroyDataBuffer)
TILESIM_NOT_MODELLED_RUNTIME(aclGetDataBufferAddr)
TILESIM_NOT_MODELLED_RUNTIME(aclprofInit)
TILESIM_NOT_MODELLED_RUNTIME(aclprofStart)
TILESIM_NOT_MODELLED_RUNTIME(aclprofStop)
TILESIM_NOT_MODELLED_RUNTIME(aclprofFinalize)

// --- run-time compilation, and kernels from its binaries
TILESIM_NOT_MODELLED_COMPILER(aclrtcCreateProg)
TILESIM_NOT_MODELLED_COMPILER(aclrtcCompileProg)
TILESIM_NOT_MODELLED_COMPILER(aclrtcDestroyProg)
TILESIM_NOT_MODELLED_COMPILER(aclrtcAddNameExpr)
TILESIM_NOT_MODELLED_COMPILER(aclrtcGetLoweredName)
TILESIM_NOT_MODELLED_COMPILER(aclrtcGetBinData)
TILESIM_NOT_MODELLED_COMPILER(aclrtcGetBinDataSize)
TILESIM_NOT_MODELLED_COMPILER(aclrtcGetCompileLog)
TILESIM_NOT_MODELLED_COMPILER(aclrtcGetCompileLogSize)
TILESIM_NOT_MODELLED_COMPILER(aclrtBinaryLoadFromData)
TILESIM_NOT_MODELLED_COMPILER(aclrtBinaryLoadFromFile)
TILESIM_NOT_MODELLED_COMPILER(aclrtBinaryGetFunction)
TILESIM_NOT_MODELLED_COMPILER(aclrtBinaryUnLoad)
TILESIM_NOT_MODELLED_COMPILER(aclrtLaunchKernel)
TILESIM_NOT_MODELLED_COMPILER(aclrtLaunchKernelWithArgsArray)
TILESIM_NOT_MODELLED_COMPILER(aclrtLaunchKernelWithConfig)

#undef TILESIM_NOT_MODELLED_COMPILER
#undef TILESIM_NOT_MODELLED_RUNTIME
#undef TILESIM_NOT_MODELLED_OPERATOR
#undef TILESIM_NOT_MODELLED

// Their handles, so that a declaration of one is no error before the call.
using aclTensor = void;
using aclTensorList = void;
using aclScalar = void;
using aclIntArray = void;
using aclOpExecutor = void;
using aclrtcProg = void*;
using aclrtBinHandle = void*;
using aclrtFuncHandle = void*;
