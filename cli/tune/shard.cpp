#include "cli/tune/shard.h"

#include <charconv>
#include <cstdlib>
#include <string>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr std::string_view kAllowed = "must be i/n with i from 1 to n, or mpi or slurm; for example 1/4";

bool ReadWhole(std::string_view text, size_t& value) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && !text.empty();
}

// Of the environment; false where it is not set.
bool ReadVariable(const char* name, size_t& value) {
  const char* const text = std::getenv(name);
  if (text == nullptr) {
    return false;
  }
  RequireUser(ReadWhole(text, value), "--shard: the environment's ", name, " = '", text,
              "': must be a whole number");
  return true;
}

Shard ShardOfMpi() {
  size_t rank = 0;
  size_t size = 1;
  const bool there =
      (ReadVariable("OMPI_COMM_WORLD_RANK", rank) && ReadVariable("OMPI_COMM_WORLD_SIZE", size)) ||
      (ReadVariable("PMI_RANK", rank) && ReadVariable("PMI_SIZE", size));
  RequireUser(
      there,
      "--shard = 'mpi': the environment has no rank (OMPI_COMM_WORLD_RANK or PMI_RANK); start it with "
      "mpirun");
  return {rank + 1, size};
}

Shard ShardOfSlurm() {
  size_t task = 0;
  size_t first = 0;
  size_t count = 0;
  const bool there = ReadVariable("SLURM_ARRAY_TASK_ID", task) &&
                     ReadVariable("SLURM_ARRAY_TASK_MIN", first) &&
                     ReadVariable("SLURM_ARRAY_TASK_COUNT", count);
  RequireUser(there,
              "--shard = 'slurm': the environment has no place in a job array (SLURM_ARRAY_TASK_ID, _MIN and "
              "_COUNT); start it with sbatch --array=1-N");
  RequireUser(task >= first && task - first < count, "--shard = 'slurm': SLURM_ARRAY_TASK_ID = ", task,
              " is not one of ", count, " tasks from ", first,
              " on; give an array without gaps, such as 1-8");
  return {task - first + 1, count};
}

// ".2-of-8"; nothing of another text.
std::optional<Shard> ReadShare(std::string_view text) {
  constexpr std::string_view kOf = "-of-";
  const size_t of = text.find(kOf);
  Shard shard;
  const bool read = text.starts_with('.') && of != std::string_view::npos &&
                    ReadWhole(text.substr(1, of - 1), shard.number) &&
                    ReadWhole(text.substr(of + kOf.size()), shard.count);
  return read && shard.number >= 1 && shard.number <= shard.count ? std::optional(shard) : std::nullopt;
}

}  // namespace

std::filesystem::path Shard::Named(const std::filesystem::path& file) const {
  if (count == 1) {
    return file;
  }
  std::filesystem::path named = file;
  named.replace_filename(Say(file.stem().string(), ".", number, "-of-", count, file.extension().string()));
  return named;
}

std::optional<SharedName> SharedNameOf(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (const std::optional<Shard> shard = ReadShare(ending)) {  // of a name without an extension
    return SharedName{*shard, file.parent_path() / file.stem()};
  }
  const std::filesystem::path stem = file.stem();  // "kb.2-of-8"
  const std::optional<Shard> shard = ReadShare(stem.extension().string());
  return shard ? std::optional(SharedName{*shard, file.parent_path() / (stem.stem().string() + ending)})
               : std::nullopt;
}

Shard ShardOf(const Arguments& arguments) {
  if (!arguments.Has("shard")) {
    return {};
  }
  const std::string text = arguments.Text("shard", "");
  if (text == "mpi") {
    return ShardOfMpi();
  }
  if (text == "slurm") {
    return ShardOfSlurm();
  }
  Shard shard;
  const size_t slash = text.find('/');
  RequireUser(slash != std::string::npos &&
                  ReadWhole(std::string_view(text).substr(0, slash), shard.number) &&
                  ReadWhole(std::string_view(text).substr(slash + 1), shard.count) && shard.number >= 1 &&
                  shard.number <= shard.count,
              "--shard = '", text, "': ", kAllowed);
  return shard;
}

}  // namespace tilesim
