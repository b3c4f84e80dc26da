#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.h"
#include "ops/operator_run.h"

namespace tilesim {
namespace {

bool Covers(const Region& region, uint64_t begin, uint64_t end) {
  if (region.end() <= begin || end <= region.begin) {
    return false;
  }
  for (uint64_t outer = 0; outer < region.outer_count; ++outer) {
    const uint64_t first = region.begin + outer * region.outer_stride_bytes;
    // the last block that starts before `end`, if any
    const uint64_t block = end <= first ? region.count
                           : region.stride_bytes == 0
                               ? 0
                               : std::min(region.count - 1, (end - 1 - first) / region.stride_bytes);
    if (block < region.count && first + block * region.stride_bytes + region.block_bytes > begin) {
      return true;
    }
  }
  return false;
}

// Notes who writes some bytes of GM.
class WriterWatch : public Observer {
 public:
  // core: the kind of core that the launch starts, "AIC ".
  WriterWatch(uint64_t begin, uint64_t size_bytes, std::string_view core)
      : begin_(begin), end_(begin + size_bytes), core_(core) {}

  void OnInstruction(int core_index, const Issued& instruction, const Operands& operands) override {
    for (const Region& region : operands) {
      if (region.memory == Memory::kGm && region.use != Use::kRead && Covers(region, begin_, end_)) {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::vector<std::string>& of_core = writers_[core_index];
        of_core.push_back(TextOf(core_index, instruction));
        if (of_core.size() > kKept) {
          of_core.erase(of_core.begin());
          ++left_out_;
        }
      }
    }
  }

  [[nodiscard]] std::string Text() const {
    std::string text;
    size_t told = 0;
    size_t more = left_out_;
    for (const auto& [core, of_core] : writers_) {
      for (const std::string& writer : of_core) {
        if (told++ < kTold) {
          text += (text.empty() ? "" : "; ") + writer;
        } else {
          ++more;
        }
      }
    }
    if (more > 0) {
      text += Say("; and ", more, " more");
    }
    return text.empty() ? "nothing" : text;
  }

 private:
  static constexpr size_t kKept = 3;  // of a core
  static constexpr size_t kTold = 2;

  [[nodiscard]] std::string TextOf(int core_index, const Issued& instruction) const {
    const std::string tile = instruction.tile.Text();
    return Say(core_, core_index, ", ", instruction.name, " on ", Name(instruction.pipe),
               tile.empty() ? "" : ", tile ", tile, ", ",
               std::filesystem::path(instruction.where.file).filename().string(), ":",
               instruction.where.line);
  }

  const uint64_t begin_;
  const uint64_t end_;
  const std::string_view core_;
  std::mutex mutex_;
  std::map<int, std::vector<std::string>> writers_;  // by core, in program order
  size_t left_out_ = 0;
};

}  // namespace

std::string WritersOf(const Operator& op, const Plan& plan, const SocConfig& soc, size_t output_index,
                      std::span<const int64_t> coord, const RunOptions& options) {
  const OperatorTensor output = op.Outputs().at(output_index);
  std::vector<int64_t> on_device(coord.begin(), coord.end());
  if (static_cast<int>(on_device.size()) < output.device.rank()) {
    on_device.insert(on_device.begin() + 2, 0);  // D = 1
  }
  const uint64_t element_bytes = SizeOf(output.dtype);
  const uint64_t offset_bytes = static_cast<uint64_t>(output.device.Offset(on_device)) * element_bytes;
  const LaunchOptions launch = TimedLaunch(op, plan, options);
  const uint64_t begin = launch.gm.buffers().at(op.Inputs().size() + output_index).address;
  WriterWatch watch(begin + offset_bytes, element_bytes, HasAics(op.Type()) ? "AIC " : "AIV ");
  RunOptions watched = options;
  watched.observer = &watch;
  watched.sync_sites = nullptr;
  TimeOperator(op, plan, soc, watched);
  return watch.Text();
}

}  // namespace tilesim
