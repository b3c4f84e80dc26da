#include "formats/walk.h"

#include <algorithm>
#include <vector>

#include "formats/error.h"

namespace tilesim {
namespace {

// A part of one axis: `outer.count` pieces of `inner.count` indices, even in both layouts.
struct AxisRun {
  int64_t src_base = 0;
  int64_t dst_base = 0;
  BoxDim outer;
  BoxDim inner;
};

// Where one axis of a layout starts: index 0 of the walk is index `shift` of the axis.
struct AxisView {
  const Layout& layout;
  int axis;
  int64_t shift;

  [[nodiscard]] int64_t Offset(int64_t index) const { return layout.AxisOffset(axis, index + shift); }
  [[nodiscard]] int64_t EvenRun(int64_t index) const { return layout.EvenRun(axis, index + shift); }
};

// The piece that starts at `start`: as long as both layouts are even, and not beyond `end`.
AxisRun PieceAt(const AxisView& src, const AxisView& dst, int64_t start, int64_t end) {
  AxisRun piece{.src_base = src.Offset(start), .dst_base = dst.Offset(start), .outer = {}, .inner = {}};
  piece.inner.count = std::min({end - start, src.EvenRun(start), dst.EvenRun(start)});
  if (piece.inner.count > 1) {
    piece.inner.src_stride = src.Offset(start + 1) - piece.src_base;
    piece.inner.dst_stride = dst.Offset(start + 1) - piece.dst_base;
  }
  return piece;
}

// Takes the next piece into the run when it is as long and lies where the run goes on.
bool Extend(AxisRun& run, const AxisRun& piece) {
  if (piece.inner.count != run.inner.count) {
    return false;
  }
  const int64_t src_step = piece.src_base - run.src_base;
  const int64_t dst_step = piece.dst_base - run.dst_base;
  if (run.outer.count == 1) {
    run.outer.src_stride = src_step;
    run.outer.dst_stride = dst_step;
  } else if (src_step != run.outer.count * run.outer.src_stride ||
             dst_step != run.outer.count * run.outer.dst_stride) {
    return false;
  }
  ++run.outer.count;
  return true;
}

// Indices [start, end) of one axis.
std::vector<AxisRun> RunsOf(const AxisView& src, const AxisView& dst, int64_t start, int64_t end) {
  std::vector<AxisRun> runs;
  for (int64_t index = start; index < end;) {
    const AxisRun piece = PieceAt(src, dst, index, end);
    index += piece.inner.count;
    if (runs.empty() || !Extend(runs.back(), piece)) {
      runs.push_back(piece);
    }
  }
  return runs;
}

// Every choice of one run an axis is a box.
void Combine(std::span<const std::vector<AxisRun>> axes, const Box& so_far,
             const std::function<void(const Box&)>& visit) {
  if (axes.empty()) {
    Box box = so_far;
    box.Simplify();
    visit(box);
    return;
  }
  for (const AxisRun& run : axes.front()) {
    Box box = so_far;
    box.src_base += run.src_base;
    box.dst_base += run.dst_base;
    box.Add(run.outer);
    box.Add(run.inner);
    Combine(axes.subspan(1), box, visit);
  }
}

}  // namespace

void Box::Add(BoxDim dim) {
  if (dim.count > 1) {
    dims_.at(static_cast<size_t>(rank_++)) = dim;
  }
}

void Box::Simplify() {
  const auto longer = [](const BoxDim& a, const BoxDim& b) {
    return a.dst_stride != b.dst_stride ? a.dst_stride > b.dst_stride : a.src_stride > b.src_stride;
  };
  std::sort(dims_.begin(), dims_.begin() + rank_, longer);
  int kept = 0;
  for (int i = 1; i < rank_; ++i) {
    BoxDim& outer = dims_[static_cast<size_t>(kept)];
    const BoxDim inner = dims_[static_cast<size_t>(i)];
    if (outer.src_stride == inner.count * inner.src_stride &&
        outer.dst_stride == inner.count * inner.dst_stride) {
      outer = {
          .count = outer.count * inner.count, .src_stride = inner.src_stride, .dst_stride = inner.dst_stride};
    } else {
      dims_[static_cast<size_t>(++kept)] = inner;
    }
  }
  rank_ = rank_ == 0 ? 0 : kept + 1;
}

void ForEachBox(const Layout& src, const Layout& dst, const std::function<void(const Box&)>& visit) {
  RequireUser(src.extents() == dst.extents() && Axes(src.format()) == Axes(dst.format()), "cannot convert ",
              src.Text(), " to ", dst.Text(), ": axes and extents must be the same");
  if (src.StorageElements() == 0) {
    return;
  }
  const int64_t groups = std::max(src.PlacedGroups(), dst.PlacedGroups());
  for (const Layout* layout : {&src, &dst}) {
    RequireUser(layout->PlacedGroups() == groups || IsPlain(layout->format()), "cannot convert ", src.Text(),
                " to ", dst.Text(), ": groups must be the same");
  }
  const int rank = src.rank();
  std::vector<std::vector<AxisRun>> axes(static_cast<size_t>(rank));
  for (int axis = 2; axis < rank; ++axis) {
    axes[static_cast<size_t>(axis)] =
        RunsOf({src, axis, 0}, {dst, axis, 0}, 0, src.extents()[static_cast<size_t>(axis)]);
  }
  const int64_t per_group = src.extents()[0] / groups;
  for (int64_t group = 0; group < groups; ++group) {
    const Layout::GroupPlace in_src = src.PlaceOfGroup(src.PlacedGroups() == 1 ? 0 : group);
    const Layout::GroupPlace in_dst = dst.PlaceOfGroup(dst.PlacedGroups() == 1 ? 0 : group);
    axes[0] =
        RunsOf({src, 0, in_src.shift0}, {dst, 0, in_dst.shift0}, group * per_group, (group + 1) * per_group);
    if (rank > 1) {
      axes[1] = RunsOf({src, 1, in_src.shift1}, {dst, 1, in_dst.shift1}, 0, src.extents()[1]);
    }
    Box box;
    box.src_base = in_src.base;
    box.dst_base = in_dst.base;
    Combine(axes, box, visit);
  }
}

}  // namespace tilesim
