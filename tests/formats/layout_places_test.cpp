// Where the formats put single elements, worked out by hand from their published formulas.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "formats/layout.h"

namespace tilesim {
namespace {

struct KnownPlace {
  Format format;
  std::vector<int64_t> extents;
  int c0;
  int groups;
  std::vector<int64_t> coord;
  int64_t offset;
};

const KnownPlace kKnownPlaces[] = {
    // (((1*3 + 0)*4 + 2)*5 + 3)*6 + 4
    {Format::kNCDHW, {2, 3, 4, 5, 6}, 0, 1, {1, 0, 2, 3, 4}, 442},
    // (((1*4 + 2)*5 + 3)*6 + 4)*3 + 0
    {Format::kNDHWC, {2, 3, 4, 5, 6}, 0, 1, {1, 0, 2, 3, 4}, 606},
    // ((1*3 + 2)*5 + 3)*6 + 4
    {Format::kNCHW, {2, 3, 5, 6}, 0, 1, {1, 2, 3, 4}, 172},
    // ((1*5 + 3)*6 + 4)*3 + 2
    {Format::kNHWC, {2, 3, 5, 6}, 0, 1, {1, 2, 3, 4}, 158},
    // (((3*3 + 1)*2 + 1)*5 + 2)*6 + 3
    {Format::kOIDHW, {4, 3, 2, 5, 6}, 0, 1, {3, 1, 1, 2, 3}, 645},
    // groups change nothing where no channel is split
    {Format::kOIDHW, {4, 3, 2, 5, 6}, 0, 2, {3, 1, 1, 2, 3}, 645},
    // (((1*5 + 2)*6 + 3)*3 + 1)*4 + 3
    {Format::kDHWIO, {4, 3, 2, 5, 6}, 0, 1, {3, 1, 1, 2, 3}, 547},
    {Format::kDHWIO, {4, 3, 2, 5, 6}, 0, 4, {3, 1, 1, 2, 3}, 547},
    // ((1*3 + 2)*5 + 4)*7 + 6, and the same of six axes: (((that)*2 + 1)*3 + 2
    {Format::kND, {2, 3, 5, 7}, 0, 1, {1, 2, 4, 6}, 209},
    {Format::kND, {2, 3, 5, 7, 2, 3}, 0, 1, {1, 2, 4, 6, 1, 2}, 1259},
    // ((3*3 + 1)*5 + 2)*6 + 3
    {Format::kOIHW, {4, 3, 5, 6}, 0, 1, {3, 1, 2, 3}, 315},
    // ((2*6 + 3)*3 + 1)*4 + 3
    {Format::kHWIO, {4, 3, 5, 6}, 0, 1, {3, 1, 2, 3}, 187},
    // C1 = 3: ((((1*3 + 2)*3 + 2)*4 + 3)*5 + 4)*16 + 1
    {Format::kNDC1HWC0, {2, 35, 3, 4, 5}, 16, 1, {1, 33, 2, 3, 4}, 5745},
    // C1 = 5: ((((1*3 + 2)*5 + 4)*4 + 3)*5 + 4)*8 + 1
    {Format::kNDC1HWC0, {2, 35, 3, 4, 5}, 8, 1, {1, 33, 2, 3, 4}, 4793},
    // ((((1*3 + 2)*4 + 3)*5 + 4)*16 + 1
    {Format::kNC1HWC0, {2, 35, 4, 5}, 16, 1, {1, 33, 3, 4}, 1905},
    // C1 = 2, N1 = 3: (((((1*2 + 1)*3 + 2)*3 + 0)*3 + 2)*16 + 1)*16 + 1
    {Format::kFractalZ3D, {35, 20, 2, 3, 3}, 16, 1, {33, 17, 1, 2, 0}, 25873},
    // C1 = 3: (((((1*3 + 2)*3 + 2)*3 + 0)*3 + 2)*16 + 1)*8 + 1
    {Format::kFractalZ3D, {35, 20, 2, 3, 3}, 8, 1, {33, 17, 1, 2, 0}, 19849},
    // cin_g 5, cout_g 4: f0 16, f1 4, E = min(16, 3) = 3, cin1G 1, coutG 16. o 9 is group 2, co 1: e 2, CI
    // 13, CO 9:
    // ((((0*2 + 1)*1 + 0)*1 + 0)*2 + 1)*16 + 9)*16 + 13
    {Format::kFractalZ3D, {12, 5, 2, 1, 2}, 16, 3, {9, 3, 1, 0, 1}, 925},
    // cin_g 8, cout_g 24: f0 2, f1 2, E 2, realG 3, cin1G 1, coutG 48. o 77 is group 3, co 5: e 1, CI 14, CO
    // 29:
    // (((((1*2 + 1)*1 + 0)*3 + 2)*2 + 1)*48 + 29)*16 + 14
    {Format::kFractalZ3D, {120, 8, 2, 3, 2}, 16, 5, {77, 6, 1, 2, 1}, 18142},
    // cin_g 16, cout_g 32: nothing to merge, E 1, realG 3, coutG 32. o 70 is group 2, CO 6: ((2*2 + 1)*32 +
    // 6)*16 + 9
    {Format::kFractalZ3D, {96, 16, 1, 1, 2}, 16, 3, {70, 9, 0, 0, 1}, 2665},
    // depthwise of 32: E 16, realG 2. Group 21: second block, e = CI = CO = 5: (((1*3 + 1)*3 + 2)*16 + 5)*16
    // + 5
    {Format::kFractalZ3D, {32, 1, 1, 3, 3}, 16, 32, {21, 0, 0, 1, 2}, 3669},
    // (((1*3 + 2)*3 + 0)*3 + 2)*16 + 1)*16 + 1
    {Format::kFractalZ, {35, 20, 3, 3}, 16, 1, {33, 17, 2, 0}, 12049},
    {Format::kFractalZ, {32, 1, 3, 3}, 16, 32, {21, 0, 1, 2}, 3669},
    // 3*7 + 4
    {Format::kND, {5, 7}, 0, 1, {3, 4}, 25},
    // M1 = 3: ((1*3 + 2)*16 + 1)*16 + 5
    {Format::kFractalNZ, {35, 40}, 16, 1, {33, 21}, 1301},
    // ((2*3 + 2)*16 + 1)*8 + 5
    {Format::kFractalNZ, {35, 40}, 8, 1, {33, 21}, 1037},
    // K1 = 3: (2*3 + 1)*16*16 + 1*16 + 5
    {Format::kZZ, {35, 40}, 16, 1, {33, 21}, 1813},
    // K1 = 5: (2*5 + 2)*16*8 + 1*8 + 5
    {Format::kZZ, {35, 40}, 8, 1, {33, 21}, 1549},
    // K x N, N1 = 3: (1*3 + 2)*16*16 + 1*16 + 5
    {Format::kNZ, {40, 35}, 16, 1, {21, 33}, 1301},
    // (2*3 + 2)*16*8 + 1*8 + 5
    {Format::kNZ, {40, 35}, 8, 1, {21, 33}, 1037},
};

TEST(Layout, PutsElementsWhereTheFormulasSay) {
  for (const KnownPlace& place : kKnownPlaces) {
    const Layout layout(place.format, place.extents, place.c0, place.groups);
    EXPECT_EQ(layout.Offset(place.coord), place.offset)
        << layout.Text() << " at " << layout.CoordText(place.coord);
  }
}

TEST(Layout, EveryFormatHasAKnownPlace) {
  std::set<Format> known;
  for (const KnownPlace& place : kKnownPlaces) {
    known.insert(place.format);
  }
  EXPECT_EQ(known.size(), static_cast<size_t>(kNumFormats));
}

}  // namespace
}  // namespace tilesim
