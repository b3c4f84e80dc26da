#include "ops/cases/case_cells.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "formats/error.h"
#include "formats/nearest_name.h"

namespace tilesim {
namespace {

template <class Number>
bool Parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string JoinedNames(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    text += Say(text.empty() ? "" : ", ", name);
  }
  return text;
}

void CellReader::Refuse(std::string_view column, std::string allowed, std::string mend) const {
  throw RefusedInput({std::string(column), Text(column, ""), std::move(allowed), std::move(mend)});
}

std::string CellReader::Text(std::string_view column, std::string_view otherwise) const {
  const auto cell = cells_.find(column);
  return cell == cells_.end() ? std::string(otherwise) : cell->second;
}

int64_t CellReader::Whole(std::string_view column, int64_t otherwise, int64_t least, int64_t most,
                          std::string_view default_says) const {
  if (!Has(column)) {
    return otherwise;
  }
  int64_t value = 0;
  if (!Parse(Text(column, ""), value) || value < least || value > most) {
    Refuse(
        column,
        most == INT64_MAX && least > INT64_MIN ? Say("must be a whole number, at least ", least)
                                               : Say("must be a whole number of ", least, " to ", most),
        Say("the default is ", default_says.empty() ? std::to_string(otherwise) : std::string(default_says)));
  }
  return value;
}

double CellReader::Number(std::string_view column, double otherwise) const {
  if (!Has(column)) {
    return otherwise;
  }
  double value = 0;
  if (!Parse(Text(column, ""), value) || !std::isfinite(value)) {
    Refuse(column, "must be a finite number", "write it with digits and a decimal point");
  }
  return value;
}

std::vector<int64_t> CellReader::List(std::string_view column, std::span<const size_t> counts,
                                      std::string_view example) const {
  const std::string text = Text(column, "");
  std::string counts_text;
  if (counts.size() > 2 && counts.back() - counts.front() + 1 == counts.size()) {
    counts_text = Say(counts.front(), " to ", counts.back());
  } else {
    for (const size_t count : counts) {
      counts_text += Say(counts_text.empty() ? "" : " or ", count);
    }
  }
  const std::string allowed = counts_text == "1" ? "must be a whole number"
                                                 : Say("must be ", counts_text, " whole numbers joined by x");
  const std::string mend = Say("for example ", example);
  std::vector<int64_t> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('x', begin), text.size());
    int64_t number = 0;
    if (!Parse(std::string_view(text).substr(begin, end - begin), number)) {
      Refuse(column, allowed, mend);
    }
    if (number > INT32_MAX || number < -INT32_MAX) {
      Refuse(column, Say("each number must be at most ", INT32_MAX), mend);
    }
    numbers.push_back(number);
    begin = end + 1;
  }
  if (std::ranges::find(counts, numbers.size()) == counts.end()) {
    Refuse(column, Say(allowed, ", found ", numbers.size()), mend);
  }
  return numbers;
}

std::string CellReader::Choice(std::string_view column, std::span<const std::string_view> names,
                               std::string_view default_says) const {
  std::string text = Text(column, names.front());
  if (std::ranges::find(names, text) == names.end()) {
    Refuse(
        column, Say("must be one of ", JoinedNames(names)),
        Say(DidYouMean(text, names), "the default is ", default_says.empty() ? names.front() : default_says));
  }
  return text;
}

}  // namespace tilesim
