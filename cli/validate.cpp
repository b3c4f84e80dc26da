// `tilesim validate`: the clock against published measurements.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "cli/printer.h"
#include "cli/progress.h"
#include "cli/validation_plot.h"
#include "cli/validation_report.h"
#include "formats/error.h"
#include "formats/nearest_name.h"
#include "ops/validation/calibration.h"
#include "sim/soc/soc_files.h"

namespace tilesim {
namespace {

constexpr std::string_view kGroups[] = {"micro", "matmul", "copy", "conv", "other"};

std::vector<std::string> Parts(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) {
      parts.push_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

void RequireGroup(std::string_view option, std::string_view name) {
  RequireUser(std::ranges::find(kGroups, name) != std::end(kGroups), "--", option, ": unknown group '", name,
              "'; ", DidYouMean(name, kGroups), "known groups: ", JoinedNames(kGroups));
}

// The file of an option, or one of the program's own.
std::string FileOf(const Arguments& arguments, const std::string& option, const std::string& own) {
  const std::string path = arguments.Text(option, own);
  std::error_code ignored;
  RequireUser(!std::filesystem::is_directory(path, ignored), "--", option, " = '", path,
              "': is a folder, must be a CSV file; give one such as ", own);
  return path;
}

class Validation {
 public:
  explicit Validation(const Arguments& arguments) : arguments_(arguments) {
    const std::string folder = (ConfigFolder() / "measured").string();
    instructions_ =
        ReadMeasuredInstructions(FileOf(arguments, "instructions", folder + "/instructions_910b.csv"));
    kernels_ = ReadMeasuredKernels(FileOf(arguments, "kernels", folder + "/kernels_910b.csv"));
    for (const ValidationTarget& target : ValidationTargets()) {
      targets_[std::string(target.group)] = target.percent;
    }
    for (const std::string& text : Parts(arguments.Text("target", ""))) {
      ReadTarget(text);
    }
    for (const std::string& name : Parts(arguments.Text("only", ""))) {
      RequireGroup("only", name);
      only_.insert(name);
      asked_.insert({name, "--only"});
    }
    ChooseIds();
    RequireRowsOfGroups();
  }

  ValidationReport Run() {
    const auto threads = static_cast<int>(arguments_.Whole("threads", 0, 1, 1024));
    Progress progress(instructions_.size() + kernels_.size(), 1, arguments_.Has("quiet"));
    ValidationReport report;
    for (const MeasuredInstruction& row : instructions_) {
      if (Wanted("micro", row.id)) {
        report.rows.push_back(Validate(row, Part(row.part, {})));
        if (report.rows.back().pair) {
          ran_[report.rows.back().family].push_back(&row);
        }
      }
    }
    for (const MeasuredKernel& row : kernels_) {
      if (Wanted(row.group, row.id)) {
        progress.Begin(row.id, 1);
        report.rows.push_back(Validate(row, Part(row.part, row.set), threads));
        progress.End();
      }
    }
    AddGroups(report);
    return report;
  }

 private:
  void ReadTarget(const std::string& text) {
    const size_t sign = text.find('=');
    const std::string name = text.substr(0, sign);
    RequireGroup("target", name);
    double percent = -1;
    const char* const end = text.data() + text.size();
    const bool number = sign != std::string::npos &&
                        std::from_chars(text.data() + sign + 1, end, percent).ptr == end && percent >= 0;
    RequireUser(number && percent <= 1e6, "--target = '", text,
                "': must be GROUP=PERCENT, for example micro=5");
    targets_[name] = percent;
    asked_.insert({name, "--target"});
  }

  void ChooseIds() {
    std::vector<std::string> known;
    for (const MeasuredInstruction& row : instructions_) {
      known.push_back(row.id);
    }
    for (const MeasuredKernel& row : kernels_) {
      known.push_back(row.id);
    }
    const std::set<std::string> all(known.begin(), known.end());
    for (const std::string& id : Parts(arguments_.Text("id", ""))) {
      RequireUser(all.contains(id), "--id: there is no row '", id, "'; ", DidYouMean(id, known),
                  "`tilesim validate --format csv` lists all");
      ids_.insert(id);
    }
  }

  [[nodiscard]] bool Wanted(const std::string& group, const std::string& id) const {
    return (only_.empty() || only_.contains(group)) && (ids_.empty() || ids_.contains(id));
  }

  // A group that was asked for is not passed over because there is nothing of it.
  void RequireRowsOfGroups() const {
    std::set<std::string> there;
    for (const MeasuredInstruction& row : instructions_) {
      if (Wanted("micro", row.id)) {
        there.insert("micro");
      }
    }
    for (const MeasuredKernel& row : kernels_) {
      if (Wanted(row.group, row.id)) {
        there.insert(row.group);
      }
    }
    for (const auto& [group, option] : asked_) {
      RequireUser(there.contains(group), option, ": no row of group ", group, " is among those chosen",
                  ids_.empty() && only_.empty() ? "" : " by --id and --only", "; choose some of it too");
    }
  }

  // A part with the figures of a row's source, but for those that the user sets.
  const SocConfig& Part(const std::string& name, const std::vector<std::string>& of_row) {
    const std::vector<std::string> of_user = arguments_.All("set");
    std::vector<std::string> settings = of_user;
    std::string key = name;
    for (const std::string& setting : of_row) {
      const std::string_view figure = std::string_view(setting).substr(0, setting.find('=') + 1);
      if (std::ranges::none_of(of_user, [&](const std::string& one) { return one.starts_with(figure); })) {
        settings.push_back(setting);
        key += Say(" ", setting);
      }
    }
    const auto found = parts_.find(key);
    return found != parts_.end() ? found->second : parts_.emplace(key, LoadSoc(name, settings)).first->second;
  }

  // Families in the order in which they come, then the group they make up.
  void AddGroups(ValidationReport& report) {
    for (const std::string_view group : kGroups) {
      std::vector<std::string> families;
      std::map<std::string, std::vector<MeasuredPair>> pairs;
      std::vector<MeasuredPair> all;
      int64_t failed = 0;
      for (const ValidatedRow& row : report.rows) {
        failed += row.group == group && !row.failed.empty() ? 1 : 0;
        if (row.group == group && row.pair) {
          std::vector<MeasuredPair>& of_family = pairs[row.family];
          if (of_family.empty()) {
            families.push_back(row.family);
          }
          of_family.push_back(*row.pair);
          all.push_back(*row.pair);
        }
      }
      for (const std::string& family : families) {
        report.groups.push_back(FamilyOf(std::string(group), family, pairs[family]));
      }
      if (!all.empty() || failed > 0 || asked_.contains(group)) {
        const auto target = targets_.find(std::string(group));
        ValidatedGroup made{
            .group = std::string(group),
            .errors = SummariseErrors(all),
            .failed = failed,
            .target_percent = target == targets_.end() ? std::nullopt : std::optional(target->second)};
        if (const auto left_out = LeftOutErrorOf(group); left_out && AsShipped()) {
          made.leave_one_out_percent = left_out->percent;
          made.fitted = left_out->fitted;
        }
        report.groups.push_back(std::move(made));
      }
    }
  }

  // All rows that the project ships, on the parts as it ships them: what is known of these holds.
  [[nodiscard]] bool AsShipped() const {
    return ids_.empty() && !arguments_.Has("kernels") && !arguments_.Has("set");
  }

  ValidatedGroup FamilyOf(const std::string& group, const std::string& family,
                          const std::vector<MeasuredPair>& pairs) {
    ValidatedGroup made{.group = group, .family = family, .errors = SummariseErrors(pairs)};
    if (group == "micro") {
      made.leave_one_out_percent =
          LeaveOneOut(ran_[family], family,
                      [this](const std::string& part) -> const SocConfig& { return Part(part, {}); });
      for (const std::string_view key : FittedFigures(family)) {
        made.fitted += Say(made.fitted.empty() ? "" : ", ", key);
      }
    }
    return made;
  }

  const Arguments& arguments_;
  std::vector<MeasuredInstruction> instructions_;
  std::vector<MeasuredKernel> kernels_;
  std::map<std::string, double> targets_;
  std::set<std::string> only_;                             // empty: all
  std::set<std::string> ids_;                              // empty: all
  std::map<std::string, std::string, std::less<>> asked_;  // groups named by an option, which one
  std::map<std::string, SocConfig> parts_;
  std::map<std::string, std::vector<const MeasuredInstruction*>> ran_;  // by family
};

}  // namespace

CommandEnd ValidateCommand(const Arguments& arguments) {
  Validation validation(arguments);
  const std::filesystem::path folder = arguments.Text("output", "");
  const std::string format = FormatOf(arguments, "table");
  if (!folder.empty()) {
    MakeFolder(folder);
  }
  const ValidationReport report = validation.Run();
  if (!folder.empty()) {
    WriteWholeText(folder / "validation.svg", ValidationPlot(report.rows));
  }
  PrintValidation(report, format, folder.empty() ? "" : (folder / "validation.csv").string());
  const bool missed = std::ranges::any_of(
      report.groups, [](const ValidatedGroup& group) { return group.Missed() || group.failed > 0; });
  return missed ? Outcome::kNo : Outcome::kDone;
}

}  // namespace tilesim
