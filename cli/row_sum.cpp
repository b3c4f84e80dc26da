#include "cli/row_sum.h"

#include <algorithm>
#include <utility>

#include "formats/error.h"

namespace tilesim {

std::optional<CaseResult> RowSum::EndBefore(std::string_view sequence) {
  if (sum_.kernels.empty() || sequence == sum_.id) {
    return std::nullopt;
  }
  CaseResult sum = std::exchange(sum_, {});
  const auto chosen = static_cast<int64_t>(sum.kernels.size());
  if (const int64_t rows = std::exchange(rows_, 0); rows > chosen) {
    timed_ = true;
    sum.total.reset();
    sum.message = Say("not summed: ", chosen, " of its ", rows, " rows ", chosen == 1 ? "is" : "are",
                      " here; its rows stand one behind the other, and --id takes all of them or none");
  } else if (!std::exchange(timed_, true)) {
    sum.total.reset();
    sum.message = "not summed: some of its rows have no time";
  } else if (measured_us_) {
    sum.error_us_percent = (sum.total->time_us / *measured_us_ - 1) * 100;
  }
  measured_us_.reset();
  return sum;
}

void RowSum::Add(std::string_view sequence, const Case* problem, const CaseResult& result) {
  if (sequence.empty()) {
    return;
  }
  CaseResult row;  // the numbers only
  row.id = result.id;
  sum_.id = sequence;
  sum_.op = "sequence";
  sum_.soc = result.soc.empty() ? sum_.soc : result.soc;  // a row that could not be read has none
  sum_.verdict = std::max(sum_.verdict, result.verdict);
  sum_.kernels.push_back(std::move(row));
  if (problem != nullptr) {
    measured_us_ = problem->measured_us ? problem->measured_us : measured_us_;
    rows_ = problem->sequence_rows;
  }
  if (!sum_.total) {
    sum_.total.emplace();
  }
  const std::optional<SequenceTotal> total = result.Total();
  sum_.total->Add(total.value_or(SequenceTotal{}));
  timed_ = timed_ && total.has_value();
}

}  // namespace tilesim
