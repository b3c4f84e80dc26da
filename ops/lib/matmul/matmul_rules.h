// The rules that the tiling data of the Matmul object keep.
#pragma once

#include <cstdint>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "tiling/matmul/cube_tiling.h"  // IWYU pragma: export

namespace tilesim {

// What of an object's types its tiling depends on. Bits and bytes are those of an element.
struct MatmulRuleTypes {
  int64_t input_bits = 16;
  int64_t bias_bytes = 4;
  bool a_k_in_rows = false;  // A is given as (K, M)
  bool b_k_in_rows = true;   // B is given as (K, N)
  bool a_in_gm = true;       // takes room in L1
  bool b_in_gm = true;
  bool whole_strips = false;  // an operand in GM lies in strips, or C does and has 8 bits
  bool large_loads = false;   // CFG_MDL
};

// A fault of the core with field, value, limit and mend unless the tiling keeps the rules.
inline void CheckCubeTiling(Core& core, const TCubeTiling& t, const MatmulRuleTypes& types) {
  const auto limit = [&](bool ok, const char* field, int64_t value, const auto&... text) {
    core.Require(ok, FaultKind::kLimit, field, "tiling: ", field, " = ", value, text...);
  };
  struct Field {
    const char* name;
    int64_t value;
    int64_t most;
  };
  constexpr int64_t kAny = INT32_MAX;
#define TILESIM_FIELD(NAME, MOST) \
  Field { #NAME, t.NAME, MOST }
  for (const Field& field :
       {TILESIM_FIELD(M, kAny), TILESIM_FIELD(N, kAny), TILESIM_FIELD(Ka, kAny), TILESIM_FIELD(Kb, kAny),
        TILESIM_FIELD(singleCoreM, kAny), TILESIM_FIELD(singleCoreN, kAny), TILESIM_FIELD(singleCoreK, kAny),
        TILESIM_FIELD(baseM, 4080), TILESIM_FIELD(baseN, 4080), TILESIM_FIELD(baseK, 4080),
        TILESIM_FIELD(depthA1, kAny), TILESIM_FIELD(depthB1, kAny), TILESIM_FIELD(stepM, kAny),
        TILESIM_FIELD(stepN, kAny), TILESIM_FIELD(stepKa, kAny), TILESIM_FIELD(stepKb, kAny),
        TILESIM_FIELD(dbL0A, 2), TILESIM_FIELD(dbL0B, 2), TILESIM_FIELD(dbL0C, 2)}) {
#undef TILESIM_FIELD
    limit(field.value >= 1 && field.value <= field.most, field.name, field.value, ", allowed 1..", field.most,
          "; let GetTiling fill the struct, or correct the field");
  }
  limit(t.isBias == 0 || t.isBias == 1, "isBias", t.isBias, ", allowed 0 and 1");
  limit(t.iterateOrder == 0 || t.iterateOrder == 1, "iterateOrder", t.iterateOrder, ", allowed 0 and 1");

  const int64_t c0 = 256 / types.input_bits;
  const int64_t k_granule = (types.a_k_in_rows || types.b_k_in_rows) && c0 < 16 ? 16 : c0;
  const auto multiple = [&](const char* field, int64_t value, int64_t of) {
    limit(value % of == 0, field, value, ", must be a multiple of ", of, "; round it up to ",
          (value + of - 1) / of * of);
  };
  multiple("baseM", t.baseM, 16);
  multiple("baseN", t.baseN, 16);
  multiple("baseK", t.baseK, k_granule);
  if (types.input_bits <= 8) {  // strips and squares of c0
    if (types.a_k_in_rows && (t.stepM > 1 || types.whole_strips)) {
      multiple("baseM", t.baseM, c0);
    }
    if (types.b_k_in_rows && (t.stepN > 1 || types.whole_strips)) {
      multiple("baseN", t.baseN, c0);
    }
  }
  // Of more than two buffers two are used; those that load all blocks of a buffer at once have two at most.
  const auto buffers = [&](const char* field, int64_t value, const char* of, int64_t step) {
    limit(!types.large_loads || value == step || value == 2 * step, field, value, ", allowed once and twice ",
          of, ": ", step, " and ", 2 * step, "; use one of them");
    limit(value % step == 0, field, value, ", must be a multiple of ", of, " = ", step, "; round it up to ",
          (value + step - 1) / step * step);
  };
  buffers("depthA1", t.depthA1, "stepM * stepKa", int64_t{t.stepM} * t.stepKa);
  buffers("depthB1", t.depthB1, "stepN * stepKb", int64_t{t.stepN} * t.stepKb);
  if (types.large_loads) {
    const int64_t k_blocks = (t.singleCoreK + t.baseK - 1) / t.baseK;
    limit(t.stepM == 1 || k_blocks <= t.stepKa, "stepM", t.stepM, ", must be 1 where the ", k_blocks,
          " blocks of K are more than stepKa = ", t.stepKa);
    limit(t.stepN == 1 || k_blocks <= t.stepKb, "stepN", t.stepN, ", must be 1 where the ", k_blocks,
          " blocks of K are more than stepKb = ", t.stepKb);
    limit(t.stepKa % t.stepKb == 0 || t.stepKb % t.stepKa == 0, "stepKa", t.stepKa,
          " and stepKb = ", t.stepKb, ", one must divide the other");
  }

  const auto fits = [&](const char* what, Memory memory, int64_t bytes, const char* mend) {
    core.Require(bytes <= core.CapacityBytes(memory), FaultKind::kCapacity, what, "tiling: ", what, " = ",
                 bytes, " B of ", tilesim::Name(memory), ", which has ", core.CapacityBytes(memory), "; ",
                 mend);
  };
  const auto whole = [&](int64_t extent, bool k_in_rows) {
    return k_in_rows && types.input_bits <= 8 ? (extent + c0 - 1) / c0 * c0 : extent;
  };
  const int64_t copies = t.dbL0A == 2 && t.dbL0B == 2 ? 2 : 1;
  const int64_t a_block = whole(t.baseM, types.a_k_in_rows) * t.baseK * types.input_bits / 8;
  const int64_t b_block = whole(t.baseN, types.b_k_in_rows) * t.baseK * types.input_bits / 8;
  fits("baseM * baseK * dbL0A", Memory::kL0A, a_block * copies, "make baseM or baseK smaller");
  fits("baseN * baseK * dbL0B", Memory::kL0B, b_block * copies, "make baseN or baseK smaller");
  fits("baseM * baseN * dbL0C", Memory::kL0C, int64_t{t.baseM} * t.baseN * 4 * t.dbL0C,
       "make baseM or baseN smaller, or dbL0C 1");
  if (t.isBias == 1) {
    fits("baseN with isBias", Memory::kBt, int64_t{t.baseN} * 4, "make baseN smaller");
  }
  fits("depthA1 and depthB1 blocks and the bias", Memory::kL1,
       (types.a_in_gm ? a_block * t.depthA1 : 0) + (types.b_in_gm ? b_block * t.depthB1 : 0) +
           (t.isBias == 1 ? t.baseN * types.bias_bytes : 0),
       "make depthA1 or depthB1 smaller");
}

}  // namespace tilesim
