#include "cli/case_source.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "cli/options.h"
#include "formats/error.h"
#include "formats/nearest_name.h"
#include "formats/shown_text.h"
#include "sim/soc/soc_files.h"

namespace tilesim {

const std::string& IdOf(const CaseOrError& item) {
  return std::visit([](const auto& either) -> const std::string& { return either.id; }, item);
}

namespace {

namespace fs = std::filesystem;

// By the names that --cases takes.
std::vector<std::string> ShippedCases(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".csv") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

// The file itself, or that of configs/cases.
std::string CaseFilePath(const std::string& name) {
  std::error_code ignored;
  if (!fs::exists(name, ignored) && name.find('/') == std::string::npos) {
    const fs::path folder = ConfigFolder() / "cases";
    for (const fs::path& path : {folder / name, folder / (name + ".csv")}) {
      if (fs::is_regular_file(path, ignored)) {
        return path.string();
      }
    }
    const std::vector<std::string> known = ShippedCases(folder);
    const std::string or_with_end = name.ends_with(".csv") ? "" : Say(" or ", name, ".csv");
    throw UserError(
        Say(name, ": no such file here, nor ", name, or_with_end, " in ", folder.string(), ", which has ",
            JoinedNames(std::vector<std::string_view>(known.begin(), known.end())), "; ",
            DidYouMean(name, known), "give one of these, or the path of a case file (CSV with a header)"));
  }
  return name;
}

std::vector<CaseOrError> CasesOfFile(const std::string& path) {
  CaseFile file = ReadCaseFile(path);
  std::vector<CaseOrError> all(std::make_move_iterator(file.cases.begin()),
                               std::make_move_iterator(file.cases.end()));
  all.insert(all.end(), file.errors.begin(), file.errors.end());
  std::ranges::stable_sort(all, {}, [](const CaseOrError& item) {
    return std::visit([](const auto& either) { return either.row; }, item);
  });
  return all;
}

// "a, b, c and 17 more"
std::string Beginning(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  const size_t shown = std::min(names.size(), kShown);
  const std::vector<std::string_view> first(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown));
  return Say(JoinedNames(first),
             names.size() > shown ? Say(" and ", names.size() - shown, " more") : std::string());
}

std::vector<CaseOrError> OnlyIds(std::vector<CaseOrError> all, const std::vector<std::string>& ids,
                                 const std::string& path) {
  RequireUser(!ids.empty(), "--id: must name at least one case, for example --id ",
              all.empty() ? "a" : IdOf(all[0]));
  for (const std::string& id : ids) {
    if (std::ranges::find(all, id, IdOf) == all.end()) {
      const std::vector<std::string> known = IdsOf(all);
      throw UserError(known.empty() ? Say("--id = '", id, "': ", path, " has no cases")
                                    : Say("--id = '", id, "': ", path, " has no such case; ",
                                          DidYouMean(id, known), "its ids: ", Beginning(known)));
    }
  }
  std::erase_if(all,
                [&](const CaseOrError& item) { return std::ranges::find(ids, IdOf(item)) == ids.end(); });
  return all;
}

void SmallestFirst(std::vector<CaseOrError>& cases) {
  std::ranges::stable_sort(cases, {}, [](const CaseOrError& item) {
    const auto* const problem = std::get_if<Case>(&item);
    return problem == nullptr ? 0.0 : problem->Size();
  });
}

std::string OrderOf(const Arguments& arguments) {
  static constexpr std::string_view kOrders[] = {"file", "size"};
  return arguments.Has("order") ? arguments.Choice("order", kOrders) : std::string(kOrders[0]);
}

}  // namespace

std::vector<CaseOrError> ChosenCases(const Arguments& arguments) {
  CaseCells cells = arguments.CaseColumnsGiven();
  const std::string order = OrderOf(arguments);
  if (!arguments.Has("cases")) {
    RequireUser(!cells.empty(),
                "no case: give --cases FILE, or one case such as --op conv3d_backprop_filter "
                "--input 2x32x16x32x32 --filter 64x32x3x3x3");
    cells.emplace("id", arguments.Text("id", "case"));
    try {
      return {ReadCase(cells, 0, "")};
    } catch (const RefusedInput& refused) {
      std::vector<Refusal> refusals = refused.refusals();
      for (Refusal& refusal : refusals) {
        refusal.where = refusal.where == "output" ? kOutputShape : refusal.where;
      }
      throw UserError(Lines(refusals, "--"));
    }
  }
  if (!cells.empty()) {
    throw UserError(Say("--cases and --", cells.begin()->first,
                        " exclude each other: cases come from the file or from the command line"));
  }
  const std::string path = CaseFilePath(arguments.Text("cases", ""));
  std::vector<CaseOrError> chosen = CasesOfFile(path);
  if (arguments.Has("id")) {
    chosen = OnlyIds(std::move(chosen), SplitAtCommas(arguments.Text("id", "")), path);
  }
  RequireUser(!chosen.empty(), path, ": holds no case; add a row below the header");
  if (order == "size") {
    const auto together = [](const CaseOrError& item) {
      return std::visit([](const auto& row) { return !row.sequence.empty(); }, item);
    };
    RequireUser(std::ranges::none_of(chosen, together), "--order = 'size': ", path,
                " has rows of one call (column sequence), which stay together; leave --order out");
    SmallestFirst(chosen);
  }
  return chosen;
}

Case OneCase(const Arguments& arguments) {
  std::vector<CaseOrError> chosen = ChosenCases(arguments);
  RequireUser(chosen.size() == 1, arguments.command().name, ": ", chosen.size(),
              " cases, takes one; choose it with --id, for example --id ", IdOf(chosen[0]));
  if (const auto* const error = std::get_if<CaseError>(&chosen[0])) {
    throw UserError(Sentence(*error));
  }
  return std::get<Case>(std::move(chosen[0]));
}

std::vector<std::string> IdsOf(const std::vector<CaseOrError>& cases) {
  std::vector<std::string> ids;
  std::ranges::transform(cases, std::back_inserter(ids), IdOf);
  return ids;
}

int IdWidth(const std::vector<std::string>& ids) {
  constexpr size_t kLeast = 4;
  constexpr size_t kMost = 32;
  size_t longest = kLeast;
  for (const std::string& id : ids) {
    longest = std::max(longest, DisplayWidth(id));
  }
  return static_cast<int>(std::min(longest, kMost));
}

SocShelf::SocShelf(const Arguments& arguments)
    : default_name_(arguments.Text("soc", "ascend910b2")), overrides_(arguments.All("set")) {
  read_.emplace(default_name_,
                LoadSoc(default_name_, overrides_));  // a mistake in it stops the command at once
}

const SocConfig& SocShelf::For(const Case& problem) {
  const std::string& name = problem.soc.empty() ? default_name_ : problem.soc;
  const auto found = read_.find(name);
  return found != read_.end() ? found->second : read_.emplace(name, LoadSoc(name, overrides_)).first->second;
}

}  // namespace tilesim
