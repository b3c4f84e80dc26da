// Messages from the AIVs of a block to its AIC, each with work that the AIC is to do, and answers to one AIV
// alone. An AIC finds them in the order in which they were posted: by round, in it by core. Knows no threads.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/cross_core.h"

namespace tilesim {

// What is to be done on the AIC; empty: the sender sends no more.
struct MessageWork {
  std::function<void()> run;
};

struct CoreMessage {
  CrossCoreEvent event;  // by whom; what came before it there is done before the work
  uint32_t number = 0;   // of the sender's messages
  MessageWork work;
};

struct CoreAnswer {
  CrossCoreEvent event;  // by the AIC
  int to = 0;            // core index
  uint32_t number = 0;   // the message's
};

// What an AIC that waits for a message finds: one; or that no core of its block sends any more; or none, and
// these have returned from the kernel without saying so; or that no core of the launch can go on.
struct CoreMail {
  std::optional<CoreMessage> message = std::nullopt;
  std::string left = {};
  bool stuck = false;
};

class CoreMessages {
 public:
  explicit CoreMessages(std::vector<CoreIdentity> cores);

  // Not while any core runs.
  void Deliver(CoreMessage message);
  void Deliver(const CoreAnswer& answer) { answers_[answer.to][answer.number] = answer.event; }

  // `has_ended(core)`: it runs no more. Each core asks for itself.
  template <class F>
  [[nodiscard]] bool HasMail(int aic, F&& has_ended) const {
    return !inboxes_[static_cast<size_t>(aic)].empty() || LeastOpen(aic, has_ended) < 0;
  }
  template <class F>
  CoreMail Take(int aic, F&& has_ended) {
    std::list<CoreMessage>& inbox = inboxes_[static_cast<size_t>(aic)];
    if (inbox.empty()) {
      return {std::nullopt, LeastOpen(aic, has_ended) < 0 ? NamesOfOpen(aic) : ""};
    }
    CoreMail mail{std::move(inbox.front()), ""};
    inbox.pop_front();
    return mail;
  }
  [[nodiscard]] bool HasAnswer(int core, uint32_t number) const {
    const auto found = answers_.find(core);
    return found != answers_.end() && found->second.contains(number);
  }
  [[nodiscard]] std::optional<CrossCoreEvent> TakeAnswer(int core, uint32_t number);

 private:
  // An AIV of the AIC's block that may still send something; -1: none.
  template <class F>
  [[nodiscard]] int LeastOpen(int aic, F&& has_ended) const {
    for (const CoreIdentity& core : cores_) {
      if (IsOpen(aic, core) && !has_ended(core.index)) {
        return core.index;
      }
    }
    return -1;
  }
  [[nodiscard]] bool IsOpen(int aic, const CoreIdentity& core) const;
  [[nodiscard]] std::string NamesOfOpen(int aic) const;

  std::vector<CoreIdentity> cores_;
  std::vector<std::list<CoreMessage>> inboxes_;                // by core
  std::vector<bool> closed_;                                   // by core: it sends no more
  std::map<int, std::map<uint32_t, CrossCoreEvent>> answers_;  // by core and message
};

}  // namespace tilesim
