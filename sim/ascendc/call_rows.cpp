#include "sim/ascendc/call_rows.h"

#include <string>

namespace tilesim {
namespace {

struct CallRow {
  std::string_view family;
  const char* names;
  const char* pipe;
  const char* types;
  std::string_view forms;
  const char* of;  // the instructions that it is; empty: it sets or reads a register, which takes no time
};

constexpr std::string_view kSequences = "sequences";
constexpr std::string_view kRegisters = "registers";
// Of calls whose steps set masks of their own.
constexpr std::string_view kOwnMaskForms = "count; mask as a number or bits, repeats, strides";
constexpr CallRow kRows[] = {
    {kSequences, "ReduceSum", "V, S", "fp16, fp32", "count; mask, repeats", "WholeReduceSum, GetAccVal"},
    {kSequences, "ReduceMax / ReduceMin", "V, S", "fp16, fp32",
     "count; mask, repeats; with the place, or without", "WholeReduceMax, WholeReduceMin"},
    {kSequences, "AddDeqRelu", "V", "int32 to fp16", kOwnMaskForms, "Add, CastDequant, Relu"},
    {kSequences, "FusedMulAddRelu", "V", "fp16, fp32", isa::kLaneForms, "MulAddRelu"},
    {kSequences, "CreateVecIndex", "S, V", "int16, int32, fp16, fp32", kOwnMaskForms, "Adds"},
    {kSequences, "Sort / Concat", "V", "fp16, fp32", "repeats", "Sort32, MrgSort"},
    {kSequences, "BilinearInterpolation", "V", "fp16", "mask, repeats", "Gatherb, Mul, Add"},
    {kSequences, "InitGlobalMemory", "V, MTE3", "of 16 and 32 bits", "count", "Duplicate, DataCopy"},
    {kSequences, "SyncAll", "any", "", "of all cores, in hardware or through GM",
     "CrossCoreSetFlag, CrossCoreWaitFlag; DataCopy"},
    {kSequences,
     "IBSet / IBWait / InitDetermineComputeWorkspace / WaitPreBlock / NotifyNextBlock / GroupBarrier",
     "MTE2, MTE3", "", "cores wait for each other through GM", "DataCopy"},
    {kRegisters,
     "SetVectorMask / SetMaskCount / SetMaskNorm / ResetMask / set_vector_mask / set_mask_count / "
     "set_mask_norm",
     "S", "", "the mask of what V does next", ""},
    {kRegisters, "SetDeqScale", "S", "", "of Cast of int32 and CastDequant", ""},
    {kRegisters, "SetPadValue", "S", "", "of DataCopyPad", ""},
    {kRegisters,
     "SetAtomicAdd / SetAtomicMax / SetAtomicMin / SetAtomicType / SetAtomicNone / DisableDmaAtomic", "S",
     "int8, int16, int32, fp16, bf16, fp32", "of what goes to GM", ""},
    {kRegisters, "SetFixPipeConfig / SetFixpipePreQuantFlag / SetFixpipeNz2ndFlag", "S", "", "of Fixpipe",
     ""},
    {kRegisters, "SetFmatrix / SetLoadDataPaddingValue / SetLoadDataBoundary / SetLoadDataRepeat", "S", "",
     "of LoadData", ""},
    {kRegisters, "SetHF32Mode / SetHF32TransMode / SetMMRowMajor / SetMMColumnMajor / SetMMLayoutTransform",
     "S", "", "of Mmad", ""},
    {kRegisters, "SetCastOverflowMode / SetSaturationFlag / GetSaturationFlag / SetCtrlSpr / GetCtrlSpr", "S",
     "", "what becomes of results that are too large", ""},
    {"scalar", "ScalarCast / Cast / ToBfloat16 / ToFloat", "S", "fp32 to fp16, bf16, int32; bf16 to fp32",
     "a number", ""},
    {"scalar",
     "GetBitCount / ScalarGetCountOfValue / CountLeadingZero / ScalarCountLeadingZero / "
     "CountBitsCntSameAsSignBit / "
     "GetSFFValue / ScalarGetSFFValue",
     "S", "uint64, int64", "a number", ""},
    {"debugging", "printf / DumpTensor / DumpAccChkPoint / assert", "S", "",
     "text of a kernel; an end with file and line", ""},
};

}  // namespace

void AddCallRows(isa::InstructionRows& rows) {
  for (const CallRow& row : kRows) {
    const bool is_free = *row.of == '\0';
    rows.push_back({row.family,
                    row.names,
                    row.pipe,
                    row.types,
                    row.forms,
                    {.says = is_free ? "nothing" : "as its instructions",
                     .provenance = is_free ? Provenance::kAssumed : Provenance::kDerived,
                     .source = is_free ? "not measured" : row.of}});
  }
}

}  // namespace tilesim
