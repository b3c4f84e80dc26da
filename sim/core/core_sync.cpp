// Flags, barriers and meetings of a core with others.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/core.h"
#include "sim/core/core_parts.h"
#include "sim/core/cross_core.h"
#include "sim/core/gm_poll.h"
#include "sim/core/hazard.h"
#include "sim/core/recording.h"
#include "sim/core/sync_site.h"

namespace tilesim {
namespace {

// The pipes that an event from `src` may go to on a core of this kind, as a bit each.
constexpr uint32_t Bits(std::initializer_list<Pipe> pipes) {
  uint32_t bits = 0;
  for (const Pipe pipe : pipes) {
    bits |= 1U << Index(pipe);
  }
  return bits;
}
constexpr uint32_t DestinationsOf(CoreKind kind, Pipe src) {
  using enum Pipe;
  if (kind == CoreKind::kAiv) {
    const uint32_t all = Bits({kS, kV, kMte2, kMte3});
    return src == kS ? all & ~Bits({kS}) : all;
  }
  switch (src) {
    case kS:
      return Bits({kM, kMte1, kMte2, kMte3, kFix});
    case kM:
      return Bits({kS, kMte1, kMte2, kFix});
    case kMte1:
      return Bits({kS, kM, kMte2, kMte3, kFix});
    case kMte2:
      return Bits({kS, kM, kMte1, kMte3, kFix});
    case kMte3:
      return Bits({kS, kMte1, kMte2});
    case kFix:
      return Bits({kS, kM, kMte1, kMte2, kMte3, kFix});
    default:
      return 0;
  }
}
std::string NamesOf(uint32_t bits) {
  std::string names;
  for (int p = 0; p < kNumPipes; ++p) {
    if ((bits >> p & 1) != 0) {
      names += Say(names.empty() ? "" : ", ", Name(static_cast<Pipe>(p)));
    }
  }
  return names.empty() ? "none" : names;
}

std::string CallAt(const char* call, const SourceLine& where) {
  return where.line == 0 ? call : Say(call, " (", where.file, ":", where.line, ")");
}

// Does a core of this kind have the pipe?
bool Has(CoreKind kind, Pipe pipe) {
  if (pipe == Pipe::kS || pipe == Pipe::kMte2 || pipe == Pipe::kMte3) {
    return true;
  }
  return (pipe == Pipe::kV) == (kind == CoreKind::kAiv);
}

}  // namespace

bool Core::IsDropped(const char* call, SourceLine where) {
  if (sync_sites_ != nullptr) {
    sync_sites_->insert({where, call});
  }
  return dropped_ && dropped_->line == where.line && std::string_view(where.file).ends_with(dropped_->file);
}

void Core::CheckFlagCall(Pipe src, Pipe dst, int id) {
  const uint32_t allowed = DestinationsOf(identity_.kind, src);
  const bool exists = (allowed >> Index(dst) & 1) != 0;
  if (id >= 0 && id < kEventIds && exists) [[likely]] {
    return;
  }
  Require(id >= 0 && id < kEventIds, FaultKind::kFlag, "eventID", "is ", id, ", allowed 0..", kEventIds - 1);
  Require(Has(identity_.kind, src) && Has(identity_.kind, dst), FaultKind::kFlag, "event", tilesim::Name(src),
          "_", tilesim::Name(dst), " does not exist on an ", tilesim::Name(identity_.kind), " core");
  Require(exists, FaultKind::kFlag, "event", "an ", tilesim::Name(identity_.kind), " core has no event from ",
          tilesim::Name(src), " to ", tilesim::Name(dst), "; from ", tilesim::Name(src),
          " it has them to: ", NamesOf(allowed));
}

void Core::SetFlag(Pipe src, Pipe dst, int id, SourceLine where, const char* by) {
  if (mode_.cost_only) {
    recording_->SetFlag(src, dst, id);
    return;
  }
  if (Dropped("SetFlag", where)) {
    return;
  }
  At("SetFlag", src, where);
  CheckFlagCall(src, dst, id);
  bool& flag = flags_[FlagNumber(src, dst, id)];
  Parts::FlagCalls& calls = parts_->flag_calls[FlagNumber(src, dst, id)];
  if (flag) [[unlikely]] {
    Fail(FaultKind::kFlag, "eventID",
         Say(tilesim::Name(src), "_", tilesim::Name(dst), " flag ", id, " is set already, by ",
             CallAt(calls.set_by, calls.set), "; wait for it before ",
             std::string_view(by) == "SetFlag" ? "it is set again" : Say(by, " sets it again")));
  }
  flag = true;
  calls.set = where;
  calls.set_by = by;
  ++statistics_.sync_instructions;
  Record([&](Recording& recording) { recording.SetFlag(src, dst, id); });
  if (hazards_ != nullptr) {
    hazards_->order().SetFlag(src, dst, id);
  }
}

void Core::WaitFlag(Pipe src, Pipe dst, int id, SourceLine where, const char* by) {
  if (mode_.cost_only) {
    recording_->WaitFlag(src, dst, id);
    return;
  }
  if (Dropped("WaitFlag", where)) {
    return;
  }
  At("WaitFlag", dst, where);
  CheckFlagCall(src, dst, id);
  bool& flag = flags_[FlagNumber(src, dst, id)];
  Parts::FlagCalls& calls = parts_->flag_calls[FlagNumber(src, dst, id)];
  if (!flag) [[unlikely]] {
    Fail(FaultKind::kDeadlock, "eventID",
         Say("no SetFlag<", tilesim::Name(src), "_", tilesim::Name(dst), ">(", id,
             ") before it, so the pipe would wait for ever; ",
             calls.set_by == nullptr
                 ? "nobody has set it so far"
                 : Say("the last to set it was ", CallAt(calls.set_by, calls.set), ", for which ",
                       CallAt(calls.waited_by, calls.waited), " has waited")));
  }
  flag = false;
  calls.waited = where;
  calls.waited_by = by;
  ++statistics_.sync_instructions;
  Record([&](Recording& recording) { recording.WaitFlag(src, dst, id); });
  if (hazards_ != nullptr) {
    hazards_->order().WaitFlag(src, dst, id);
  }
}

void Core::Barrier(Pipe pipe, SourceLine where) {
  if (Dropped("PipeBarrier", where)) {
    return;
  }
  At("PipeBarrier", pipe, where);
  Require(pipe != Pipe::kS, FaultKind::kMisuse, "pipe", "PIPE_S is not allowed; the scalar unit is in order");
  Require(Has(identity_.kind, pipe), FaultKind::kMisuse, "pipe", "an ", tilesim::Name(identity_.kind),
          " core has no pipe ", tilesim::Name(pipe));
  ++statistics_.sync_instructions;
  if (pipe == Pipe::kV) {
    registers_.vector.written_by_v.Clear();
  }
  Record([&](Recording& recording) { recording.Barrier(pipe); });
  if (hazards_ != nullptr) {
    hazards_->order().Barrier(pipe);
  }
}

void Core::BarrierAll(SourceLine where) {
  if (Dropped("PipeBarrier", where)) {
    return;
  }
  At("PipeBarrier", Pipe::kS, where);
  ++statistics_.sync_instructions;
  registers_.vector.written_by_v.Clear();
  registers_.vector.moved_by_mte2.Clear();
  registers_.vector.moved_by_mte3.Clear();
  Record([](Recording& recording) { recording.BarrierAll(); });
  if (hazards_ != nullptr) {
    hazards_->order().BarrierAll();
  }
}

void Core::RequireCrossCore(std::optional<int> mode) {
  const KernelType type = identity_.launched_as;
  const bool cube = identity_.kind == CoreKind::kAic;
  const int64_t cores = soc_.aic_cores * (cube ? 1 : soc_.aiv_per_aic);
  Require(HasCrossCoreFlags(type) || identity_.num_blocks <= cores, FaultKind::kMisuse, "blocks", "are ",
          identity_.num_blocks, " on ", cores,
          " cores, so they run in waves and have no flags for each other; ", "launch at most ", cores,
          " blocks, as ", tilesim::Name(cube ? KernelType::kMixAic1_0 : KernelType::kMixAiv1_0),
          " where the kernel names a type");
  Require(HasCrossCoreFlags(type), FaultKind::kMisuse, "kernel type", "is ", tilesim::Name(type),
          ", whose cores have no flags for each other; launch the kernel as ",
          tilesim::Name(cube ? KernelType::kMixAic1_0 : KernelType::kMixAiv1_0), " or another MIX type");
  if (!mode) {
    return;
  }
  Require(*mode >= 0 && *mode <= 2, FaultKind::kLimit, "mode", "is ", *mode,
          ", allowed 0, 1, 2 on this part");
  Require(*mode != 1 || (!cube && AivsPerBlock(type) == 2), FaultKind::kMisuse, "mode",
          "is 1, which is for the two AIVs of a block; ",
          cube ? "this is an AIC: use mode 0 or 2"
               : Say("the kernel type is ", tilesim::Name(type), ": launch it as ",
                     tilesim::Name(KernelType::kMixAic1_2), ", or use mode 0"));
  Require(*mode != 2 || (HasAics(type) && AivsPerBlock(type) > 0), FaultKind::kMisuse, "mode",
          "is 2, which goes between the AIC and the AIVs of a block; the kernel type ", tilesim::Name(type),
          " starts no ", cube ? "AIVs" : "AICs", ": launch it as ", tilesim::Name(KernelType::kMixAic1_1),
          " or ", tilesim::Name(KernelType::kMixAic1_2));
}

void Core::DeclareType(KernelType type, TypeFrom from, SourceLine where) {
  const bool by_key = from == TypeFrom::kTilingKey;
  if ((identity_.type_from == TypeFrom::kTilingKey || type_of_key_) && !by_key) {
    return;
  }
  type_of_key_ = by_key;
  other_type_.reset();
  const KernelType launched = identity_.launched_as;
  if (type == launched) {
    identity_.type_from = identity_.type_from == TypeFrom::kNobody ? from : identity_.type_from;
    return;
  }
  if (identity_.type_from != TypeFrom::kLauncher && statistics_.TotalInstructions() == 0) {
    throw OtherKernelType{type, from};
  }
  At("KERNEL_TASK_TYPE", Pipe::kS, where);
  const int64_t cores = soc_.aic_cores * (identity_.kind == CoreKind::kAic ? 1 : soc_.aiv_per_aic);
  if (HasAics(type) == HasAics(launched) && AivsPerBlock(type) == AivsPerBlock(launched)) {
    Require(!HasCrossCoreFlags(type) || identity_.num_blocks <= cores, FaultKind::kMisuse, "kernel type",
            "is ", tilesim::Name(type), ", whose cores meet, so that all must be there; the launch has ",
            identity_.num_blocks, " blocks, ", soc_.name, " has ", cores, " such cores");
    identity_.launched_as = type;  // the same cores; with flags or without, as the kernel says
    return;
  }
  other_type_ = MakeFault(FaultKind::kMisuse, "kernel type",
                          Say("is ", tilesim::Name(type), " by the kernel, and the launch started it as ",
                              tilesim::Name(launched), ", with other cores; launch it as ",
                              tilesim::Name(type), ", or change what the kernel says"));
}

void Core::CrossCoreSet(int mode, Pipe pipe, int id, SourceLine where) {
  if (Dropped("CrossCoreSetFlag", where)) {
    return;
  }
  At("CrossCoreSetFlag", pipe, where);
  RequireCrossCore(mode);
  Require(Has(identity_.kind, pipe), FaultKind::kMisuse, "pipe", "an ", tilesim::Name(identity_.kind),
          " core has no pipe ", tilesim::Name(pipe));
  Require(id >= 0 && id < kCrossCoreFlags, FaultKind::kFlag, "flagId", "is ", id, ", allowed 0..",
          kCrossCoreFlags - 1);
  cross_core_->Set(EventOn(pipe, mode, id, where));
}

void Core::CrossCoreWait(int id, SourceLine where, const char* call) {
  if (Dropped("CrossCoreWaitFlag", where)) {
    return;
  }
  At(call, Pipe::kS, where);
  RequireCrossCore();
  Require(id >= 0 && id < kCrossCoreFlags, FaultKind::kFlag, "flagId", "is ", id, ", allowed 0..",
          kCrossCoreFlags - 1);
  ++statistics_.sync_instructions;
  const std::optional<CrossCoreToken> token = cross_core_->Wait(identity_.index, id);
  Require(token.has_value(), FaultKind::kDeadlock, "flagId", "cross-core flag ", id,
          " is never raised: no group of cores that could set it does, so this core would wait for ever");
  LearnFrom(token->from);
}

void Core::LearnFrom(const std::vector<CrossCoreEvent>& events) {
  NoteProgress();
  Record([&](Recording& recording) {
    std::vector<CrossCoreSource> sources;
    for (const CrossCoreEvent& event : events) {
      sources.push_back({event.core_index, event.set});
    }
    recording.CrossWait(sources);
  });
  if (hazards_ != nullptr) {
    for (const CrossCoreEvent& event : events) {
      if (event.promise) {
        hazards_->order().Learn(event.core_index, *event.promise, identity_.index);
      }
    }
    hazards_->OnCrossCore();
  }
}

CrossCoreEvent Core::EventOn(Pipe pipe, int mode, int id, SourceLine where) {
  ++statistics_.sync_instructions;
  NoteProgress();
  CrossCoreEvent event{
      .core_index = identity_.index, .mode = mode, .id = id, .where = where, .set = 0, .promise = nullptr};
  Record([&](Recording& recording) { event.set = recording.CrossSet(pipe); });
  if (hazards_ != nullptr) {
    event.promise = std::make_shared<const CoreKnowledge>(hazards_->order().Promise(pipe));
    hazards_->OnCrossCore();
  }
  return event;
}

void Core::TellByGm(const std::vector<GmWord>& words, SourceLine where) {
  cross_core_->Tell(EventOn(Pipe::kMte3, 0, 0, where), words);
}

std::vector<int32_t> Core::PollGm(const GmPoll& poll) {
  const bool cube = identity_.kind == CoreKind::kAic;
  const int64_t cores = soc_.aic_cores * (cube ? 1 : soc_.aiv_per_aic);
  const int64_t started = identity_.num_blocks * (cube ? 1 : AivsPerBlock(identity_.launched_as));
  Require(started <= cores, FaultKind::kDeadlock, "gmWorkspace", "the launch starts ", started,
          " cores of this kind, ", soc_.name, " has ", cores,
          ": the others start when these have ended, and these wait for them; use fewer blocks");
  for (const uint64_t word : poll.words) {
    CheckGmOperand({.memory = Memory::kGm, .operand = "gmWorkspace", .begin = word, .block_bytes = 4});
  }
  ++statistics_.sync_instructions;
  GmAnswer answer = cross_core_->Poll(identity_.index, poll);
  if (!answer.holds) {
    const size_t missing = poll.FirstMissing(answer.seen);
    const GmBuffer* const buffer = gm_space_.Find(poll.words[missing]);
    Fail(FaultKind::kDeadlock, "gmWorkspace",
         Say("waits for ever: the word at byte ", poll.words[missing] - buffer->address, " of GM buffer ",
             buffer->name, " is ", answer.seen[missing],
             poll.expected.empty()
                 ? Say(", and all ", poll.words.size(), " together never come to ", poll.least_sum)
                 : Say(" and never becomes ", poll.expected[missing]),
             "; every core that takes part must call it as often, on GM that was zeroed before"));
  }
  LearnFrom(answer.from);
  return std::move(answer.seen);
}

void Core::Finish() {
  if (attachment_.get() != nullptr) {
    attachment_->AtEnd(*this);
  }
  if (other_type_) {
    Note(*std::move(other_type_));
  }
  const bool any_set = std::memchr(flags_.data(), 1, sizeof(flags_)) != nullptr;
  for (int src = 0; any_set && src < kNumPipes; ++src) {
    for (int dst = 0; dst < kNumPipes; ++dst) {
      for (int id = 0; id < kEventIds; ++id) {
        const size_t number = FlagNumber(static_cast<Pipe>(src), static_cast<Pipe>(dst), id);
        if (flags_[number]) {
          const Parts::FlagCalls& calls = parts_->flag_calls[number];
          At("end of kernel", Pipe::kS, calls.set);
          Note(MakeFault(
              FaultKind::kFlag, "",
              Say(tilesim::Name(static_cast<Pipe>(src)), "_", tilesim::Name(static_cast<Pipe>(dst)), " flag ",
                  id, " is still set, by ", calls.set_by, "; every SetFlag needs its WaitFlag")));
        }
      }
    }
  }
  At("end of kernel", Pipe::kS, {});
  for (size_t block = 0; block < unit_flags_.size(); ++block) {
    if (unit_flags_[block]) {
      Note(MakeFault(FaultKind::kFlag, "",
                     Say("the unit flag of L0C block ", block,
                         " is still full; a Fixpipe with unitFlag 3 must take what the Mmad left")));
      break;
    }
  }
  if (hazards_ != nullptr) {
    hazards_->Finish();
  }
}

}  // namespace tilesim
