// The modes of TopK, for kernels and hosts.
#pragma once

namespace AscendC {

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };

}  // namespace AscendC
