#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "cli/arguments.h"

namespace tilesim {

// A share of the cases of one run, for one of several processes that know nothing of each other: every
// `count`-th case, the first process from the first on.
struct Shard {
  size_t number = 1;  // from 1
  size_t count = 1;

  [[nodiscard]] bool Has(size_t index) const { return index % count == number - 1; }
  // "kb.jsonl" -> "kb.2-of-8.jsonl"; as it is where there is one share only.
  [[nodiscard]] std::filesystem::path Named(const std::filesystem::path& file) const;
};

// The share that a file of that name is of, and the whole's name: "kb.2-of-8.jsonl" -> 2 of 8, "kb.jsonl";
// none of a name without a share.
struct SharedName {
  Shard shard;
  std::filesystem::path whole;
};
std::optional<SharedName> SharedNameOf(const std::filesystem::path& file);

// --shard: i/n; `mpi`: by the rank that Open MPI or MPICH gives its processes; `slurm`: by the place in a
// Slurm job array. The whole without it. Throws UserError for another text, or where the environment has no
// rank.
Shard ShardOf(const Arguments& arguments);

}  // namespace tilesim
