#pragma once
// What the matmul tiling classes are told of a product, and what they answer.
#include <array>
#include <cstdint>

#include "sim/ascendc/kernel_tiling/cube_tiling_data.h"
#include "sim/soc/soc_config.h"
#include "tiling/matmul/matmul_tiling.h"
#include "tiling/matmul_api/matmul_words.h"
#include "tiling/rejection.h"

namespace tilesim {

// A matrix as it was told; `told` is false before that.
struct MatmulApiOperand {
  bool told = false;
  matmul_tiling::TPosition position = matmul_tiling::TPosition::GM;
  matmul_tiling::CubeFormat format = matmul_tiling::CubeFormat::ND;
  matmul_tiling::DataType dtype = matmul_tiling::DataType::DT_FLOAT16;
  bool transposed = false;
};

// M, N and K in elements; -1: not told.
struct MatmulApiExtents {
  int64_t m = -1;
  int64_t n = -1;
  int64_t k = -1;
};

// All extents and sizes in elements, memories in bytes; -1 leaves a size to the planner, a memory whole.
struct MatmulApiRequest {
  MatmulApiOperand a, b, c, bias;
  MatmulApiExtents shape;  // of the product; -1: that of `whole`
  MatmulApiExtents whole;  // the matrices that it is part of
  int64_t whole_kb = -1;   // rows of B where they are not those of A
  bool has_bias = false;
  int64_t l1_bytes = -1, l0c_bytes = -1, ub_bytes = -1, bt_bytes = -1;
  MatmulApiExtents base;    // of one Mmad
  MatmulApiExtents single;  // of one core
  MatmulApiExtents least_single, most_single;
  MatmulApiExtents align_single;
  matmul_tiling::MatrixTraverse traverse = matmul_tiling::MatrixTraverse::NOSET;
  bool hf32 = false;
  bool splits_k = false;  // cores may share K
  bool sparse = false;
  int64_t cores = 1;  // of the kind that the kernel runs on: more than there are cube cores are AIVs
  std::array<int32_t, 5> a_layout{}, b_layout{}, c_layout{};  // B S N G D, of C B S1 N G S2
  int32_t batches = 0;
};

struct MatmulApiPlan {
  AscendC::tiling::TCubeTiling tiling;
  int32_t m_dim = 0;  // parts that M and N are cut into
  int32_t n_dim = 0;
  Rejections reasons;  // why there is none
};

// The legal tiling that promises most; each core has one task at most. Says every rule that stops it.
MatmulApiPlan PlanMatmulApi(const MatmulApiRequest& request, const SocConfig& soc);

// The same for the tile program of the product: tasks follow each other with M fastest.
MatmulTiling MatmulTilingOf(const AscendC::tiling::TCubeTiling& tiling);

}  // namespace tilesim
