// `tilesim list`: what this version knows.

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/list_parameters.h"
#include "cli/printer.h"
#include "formats/error.h"
#include "formats/layout.h"
#include "ops/case_file.h"
#include "sim/isa/cube.h"
#include "sim/isa/data_move.h"
#include "sim/isa/elementwise.h"
#include "sim/isa/fixpipe.h"
#include "sim/isa/load.h"
#include "sim/isa/scalar_access.h"
#include "sim/isa/ub_move.h"
#include "sim/isa/vector_cast.h"
#include "sim/isa/vector_fill.h"
#include "sim/isa/vector_reduce.h"
#include "sim/isa/vector_select.h"
#include "sim/isa/vector_transpose.h"
#include "sim/soc/soc_config.h"
#include "sim/soc/soc_files.h"

namespace tilesim {
namespace {

constexpr ReportColumn kColumns[] = {{"kind", 12}, {"name", 24}, {"says", 80}};

struct Entry {
  std::string_view kind;
  std::string name;
  std::string says;
};

void AddOperators(std::vector<Entry>& entries) {
  for (const CaseOperator& op : CaseOperators()) {
    entries.push_back({"operator", std::string(op.name), std::string(op.says)});
  }
}

void AddSocs(std::vector<Entry>& entries) {
  for (const std::string& name : KnownSocs()) {
    const SocConfig soc = LoadSoc(name);
    entries.push_back(
        {"soc", name,
         Say(soc.aic_cores, " cube cores, ", soc.aiv_per_aic, " vector cores each, ", soc.clock_mhz,
             " MHz, L1 ", soc.l1_bytes / 1024, " KiB, L0A ", soc.l0a_bytes / 1024, " KiB, L0C ",
             soc.l0c_bytes / 1024, " KiB, L2 ", soc.l2_bytes / 1024 / 1024, " MiB")});
  }
}

void AddFormats(std::vector<Entry>& entries) {
  for (int i = 0; i < kNumFormats; ++i) {
    const auto format = static_cast<Format>(i);
    const std::string_view axes = Axes(format);
    entries.push_back({"format", std::string(Name(format)),
                       Say("of (", axes, "), ",
                           axes == "mn"     ? "matrices"
                           : axes[0] == 'o' ? "filters"
                                            : "features",
                           IsPlain(format) ? "" : ", blocked by C0")});
  }
}

template <class Add>
void AddVectorInstructions(Add&& add) {
  add(isa::CopyPadFromGm::kName, "MTE2, MTE3: bytes between GM and UB, with padding on the way in");
  add(isa::VectorCopy::kName, "V: UB to UB, element by element");
  add(isa::VectorDuplicate::kName, "V: one value into 16- or 32-bit elements");
  for (const isa::ElementwiseRow& row : isa::elementwise::kRows) {
    std::string types;
    for (const isa::ElementwiseTypes& pair : row.types) {
      types += Say(types.empty() ? "" : ", ", Name(pair.src), pair.src == pair.dst ? "" : " to ",
                   pair.src == pair.dst ? "" : Name(pair.dst));
    }
    if (&row == isa::elementwise::kRows || std::string_view(row.name) != (&row - 1)->name) {
      add(row.name, Say("V: element by element; ", types));
    }
  }
  add(isa::VectorCast::kName, "V: 25 pairs of types, each with the rounding modes it has");
  add(isa::VectorFloor::kName, "V: the largest whole number not above; fp16, fp32");
  add(isa::VectorCompare::kName, "V: a bit an element, six relations; fp16, fp32, equality of int32");
  add(isa::VectorSelect::kName, "V: one of two elements by a bit, three modes; fp16, fp32");
  for (const isa::ReduceRow& row : isa::kReduceRows) {
    constexpr const char* kOf[] = {"each data block", "two neighbours", "each repeat"};
    const auto call = row.group == isa::ReduceGroup::kBlock  ? isa::ReduceCall::kBlockReduce
                      : row.group == isa::ReduceGroup::kPair ? isa::ReduceCall::kPairReduce
                                                             : isa::ReduceCall::kWholeReduce;
    add(isa::NameOf(call, row.op), Say("V: ", kOf[static_cast<size_t>(row.group)], " to one; fp16, fp32"));
  }
  add("ReduceSum / ReduceMax / ReduceMin", "V, S: all to one, and its place; fp16, fp32");
  add("Compares / CompareScalar", "V: a bit an element against a number; fp16, fp32, equality of int32");
  add("SetCmpMask / GetCmpMask", "V: the register that Compare and Select use");
  add("Gather / Gatherb", "V: elements, or data blocks, from given places; 16- and 32-bit types");
  add("GatherMask", "V, S: the elements that a pattern keeps, one behind the other; 16- and 32-bit types");
  add("Sort32 / MrgSort",
      "V: 32 scores with their places, largest first; two to four lists to one; fp16, fp32");
  add("Sort / Extract / GetMrgSortResult",
      "V, S: many lists to one; scores and places apart; what each list gave");
  add("CastDequant / AddDeqRelu", "V: whole numbers times scales; int16 to int8 and uint8, int32 to fp16");
  add("CreateVecIndex", "S, V: first + i, as its sequence of Adds; int16, int32, fp16, fp32");
  add("Transpose", "V: 16 x 16 of 16 bits; NCHW to NHWC and back, 8- to 32-bit types");
  add("BilinearInterpolation", "V: weighted sums of gathered data blocks, as its sequence; fp16");
  add(isa::VectorBroadcast::kName, "V: 8 elements over 8 data blocks");
  add(isa::ArithmeticSequence::kName, "V: first + i * step");
  add(isa::VectorTranspose::kName, "V: 16 data blocks transposed; 8-, 16- and 32-bit types");
  add("InitGlobalMemory", "V, MTE3: Duplicate, then moves: a constant into GM");
  add("GetValue / SetValue", "S: an element of UB or GM");
  add("SetVectorMask / SetMaskCount / SetMaskNorm / ResetMask", "S: the mask of what V does next");
  add("SetDeqScale / SetPadValue", "S: registers of Cast and DataCopyPad");
  add("ScalarCast", "S: a number in another type");
  add(isa::ScalarCacheClean::kName, "S: writes the scalar unit's cache of GM back");
}

void AddInstructions(std::vector<Entry>& entries) {
  const auto add = [&](const char* name, std::string_view says) {
    entries.push_back({"instruction", name, std::string(says)});
  };
  static_assert(std::string_view(isa::CopyFromGm::kName) == isa::CopyToGm::kName);  // one row for both
  add(isa::CopyFromGm::kName,
      "MTE2: GM to L1 or UB, blocks with gaps; Nd2Nz: row-major to fractals; "
      "MTE3: L1 or UB to GM, with atomic add, max, min; V: UB to UB");
  add(isa::LoadDataTransposed::kName, "MTE1: L1 to L0A or L0B, squares transposed; 4 to 32 bits");
  add(isa::LoadData2D::kName, "MTE1: L1 to L0A or L0B, whole fractals (2D) or img2col (3D v2)");
  add(isa::InitConst::kName, "MTE1, MTE2: a constant into L0A, L0B or L1");
  add(isa::Mmad::kName,
      "M: matrix product into L0C, from 0, what is there, or a bias; fp16, bf16, fp32, HF32, int8, int4");
  add(isa::Fixpipe::kName, "FIX: L0C to GM or L1, NZ or row-major, quantised, with atomic add");
  AddVectorInstructions(add);
  add("SetFlag / WaitFlag", "one pipe waits for another; 8 event ids a pair");
  add("PipeBarrier", "a pipe, or all, waits for itself");
  add("CrossCoreSetFlag / CrossCoreWaitFlag", "cores wait for each other");
  add("SyncAll", "all cores wait for all; through GM with two tensors");
  add("IBSet / IBWait / WaitPreBlock / NotifyNextBlock / GroupBarrier",
      "cores wait for each other through GM");
  add("printf / DumpTensor / assert", "S: text of a kernel; an end with file and line");
}

struct Kind {
  std::string_view name;
  void (*add)(std::vector<Entry>&);
};
constexpr Kind kKinds[] = {{"operators", AddOperators},
                           {"socs", AddSocs},
                           {"formats", AddFormats},
                           {"instructions", AddInstructions}};

}  // namespace

CommandEnd ListCommand(const Arguments& arguments) {
  const std::string wanted = arguments.words().empty() ? "" : arguments.words().front();
  if (wanted == "parameters") {
    return ListParameters(arguments);
  }
  RequireUser(!arguments.Has("soc"), "--soc = '", arguments.Text("soc", ""),
              "': of `list` it belongs to `list parameters`; leave it out");
  std::vector<Entry> entries;
  for (const Kind& kind : kKinds) {
    if (wanted.empty() || wanted == kind.name) {
      kind.add(entries);
    }
  }
  RequireUser(!entries.empty(), "list: unknown kind '", wanted,
              "'; must be operators, socs, formats, instructions or parameters");
  RowPrinter printer(FormatOf(arguments, "table"), kColumns, "");
  for (const Entry& entry : entries) {
    printer.Print({std::string(entry.kind), entry.name, entry.says});
  }
  return Outcome::kDone;
}

}  // namespace tilesim
