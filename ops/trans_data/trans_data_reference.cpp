// Written from the published definitions of the formats; asks nothing of formats/layout.h but names.
#include "ops/trans_data/trans_data_reference.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace tilesim {
namespace {

struct Place {
  int64_t a = 0;  // n or o
  int64_t b = 0;  // c or i
  int64_t d = 0;
  int64_t h = 0;
  int64_t w = 0;
};

int64_t UpTo(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

class Places {
 public:
  explicit Places(const TransDataProblem& problem) : p_(problem), e_(problem.extents) {
    const int64_t out = e_[0] / p_.groups;
    const int64_t in = e_[1];
    merged_ = std::min<int64_t>(std::lcm(std::lcm<int64_t>(in, p_.c0) / in, std::lcm<int64_t>(out, 16) / out),
                                p_.groups);
  }

  [[nodiscard]] int64_t InPlain(const Place& at) const {
    const Format plain = p_.FromPlain() ? p_.from : p_.to;
    const int64_t space = (at.d * e_[3] + at.h) * e_[4] + at.w;
    const int64_t all_space = e_[2] * e_[3] * e_[4];
    switch (plain) {
      case Format::kNDHWC:
      case Format::kNHWC:
        return (at.a * all_space + space) * e_[1] + at.b;
      case Format::kDHWIO:
      case Format::kHWIO:
        return (space * e_[1] + at.b) * e_[0] + at.a;
      default:
        return (at.a * e_[1] + at.b) * all_space + space;
    }
  }
  [[nodiscard]] int64_t InBlocks(const Place& at) const {
    if (!p_.IsFilter()) {
      const int64_t c1 = UpTo(e_[1], p_.c0) / p_.c0;
      return ((((at.a * e_[2] + at.d) * c1 + at.b / p_.c0) * e_[3] + at.h) * e_[4] + at.w) * p_.c0 +
             at.b % p_.c0;
    }
    const int64_t of_group = e_[0] / p_.groups;
    const int64_t group = at.a / of_group;
    const int64_t o = group % merged_ * of_group + at.a % of_group;
    const int64_t i = group % merged_ * e_[1] + at.b;
    const int64_t i1 = UpTo(merged_ * e_[1], p_.c0) / p_.c0;
    const int64_t rows = UpTo(merged_ * of_group, 16);
    const int64_t fractals =
        (((group / merged_ * e_[2] + at.d) * i1 + i / p_.c0) * e_[3] + at.h) * e_[4] + at.w;
    return (fractals * rows + o) * p_.c0 + i % p_.c0;
  }

 private:
  const TransDataProblem& p_;
  const AxisExtents& e_;
  int64_t merged_ = 1;  // groups that share a block
};

}  // namespace

std::vector<double> ReferenceTransData(const TransDataProblem& problem, const Tensor& x) {
  const Places places(problem);
  const AxisExtents& e = problem.extents;
  return VisitDType(problem.dtype, [&]<class T>(TypeTag<T>) {
    const std::span<const T> from = x.As<T>();
    const int64_t results =
        (problem.FromPlain() ? problem.BlockedTensor() : problem.PlainTensor()).StorageElements();
    std::vector<double> to(static_cast<size_t>(results));
    size_t canonical = 0;
    for (Place at; at.a < e[0]; ++at.a) {
      for (at.b = 0; at.b < e[1]; ++at.b) {
        for (at.d = 0; at.d < e[2]; ++at.d) {
          for (at.h = 0; at.h < e[3]; ++at.h) {
            for (at.w = 0; at.w < e[4]; ++at.w) {
              const auto plain = static_cast<size_t>(places.InPlain(at));
              const auto blocked = static_cast<size_t>(places.InBlocks(at));
              to[problem.FromPlain() ? blocked : canonical] =
                  static_cast<double>(from[problem.FromPlain() ? plain : blocked]);
              ++canonical;
            }
          }
        }
      }
    }
    return to;
  });
}

}  // namespace tilesim
