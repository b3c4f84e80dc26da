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

// --- callbacks, profiling, caches and handles
TILESIM_NOT_MODELLED(aclrtSetOpWaitTimeout,
                     "a kernel that waits for ever ends by --watchdog; leave the call out")
TILESIM_NOT_MODELLED(aclrtSubscribeReport,
                     "it has no callbacks; call the function behind aclrtSynchronizeStream")
TILESIM_NOT_MODELLED(aclrtUnSubscribeReport,
                     "it has no callbacks; call the function behind aclrtSynchronizeStream")
TILESIM_NOT_MODELLED(aclrtProcessReport,
                     "it has no callbacks; call the function behind aclrtSynchronizeStream")
TILESIM_NOT_MODELLED(aclrtLaunchCallback,
                     "it has no callbacks; call the function behind aclrtSynchronizeStream")
TILESIM_NOT_MODELLED(aclrtSetExceptionInfoCallback, "faults are told by themselves; leave the call out")
TILESIM_NOT_MODELLED(aclrtMemFlush, "host and device see one memory; leave the call out")
TILESIM_NOT_MODELLED(aclrtMemInvalidate, "host and device see one memory; leave the call out")
TILESIM_NOT_MODELLED(aclrtGetStreamId, "its streams have no numbers; leave the call out")
TILESIM_NOT_MODELLED(aclrtHostRegister, "memory of the device is what aclrtMalloc gives; copy by aclrtMemcpy")
TILESIM_NOT_MODELLED(aclrtHostUnregister,
                     "memory of the device is what aclrtMalloc gives; copy by aclrtMemcpy")
TILESIM_NOT_MODELLED_OPERATOR(aclCreateDataBuffer)
TILESIM_NOT_MODELLED_OPERATOR(aclDestroyDataBuffer)
TILESIM_NOT_MODELLED_OPERATOR(aclGetDataBufferAddr)
TILESIM_NOT_MODELLED(aclprofInit, "`tilesim report` and `tilesim trace` show the time; leave the call out")
TILESIM_NOT_MODELLED(aclprofStart, "`tilesim report` and `tilesim trace` show the time; leave the call out")
TILESIM_NOT_MODELLED(aclprofStop, "`tilesim report` and `tilesim trace` show the time; leave the call out")
TILESIM_NOT_MODELLED(aclprofFinalize,
                     "`tilesim report` and `tilesim trace` show the time; leave the call out")

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
