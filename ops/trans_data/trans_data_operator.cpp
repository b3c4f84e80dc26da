#include "ops/trans_data/trans_data_operator.h"

#include "formats/units.h"
#include "ops/harness/device_tensor.h"
#include "ops/rearrange/shape_builder.h"
#include "ops/trans_data/trans_data_reference.h"

namespace tilesim {
namespace {

using Role = ShapeBuilder::Role;

// Adds digits by their strides on the plain and on the blocked side.
class Sides {
 public:
  Sides(const TransDataProblem& problem, ShapeBuilder& builder)
      : plain_(problem.PlainLayout3d()),
        blocked_(problem.BlockedLayout3d()),
        from_plain_(problem.FromPlain()),
        builder_(builder) {}

  [[nodiscard]] const Layout& plain() const { return plain_; }
  [[nodiscard]] const Layout& blocked() const { return blocked_; }
  void Add(int64_t extent, int64_t plain_stride, int64_t blocked_stride, Role role) {
    builder_.Add({.extent = extent,
                  .src_stride = from_plain_ ? plain_stride : blocked_stride,
                  .dst_stride = from_plain_ ? blocked_stride : plain_stride},
                 role);
  }
  void AddAxis(int axis) {
    Add(plain_.extents()[static_cast<size_t>(axis)], plain_.AxisOffset(axis, 1), blocked_.AxisOffset(axis, 1),
        Role::kPlain);
  }
  // Axis 1 of `channels` channels as two digits.
  void AddChannels(int64_t channels) {
    const int64_t c0 = blocked_.c0();
    const int64_t step = plain_.AxisOffset(1, 1);
    Add(CeilDiv(channels, c0), c0 * step, blocked_.AxisOffset(1, c0), Role::kOuterChannel);
    Add(c0, step, blocked_.AxisOffset(1, 1), Role::kInnerChannel);
  }

 private:
  const Layout plain_;
  const Layout blocked_;
  const bool from_plain_;
  ShapeBuilder& builder_;
};

// Groups that share a block: the first that begins another one.
int64_t MergedGroups(const Layout& blocked) {
  int64_t group = 1;
  while (group < blocked.groups() && blocked.PlaceOfGroup(group).base == 0) {
    ++group;
  }
  return group;
}

void AddFilter(const TransDataProblem& problem, Sides& sides, RearrangeShape& shape) {
  const int64_t groups = problem.groups;
  const int64_t outputs = problem.extents[0] / groups;
  const int64_t inputs = problem.extents[1];
  const int64_t merged = MergedGroups(sides.blocked());
  const int64_t o_plain = sides.plain().AxisOffset(0, 1);
  const int64_t o_blocked = sides.blocked().AxisOffset(0, 1);
  const int64_t of_block = sides.blocked().StorageElements() / CeilDiv(groups, merged);
  const int64_t stored = AlignUp(merged * outputs, kFractalEdge);
  shape.window = inputs;
  shape.long_window = outputs;
  shape.long_stored = stored;
  shape.groups = groups;
  if (merged == 1) {
    sides.Add(groups, outputs * o_plain, of_block, Role::kPlain);
    sides.Add(stored, o_plain, o_blocked, Role::kLong);
  } else {
    const int64_t members = CeilDiv(stored, outputs);  // more than merged where only padding is left
    sides.Add(CeilDiv(groups, merged), merged * outputs * o_plain, of_block, Role::kBlock);
    sides.Add(members, outputs * o_plain, outputs * o_blocked, Role::kMember);
    sides.Add(outputs, o_plain, o_blocked, Role::kLong);
  }
  sides.AddChannels(merged * inputs);
  if (merged > 1 &&
      sides.plain().AxisOffset(1, 1) == 1) {  // 1 x 1 x 1: a member's channels do not begin a data block
    sides.Add(1, 1, 0, Role::kInnermost);
  }
}

}  // namespace

RearrangeShape ShapeOf(const TransDataProblem& problem) {
  RearrangeShape shape;
  shape.element_bytes = static_cast<int64_t>(SizeOf(problem.dtype));
  shape.src_is_plain = problem.FromPlain();
  ShapeBuilder builder;
  Sides sides(problem, builder);
  if (problem.IsFilter()) {
    AddFilter(problem, sides, shape);
  } else {
    shape.window = problem.extents[1];
    sides.AddAxis(0);
    sides.AddChannels(problem.extents[1]);
  }
  for (int axis = 2; axis < 5; ++axis) {
    sides.AddAxis(axis);
  }
  return builder.Build(shape);
}

TransDataOperator::TransDataOperator(const TransDataProblem& problem)
    : RearrangeOperator(
          {"x", problem.dtype, problem.FromPlain() ? problem.PlainTensor() : problem.BlockedTensor(),
           problem.FromPlain() ? With3Axes(problem.PlainTensor()) : problem.BlockedTensor()},
          {"y", problem.dtype, problem.FromPlain() ? problem.BlockedTensor() : problem.PlainTensor(),
           problem.FromPlain() ? problem.BlockedTensor() : With3Axes(problem.PlainTensor())},
          ShapeOf(problem)),
      problem_(problem) {}

std::vector<Truth> TransDataOperator::Reference(std::span<const Tensor> inputs, int /*threads*/) const {
  std::vector<Truth> truths(1);
  truths[0].values = ReferenceTransData(problem_, inputs[0]);
  return truths;
}

}  // namespace tilesim
