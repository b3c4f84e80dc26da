#ifndef TILESIM_FORMATS_COMPARE_H_
#define TILESIM_FORMATS_COMPARE_H_

// How far a computed tensor is from what is expected, and whether that is within what honest fp32 addition
// may do. Knows no operator: the caller says how large the sums were.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/tensor.h"

namespace tilesim {

// Which error is allowed of a result r whose expected value is e and whose sum of absolute products is A.
// With u = 2^-24 and K products an element:
//   fp32        |r - e| <= u (|e| + c A) + K 2^-150
//   fp16, bf16  the same about e rounded to the type, plus one ulp of that
// The last term is underflow: below 2^-126 the values of fp32 are 2^-149 apart, so that rounding a product
// there may be off by half of that, 2^-150, however small the product. Sums add nothing to it: both of their
// terms are multiples of 2^-149, and so is a sum below 2^-126, which is exact. Of fp16 and bf16 results an
// ulp of a subnormal is that of the least normal value, 2^-24 and 2^-133: their underflow is in the ulp.
// c = 4 + 4 sqrt(K) for any order of fp32 additions; the least of that and 32 + sqrt(K)/4 for sums made of
// blocks (the cube's k, or parts by several cores). Measured sums use at most 71 % and 48 % of it. Every
// element must pass. A NaN is right only where a NaN is expected, an infinity where the same infinity is: an
// expected NaN or infinity allows nothing else. Where e is finite but beyond the type, or close to it, an
// infinity counts as the first power of two that the type does not reach; under kExact as nothing but itself.
enum class Rule {
  kExact,     // r equals e rounded to the type (0 equals -0, NaN equals NaN): integer data, pooling
  kAnyOrder,  // an fp32 chain in any order
  kBlocked,   // blocks summed, then the sums
};

// What e becomes when it is rounded to fp16 or bf16 (the hardware's two modes). fp32 results are always
// kIeee.
enum class Overflow {
  kIeee,      // infinities and NaN are kept
  kSaturate,  // beyond the largest finite value: that value; NaN: 0
};

// One element that is, or could have been, wrong.
struct Mismatch {
  std::vector<int64_t> coord;  // logical, canonical order
  double result = 0;
  double expected = 0;  // rounded to the type as the rule says
  double error = 0;     // |result - expected|; infinite where NaN or an infinity is wrong
  double bound = 0;     // the largest error allowed here
  // Of a whole type: nothing is allowed, and these are the values in full.
  struct Whole {
    int64_t result = 0;
    int64_t expected = 0;
  };
  std::optional<Whole> whole;
};

struct Comparison {
  bool equal = true;       // mismatches == 0
  int64_t elements = 0;    // compared
  int64_t mismatches = 0;  // elements beyond their bound
  double mere = 0;         // mean of |r - e| / (|e| + 1e-7)
  double mare = 0;         // largest of the same
  int64_t max_ulp = 0;     // most steps of the type between r and e; INT64_MAX where only one of them is NaN
  double max_error_over_bound = 0;  // infinite where the bound is 0 and the error is not
  std::optional<Mismatch> first;    // first mismatch in canonical order
  std::optional<Mismatch> worst;    // mismatch with the largest error / bound, the first of equals
};

// The bound's factor c. products is at least 0.
double BoundFactor(Rule rule, double products);

// result: any layout and type. expected, absdot: one double a logical element in canonical order; absdot may
// be empty when the rule is kExact. products: the largest number of products of an element. For whole types
// every rule is kExact. Throws std::logic_error when a span has another length.
Comparison Compare(const Tensor& result, std::span<const double> expected, std::span<const double> absdot,
                   double products, Rule rule, Overflow overflow = Overflow::kIeee);
// The same of an int64 result, of whose values doubles hold only some.
Comparison Compare(const Tensor& result, std::span<const int64_t> expected);

// "(n=0, c=3, d=0, h=7, w=1): found 1.5, expected 1.25, error 0.25, allowed 1e-06"; of whole values
// "(m=0, n=1): found 1208901, expected 1208900".
std::string Text(const Mismatch& mismatch, const Layout& layout);

}  // namespace tilesim

#endif  // TILESIM_FORMATS_COMPARE_H_
