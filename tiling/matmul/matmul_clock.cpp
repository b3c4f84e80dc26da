#include "tiling/matmul/matmul_clock.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"

namespace tilesim {
namespace {

constexpr int64_t kFractal = 16;  // rows and columns of one of 16-bit elements
// Of the tile program, a step of K: instructions that the scalar unit issues, and those of them that wait in
// MTE1's queue (flags count).
constexpr int64_t kIssuedAStep = 12;
constexpr int64_t kQueuedAStep = 4;

// The sizes of one dimension's parts.
struct Parts {
  int64_t whole;
  int64_t step;
  [[nodiscard]] int64_t Of(size_t size) const {
    const int64_t last = whole % step == 0 ? step : whole % step;
    return size == MatmulCosts::kWhole ? std::min(step, whole) : last;
  }
  [[nodiscard]] int64_t Count(size_t size) const {
    const bool has_last = whole % step != 0;
    return size == MatmulCosts::kWhole ? whole / step : (has_last ? 1 : 0);
  }
};

// A matrix of GM as one of the operands: K and a free axis.
struct Matrix {
  int64_t element_bytes;
  int64_t row;       // elements of GM from one to the next
  bool k_in_rows;    // K runs down the rows
  int64_t sharers;   // tasks that need the same part of it
  bool stays_in_l2;  // until it is read again
  int64_t cores;
};

Cost TileCost(const SocConfig& soc, const Matrix& matrix, int64_t free, int64_t k, bool again) {
  const int64_t rows = matrix.k_in_rows ? k : free;
  const int64_t row_bytes = (matrix.k_in_rows ? free : k) * matrix.element_bytes;
  const int64_t bytes = rows * row_bytes;
  const int64_t miss = again && matrix.stays_in_l2 ? 0 : bytes / matrix.sharers;
  return isa::Nd2NzCost(soc,
                        {.bytes = {.hit = bytes - miss, .miss = miss}, .bursts = rows, .cores = matrix.cores},
                        {.rows = rows,
                         .row_bytes = row_bytes,
                         .aligned = matrix.row * matrix.element_bytes % kDataBlockBytes == 0});
}

// Img2col over the tile as an image of one row; see MatmulOperand.
Cost WindowCost(const SocConfig& soc, Memory dst, DType dtype, bool k_in_rows, int64_t free, int64_t k,
                int64_t tile_rows) {
  const int64_t c0 = kDataBlockBytes / static_cast<int64_t>(SizeOf(dtype));
  return isa::Img2ColCost(soc, dst,
                          {.m_extension = AlignUp(k_in_rows ? k : free, kFractal),
                           .channel_blocks = CeilDiv(k_in_rows ? free : k, c0),
                           .out_width = tile_rows,
                           .stride_w = 1});
}

double Busy(const Cost& cost) { return static_cast<double>(cost.busy_cycles); }
double Latency(const Cost& cost) { return static_cast<double>(cost.latency_cycles); }
double Done(double end, const Cost& cost) { return end + Latency(cost); }

}  // namespace

MatmulCosts::MatmulCosts(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc) {
  const MatmulTilingData& t = tiling.data;
  const auto element = static_cast<int64_t>(SizeOf(shape.dtype));
  const auto stays = [&](int64_t rows, int64_t columns, DType dtype) {
    return rows * columns * static_cast<int64_t>(SizeOf(dtype)) <= soc.l2_bytes;
  };
  const Matrix a = {.element_bytes = element,
                    .row = shape.transpose_a ? shape.m : shape.k,
                    .k_in_rows = shape.transpose_a,
                    .sharers = tiling.split.n_dim,
                    .stays_in_l2 = stays(shape.m, shape.k, shape.dtype),
                    .cores = tiling.split.used_cores};
  const Matrix b = {.element_bytes = element,
                    .row = shape.transpose_b ? shape.k : shape.n,
                    .k_in_rows = !shape.transpose_b,
                    .sharers = tiling.split.m_dim,
                    .stays_in_l2 = stays(shape.n, shape.k, shape.dtype),
                    .cores = tiling.split.used_cores};
  const Parts m = {t.singleCoreM, t.baseM};
  const Parts n = {t.singleCoreN, t.baseN};
  const Parts k = {t.singleCoreK, t.baseK};
  const Parts tile_m = {m.whole, m.step * t.stepM};
  const Parts tile_n = {n.whole, n.step * t.stepN};
  const Parts tile_ka = {k.whole, k.step * t.stepKa};
  const Parts tile_kb = {k.whole, k.step * t.stepKb};
  const bool written_to_l2 = stays(shape.m, shape.n, shape.out);
  for (size_t i = 0; i < 4; ++i) {
    const size_t free = i / 2;
    const size_t last = i % 2;
    for (const bool again : {false, true}) {
      bring_a_[again][i] = TileCost(soc, a, tile_m.Of(free), tile_ka.Of(last), again);
      bring_b_[again][i] = TileCost(soc, b, tile_n.Of(free), tile_kb.Of(last), again);
    }
    load_a_[i] = WindowCost(soc, Memory::kL0A, shape.dtype, a.k_in_rows, m.Of(free), k.Of(last),
                            a.k_in_rows ? tile_ka.Of(kWhole) : tile_m.Of(kWhole));
    load_b_[i] =
        b.k_in_rows
            ? WindowCost(soc, Memory::kL0B, shape.dtype, true, n.Of(free), k.Of(last), tile_kb.Of(kWhole))
            : isa::LoadCost(soc, Memory::kL0B,
                            CeilDiv(n.Of(free), kFractal) * CeilDiv(k.Of(last), kDataBlockBytes / element));
    const int64_t elements = m.Of(free) * n.Of(last);
    const int64_t bytes = elements * static_cast<int64_t>(SizeOf(shape.out));
    const auto write = [&](L2Work work) {
      return isa::FixpipeCost(soc, elements * static_cast<int64_t>(sizeof(float)),
                              {.bytes = {.hit = written_to_l2 ? bytes : 0, .miss = written_to_l2 ? 0 : bytes},
                               .bursts = m.Of(free),
                               .cores = tiling.split.used_cores,
                               .l2_work = work});
    };
    write_[i] = write(tiling.split.k_dim > 1 ? L2Work::kAtomic : L2Work::kOwn);
    write_zeros_[i] = write(L2Work::kOwn);
  }
  for (size_t i = 0; i < product_.size(); ++i) {
    product_[i] = isa::MmadCost(soc, shape.dtype, shape.hf32, m.Of(i / 4), n.Of(i / 2 % 2), k.Of(i % 2));
  }
}

double MatmulClock::Work::Busiest() const { return std::max({cube, mte1, mte2, fix}); }

MatmulClock::MatmulClock(const MatmulTiling& tiling, const MatmulShape& shape, const SocConfig& soc)
    : t_(tiling.data),
      split_(tiling.split),
      soc_(soc),
      costs_(tiling, shape, soc),
      task_{.m = {0, t_.singleCoreM}, .n = {0, t_.singleCoreN}, .k = {0, t_.singleCoreK}},
      blocks_k_(CeilDiv(task_.k.size(), int64_t{t_.baseK})),
      a_{.copies = t_.depthA1 / (t_.stepM * t_.stepKa), .step_k = t_.stepKa},
      b_{.copies = t_.depthB1 / (t_.stepN * t_.stepKb), .step_k = t_.stepKb} {
  a_.keep = blocks_k_ <= a_.step_k * a_.copies;
  b_.keep = blocks_k_ <= b_.step_k * b_.copies;
}

MatmulClock::Work MatmulClock::LeastWork() const {
  const Parts m = {task_.m.size(), t_.baseM};
  const Parts n = {task_.n.size(), t_.baseN};
  const Parts k = {task_.k.size(), t_.baseK};
  const Parts tile_m = {m.whole, m.step * t_.stepM};
  const Parts tile_n = {n.whole, n.step * t_.stepN};
  const Parts tile_ka = {k.whole, k.step * t_.stepKa};
  const Parts tile_kb = {k.whole, k.step * t_.stepKb};
  Work work;
  for (const Size x : {MatmulCosts::kWhole, MatmulCosts::kLast}) {
    for (const Size y : {MatmulCosts::kWhole, MatmulCosts::kLast}) {
      const auto of = [](int64_t count, const Cost& cost) { return static_cast<double>(count) * Busy(cost); };
      work.mte2 += of(tile_m.Count(x) * tile_ka.Count(y), costs_.BringA(x, y, false)) +
                   of(tile_n.Count(x) * tile_kb.Count(y), costs_.BringB(x, y, false));
      work.mte1 += of(m.Count(x) * k.Count(y) * (n.Count(Size(0)) + n.Count(Size(1))), costs_.LoadA(x, y)) +
                   of(n.Count(x) * k.Count(y) * (m.Count(Size(0)) + m.Count(Size(1))), costs_.LoadB(x, y));
      work.fix += of(m.Count(x) * n.Count(y), costs_.Write(x, y));
      for (const Size z : {MatmulCosts::kWhole, MatmulCosts::kLast}) {
        work.cube += of(m.Count(x) * n.Count(y) * k.Count(z), costs_.Product(x, y, z));
      }
    }
  }
  const auto tasks = static_cast<double>(CeilDiv(TasksOf(split_), split_.used_cores));
  for (double* const pipe : {&work.cube, &work.mte1, &work.mte2, &work.fix}) {
    *pipe *= tasks;
  }
  return work;
}

const MatmulClock::Tile* MatmulClock::Find(const Side& side, int64_t block_step, int64_t k_step) const {
  for (int64_t i = 0; i < side.held; ++i) {
    const Tile& tile = side.tiles[static_cast<size_t>(i)];
    if (tile.block_step == block_step && tile.k_step == k_step) {
      return &tile;
    }
  }
  return nullptr;
}

void MatmulClock::Bring(Side& side, int64_t block_step, int64_t k_step, const Cost& cost) {
  const double free = side.free[static_cast<size_t>(side.filled++ % side.copies)];
  mte2_ = std::max({mte2_, free, scalar_}) + Busy(cost);
  work_.mte2 += Busy(cost);
  side.tiles[static_cast<size_t>(side.held++)] = {block_step, k_step, Done(mte2_, cost)};
}

void MatmulClock::FreeOldest(Side& side) const {
  side.free[static_cast<size_t>(side.freed++ % side.copies)] = mte1_;
  side.tiles[0] = side.tiles[1];
  --side.held;
}

void MatmulClock::FreeStep(Side& side, int64_t block_step) const {
  while (side.held > 0 && side.tiles[0].block_step == block_step) {
    FreeOldest(side);
  }
}

// Where the other operand's first pass is over, others have had the tile.
const Cost& MatmulClock::CostOf(const Side& side, int64_t block_step, int64_t k_step,
                                const MatmulWalk& walk) const {
  const bool is_a = &side == &a_;
  const Size k = SizeAt(k_step, side.step_k * t_.baseK, task_.k.size());
  if (is_a) {
    return costs_.BringA(SizeAt(block_step, int64_t{t_.stepM} * t_.baseM, task_.m.size()), k, walk.n() > 0);
  }
  return costs_.BringB(SizeAt(block_step, int64_t{t_.stepN} * t_.baseN, task_.n.size()), k, walk.m() > 0);
}

double MatmulClock::Need(Side& side, int64_t block_step, int64_t k_step, const MatmulWalk& walk) {
  if (Find(side, block_step, k_step) == nullptr) {
    if (side.held == side.copies) {
      FreeOldest(side);
    }
    Bring(side, block_step, k_step, CostOf(side, block_step, k_step, walk));
  }
  return Find(side, block_step, k_step)->ready;
}

// The next tile along K, or the next block's first, into a free buffer.
void MatmulClock::BringNext(Side& side, int64_t k, int64_t step, int64_t next_step, const MatmulWalk* next,
                            const MatmulWalk& walk) {
  if (k % side.step_k != 0 || side.held == side.copies) {
    return;
  }
  const int64_t k_step = k / side.step_k + 1;
  if (k_step * side.step_k < blocks_k_) {
    if (Find(side, step, k_step) == nullptr) {
      Bring(side, step, k_step, CostOf(side, step, k_step, walk));
    }
  } else if (next != nullptr && !(side.keep && next_step == step) && Find(side, next_step, 0) == nullptr) {
    Bring(side, next_step, 0, CostOf(side, next_step, 0, *next));
  }
}

// One step of K: into L0, and multiplied.
void MatmulClock::Multiply(const MatmulWalk& walk, int64_t k, double tiles_ready) {
  const Size m = SizeAt(walk.m(), t_.baseM, task_.m.size());
  const Size n = SizeAt(walk.n(), t_.baseN, task_.n.size());
  const Size last = SizeAt(k, t_.baseK, task_.k.size());
  const Cost& load_a = costs_.LoadA(m, last);
  const Cost& load_b = costs_.LoadB(n, last);
  const Cost& product = costs_.Product(m, n, last);
  const bool twice = t_.dbL0A == 2 && t_.dbL0B == 2;
  double& l0_free = l0_free_[static_cast<size_t>(twice ? steps_ % 2 : 0)];
  const double begin = std::max({mte1_, tiles_ready, l0_free, scalar_});
  loads_begin_[static_cast<size_t>(steps_) % loads_begin_.size()] = begin;
  mte1_ = begin + Busy(load_a) + Busy(load_b);
  work_.mte1 += Busy(load_a) + Busy(load_b);
  double start = std::max(cube_, Done(mte1_, load_b));
  if (k == 0) {
    start = std::max(start, l0c_free_[static_cast<size_t>(blocks_ % t_.dbL0C)]);
  }
  cube_ = start + Busy(product);
  work_.cube += Busy(product);
  l0_free = Done(cube_, product);
  ++steps_;
}

void MatmulClock::Write(const MatmulWalk& walk) {
  const Size m = SizeAt(walk.m(), t_.baseM, task_.m.size());
  const Size n = SizeAt(walk.n(), t_.baseN, task_.n.size());
  const Cost& write = costs_.Write(m, n);
  fix_ = std::max(fix_, Done(cube_, costs_.Product(m, n, MatmulCosts::kWhole))) + Busy(write);
  work_.fix += Busy(write);
  zeros_ += Busy(costs_.WriteZeros(m, n));
  l0c_free_[static_cast<size_t>(blocks_++ % t_.dbL0C)] = fix_;
}

void MatmulClock::Block(const MatmulWalk& walk, const MatmulWalk* next) {
  const int64_t depth =
      std::clamp<int64_t>(soc_.queue_mte1 / kQueuedAStep, 1, static_cast<int64_t>(loads_begin_.size()));
  for (int64_t k = 0; k < blocks_k_; ++k) {
    scalar_ += static_cast<double>(kIssuedAStep * soc_.scalar_issue_cycles);
    if (steps_ >= depth) {  // the queue was full until then
      scalar_ = std::max(scalar_, loads_begin_[static_cast<size_t>(steps_ - depth) % loads_begin_.size()]);
    }
    const double ready =
        std::max(Need(a_, walk.m_step(), k / a_.step_k, walk), Need(b_, walk.n_step(), k / b_.step_k, walk));
    BringNext(a_, k, walk.m_step(), next == nullptr ? 0 : next->m_step(), next, walk);
    BringNext(b_, k, walk.n_step(), next == nullptr ? 0 : next->n_step(), next, walk);
    Multiply(walk, k, ready);
    for (Side* const side : {&a_, &b_}) {
      if (!side->keep && (k + 1 == blocks_k_ || (k + 1) % side->step_k == 0)) {
        FreeOldest(*side);
      }
    }
  }
  if (a_.keep && (next == nullptr || next->m_step() != walk.m_step())) {
    FreeStep(a_, walk.m_step());
  }
  if (b_.keep && (next == nullptr || next->n_step() != walk.n_step())) {
    FreeStep(b_, walk.n_step());
  }
  Write(walk);
}

double MatmulClock::Run() {
  constexpr int64_t kMostSteps = 2048;  // the pace of the second half of as many is taken for the rest's
  const int64_t tasks = CeilDiv(TasksOf(split_), split_.used_cores);
  const int64_t all = tasks * CeilDiv(task_.m.size(), int64_t{t_.baseM}) *
                      CeilDiv(task_.n.size(), int64_t{t_.baseN}) * blocks_k_;
  double half_time = 0;
  int64_t half_steps = 0;
  for (int64_t task = 0; task < tasks && steps_ < kMostSteps; ++task) {
    MatmulWalk walk(t_, task_);
    for (bool more = true; more && steps_ < kMostSteps;) {
      MatmulWalk next = walk;
      more = next.Next();
      Block(walk, more ? &next : nullptr);
      walk = next;
      if (half_steps == 0 && steps_ >= kMostSteps / 2 && steps_ < kMostSteps) {
        half_time = cube_;
        half_steps = steps_;
      }
    }
  }
  double cycles = fix_ + static_cast<double>(soc_.gm_write_latency_cycles);
  if (all > steps_) {
    const double part = static_cast<double>(all) / static_cast<double>(steps_);
    cycles +=
        static_cast<double>(all - steps_) * (cube_ - half_time) / static_cast<double>(steps_ - half_steps);
    for (double* const pipe : {&work_.cube, &work_.mte1, &work_.mte2, &work_.fix, &zeros_}) {
      *pipe *= part;
    }
  }
  if (split_.k_dim > 1) {  // C zeroed by parts, and all cores meet
    cycles += zeros_ / static_cast<double>(split_.k_dim) + static_cast<double>(soc_.cross_core_cycles);
  }
  return cycles;
}

}  // namespace tilesim
