#include "sim/core/instruction_log.h"

#include <algorithm>
#include <utility>

namespace tilesim {

uint32_t InstructionLog::SiteOf(const Issued& instruction) {
  const char* const name = instruction.name;
  const SourceLine& where = instruction.where;
  Recent& recent = recent_[(reinterpret_cast<uint64_t>(name) / 8 + reinterpret_cast<uint64_t>(where.file) +
                            static_cast<uint64_t>(where.line)) %
                           recent_.size()];
  const bool same_place = recent.site.name == name && recent.site.where.file == where.file &&
                          recent.site.where.line == where.line;
  if (recent.number == ~uint32_t{0} || !same_place) {
    const auto [at, is_new] =
        site_of_.try_emplace({name, where.file, where.line}, static_cast<uint32_t>(sites_.size()));
    if (is_new) {
      sites_.push_back({name, where});
    }
    recent = {.site = {name, where}, .number = at->second};
  }
  return recent.number;
}

AccessId InstructionLog::Add(const Issued& instruction, uint32_t published, uint32_t sequence) {
  if (tiles_.back() != instruction.tile) {
    tiles_.push_back(instruction.tile);
  }
  entries_.push_back({.run = instruction.run,
                      .published = published,
                      .sequence = sequence,
                      .site = SiteOf(instruction),
                      .tile = static_cast<uint32_t>(tiles_.size() - 1),
                      .pipe = instruction.pipe,
                      .unit_flag = instruction.unit_flag});
  return static_cast<AccessId>(entries_.size());
}

void InstructionLog::Keep(std::vector<AccessId>& marks) {
  marks[0] = 0;
  const std::vector<TileLabel> all_tiles = std::exchange(tiles_, std::vector<TileLabel>(1));
  AccessId kept = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (marks[i + 1] == 0) {
      continue;
    }
    Entry entry = entries_[i];
    if (tiles_.back() != all_tiles[entry.tile]) {
      tiles_.push_back(all_tiles[entry.tile]);
    }
    entry.tile = static_cast<uint32_t>(tiles_.size() - 1);
    entries_[kept++] = entry;
    marks[i + 1] = kept;
  }
  entries_.resize(kept);
  retire_at_ = std::max(kShortest, 4 * entries_.size());
  if (entries_.capacity() > retire_at_) {
    entries_.shrink_to_fit();
  }
}

}  // namespace tilesim
