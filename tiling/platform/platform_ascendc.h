#pragma once
// The platform object that host programs ask for memory sizes and core counts, under the vendor's names.
#include <cstdint>

#include "sim/ascendc/kfc_workspace.h"
#include "sim/soc/soc_config.h"

// Architectures that host programs compare with; this part is DAV_2201.
enum class NpuArch : uint32_t {
  DAV_1001 = 1001,
  DAV_2002 = 2002,
  DAV_2201 = 2201,
  DAV_3002 = 3002,
  DAV_3510 = 3510,
  DAV_RESV = 0xffff
};

namespace platform_ascendc {

using ::NpuArch;

// The names are the vendor's.
enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };
enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND310P,
  ASCEND310B,
  ASCEND950,
  RESERVED_VERSION = 99999
};
enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

// What a chip offers, as its SoC file says: sizes, counts and rates. Knows no planner.
class PlatformAscendC {
 public:
  PlatformAscendC();  // of the part that the program runs on
  explicit PlatformAscendC(tilesim::SocConfig soc);

  [[nodiscard]] uint32_t GetCoreNum() const;  // the cube cores: each is one block of a cube kernel
  [[nodiscard]] uint32_t GetCoreNumAic() const;
  [[nodiscard]] uint32_t GetCoreNumAiv() const;
  [[nodiscard]] uint32_t GetCoreNumVector() const { return 0; }  // cores of a kind that this part has not
  [[nodiscard]] SocVersion GetSocVersion() const;
  [[nodiscard]] NpuArch GetCurNpuArch() const;

  // Bytes of one memory that a program may use: of the chip for L2 and HBM, of one core for the others, 0 for
  // RESERVED. The last 256 bytes of L1 and UB are kept for messages between cores, and of UB what
  // ReserveLocalMemory took.
  void GetCoreMemSize(const CoreMemType& type, uint64_t& size) const;
  // Bytes that one core alone moves each cycle out of L2 or HBM; of a memory of its own: into it, out of L0C.
  void GetCoreMemBw(const CoreMemType& type, uint64_t& bytes_per_cycle) const;
  // Keeps bytes of UB for others; the last call counts.
  void ReserveLocalMemory(ReservedSize size);

  // Blocks to launch for `slices` pieces of work on so many cores of each kind: as many, or one for each
  // AIV's AIC. 0 where that is more than there are AICs, with a line on stderr.
  [[nodiscard]] uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic, uint32_t aiv) const;
  [[nodiscard]] uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t aic, uint32_t aiv) const {
    return CalcTschBlockDim(slices, aic, aiv);
  }

  // Workspace bytes that the kernel library takes in front of the user's own, and parts of it.
  [[nodiscard]] uint32_t GetLibApiWorkSpaceSize() const { return tilesim::kSystemWorkspaceBytes; }
  [[nodiscard]] uint32_t GetResCubeGroupWorkSpaceSize() const { return 1U << 20; }
  [[nodiscard]] uint32_t GetResGroupBarrierWorkSpaceSize() const { return 1U << 20; }

  // All of it, also what GetCoreMemSize keeps back. Ours: a device's platform has no such call.
  [[nodiscard]] const tilesim::SocConfig& soc() const { return soc_; }

 private:
  tilesim::SocConfig soc_;
  uint64_t reserved_bytes_ = 0;
};

// The platform of a program that has no context to take it from.
class PlatformAscendCManager {
 public:
  // Of the part that the program runs on; with a name ("Ascend910B3") of that part. Throws tilesim::UserError
  // where there is no such part.
  static PlatformAscendC* GetInstance(const char* soc_name = nullptr);
};

}  // namespace platform_ascendc
