// From rows of measurements to the instructions they repeat: one function a kind of instruction.
#pragma once

#include <string>
#include <variant>

#include "ops/validation/repeated_instruction.h"

namespace tilesim::validation {

// Or why not: not modelled, or more than the part holds. Throws UserError for what the row has wrong.
using Made = std::variant<RepeatedInstruction, std::string>;

// Cube, loads and moves.
Made MakeMmad(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeLoad(const MeasuredInstruction& row, const SocConfig& soc);       // into L0A, L0B
Made MakeRead(const MeasuredInstruction& row, const SocConfig& soc);       // GM to L1, UB
Made MakeNd2Nz(const MeasuredInstruction& row, const SocConfig& soc);      // as 256 rows
Made MakeTableMove(const MeasuredInstruction& row, const SocConfig& soc);  // L1 to BT, FB
Made MakeWrite(const MeasuredInstruction& row, const SocConfig& soc);      // UB to GM
Made MakeFixpipe(const MeasuredInstruction& row, const SocConfig& soc);

// Vector instructions.
Made MakeElementwise(const MeasuredInstruction& row,
                     const SocConfig& soc);  // named as rows of isa/elementwise.h
Made MakeReduction(const MeasuredInstruction& row,
                   const SocConfig& soc);  // named as rows of isa/vector_reduce.h
Made MakeCast(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeDequant(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeMergeSort(const MeasuredInstruction& row, const SocConfig& soc);  // of four queues
Made MakeDuplicate(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeBroadcast(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeSelect(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeCompare(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeCompares(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeCompareToRegister(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeGather(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeGatherBlocks(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeGatherMask(const MeasuredInstruction& row, const SocConfig& soc);
Made MakeCopyWithinUb(const MeasuredInstruction& row, const SocConfig& soc);

}  // namespace tilesim::validation
