#pragma once

#include <cstdint>

#include "formats/dtype.h"
#include "formats/layout.h"
#include "ops/cases/axis_extents.h"
#include "ops/cases/case_cells.h"

namespace tilesim {

// A tensor from one format to another: features between NCDHW or NDHWC and NDC1HWC0, filters between OIDHW or
// DHWIO and FRACTAL_Z_3D, and the same in 2D. One of the two formats is plain, the other blocked.
struct TransDataProblem {
  DType dtype = DType::kFp16;
  Format from = Format::kNCDHW;
  Format to = Format::kNDC1HWC0;
  // Logical, in canonical order: (n,c,d,h,w), or (o,i,d,h,w) with i input channels of each group.
  AxisExtents extents = {1, 1, 1, 1, 1};
  int c0 = 16;
  int groups = 1;

  [[nodiscard]] bool IsFilter() const { return Axes(from)[0] == 'o'; }
  [[nodiscard]] bool FromPlain() const { return IsPlain(from); }
  // The formats with three spatial axes that from and to stand for.
  [[nodiscard]] Layout PlainLayout3d() const;
  [[nodiscard]] Layout BlockedLayout3d() const;
  // As the user gives and gets them: a plain tensor in its format, a blocked one by its storage, row-major,
  // of that format's StorageShape().
  [[nodiscard]] Layout PlainTensor() const;
  [[nodiscard]] Layout BlockedTensor() const;
};

// From the cells of a case. Throws RefusedInput with the column at fault.
TransDataProblem ReadTransDataProblem(const CaseCells& cells);

}  // namespace tilesim
