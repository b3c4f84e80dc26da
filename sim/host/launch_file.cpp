#include "sim/host/launch_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "formats/error.h"
#include "sim/core/interned.h"
#include "sim/host/archive.h"
#include "sim/isa/cost.h"

namespace tilesim {

// What launches consist of.

template <class Archive>
void Fields(Archive& archive, SourceLine& value) {
  archive(value.file, value.line);
}

template <class Archive>
void Fields(Archive& archive, CoreIdentity& value) {
  archive(value.kind, value.index, value.block, value.sub_block, value.num_blocks, value.aivs_per_block,
          value.launched_as, value.type_from);
}

template <class Archive>
void Fields(Archive& archive, Cost& value) {
  archive(value.busy_cycles, value.latency_cycles);
}

template <class Archive>
void Fields(Archive& archive, Step& value) {
  archive(value.kind, value.pipe, value.to, value.id, value.block, value.blocks, value.gm, value.cost,
          value.name, value.where);
}

template <class Archive>
void Fields(Archive& archive, Region& value) {
  archive(value.memory, value.use, value.operand, value.begin, value.block_bytes, value.count,
          value.stride_bytes, value.outer_count, value.outer_stride_bytes, value.align_bytes, value.limit,
          value.decides, value.with_gaps, value.by_rule);
}

// A rule is the number of its function.
template <class Archive>
void Fields(Archive& archive, GmRule& value) {
  const auto functions = isa::GmRuleFunctions();
  auto number = static_cast<uint64_t>(std::ranges::find(functions, value.of) - functions.begin());
  archive(number, value.details);
  if constexpr (Archive::kReads) {
    RequireUser(number < functions.size(),
                "a launch has a cost rule that this version does not know; run the "
                "program again");
    value.of = functions[number];
  } else if (number == functions.size()) {
    throw std::logic_error("GmRuleFunctions lacks the function of a rule");
  }
}

template <class Archive>
void Fields(Archive& archive, GmPattern& value) {
  archive(value.shape, value.rule, value.buffer);
}

template <class Archive>
void Fields(Archive& archive, CrossCoreSource& value) {
  archive(value.core, value.set);
}

template <class Archive>
void Fields(Archive& archive, LaunchRecording& value) {
  archive(value.cores, value.recordings, value.buffer_bytes);
}

template <class Archive>
void Fields(Archive& archive, CoreStatistics& value) {
  archive(value.instructions, value.busy_cycles, value.sync_instructions, value.gm_read_bytes,
          value.gm_write_bytes, value.l2_hit_bytes, value.l2_miss_bytes, value.l2_slice_cycles,
          value.end_cycle);
}

template <class Archive>
void Fields(Archive& archive, CoreResult& value) {
  archive(value.identity, value.statistics);
}

template <class Archive>
void Fields(Archive& archive, Fault& value) {
  archive(value.kind, value.core, value.pipe, value.instruction, value.operand, value.tile, value.run,
          value.cycle, value.cores, value.where, value.what);
}

template <class Archive>
void Fields(Archive& archive, LaunchResult& value) {
  archive(value.cores, value.faults, value.notices, value.completed, value.cycles, value.time_us,
          value.printed, value.host_ms);
}

template <class Archive>
void Fields(Archive& archive, GmBuffer& value) {
  archive(value.name, value.address, value.size_bytes, value.initialised);
}

template <class Archive>
void Fields(Archive& archive, TileLabel& value) {
  for (size_t axis = 0; axis < std::size(value.names); ++axis) {
    bool named = value.names[axis] != nullptr;
    archive(named);
    if (named) {
      archive(value.names[axis], value.indices[axis]);
    }
  }
}

namespace host {

struct ToldOperand {
  Memory memory = Memory::kGm;
  Use use = Use::kRead;
  const char* name = "";
  uint64_t begin = 0;
  uint64_t total_bytes = 0;

  friend bool operator==(const ToldOperand&, const ToldOperand&) = default;
};

template <class Archive>
void Fields(Archive& archive, ToldOperand& value) {
  archive(value.memory, value.use, value.name, value.begin, value.total_bytes);
}

// An instruction and its operands; texts are compared by where they lie.
struct Told {
  const char* name = "";
  Pipe pipe = Pipe::kS;
  SourceLine where;
  TileLabel tile;
  std::vector<ToldOperand> operands;

  [[nodiscard]] uint64_t Hash() const {
    constexpr uint64_t kPrime = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
    uint64_t hash = static_cast<uint64_t>(where.line) * kPrime + operands.size();
    for (const int64_t index : tile.indices) {
      hash = (hash ^ hash >> 29 ^ static_cast<uint64_t>(index)) * kPrime;
    }
    for (const ToldOperand& operand : operands) {
      hash = (hash ^ hash >> 29 ^ operand.begin ^ operand.total_bytes << 40) * kPrime;
    }
    return hash;
  }
  friend bool operator==(const Told& a, const Told& b) {
    return a.name == b.name && a.pipe == b.pipe && a.where.file == b.where.file &&
           a.where.line == b.where.line && a.tile == b.tile && a.operands == b.operands;
  }
};

template <class Archive>
void Fields(Archive& archive, Told& value) {
  archive(value.name, value.pipe, value.where, value.tile, value.operands);
}

template <class Archive>
void Fields(Archive& archive, LaunchTitle& value) {
  archive(value.kernel, value.type, value.blocks, value.hazards_checked);
}

struct ToldInstructions::OfCore {
  Interned<Told> distinct;
  std::vector<uint32_t> sequence;  // by the instruction's number on the core
};

template <class Archive>
void Fields(Archive& archive, ToldInstructions::OfCore& value) {
  archive(value.distinct, value.sequence);
  if constexpr (Archive::kReads) {
    RequireUser(
        std::ranges::all_of(value.sequence, [&](uint32_t number) { return number < value.distinct.size(); }),
        "a launch names an instruction that it does not hold; run the program again");
  }
}

ToldInstructions::ToldInstructions(size_t most_cores) : cores_(most_cores) {}
ToldInstructions::~ToldInstructions() = default;

void ToldInstructions::SetCores(size_t count) { cores_.resize(count); }

void ToldInstructions::OnInstruction(int core_index, const Issued& instruction, const Operands& operands) {
  OfCore& core = cores_.at(static_cast<size_t>(core_index));
  if (instruction.run != static_cast<int64_t>(core.sequence.size())) {
    throw std::logic_error("ToldInstructions: an instruction of a core was not told");
  }
  Told told{.name = instruction.name,
            .pipe = instruction.pipe,
            .where = instruction.where,
            .tile = instruction.tile,
            .operands = {}};
  for (const Region& region : operands) {
    told.operands.push_back({.memory = region.memory,
                             .use = region.use,
                             .name = region.operand,
                             .begin = region.begin,
                             .total_bytes = region.total_bytes()});
  }
  core.sequence.push_back(core.distinct.NumberOf(told));
}

void ToldInstructions::TellAgain(Observer& observer) const {
  for (size_t index = 0; index < cores_.size(); ++index) {
    const OfCore& core = cores_[index];
    for (size_t run = 0; run < core.sequence.size(); ++run) {
      const Told& told = core.distinct[core.sequence[run]];
      Operands operands;
      for (const ToldOperand& operand : told.operands) {
        operands.Add({.memory = operand.memory,
                      .use = operand.use,
                      .operand = operand.name,
                      .begin = operand.begin,
                      .block_bytes = operand.total_bytes});
      }
      observer.OnInstruction(static_cast<int>(index),
                             {.name = told.name,
                              .pipe = told.pipe,
                              .where = told.where,
                              .tile = told.tile,
                              .run = static_cast<int64_t>(run)},
                             operands);
    }
  }
}

namespace {

// First in the file, then each launch behind its size in bytes. To be changed with anything that Fields says.
constexpr std::string_view kMagic = "tilesim launches 2 " TILESIM_VERSION "\n";

}  // namespace

void AppendLaunch(const std::filesystem::path& file, const LaunchTitle& title, const LaunchResult& result,
                  const GmSpace& gm, const LaunchRecording* recording, ToldInstructions* told) {
  ArchiveWriter archive;
  archive(title, result, gm.buffers(), recording != nullptr);
  if (recording != nullptr) {
    archive(*recording);
  }
  archive(told != nullptr);
  if (told != nullptr) {
    archive(told->cores());
  }
  std::error_code none_yet;
  const bool begins = std::filesystem::file_size(file, none_yet) == 0 || none_yet;
  std::ofstream out(file, std::ios::binary | std::ios::app);
  if (begins) {
    out << kMagic;
  }
  const uint64_t size = archive.bytes().size();
  out.write(reinterpret_cast<const char*>(&size), sizeof(size));
  out << archive.bytes();
  RequireUser(out.flush().good(), file.string(), ": cannot be written whole (",
              std::generic_category().message(errno), "); give TMPDIR a folder that has room");
}

std::vector<FiledLaunch> ReadLaunches(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  RequireUser(in.good(), file.string(), ": cannot be read; run the program again");
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::vector<FiledLaunch> launches;
  if (bytes.empty()) {
    return launches;
  }
  RequireUser(bytes.starts_with(kMagic), file.string(), ": holds no launches of this version (",
              TILESIM_VERSION, ") of tilesim; compile the program again with this version's `tilesim cc`");
  std::string_view rest = std::string_view(bytes).substr(kMagic.size());
  uint64_t size = 0;
  while (rest.size() >= sizeof(size)) {
    std::memcpy(&size, rest.data(), sizeof(size));
    rest.remove_prefix(sizeof(size));
    if (size > rest.size()) {
      break;  // the program was killed while it wrote
    }
    ArchiveReader archive(rest.substr(0, size), file.string());
    rest.remove_prefix(size);
    FiledLaunch& launch = launches.emplace_back();
    std::vector<GmBuffer> buffers;
    bool has_more = false;
    archive(launch.title, launch.watched.result, buffers, has_more);
    for (GmBuffer& buffer : buffers) {
      launch.watched.gm.Add(std::move(buffer));
    }
    if (has_more) {
      archive(launch.watched.recording);
    }
    const auto told = std::make_shared<ToldInstructions>(0);
    archive(has_more);
    if (has_more) {
      archive(told->cores());
    }
    RequireUser(archive.AtEnd(), file.string(),
                ": has more of a launch than this version knows; run the program again");
    launch.watched.tell_again = [told](Observer& observer) {
      told->TellAgain(observer);
      return true;
    };
  }
  return launches;
}

}  // namespace host
}  // namespace tilesim
