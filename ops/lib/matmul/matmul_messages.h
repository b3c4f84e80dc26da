// How the Matmul objects of the vector cores of a block have the block's cube core work for them: the vector
// core hands over what is to be done there (Core::PostMessage), the cube core does it with an object of its
// own for each of theirs. Times of the messages are assumed.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
#include "lib/matmul/matmul_staging.h"
#include "sim/core/core_messages.h"
#include "sim/core/gm.h"
#include "sim/isa/message_move.h"

namespace AscendC::simulator {

// Of the system workspace: the messages, then what is in UB on its way to or from the cube core, as much for
// each AIV as UB has.
inline constexpr uint64_t kMatmulMessageBytes = 64 * 1024;

class MatmulServer;
class MatmulMessages;
inline thread_local MatmulServer* this_matmul_server = nullptr;      // of the AIC that runs here
inline thread_local MatmulMessages* this_matmul_messages = nullptr;  // of the AIV that runs here

// What the server does with an object of the cube core.
class MatmulServed {
 public:
  virtual ~MatmulServed() = default;
  // Its buffers go to another, and come back.
  virtual void Leave() = 0;
  virtual void Return(TPipe* pipe) = 0;
};

// The cube core's side: serves until each vector core of its block has sent its last message. One object has
// L1 and L0C at a time.
class MatmulServer {
 public:
  explicit MatmulServer(TPipe* pipe) : pipe_(pipe) { this_matmul_server = this; }
  MatmulServer(const MatmulServer&) = delete;
  MatmulServer& operator=(const MatmulServer&) = delete;
  ~MatmulServer() { this_matmul_server = nullptr; }

  // Object `number` of AIV `sub_block`.
  void Add(int number, int sub_block, MatmulServed* object) {
    objects_[static_cast<size_t>(number)][static_cast<size_t>(sub_block)] = object;
  }
  template <class Served>
  Served& Use(int number, int sub_block) {
    MatmulServed* const object = objects_[static_cast<size_t>(number)][static_cast<size_t>(sub_block)];
    if (owner_ != object) {
      Renew();
      object->Return(pipe_);
      owner_ = object;
    }
    return static_cast<Served&>(*object);
  }
  // L1 and L0C are free.
  void Renew() {
    if (owner_ != nullptr) {
      owner_->Leave();
      pipe_->Reset();
    }
  }
  TPipe* pipe() { return pipe_; }
  void Serve(SourceLine where) {
    tilesim::Core& core = ThisCore();
    for (;;) {
      core.At("REGIST_MATMUL_OBJ", tilesim::Pipe::kS, where);
      const std::optional<tilesim::CoreMessage> message = core.NextMessage();
      if (!message) {
        break;
      }
      if (message->work.run) {
        message->work.run();
        core.AnswerMessage(*message, where);
      }
    }
    if (owner_ != nullptr) {
      owner_->Leave();
    }
  }

  static constexpr int kMostObjects = 4;

 private:
  TPipe* pipe_;
  MatmulServed* owner_ = nullptr;
  std::array<std::array<MatmulServed*, 2>, kMostObjects> objects_{};
};

// The vector core's side, and what REGIST_MATMUL_OBJ leaves in its scope: its end sends the last message.
class MatmulMessages {
 public:
  MatmulMessages(const void* workspace, SourceLine where) {
    tilesim::Core& core = ThisCore();
    const tilesim::KernelType type = core.identity().launched_as;
    const tilesim::TypeFrom from = core.identity().type_from;
    core.At("REGIST_MATMUL_OBJ", tilesim::Pipe::kS, where);
    if (!tilesim::HasAics(type) || tilesim::AivsPerBlock(type) == 0) {
      core.Require(
          from != tilesim::TypeFrom::kKernel && from != tilesim::TypeFrom::kTilingKey,
          tilesim::FaultKind::kMisuse, "kernel type", "is ", tilesim::Name(type),
          " as the kernel declares, without cube and vector cores that work together; Matmul objects take "
          "MIX_AIC_1_1 and MIX_AIC_1_2: write KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2) or, for cube "
          "cores alone, #define ASCENDC_CUBE_ONLY before lib/matmul_intf.h");
      core.DeclareType(tilesim::KernelType::kMixAic1_2, tilesim::TypeFrom::kKernel, where);
    }
    if (const int buffers = State(core).buffers.buffers(); buffers > 0) {
      core.Note(core.MakeFault(
          tilesim::FaultKind::kMisuse, "REGIST_MATMUL_OBJ",
          tilesim::Say("comes after InitBuffer: the TPipe holds buffers already, ", buffers,
                       ", allowed are none; register the objects before the first InitBuffer")));
    }
    core.RequireCrossCore(2);
    if (OnCube(core)) {
      return;
    }
    CheckWorkspace(core, reinterpret_cast<uint64_t>(workspace));
    staging_address_ = reinterpret_cast<uint64_t>(workspace) + kMatmulMessageBytes +
                       static_cast<uint64_t>(GetBlockIdx()) * ASC_UB_SIZE;
    this_matmul_messages = this;
    SetSysWorkspace(reinterpret_cast<GM_ADDR>(const_cast<void*>(workspace)));  // where none was told before
  }
  MatmulMessages(const MatmulMessages&) = delete;
  MatmulMessages& operator=(const MatmulMessages&) = delete;
  // A fault of the last message is told, unless the kernel ends by a fault already.
  ~MatmulMessages() noexcept(false) {
    if (this_matmul_messages != this) {
      return;
    }
    this_matmul_messages = nullptr;
    try {
      Send({}, SourceLine::Here());
    } catch (...) {
      if (std::uncaught_exceptions() <= exceptions_before_) {
        throw;
      }
    }
  }

  // Those of the core it is called on; a fault where there are none.
  static MatmulMessages& Here() {
    ThisCore().Require(this_matmul_messages != nullptr, tilesim::FaultKind::kMisuse, "REGIST_MATMUL_OBJ",
                       "was not called on this core, or its scope has been left; register the object before, "
                       "in the scope that uses it");
    return *this_matmul_messages;
  }
  // Gives the message's number.
  uint32_t Post(std::function<void()> work, SourceLine where) {
    Send(std::move(work), where);
    return number_;
  }
  // Until the cube core has done this message, and all before it.
  void Await(uint32_t number, SourceLine where) {
    if (number > answered_) {
      ThisCore().AwaitAnswer(number, where);
      answered_ = number;
    }
  }
  // All of them: then what is staged may be written anew.
  void AwaitAll(SourceLine where) { Await(number_, where); }
  MatmulStaging& staging() { return staging_; }
  [[nodiscard]] GM_ADDR AddressOf(const MatmulRoom& room) const {
    return reinterpret_cast<GM_ADDR>(staging_address_ + room.begin);
  }

 private:
  void Send(std::function<void()> work, SourceLine where) {
    ThisCore().Issue(tilesim::isa::MessageMove{}, where);
    ThisCore().PostMessage(++number_, {std::move(work)}, where);
  }
  static void CheckWorkspace(tilesim::Core& core, uint64_t workspace) {
    const char* const mend =
        "; give a buffer of GetLibApiWorkSpaceSize() bytes: mark a parameter as __kfc_workspace__, or call "
        "SetSysWorkspace(workspace), and pass GetSysWorkSpacePtr()";
    core.Require(workspace != 0, tilesim::FaultKind::kMisuse, "workspace", "is nullptr", mend);
    const tilesim::GmBuffer* const buffer = core.gm_space().Find(workspace);
    core.Require(buffer != nullptr, tilesim::FaultKind::kBounds, "workspace",
                 "is in no buffer of this launch", mend);
    const auto cores = static_cast<uint64_t>(GetBlockNum() * GetTaskRatio());
    const uint64_t needed = kMatmulMessageBytes + cores * ASC_UB_SIZE;
    const uint64_t has = buffer->address + buffer->size_bytes - workspace;
    core.Require(has >= needed, tilesim::FaultKind::kBounds, "workspace", "has ", has, " bytes of GM buffer ",
                 buffer->name, ", the messages of ", cores, " vector cores need ", needed, mend);
  }

  MatmulStaging staging_;
  uint64_t staging_address_ = 0;  // in GM
  int exceptions_before_ = std::uncaught_exceptions();
  uint32_t number_ = 0;
  uint32_t answered_ = 0;  // up to this message
};

}  // namespace AscendC::simulator
