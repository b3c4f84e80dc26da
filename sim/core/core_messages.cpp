#include "sim/core/core_messages.h"

#include <stdexcept>
#include <utility>

#include "formats/error.h"
#include "sim/core/core.h"

namespace tilesim {

void CrossCorePort::Post(CoreMessage /*message*/) {
  throw std::logic_error("a lone core was to send a message");
}
CoreMail CrossCorePort::NextMessage(int /*core_index*/) {
  throw std::logic_error("a lone core was to wait for messages");
}
void CrossCorePort::Answer(const CoreAnswer& /*answer*/) {
  throw std::logic_error("a lone core was to answer a message");
}
std::optional<CrossCoreEvent> CrossCorePort::AwaitAnswer(int /*core_index*/, uint32_t /*number*/) {
  throw std::logic_error("a lone core was to wait for an answer");
}

CoreMessages::CoreMessages(std::vector<CoreIdentity> cores)
    : cores_(std::move(cores)), inboxes_(cores_.size()), closed_(cores_.size()) {}

void CoreMessages::Deliver(CoreMessage message) {
  const CoreIdentity& from = cores_[static_cast<size_t>(message.event.core_index)];
  if (!message.work.run) {
    closed_[static_cast<size_t>(from.index)] = true;
  }
  for (const CoreIdentity& core : cores_) {
    if (core.kind == CoreKind::kAic && core.block == from.block) {
      inboxes_[static_cast<size_t>(core.index)].push_back(std::move(message));
      return;
    }
  }
}

bool CoreMessages::IsOpen(int aic, const CoreIdentity& core) const {
  return core.kind == CoreKind::kAiv && core.block == cores_[static_cast<size_t>(aic)].block &&
         !closed_[static_cast<size_t>(core.index)];
}

std::string CoreMessages::NamesOfOpen(int aic) const {
  std::string names;
  for (const CoreIdentity& core : cores_) {
    if (IsOpen(aic, core)) {
      names += Say(names.empty() ? "" : ", ", core.Name());
    }
  }
  return names;
}

std::optional<CrossCoreEvent> CoreMessages::TakeAnswer(int core, uint32_t number) {
  const auto found = answers_.find(core);
  if (found == answers_.end() || !found->second.contains(number)) {
    return std::nullopt;
  }
  const CrossCoreEvent event = found->second.at(number);
  found->second.erase(found->second.begin(), found->second.upper_bound(number));  // earlier ones came before
  return event;
}

void Core::PostMessage(uint32_t number, MessageWork work, SourceLine where) {
  cross_core_->Post({.event = EventOn(Pipe::kMte3, 2, 0, where), .number = number, .work = std::move(work)});
}

std::optional<CoreMessage> Core::NextMessage() {
  CoreMail mail = cross_core_->NextMessage(identity_.index);
  Require(
      mail.left.empty(), FaultKind::kDeadlock, "message", "waits for messages of ", mail.left,
      ", which has returned from the kernel without a word, so this core would wait for ever; every vector "
      "core of the block must come to REGIST_MATMUL_OBJ");
  Require(!mail.stuck, FaultKind::kDeadlock, "message",
          "never comes: the vector cores of the block wait themselves, so this core would wait for ever; see "
          "what they wait for");
  if (mail.message) {
    LearnFrom({mail.message->event});
    Record([&](Recording& recording) { recording.Scalar(soc_.gm_read_latency_cycles); });
  }
  return std::move(mail.message);
}

void Core::AnswerMessage(const CoreMessage& message, SourceLine where) {
  cross_core_->Answer(
      {.event = EventOn(Pipe::kFix, 2, 0, where), .to = message.event.core_index, .number = message.number});
}

void Core::AwaitAnswer(uint32_t number, SourceLine where) {
  current_.where = where;
  const std::optional<CrossCoreEvent> answer = cross_core_->AwaitAnswer(identity_.index, number);
  Require(
      answer.has_value(), FaultKind::kDeadlock, "message",
      "is never answered: the cube core of the block has returned from the kernel or waits itself, so this "
      "core would wait for ever; the cube core must come to REGIST_MATMUL_OBJ, and to nothing before it that "
      "waits for this core");
  LearnFrom({*answer});
}

}  // namespace tilesim
