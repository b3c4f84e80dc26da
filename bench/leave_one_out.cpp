// How well kernels are predicted that had no part in choosing the figures which were fitted to kernels: for
// each group of measured kernels, every row is run with each candidate of a wide grid of those figures, and
// each row is predicted by the candidate that does best on the others. With families, all rows of its
// operator and source are left out together. Candidates are shares of figures that were not fitted, or
// figures by themselves, and do not depend on what the configs say of those. What it finds stands in
// ops/validation/validation.cpp and docs/model.md. Usage: leave_one_out [GROUP ...]
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "formats/error.h"
#include "ops/validation/measured_rows.h"
#include "ops/validation/validation.h"

namespace {

using namespace tilesim;

struct Candidate {
  std::string says;
  std::function<void(SocConfig&)> set;
};

// Each of one with each of the other.
std::vector<Candidate> Both(const std::vector<Candidate>& some, const std::vector<Candidate>& others) {
  std::vector<Candidate> all;
  for (const Candidate& one : some) {
    for (const Candidate& other : others) {
      all.push_back({one.says + ", " + other.says, [=](SocConfig& soc) {
                       one.set(soc);
                       other.set(soc);
                     }});
    }
  }
  return all;
}

std::vector<Candidate> SameTotals() {
  std::vector<Candidate> candidates;
  for (const double share : {0.4, 0.5, 0.6, 0.7, 0.85, 1.0}) {
    candidates.push_back({Say("l2_same_total = ", share, " l2_total"), [=](SocConfig& soc) {
                            soc.l2_same_total_bytes_per_cycle = share * soc.l2_total_bytes_per_cycle;
                          }});
  }
  return candidates;
}

// In lines a cycle of a 910B1; so many that cores never meet where there are none.
std::vector<Candidate> SliceRates() {
  constexpr double kNeverMeet = 1e6;
  std::vector<Candidate> candidates = {
      {"no slices", [](SocConfig& soc) { soc.l2_slice_lines_per_cycle = kNeverMeet; }}};
  for (const double lines : {2.2, 3.1, 4.4}) {
    candidates.push_back(
        {Say("slices of ", lines), [=](SocConfig& soc) { soc.l2_slice_lines_per_cycle = lines; }});
  }
  return candidates;
}

// TB/s.
std::vector<Candidate> HbmRates() {
  std::vector<Candidate> candidates;
  for (const double reads : {1.3, 1.4, 1.5, 1.6}) {
    for (const double writes : {0.5, 0.6, 0.8, 1.0}) {
      candidates.push_back(
          {Say("hbm_total = ", reads, " TB/s, written ", writes, " of that"), [=](SocConfig& soc) {
             soc.hbm_total_bytes_per_cycle = 1e6 * reads / soc.clock_mhz;
             soc.hbm_write_total_bytes_per_cycle = writes * soc.hbm_total_bytes_per_cycle;
           }});
    }
  }
  return candidates;
}

std::vector<Candidate> AtomicTotals() {
  std::vector<Candidate> candidates;
  for (const double share : {0.1, 0.2, 0.3, 0.5, 1.0}) {
    candidates.push_back({Say("l2_atomic_total = ", share, " l2_total"), [=](SocConfig& soc) {
                            soc.l2_atomic_total_bytes_per_cycle = share * soc.l2_total_bytes_per_cycle;
                          }});
  }
  return candidates;
}

std::vector<Candidate> CallTimes() {
  std::vector<Candidate> candidates;
  for (const double us : {0.0, 4.0, 8.0, 12.0, 16.0}) {
    candidates.push_back({Say("call_us = ", us), [=](SocConfig& soc) { soc.launch_call_us = us; }});
  }
  return candidates;
}

std::vector<Candidate> CandidatesOf(const std::string& group) {
  if (group == "matmul") {
    return Both(SameTotals(), SliceRates());
  }
  if (group == "copy") {
    return Both(HbmRates(), SliceRates());
  }
  return group == "conv" ? Both(AtomicTotals(), CallTimes()) : std::vector<Candidate>{};
}

double MeanAbsolute(const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) {
    sum += std::abs(error);
  }
  return errors.empty() ? 0 : sum / static_cast<double>(errors.size());
}

// Every family is predicted by the candidate that does best on the others.
double LeaveOutPercent(const std::vector<std::vector<double>>& errors,
                       const std::vector<std::string>& families) {
  double sum = 0;
  for (size_t row = 0; row < families.size(); ++row) {
    double least = 0;
    const std::vector<double>* best = nullptr;
    for (const std::vector<double>& of_candidate : errors) {
      std::vector<double> others;
      for (size_t other = 0; other < families.size(); ++other) {
        if (families[other] != families[row]) {
          others.push_back(of_candidate[other]);
        }
      }
      const double mean = MeanAbsolute(others);
      if (best == nullptr || mean < least) {
        least = mean;
        best = &of_candidate;
      }
    }
    sum += std::abs((*best)[row]);
  }
  return families.empty() ? 0 : sum / static_cast<double>(families.size());
}

std::vector<double> ErrorsOf(const std::vector<MeasuredKernel>& rows, const Candidate& candidate) {
  std::vector<double> errors;
  for (const MeasuredKernel& row : rows) {
    SocConfig soc = LoadSoc(row.part, row.set);
    candidate.set(soc);
    const ValidatedRow run = Validate(row, soc, 1);
    errors.push_back(run.pair ? run.pair->ErrorPercent() : 0);
  }
  return errors;
}

void Print(const std::string& group, const std::vector<MeasuredKernel>& rows,
           const std::vector<std::string>& families) {
  const std::vector<double> as_shipped = ErrorsOf(rows, {"", [](SocConfig&) {}});
  std::vector<std::vector<double>> errors;
  size_t best = 0;
  const std::vector<Candidate> candidates = CandidatesOf(group);
  for (const Candidate& candidate : candidates) {
    errors.push_back(ErrorsOf(rows, candidate));
    best = MeanAbsolute(errors.back()) < MeanAbsolute(errors[best]) ? errors.size() - 1 : best;
    std::printf("%-8s %-60s %6.2f %%\n", group.c_str(), candidate.says.c_str(), MeanAbsolute(errors.back()));
    std::fflush(stdout);
  }
  std::vector<std::string> ids;
  for (const MeasuredKernel& row : rows) {
    ids.push_back(row.id);
  }
  std::printf(
      "%-8s %zu rows: as shipped %.1f %%, best candidate %.1f %%, row left out %.1f %%, family left out "
      "%.1f %%\n",
      group.c_str(), rows.size(), MeanAbsolute(as_shipped), MeanAbsolute(errors[best]),
      LeaveOutPercent(errors, ids), LeaveOutPercent(errors, families));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> groups(argv + 1, argv + argc);
  if (groups.empty()) {
    groups = {"matmul", "copy", "conv"};
  }
  for (const std::string& group : groups) {
    std::vector<MeasuredKernel> rows;
    std::vector<std::string> families;
    for (const MeasuredKernel& row : ReadMeasuredKernels("configs/measured/kernels_910b.csv")) {
      // the rows that validate runs
      if (row.group == group && row.left_out.empty()) {
        rows.push_back(row);
        // of one operator, part and kind of time: in these groups, what one source measured
        const auto op = row.cells.find("op");
        families.push_back((op == row.cells.end() ? "" : op->second) + " " + row.part + " " +
                           (row.with_launch ? "task" : "cores") + " " + row.says.substr(0, 6));
      }
    }
    Print(group, rows, families);
  }
  return 0;
}
