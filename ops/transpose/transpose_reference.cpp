#include "ops/transpose/transpose_reference.h"

#include <span>

namespace tilesim {

template <class V>
std::vector<V> ReferenceTranspose(const TransposeProblem& problem, const Tensor& x) {
  const size_t rank = problem.extents.rank();
  std::vector<int64_t> step(rank);  // of x, for each axis of y
  std::vector<int64_t> extent(rank);
  for (size_t k = 0; k < rank; ++k) {
    const auto axis = static_cast<size_t>(problem.perm[k]);
    extent[k] = problem.extents[axis];
    step[k] = 1;
    for (size_t inner = axis + 1; inner < rank; ++inner) {
      step[k] *= problem.extents[inner];
    }
  }
  return VisitDType(problem.dtype, [&]<class T>(TypeTag<T>) {
    const std::span<const T> elements = x.As<T>();
    std::vector<V> y(elements.size());
    std::vector<int64_t> at(rank);
    int64_t from = 0;
    for (V& value : y) {
      value = static_cast<V>(elements[static_cast<size_t>(from)]);
      for (size_t k = rank; k-- > 0;) {  // the next coordinate of y
        from += step[k];
        if (++at[k] < extent[k]) {
          break;
        }
        from -= extent[k] * step[k];
        at[k] = 0;
      }
    }
    return y;
  });
}

template std::vector<double> ReferenceTranspose(const TransposeProblem& problem, const Tensor& x);
template std::vector<int64_t> ReferenceTranspose(const TransposeProblem& problem, const Tensor& x);

}  // namespace tilesim
