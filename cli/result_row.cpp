#include "cli/result_row.h"

#include <string>
#include <string_view>
#include <utility>

#include "formats/error.h"

namespace tilesim {
namespace {

using In = ReportColumn::In;

constexpr ReportColumn kResultColumns[] = {
    {"id"},
    {"op"},
    {"dtype", 5},
    {"soc"},
    {"cores", 5},
    {"cycles", 9},
    {"time_us", 8},
    {"lower_bound_us"},
    {"efficiency", 6, "effic"},
    {"bound_by", 8},
    {"launch_bound_us"},
    {"cube_bound_us"},
    {"gm_read_bound_us"},
    {"gm_write_bound_us"},
    {"mac_ratio"},
    {"mte1_ratio"},
    {"mte2_ratio"},
    {"mte3_ratio"},
    {"fixpipe_ratio"},
    {"vec_ratio"},
    {"scalar_ratio"},
    {"gm_read_bytes"},
    {"gm_write_bytes"},
    {"l2_hit_ratio"},
    {"hazards", 7},
    {"verdict", 9},
    {"mere"},
    {"mare"},
    {"max_error_over_bound"},
    {"host_ms", 7},
    {"error_us_percent"},           // with measured_us, of a whole call
    {"kernel", 0, {}, In::kTable},  // of a call of several; else nowhere
    {"planner"},
    {"message", ReportColumn::kMessage},
    {"nan_from_padding", 0, {}, In::kJson},
    {"time_basis", 0, {}, In::kJson},
    {"faults", 0, {}, In::kJson},
    {"notices", 0, {}, In::kJson}};

// Fills cells by the names of their columns.
class RowWriter {
 public:
  void Set(std::string_view name, ReportCell cell) {
    for (size_t i = 0; i < std::size(kResultColumns); ++i) {
      if (kResultColumns[i].name == name) {
        row_[i] = std::move(cell);
      }
    }
  }
  ReportRow Take() { return std::move(row_); }

 private:
  ReportRow row_ = ReportRow(std::size(kResultColumns));
};

void SetTimes(const CaseResult& result, RowWriter& row) {
  const LaunchSummary& summary = *result.summary;
  row.Set("cycles", result.launch->cycles);
  row.Set("time_us", result.launch->time_us);
  if (result.lower_bound) {
    row.Set("lower_bound_us", result.lower_bound->time_us);
    row.Set("efficiency", result.lower_bound->time_us / result.launch->time_us);
  }
  // Of a user's kernel nobody knows what it has to do at least, only what it did.
  const LowerBound& bounds = result.lower_bound ? *result.lower_bound : summary.lower_bound;
  row.Set("bound_by", std::string(Name(bounds.by)));
  for (const Bound bound : {Bound::kLaunch, Bound::kCube, Bound::kGmRead, Bound::kGmWrite}) {
    row.Set(Say(Name(bound), "_bound_us"), bounds.part(bound));
  }
  row.Set("mac_ratio", summary.ratio(Pipe::kM));
  row.Set("mte1_ratio", summary.ratio(Pipe::kMte1));
  row.Set("mte2_ratio", summary.ratio(Pipe::kMte2));
  row.Set("mte3_ratio", summary.ratio(Pipe::kMte3));
  row.Set("fixpipe_ratio", summary.ratio(Pipe::kFix));
  row.Set("vec_ratio", summary.ratio(Pipe::kV));
  row.Set("scalar_ratio", summary.ratio(Pipe::kS));
  row.Set("gm_read_bytes", summary.gm_read_bytes);
  row.Set("gm_write_bytes", summary.gm_write_bytes);
  row.Set("l2_hit_ratio", summary.l2_hit_ratio);
  row.Set("time_basis", summary.basis.Text());
}

}  // namespace

std::vector<ReportColumn> ResultColumns(const ResultTable& table) {
  std::vector<ReportColumn> columns(std::begin(kResultColumns), std::end(kResultColumns));
  for (ReportColumn& column : columns) {
    if (column.name == "id") {
      column.table_width = table.id_width;
    } else if (column.name == "op" && table.op) {
      column.table_width = 22;
    } else if (column.name == "soc" && table.soc) {
      column.table_width = 11;
    } else if (column.name == "mac_ratio" && table.cube) {
      column.table_width = 6;
      column.table_name = "mac";
    } else if (column.name == "vec_ratio" && table.vector) {
      column.table_width = 6;
      column.table_name = "vec";
    } else if (column.name == "kernel" && table.sequence) {
      column.table_width = 22;
      column.in = In::kAll;
    } else if (column.name == "error_us_percent" && table.sequence) {
      column.table_width = 7;
      column.table_name = "error_%";
    } else if (column.name == "planner" && table.knowledge) {
      column.table_width = 7;
    } else if (column.name == "max_error_over_bound" && table.comparison) {
      column.table_width = 9;
      column.table_name = "err/bound";
    }
  }
  return columns;
}

ReportRow ToRow(const CaseResult& result) {
  RowWriter row;
  row.Set("id", result.id);
  row.Set("op", result.op);
  row.Set("dtype", result.dtype);
  row.Set("soc", result.soc);
  if (result.plan) {
    row.Set("planner", result.plan->planner);
  }
  if (const std::optional<int64_t> cores = result.UsedCores()) {
    row.Set("cores", *cores);
  }
  if (result.launch && result.hazards_checked) {
    row.Set("hazards", result.Hazards());
  }
  if (result.launch) {
    row.Set("host_ms", result.launch->host_ms);
  }
  if (result.total) {
    row.Set("cycles", result.total->cycles);
    row.Set("time_us", result.total->time_us);
    row.Set("lower_bound_us", result.total->lower_bound_us);
    row.Set("efficiency", result.total->lower_bound_us / result.total->time_us);
    row.Set("gm_read_bytes", result.total->gm_read_bytes);
    row.Set("gm_write_bytes", result.total->gm_write_bytes);
    row.Set("host_ms", result.total->host_ms);
  } else if (result.summary && result.kernels.empty()) {
    SetTimes(result, row);
  }
  row.Set("kernel", result.kernels.empty() ? ReportCell(result.kernel)
                                           : ReportCell(Say("sum of ", result.kernels.size())));
  if (result.error_us_percent) {
    row.Set("error_us_percent", *result.error_us_percent);
  }
  if (result.comparison) {
    row.Set("mere", result.comparison->mere);
    row.Set("mare", result.comparison->mare);
    row.Set("max_error_over_bound", result.comparison->max_error_over_bound);
  }
  if (result.nan_from_padding) {
    row.Set("nan_from_padding", *result.nan_from_padding);
  }
  if (result.launch) {
    std::vector<std::string> faults;
    for (const Fault& fault : result.launch->faults) {
      faults.push_back(fault.Text());
    }
    row.Set("faults", std::move(faults));
    row.Set("notices", result.launch->notices);
  }
  row.Set("verdict", std::string(Name(result.verdict)));
  row.Set("message", result.message);
  return row.Take();
}

}  // namespace tilesim
