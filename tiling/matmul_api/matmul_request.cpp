#include "tiling/matmul_api/matmul_request.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "formats/dtype.h"
#include "formats/error.h"
#include "formats/units.h"
#include "tiling/matmul/cube_tiling.h"
#include "tiling/matmul/matmul_legality.h"
#include "tiling/matmul/matmul_search.h"
#include "tiling/matmul/matmul_tasks.h"

namespace tilesim {
namespace {

using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::TPosition;

constexpr int64_t kKeptOfL1 = 256;  // bytes at its end: messages of vector cores, which a mixed kernel has
constexpr int64_t kMostFieldValue = INT32_MAX;
constexpr int64_t kBiasBytes = 4;  // of a column in BT and in L1, for every type of sums

// An element type of the API. Planning knows sizes only: whole numbers of A and B are planned as bytes, int4
// as half as many bytes along K.
struct ApiType {
  DataType dtype;
  std::string_view name;
  std::optional<DType> operand;  // of A and B; none: the cube does not take it
  std::optional<DType> result;   // of C
};
constexpr ApiType kTypes[] = {
    {DataType::DT_FLOAT, "DT_FLOAT", DType::kFp32, DType::kFp32},
    {DataType::DT_FLOAT16, "DT_FLOAT16", DType::kFp16, DType::kFp16},
    {DataType::DT_BF16, "DT_BF16", DType::kBf16, DType::kBf16},
    {DataType::DT_BFLOAT16, "DT_BFLOAT16", DType::kBf16, DType::kBf16},
    {DataType::DT_INT8, "DT_INT8", DType::kUint8, DType::kUint8},
    {DataType::DT_INT4, "DT_INT4", DType::kUint8, std::nullopt},
    {DataType::DT_INT32, "DT_INT32", std::nullopt, DType::kFp32},  // as wide, and added to likewise
};

const ApiType* Find(DataType dtype) {
  const auto* const found = std::ranges::find(kTypes, dtype, &ApiType::dtype);
  return found == std::end(kTypes) ? nullptr : found;
}

std::string NameOf(DataType dtype) {
  const ApiType* const type = Find(dtype);
  return type != nullptr ? std::string(type->name) : Say("DataType ", static_cast<int>(dtype));
}

class Planner {
 public:
  Planner(const MatmulApiRequest& request, const SocConfig& soc) : r_(request), soc_(soc) {}

  MatmulApiPlan Run() {
    CheckTypes();
    CheckExtents();
    CheckCores();
    if (plan_.reasons.empty()) {
      Choose();
      CheckFixed();
    }
    if (plan_.reasons.empty()) {
      Take(FindMatmulTilings(shape_, soc_, choices_, 1));
    }
    return std::move(plan_);
  }

 private:
  void Refuse(std::string rule, std::string field, std::string mend) {
    plan_.reasons.push_back({std::move(rule), std::move(field), 0, 0, std::move(mend), LimitKind::kInWords});
  }

  void CheckRange(const ValueRange& range) { CheckRanges({&range, 1}, plan_.reasons); }

  // Whether an operand was told at all.
  bool Told(const MatmulApiOperand& operand, std::string_view setter) {
    if (!operand.told) {
      Refuse("the type was never told", std::string(setter),
             Say("call ", setter, "(position, format, type) before GetTiling"));
    }
    return operand.told;
  }

  void CheckOperand(const MatmulApiOperand& operand, std::string_view setter) {
    const ApiType* const type = Find(operand.dtype);
    if (type == nullptr || !type->operand) {
      Refuse(Say("the cube does not take ", NameOf(operand.dtype)), std::string(setter),
             "DT_FLOAT16, DT_BF16, DT_FLOAT, DT_INT8 and DT_INT4 fit");
    }
    if (operand.position != TPosition::GM && operand.position != TPosition::VECOUT &&
        operand.position != TPosition::TSCM) {
      Refuse("A and B lie in GM, VECOUT or TSCM", std::string(setter), "one of those fits");
    }
    if (operand.format != CubeFormat::ND && operand.format != CubeFormat::NZ &&
        operand.format != CubeFormat::VECTOR && operand.format != CubeFormat::SCALAR) {
      Refuse("A and B are ND, NZ, VECTOR or SCALAR", std::string(setter), "one of those fits");
    }
  }

  void CheckTypes() {
    const bool told_a = Told(r_.a, "SetAType");
    const bool told_b = Told(r_.b, "SetBType");
    const bool told_c = Told(r_.c, "SetCType");
    if (told_a) {
      CheckOperand(r_.a, "SetAType");
    }
    if (told_b) {
      CheckOperand(r_.b, "SetBType");
    }
    if (told_a && told_b && r_.a.dtype != r_.b.dtype) {
      Refuse(Say("A and B have one type, here ", NameOf(r_.a.dtype), " and ", NameOf(r_.b.dtype)), "SetBType",
             Say(NameOf(r_.a.dtype), " fits"));
    }
    const ApiType* const c = Find(r_.c.dtype);
    if (told_c && (c == nullptr || !c->result)) {
      Refuse(Say("a product is not ", NameOf(r_.c.dtype)), "SetCType",
             "DT_FLOAT, DT_FLOAT16, DT_BF16, DT_INT32 and DT_INT8 fit");
    }
    if (r_.a.told && r_.a.dtype == DataType::DT_INT4 && r_.a.transposed) {
      Refuse("A of DT_INT4 is not transposed", "SetAType", "isTrans false fits");
    }
    if (r_.has_bias && Told(r_.bias, "SetBiasType") && r_.bias.dtype != DataType::DT_FLOAT &&
        r_.bias.dtype != DataType::DT_FLOAT16 && r_.bias.dtype != DataType::DT_INT32) {
      Refuse(Say("a bias is not ", NameOf(r_.bias.dtype)), "SetBiasType",
             "DT_FLOAT, DT_FLOAT16 and DT_INT32 fit");
    }
    if (r_.sparse) {
      Refuse("tilesim does not model MmadWithSparse", "SetSparse", "SetSparse(false) fits");
    }
  }

  void CheckExtents() {
    const auto extent = [&](std::string_view name, int64_t told, int64_t whole) {
      const int64_t size = told != -1 ? told : whole;
      CheckRange({"elements of the product", Say("SetShape ", name), size, 1, kMostFieldValue});
      return size;
    };
    shape_.m = extent("m", r_.shape.m, r_.whole.m);
    shape_.n = extent("n", r_.shape.n, r_.whole.n);
    shape_.k = extent("k", r_.shape.k, r_.whole.k);
    whole_ = {.m = std::max(shape_.m, r_.whole.m),
              .n = std::max(shape_.n, r_.whole.n),
              .k = std::max(shape_.k, r_.whole.k)};
    for (const auto& [name, told, size] : {std::tuple{"M", r_.whole.m, shape_.m},
                                           {"N", r_.whole.n, shape_.n},
                                           {"Ka", r_.whole.k, shape_.k},
                                           {"Kb", r_.whole_kb, shape_.k}}) {
      if (told != -1) {
        CheckRange({"elements of the whole matrix, of which the product is a part", Say("SetOrgShape ", name),
                    told, size, kMostFieldValue});
      }
    }
  }

  void CheckCores() {
    CheckRange({"cores of the part", "SetDim", r_.cores, 1, soc_.aic_cores * soc_.aiv_per_aic});
  }

  [[nodiscard]] bool IsInt4() const { return r_.a.dtype == DataType::DT_INT4; }
  // Elements of K that planning takes for one.
  [[nodiscard]] int64_t PackedK() const { return IsInt4() ? 2 : 1; }

  void Choose() {
    shape_.dtype = *Find(r_.a.dtype)->operand;
    shape_.out = *Find(r_.c.dtype)->result;
    shape_.transpose_a = r_.a.transposed;
    shape_.transpose_b = r_.b.transposed;
    shape_.hf32 = r_.hf32;
    shape_.k = CeilDiv(shape_.k, PackedK());

    MatmulChoices& c = choices_;
    c.memory = CoreMemoryOf(soc_);
    const bool by_vector_cores = r_.cores > soc_.aic_cores;
    if (by_vector_cores) {
      c.memory.l1_bytes = std::max<int64_t>(0, c.memory.l1_bytes - kKeptOfL1);
    }
    const auto limit = [](int64_t& bytes, int64_t told) {
      bytes = told >= 0 ? std::min(bytes, told) : bytes;
    };
    limit(c.memory.l1_bytes, r_.l1_bytes);
    limit(c.memory.l0c_bytes, r_.l0c_bytes);
    c.tasks_of_core = by_vector_cores ? soc_.aiv_per_aic : 1;
    c.cores = r_.cores / c.tasks_of_core;
    c.splits_k = r_.splits_k;
    c.k_copies = 1;
    ChooseGranules();
    c.single_m.fixed = Fixed(r_.single.m, shape_.m);
    c.single_n.fixed = Fixed(r_.single.n, shape_.n);
    c.single_k.fixed = Fixed(PackedSize(r_.single.k), shape_.k);
    ChooseRange(c.single_m, r_.least_single.m, r_.most_single.m, r_.align_single.m);
    ChooseRange(c.single_n, r_.least_single.n, r_.most_single.n, r_.align_single.n);
    ChooseRange(c.single_k, r_.least_single.k, r_.most_single.k, r_.align_single.k);
    c.base_m.fixed = Fixed(r_.base.m, kMostFieldValue);
    c.base_n.fixed = Fixed(r_.base.n, kMostFieldValue);
    c.base_k.fixed = Fixed(PackedSize(r_.base.k), kMostFieldValue);
    KeepBlocksWhole(c.single_m, c.base_m, shape_.m);
    KeepBlocksWhole(c.single_n, c.base_n, shape_.n);
    if (r_.has_bias) {
      const int64_t table = r_.bt_bytes >= 0 ? std::min(soc_.bt_bytes, r_.bt_bytes) : soc_.bt_bytes;
      c.base_n.most = table / kBiasBytes;
      c.memory.l1_bytes = std::max<int64_t>(0, c.memory.l1_bytes - table);
    }
    if (r_.c.position == TPosition::VECIN) {
      // A block that is fixed may fill UB; else there is room for the block of C and one of what the kernel
      // makes of it: assumed.
      const int64_t ub = r_.ub_bytes >= 0 ? std::min(soc_.ub_bytes, r_.ub_bytes) : soc_.ub_bytes;
      const bool is_fixed = r_.base.m != -1 && r_.base.n != -1;
      c.most_block = ub / (is_fixed ? 1 : 2) / static_cast<int64_t>(SizeOf(shape_.out));
    }
    if (r_.traverse != matmul_tiling::MatrixTraverse::NOSET) {
      c.iterate_order = r_.traverse == matmul_tiling::MatrixTraverse::FIRSTM ? 0 : 1;
    }
  }

  static std::optional<int64_t> Fixed(int64_t size, int64_t whole) {
    return size >= 0 ? std::optional(std::min(size, whole)) : std::nullopt;
  }
  // Kernels whose base block is fixed count the blocks of a part by division: parts are whole blocks, and of
  // what they were asked to be multiples of, unless the part itself or its range was asked for.
  static void KeepBlocksWhole(MatmulSizeChoice& single, const MatmulSizeChoice& base, int64_t extent) {
    const MatmulSizeChoice any;
    const bool is_free = !single.fixed && single.least == any.least && single.most == any.most;
    if (is_free && base.fixed && *base.fixed > 0 && *base.fixed <= extent) {
      single.multiple_of = std::lcm(single.multiple_of, *base.fixed);
    }
  }
  static void ChooseRange(MatmulSizeChoice& single, int64_t least, int64_t most, int64_t align) {
    single.least = least > 0 ? least : single.least;
    single.most = most > 0 ? most : single.most;
    single.multiple_of = align > 0 ? AlignUp(align, single.multiple_of) : single.multiple_of;
  }

  [[nodiscard]] int64_t PackedSize(int64_t size) const { return size < 0 ? size : CeilDiv(size, PackedK()); }

  // Rows of fractals are 16 elements, their columns a data block: of bytes 32.
  void ChooseGranules() {
    const int64_t c0 = C0Of(shape_.dtype);
    const int64_t columns = std::max<int64_t>(kFractalEdge, c0);
    const int64_t m = r_.a.transposed ? columns : kFractalEdge;
    const int64_t n = r_.b.transposed ? kFractalEdge : columns;
    choices_.base_m.multiple_of = choices_.single_m.multiple_of = m;
    choices_.base_n.multiple_of = choices_.single_n.multiple_of = n;
    choices_.base_k.multiple_of = choices_.single_k.multiple_of = columns;
  }

  // What was fixed by hand and can be told to be wrong by itself.
  void CheckFixed() {
    const auto check = [&](std::string_view field, const MatmulSizeChoice& base,
                           const MatmulSizeChoice& single, int64_t extent) {
      if (!base.fixed) {
        return;
      }
      const int64_t part = AlignUp(std::min(single.fixed.value_or(extent), extent), base.multiple_of);
      CheckRange({"of a base block, no more than one core's part", field, *base.fixed, base.multiple_of,
                  std::min(part, base.most), base.multiple_of});
    };
    check("SetFixSplit baseM", choices_.base_m, choices_.single_m, shape_.m);
    check("SetFixSplit baseN", choices_.base_n, choices_.single_n, shape_.n);
    check("SetFixSplit baseK", choices_.base_k, choices_.single_k, shape_.k);
    const auto parts = [](const MatmulSizeChoice& single, int64_t extent) {
      return CeilDiv(extent, single.fixed.value_or(extent));
    };
    const int64_t tasks = parts(choices_.single_m, shape_.m) * parts(choices_.single_n, shape_.n) *
                          parts(choices_.single_k, shape_.k);
    if (tasks > r_.cores) {
      plan_.reasons.push_back({"parts, of which each core takes one", "SetSingleShape", tasks, r_.cores,
                               Say("larger parts or SetDim ", tasks, " fit")});
    }
  }

  void Take(const MatmulCandidates& found) {
    if (found.best_first.empty()) {
      plan_.reasons = WhyNot(found.smallest, shape_, choices_.memory, choices_.cores);
      if (plan_.reasons.empty()) {
        Refuse(Say("no cut into at most ", r_.cores, " parts and no base block is all that was asked for"),
               "GetTiling",
               "more cores (SetDim), or fewer sizes fixed (SetSingleShape, SetSingleRange, "
               "SetAlignSplit, SetFixSplit), fit");
      }
      return;
    }
    Fill(found.best_first.front().tiling);
  }

  void Fill(const MatmulTiling& best) {
    const MatmulTilingData& d = best.data;
    const auto whole = [](int64_t size) { return static_cast<int32_t>(size); };
    const auto k = [&](uint32_t size, int64_t most) { return whole(std::min(size * PackedK(), most)); };
    AscendC::tiling::TCubeTiling& t = plan_.tiling;
    plan_.m_dim = whole(best.split.m_dim);
    plan_.n_dim = whole(best.split.n_dim);
    t.usedCoreNum = whole(TasksOf(best.split));
    t.M = whole(whole_.m);
    t.N = whole(whole_.n);
    t.Ka = whole(whole_.k);
    t.Kb = whole(r_.whole_kb != -1 ? r_.whole_kb : whole_.k);
    t.singleCoreM = whole(d.singleCoreM);
    t.singleCoreN = whole(d.singleCoreN);
    t.singleCoreK = k(d.singleCoreK, r_.shape.k != -1 ? r_.shape.k : r_.whole.k);
    t.baseM = whole(d.baseM);
    t.baseN = whole(d.baseN);
    t.baseK = k(d.baseK, kMostFieldValue);
    t.depthA1 = whole(d.depthA1);
    t.depthB1 = whole(d.depthB1);
    t.stepM = whole(d.stepM);
    t.stepN = whole(d.stepN);
    t.stepKa = whole(d.stepKa);
    t.stepKb = whole(d.stepKb);
    t.isBias = r_.has_bias ? 1 : 0;
    t.iterateOrder = whole(d.iterateOrder);
    const MatmulBytes bytes = MatmulBytesOf(d, shape_.dtype);
    t.shareL1Size = whole(bytes.l1 + (r_.has_bias ? d.baseN * kBiasBytes : 0));
    t.shareL0CSize = whole(bytes.l0c);
    t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
    t.dbL0A = whole(d.dbL0A);
    t.dbL0B = whole(d.dbL0B);
    t.dbL0C = whole(d.dbL0C);
    FillLayouts(t);
  }

  void FillLayouts(AscendC::tiling::TCubeTiling& t) const {
    const auto take = [](const std::array<int32_t, 5>& layout, auto&... axes) {
      const int32_t* at = layout.data();
      ((axes = *at++), ...);
    };
    take(r_.a_layout, t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD);
    take(r_.b_layout, t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD);
    take(r_.c_layout, t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2);
    t.BatchNum = r_.batches;
  }

  const MatmulApiRequest& r_;
  const SocConfig& soc_;
  MatmulShape shape_;
  MatmulApiExtents whole_;
  MatmulChoices choices_;
  MatmulApiPlan plan_;
};

}  // namespace

MatmulApiPlan PlanMatmulApi(const MatmulApiRequest& request, const SocConfig& soc) {
  return Planner(request, soc).Run();
}

MatmulTiling MatmulTilingOf(const AscendC::tiling::TCubeTiling& t) {
  MatmulTiling tiling;
  tiling.data = ToMatmulTilingData(t);
  tiling.split = {.used_cores = t.usedCoreNum,
                  .m_dim = CeilDiv(t.M, t.singleCoreM),
                  .n_dim = CeilDiv(t.N, t.singleCoreN),
                  .k_dim = CeilDiv(t.Ka, t.singleCoreK),
                  .unit_flag = 1};
  return tiling;
}

}  // namespace tilesim
