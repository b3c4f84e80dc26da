#include <algorithm>
#include <string>
#include <string_view>

#include "formats/error.h"
#include "formats/units.h"
#include "ops/validation/repeated_makers.h"
#include "sim/isa/cube.h"
#include "sim/isa/data_move.h"
#include "sim/isa/fixpipe.h"
#include "sim/isa/load.h"
#include "sim/isa/table_move.h"

namespace tilesim::validation {
namespace {

constexpr uint64_t kGmAddress = uint64_t{1} << 40;
constexpr int64_t kMostRepetitions = 1024;

isa::Operand In(Memory memory) { return {.memory = memory, .begin = memory == Memory::kGm ? kGmAddress : 0}; }

template <class Op>
RepeatedInstruction Of(const Op& op, KernelType type) {
  return {.type = type, .pipe = op.pipe(), .issue = [op](Core& core, int64_t) {
            core.Issue(op, SourceLine::Here());
          }};
}

void AddGm(RepeatedInstruction& repeated, int64_t bytes) {
  repeated.gm.Add({.name = "gm", .address = kGmAddress, .size_bytes = static_cast<uint64_t>(bytes)});
}

// Reads `op.src` of `bytes`, each time elsewhere if the row says that nothing of it is in L2.
template <class Op>
RepeatedInstruction ReadOf(Op op, KernelType type, int64_t bytes, bool in_hbm) {
  RepeatedInstruction repeated = Of(op, type);
  AddGm(repeated, bytes * (in_hbm ? kMostRepetitions : 1));
  if (in_hbm) {
    repeated.issue = [op, bytes](Core& core, int64_t i) {
      Op elsewhere = op;
      elsewhere.src.begin += static_cast<uint64_t>(i % kMostRepetitions * bytes);
      core.Issue(elsewhere, SourceLine::Here());
    };
  }
  return repeated;
}

// Why the part's memory cannot hold a move of `bytes`; empty if it can.
std::string WhyNot(int64_t bytes, int64_t multiple, int64_t capacity, std::string_view memory) {
  RequireUser(bytes > 0 && bytes % multiple == 0, "size = '", bytes, "': must be a multiple of the ",
              multiple, " bytes that one move of it has");
  return bytes > capacity ? Say(bytes, " bytes are more than the ", capacity, " of ", memory) : "";
}

}  // namespace

Made MakeMmad(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  if (!row.instruction.starts_with("MMAD_FP16")) {
    return std::string("only Mmad of fp16 is measured in a way that is known");
  }
  return Of(isa::Mmad{.dst = In(Memory::kL0C),
                      .a = In(Memory::kL0A),
                      .b = In(Memory::kL0B),
                      .dtype = DType::kFp16,
                      .m = row.size[0],
                      .n = row.size[2],
                      .k = row.size[1]},
            KernelType::kAicOnly);
}

Made MakeLoad(const MeasuredInstruction& row, const SocConfig& soc) {
  const bool to_a = row.instruction.ends_with("L0A");
  const bool from_gm = row.instruction.starts_with("GM");
  const int64_t bytes = row.size.front();
  if (std::string why =
          WhyNot(bytes, kFractalBytes, to_a ? soc.l0a_bytes : soc.l0b_bytes, to_a ? "L0A" : "L0B");
      !why.empty()) {
    return why;
  }
  const isa::LoadData2D load{.dst = In(to_a ? Memory::kL0A : Memory::kL0B),
                             .src = In(from_gm ? Memory::kGm : Memory::kL1),
                             .repeat_times = bytes / kFractalBytes,
                             .src_stride = 1};
  return ReadOf(load, KernelType::kAicOnly, bytes, row.in_hbm.value_or(false));
}

Made MakeRead(const MeasuredInstruction& row, const SocConfig& soc) {
  const bool to_ub = row.instruction.ends_with("UB");
  const int64_t bytes = row.size.front();
  if (std::string why =
          WhyNot(bytes, kDataBlockBytes, to_ub ? soc.ub_bytes : soc.l1_bytes, to_ub ? "UB" : "L1");
      !why.empty()) {
    return why;
  }
  const isa::CopyFromGm copy{.dst = In(to_ub ? Memory::kUb : Memory::kL1),
                             .src = In(Memory::kGm),
                             .blocks = {.length_blocks = bytes / kDataBlockBytes}};
  return ReadOf(copy, to_ub ? KernelType::kAivOnly : KernelType::kAicOnly, bytes, row.in_hbm.value_or(false));
}

Made MakeNd2Nz(const MeasuredInstruction& row, const SocConfig& soc) {
  constexpr int64_t kRows = 256;  // not published; docs/model.md says what speaks for it
  constexpr int64_t kElementBytes = 2;
  const int64_t bytes = row.size.front();
  const int64_t columns = bytes / kRows / kElementBytes;
  const int64_t landed = kRows * AlignUp(columns * kElementBytes, kDataBlockBytes);
  if (std::string why = WhyNot(bytes, kRows * kElementBytes, soc.l1_bytes, "L1"); !why.empty()) {
    return why;
  }
  if (landed > soc.l1_bytes) {
    return Say(landed, " bytes with padding are more than the ", soc.l1_bytes, " of L1");
  }
  const isa::CopyNd2Nz copy{.dst = In(Memory::kL1),
                            .src = In(Memory::kGm),
                            .element_bytes = kElementBytes,
                            .rows = kRows,
                            .columns = columns,
                            .src_row_stride = AlignUp(columns, kDataBlockBytes / kElementBytes),
                            .dst_strip_stride_blocks = kRows,
                            .dst_row_stride_blocks = 1};
  return ReadOf(copy, KernelType::kAicOnly, landed, row.in_hbm.value_or(false));
}

Made MakeTableMove(const MeasuredInstruction& row, const SocConfig& soc) {
  const bool to_bt = row.instruction.ends_with("BT");
  const Memory table = to_bt ? Memory::kBt : Memory::kFb;
  const int64_t unit = isa::CopyToTable::UnitBytes(table);
  const int64_t bytes = row.size.front();
  if (std::string why = WhyNot(bytes, unit, to_bt ? soc.bt_bytes : soc.fb_bytes, Name(table)); !why.empty()) {
    return why;
  }
  return Of(
      isa::CopyToTable{.dst = In(table),
                       .src = In(Memory::kL1),
                       .elements = to_bt ? isa::TableElements::kBias : isa::TableElements::kQuantisation,
                       .length_units = bytes / unit},
      KernelType::kAicOnly);
}

Made MakeWrite(const MeasuredInstruction& row, const SocConfig& soc) {
  const int64_t bytes = row.size.front();
  if (std::string why = WhyNot(bytes, kDataBlockBytes, soc.ub_bytes, "UB"); !why.empty()) {
    return why;
  }
  RepeatedInstruction repeated = Of(isa::CopyToGm{.dst = In(Memory::kGm),
                                                  .src = In(Memory::kUb),
                                                  .blocks = {.length_blocks = bytes / kDataBlockBytes}},
                                    KernelType::kAivOnly);
  AddGm(repeated, bytes);
  return repeated;
}

Made MakeFixpipe(const MeasuredInstruction& row, const SocConfig& soc) {
  constexpr int64_t kRows = 16;
  constexpr int64_t kStripBytes = kRows * 16 * 4;  // 16 columns of fp32
  const int64_t bytes = row.size.front();
  if (std::string why = WhyNot(bytes, kStripBytes, soc.l0c_bytes, "L0C"); !why.empty()) {
    return why;
  }
  const int64_t columns = bytes / (kRows * 4);
  const bool row_major = row.instruction.ends_with("TRANS");
  RepeatedInstruction repeated =
      Of(isa::Fixpipe{.dst = In(Memory::kGm),
                      .src = In(Memory::kL0C),
                      .layout = row_major ? isa::FixpipeLayout::kRowMajor : isa::FixpipeLayout::kNz,
                      .n = columns,
                      .m = kRows,
                      .src_stride = kRows,
                      .dst_stride = row_major ? columns : kRows * 2},
         KernelType::kAicOnly);
  AddGm(repeated, bytes);
  return repeated;
}

}  // namespace tilesim::validation
