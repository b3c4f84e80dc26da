#include "sim/ascendc/print.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ascendc/assertion.h"
#include "sim/core/gm.h"
#include "sim/core/gm_window.h"

#undef printf

namespace AscendC {

namespace simulator {
namespace {

using tilesim::FaultKind;
using tilesim::Memory;
using tilesim::Say;

constexpr size_t kMostBytes = 30 * 1024;  // of a call

// What a value is as one of C's that a conversion takes.
template <class T>
std::string One(const std::string& conversion, T value) {
  const int size = std::snprintf(nullptr, 0, conversion.c_str(), value);
  std::string text(static_cast<size_t>(std::max(size, 0)), '\0');
  std::snprintf(text.data(), text.size() + 1, conversion.c_str(), value);
  return text;
}

int64_t Whole(const PrintValue& value) {
  return value.kind == PrintValue::Kind::kReal ? static_cast<int64_t>(value.real)
                                               : static_cast<int64_t>(value.bits);
}
double Real(const PrintValue& value) {
  return value.kind == PrintValue::Kind::kReal     ? value.real
         : value.kind == PrintValue::Kind::kSigned ? static_cast<double>(static_cast<int64_t>(value.bits))
                                                   : static_cast<double>(value.bits);
}

// What of a format is not as it should be; empty: all is.
struct Formatted {
  std::string text;
  std::string wrong;
};

class Formatter {
 public:
  Formatter(std::string_view format, std::initializer_list<PrintValue> values)
      : format_(format), values_(values) {}

  Formatted Run() {
    while (at_ < format_.size()) {
      const size_t percent = std::min(format_.find('%', at_), format_.size());
      result_.text.append(format_, at_, percent - at_);
      at_ = percent;
      if (at_ < format_.size()) {
        Convert();
      }
    }
    if (next_ < values_.size()) {
      Wrong(Say("has conversions for ", next_, " of the ", values_.size(), " values behind it"));
    }
    return std::move(result_);
  }

 private:
  void Wrong(std::string what) {
    if (result_.wrong.empty()) {
      result_.wrong = std::move(what);
    }
  }

  // At a '%'.
  void Convert() {
    const size_t begin = at_++;
    const size_t flags_end = std::min(format_.find_first_not_of("-+ #0123456789.", at_), format_.size());
    const std::string flags(format_.substr(begin, flags_end - begin));
    const size_t letter = std::min(format_.find_first_not_of("hlzjtL", flags_end), format_.size());
    at_ = std::min(letter + 1, format_.size());
    const std::string whole(format_.substr(begin, at_ - begin));
    if (letter == format_.size()) {
      Wrong(Say("ends within the conversion ", whole));
      result_.text += whole;
    } else if (format_[letter] == '%') {
      result_.text += '%';
    } else if (next_ == values_.size()) {
      Wrong(Say("has no value for the conversion ", whole));
      result_.text += whole;
    } else {
      Put(flags, format_[letter], whole, values_.begin()[next_++]);
    }
  }

  void Put(const std::string& flags, char letter, const std::string& whole, const PrintValue& value) {
    using Kind = PrintValue::Kind;
    const auto is = [&](std::string_view letters) { return letters.find(letter) != std::string_view::npos; };
    const bool is_whole = value.kind == Kind::kSigned || value.kind == Kind::kUnsigned;
    const bool fits = is("diuxXoc")  ? is_whole || (is("xX") && value.kind == Kind::kPointer)
                      : is("fFeEgG") ? value.kind == Kind::kReal
                      : is("s")      ? value.kind == Kind::kText
                      : is("p")      ? value.kind == Kind::kPointer || value.kind == Kind::kText
                                     : false;
    if (!fits) {
      Wrong(Say("has the conversion ", whole,
                " for a value of another kind: use %d, %u or %x for whole numbers, ",
                "%f for half, bfloat16_t and float, %s for text, %p for pointers"));
    }
    if (value.kind == Kind::kText && is("s")) {
      result_.text += One(flags + "s", value.text == nullptr ? "(null)" : value.text);
    } else if (is("p")) {
      const auto address = value.kind == Kind::kText ? reinterpret_cast<uint64_t>(value.text) : value.bits;
      result_.text += One(flags + "p", reinterpret_cast<const void*>(address));
    } else if (is("c")) {
      result_.text += One(flags + "c", static_cast<int>(Whole(value)));
    } else if (is("diuxXo")) {
      result_.text += One(flags + "ll" + letter, static_cast<long long>(Whole(value)));
    } else if (is("fFeEgG")) {
      result_.text += One(flags + letter, Real(value));
    } else {
      result_.text += whole;
    }
  }

  std::string_view format_;
  std::initializer_list<PrintValue> values_;
  size_t at_ = 0;
  size_t next_ = 0;  // value
  Formatted result_;
};

std::string PrefixOf(const tilesim::Core& core) {
  const tilesim::CoreIdentity& identity = core.identity();
  const int64_t ratio = std::max<int64_t>(identity.aivs_per_block, 1);
  const bool vector = identity.kind == tilesim::CoreKind::kAiv;
  return Say("[", tilesim::Name(identity.kind), " Block ",
             vector ? identity.block * ratio + identity.sub_block : identity.block, "/",
             identity.num_blocks * (vector ? ratio : 1), "] ");
}

void NoteWrong(tilesim::Core& core, FaultKind kind, std::string what) {
  core.Note(core.MakeFault(kind, "format", std::move(what)));
}

void PrintOn(tilesim::Core& core, const std::string& text, const char* mend) {
  if (text.size() > kMostBytes) {
    NoteWrong(
        core, FaultKind::kLimit,
        Say("gives ", text.size(), " bytes, a call prints ", kMostBytes, " at most, and now none; ", mend));
    return;
  }
  if (core.mode().values) {
    core.Print(text, PrefixOf(core));
  }
}

// The bytes of a memory as this core sees them; checked to be there.
void ReadBytes(tilesim::Core& core, const tilesim::isa::Operand& src, void* to, size_t size) {
  switch (src.memory) {
    case Memory::kGm:
      return core.gm().Read(src.begin, to, size);
    case Memory::kUb:
      std::memcpy(to, core.ub() + src.begin, size);
      return;
    case Memory::kL1:
      std::memcpy(to, core.l1() + src.begin, size);
      return;
    default:
      std::memcpy(to, reinterpret_cast<const std::byte*>(core.l0c()) + src.begin, size);
  }
}

// Of GM: in its buffer, so that it is the same in every run.
uint64_t AddressIn(tilesim::Core& core, const tilesim::isa::Operand& src) {
  return src.memory == Memory::kGm ? src.begin - core.gm_space().Find(src.begin)->address : src.begin;
}

void CheckDump(tilesim::Core& core, const Dump& dump) {
  const uint64_t bytes = uint64_t{dump.count} * dump.element_bytes;
  const Memory memory = dump.src.memory;
  core.Require(
      memory == Memory::kGm || memory == Memory::kUb || memory == Memory::kL1 || memory == Memory::kL0C,
      FaultKind::kMisuse, "src", "is in ", tilesim::Name(memory), ", must be in UB, L1, L0C or GM");
  uint64_t limit = memory == Memory::kGm ? 0 : static_cast<uint64_t>(core.CapacityBytes(memory));
  if (memory == Memory::kGm) {
    const tilesim::GmBuffer* const buffer = core.gm_space().Find(dump.src.begin);
    core.Require(buffer != nullptr, FaultKind::kBounds, "src", core.gm_space().Describe(dump.src.begin));
    limit = buffer->address + buffer->size_bytes;
  }
  if (dump.src.limit != 0) {
    limit = std::min(limit, dump.src.limit);
  }
  core.Require(dump.src.begin <= limit && bytes <= limit - dump.src.begin, FaultKind::kBounds, "src",
               dump.count, " elements of ", dump.type, " pass the end of what there is by ",
               dump.src.begin + bytes - limit, " bytes; dump fewer");
}

// The elements by the shape, rows of the last dimension a line.
class Rows {
 public:
  Rows(const std::vector<std::string>& elements, const ShapeInfo* shape) : elements_(elements) {
    for (int i = 0; shape != nullptr && i < shape->shapeDim; ++i) {
      extents_.push_back(shape->shape[i]);
    }
    if (extents_.empty()) {
      extents_.push_back(static_cast<uint32_t>(elements.size()));
    }
  }
  std::string Text() {
    Put(0);
    return text_ + "\n";
  }

 private:
  void Put(size_t dim) {
    const bool is_row = dim + 1 == extents_.size();
    text_ += '[';
    for (uint32_t i = 0; i < extents_[dim] && text_.size() <= kMostBytes; ++i) {
      if (i > 0) {
        text_ += is_row ? std::string(", ") : ",\n" + std::string(dim + 1, ' ');
      }
      if (is_row) {
        text_ += at_ < elements_.size() ? elements_[at_] : "-";
        ++at_;
      } else {
        Put(dim + 1);
      }
    }
    text_ += ']';
  }

  const std::vector<std::string>& elements_;
  std::vector<uint32_t> extents_;
  size_t at_ = 0;
  std::string text_;
};

}  // namespace

std::string FormatText(const char* format, std::initializer_list<PrintValue> values) {
  return Formatter(format, values).Run().text;
}

int Print(const PrintFormat& format, std::initializer_list<PrintValue> values) {
  const Formatted formatted = Formatter(format.text, values).Run();
  tilesim::Core* const core = tilesim::internal::current_core;
  if (core == nullptr) {
    std::fwrite(formatted.text.data(), 1, formatted.text.size(), stdout);
    return static_cast<int>(formatted.text.size());
  }
  core->At("printf", tilesim::Pipe::kS, format.where);
  if (!formatted.wrong.empty()) {
    NoteWrong(*core, FaultKind::kMisuse, formatted.wrong);
  }
  PrintOn(*core, formatted.text, "print it in parts");
  return static_cast<int>(formatted.text.size());
}

bool IsDumpedHere(Memory memory) {
  const bool cube = ThisCore().identity().kind == tilesim::CoreKind::kAic;
  return memory == Memory::kGm || (memory == Memory::kUb) != cube;
}

Memory MemoryAt(const void* pointer) {
  tilesim::Core& core = ThisCore();
  if (core.gm_space().Find(reinterpret_cast<uint64_t>(pointer)) != nullptr) {
    return Memory::kGm;
  }
  return core.identity().kind == tilesim::CoreKind::kAic ? Memory::kL1 : Memory::kUb;
}

void DumpElements(const Dump& dump, tilesim::SourceLine where) {
  if (!IsDumpedHere(dump.src.memory)) {
    return;
  }
  tilesim::Core& core = ThisCore();
  core.At(dump.call, tilesim::Pipe::kS, where);
  CheckDump(core, dump);
  const std::string head =
      Say(dump.call, ": ", dump.number_name, "=", dump.number, ", addr=", AddressIn(core, dump.src),
          ", data_type=", dump.type, ", position=", tilesim::Name(dump.src.memory),
          ", dump_size=", dump.count, "\n");
  if (!core.mode().values) {
    return;
  }
  const size_t bytes = size_t{dump.count} * dump.element_bytes;
  std::vector<std::string> elements;
  if (bytes <= kMostBytes) {
    core.ReachAll();
    std::vector<std::byte> raw(bytes);
    if (bytes > 0) {
      ReadBytes(core, dump.src, raw.data(), bytes);
    }
    for (size_t at = 0; at < bytes; at += dump.element_bytes) {
      const PrintValue value = dump.element(raw.data() + at);
      const char* const conversion = value.kind == PrintValue::Kind::kReal     ? "%f"
                                     : value.kind == PrintValue::Kind::kSigned ? "%d"
                                                                               : "%u";
      elements.push_back(FormatText(conversion, {value}));
    }
  }
  if (bytes > kMostBytes) {
    NoteWrong(
        core, FaultKind::kLimit,
        Say("has ", bytes, " bytes, a call dumps ", kMostBytes, " at most, and now none; dump it in parts"));
    return;
  }
  core.Print(head + Rows(elements, dump.shape).Text(), PrefixOf(core));
}

void FailAssertion(const PrintFormat& expression, const std::string& text) {
  std::string what = Say("Assertion `", expression.text, "' failed.", text.empty() ? "" : " ", text);
  what.erase(what.find_last_not_of('\n') + 1);  // formats end their line, as those of printf do
  const std::string line =
      Say("[ASSERT] ", expression.where.file, ":", expression.where.line, ": : ", what, "\n");
  tilesim::Core* const core = tilesim::internal::current_core;
  if (core == nullptr) {
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::abort();
  }
  core->At("assert", tilesim::Pipe::kS, expression.where);
  core->Print(line, PrefixOf(*core));
  core->Fail(FaultKind::kMisuse, "", what);
}

}  // namespace simulator
}  // namespace AscendC
