// What an instruction says it writes covers what it writes; and so a core's memories are clean when the next
// core gets them.
#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "sim/core/core_memories.h"
#include "sim/core/launch.h"
#include "sim/core/memory_shelf.h"
#include "tests/sim/isa/random_instructions.h"
#include "tests/support/repetitions.h"

namespace tilesim::isa {
namespace {

// The memories of a core as bytes; L0A and L0B with a byte a fractal for its type.
struct Image {
  std::array<Bytes, kNumMemories> bytes;
  std::array<Bytes, 2> types;  // of the fractals of L0A, L0B

  static Bytes Copy(const void* data, size_t size) {
    const auto* const from = static_cast<const std::byte*>(data);
    return size == 0 ? Bytes() : Bytes(from, from + size);
  }
  Bytes& Of(Memory memory) { return bytes[static_cast<size_t>(memory)]; }

  Image(const std::byte* l1, size_t l1_bytes, const std::byte* ub, size_t ub_bytes, const float* l0c,
        size_t l0c_bytes, L0Memory& l0a, L0Memory& l0b) {
    Of(Memory::kL1) = Copy(l1, l1_bytes);
    Of(Memory::kUb) = Copy(ub, ub_bytes);
    Of(Memory::kL0C) = Copy(l0c, l0c_bytes);
    AddFractals(Of(Memory::kL0A), types[0], l0a);
    AddFractals(Of(Memory::kL0B), types[1], l0b);
  }
  static void AddFractals(Bytes& values, Bytes& types, L0Memory& l0) {
    const auto fractals = static_cast<size_t>(l0.num_fractals());
    values = Copy(fractals == 0 ? nullptr : l0.Fractal(0), fractals * L0Memory::kFloats * sizeof(float));
    for (size_t i = 0; i < fractals; ++i) {
      types.push_back(static_cast<std::byte>(l0.type(static_cast<int64_t>(i))));
    }
  }
  friend bool operator==(const Image&, const Image&) = default;
};

Image ImageOf(CoreMemories& memories) {
  memories.ReachAll();
  return {memories.L1(),       memories.l1_bytes(), memories.Ub(),
          memories.ub_bytes(), memories.L0c(),      memories.l0c_floats() * sizeof(float),
          memories.l0a,        memories.l0b};
}

Image ImageOf(Core& core) {
  core.ReachAll();
  const bool cube = core.identity().kind == CoreKind::kAic;
  const auto bytes = [&](bool has, int64_t count) { return has ? static_cast<size_t>(count) : 0; };
  return {core.l1(),  bytes(cube, core.soc().l1_bytes),  core.ub(),  bytes(!cube, core.soc().ub_bytes),
          core.l0c(), bytes(cube, core.soc().l0c_bytes), core.l0a(), core.l0b()};
}

// Bytes of L1, UB or L0C that differ and that no write region covers.
int64_t UncoveredBytes(Image& before, Image& after, const Operands& operands, Memory memory) {
  const Bytes& was = before.Of(memory);
  const Bytes& is = after.Of(memory);
  if (was == is) {
    return 0;
  }
  const std::vector<bool> covered = Covered(operands, memory, Use::kWrite, 0, was.size());
  int64_t wrong = 0;
  for (size_t i = 0; i < was.size(); ++i) {
    wrong += was[i] != is[i] && !covered[i] ? 1 : 0;
  }
  return wrong;
}

// Fractals of L0A or L0B that differ and that no write region meets. A product may hold what was loaded in
// another way: it takes the bytes for another type.
int64_t UncoveredFractals(Image& before, Image& after, const Operands& operands, Memory memory) {
  constexpr size_t kHeldBytes = L0Memory::kFloats * sizeof(float);
  const Bytes& types = before.types[memory == Memory::kL0A ? 0 : 1];
  const Bytes& new_types = after.types[memory == Memory::kL0A ? 0 : 1];
  const std::vector<bool> covered = Covered(operands, memory, Use::kWrite, 0, types.size() * 512);
  int64_t wrong = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    const bool differs =
        types[i] != new_types[i] ||
        std::memcmp(&before.Of(memory)[i * kHeldBytes], &after.Of(memory)[i * kHeldBytes], kHeldBytes) != 0;
    const auto first = covered.begin() + static_cast<std::ptrdiff_t>(i * 512);
    const bool written = std::find(first, first + 512, true) != first + 512;
    const bool loaded = types[i] != static_cast<std::byte>(FractalType::kNone);
    const bool taken = loaded && std::any_of(operands.begin(), operands.end(), [&](const Region& region) {
                         return region.memory == memory && region.use == Use::kRead &&
                                region.begin <= i * 512 && i * 512 < region.end();
                       });
    wrong += differs && !written && !taken ? 1 : 0;
  }
  return wrong;
}

int64_t Uncovered(Image& before, Image& after, const Operands& operands) {
  int64_t wrong = 0;
  for (const Memory memory : {Memory::kL1, Memory::kUb, Memory::kL0C}) {
    wrong += UncoveredBytes(before, after, operands, memory);
  }
  for (const Memory memory : {Memory::kL0A, Memory::kL0B}) {
    wrong += UncoveredFractals(before, after, operands, memory);
  }
  return wrong;
}

constexpr RunMode kValuesOnly = {.values = true, .time = false, .hazards = false};

// Issues instructions of one kind until `wanted` were accepted.
template <class Next>
void ExpectCovered(TestCore& core, int wanted, Next&& next) {
  int accepted = 0;
  const char* name = "";
  for (int tries = 0; accepted < wanted && tries < 200 * wanted; ++tries) {
    next([&](const auto& op) {
      name = InstructionName(op);
      try {
        op.Check(*core);
        const Operands operands = op.Footprint(*core);
        Image before = ImageOf(*core);
        core.Issue(op);
        Image after = ImageOf(*core);
        ++accepted;
        ASSERT_EQ(Uncovered(before, after, operands), 0) << name << ", seed " << Seed();
      } catch (const KernelFault&) {  // a rule was broken
      }
    });
  }
  EXPECT_EQ(accepted, wanted) << name;
}

TEST(Footprint, CoversWhatInstructionsOfAnAicWrite) {
  Random random;
  TestCore core(kValuesOnly);
  FillWith(random, DType::kFp16, core.gm().data(), 1 << 19);
  RandomInstructions instructions(random, *core, core.Gm());
  for (int kind = 0; kind < RandomInstructions::kCubeKinds; ++kind) {
    ExpectCovered(core, kind == 5 || kind == 6 ? 120 : 40,
                  [&](const auto& use) { instructions.OfAic(kind, use); });
  }
}

TEST(Footprint, CoversWhatInstructionsOfAnAivWrite) {
  Random random;
  VectorCore core(kValuesOnly);
  core.FillUb(random);
  RandomInstructions instructions(random, *core, core.Gm());
  for (int kind = 0; kind < RandomInstructions::kVectorKinds; ++kind) {
    ExpectCovered(core, 40, [&](const auto& use) { instructions.OfAiv(kind, use); });
  }
}

// The same instruction, with the end of one of its buffers somewhere near.
template <class Op>
Op WithLimit(Random& random, Op op) {
  const auto limit = [&](Operand& operand) {
    operand.limit = random.Coin() ? operand.begin + Unsigned(random.Int(1, 4000)) : 0;
  };
  if constexpr (requires { op.on.src1; }) {
    limit(random.Coin() ? op.on.src1.at : op.on.dst.at);
  } else if constexpr (requires { op.on.dst_stride; }) {
    limit(random.Coin() ? op.on.src.at : op.on.dst);
  } else if constexpr (requires { op.on.src; }) {
    limit(random.Coin() ? op.on.src.at : op.on.dst.at);
  } else if constexpr (requires { op.src1.at; }) {
    limit(random.Coin() ? op.src1.at : op.src0.at);
  } else if constexpr (requires { op.dst.at; }) {
    limit(op.dst.at);
  } else if constexpr (requires { op.dst[0]; }) {
    limit(op.dst[Unsigned(random.Int(0, 15))]);
  } else if constexpr (requires { op.src.limit; }) {
    limit(random.Coin() ? op.src : op.dst);
  }
  return op;
}

template <class Op>
std::string RefusalOf(Core& core, const Op& op) {
  try {
    core.Issue(op, SourceLine::Here());
  } catch (const KernelFault& fault) {
    return fault.fault().operand + ": " + fault.fault().what;
  }
  return "";
}

// Instructions that run at once do what those do whose footprint is made, and leave it to these to refuse.
TEST(Footprint, IsNotNeededToRefuseWhatDoesNotFit) {
  Random random;
  VectorCore timed;
  VectorCore values(kValuesOnly);
  timed.FillUb(random);
  std::memcpy(values->ub(), timed->ub(), static_cast<size_t>(timed.soc().ub_bytes));
  ASSERT_TRUE(values->FitsUb(Unsigned(timed.soc().ub_bytes), 0, Use::kWrite));  // all has been written
  std::memcpy(values.gm().data(), timed.gm().data(), timed.gm().size());
  RandomInstructions instructions(random, *timed, {});
  int refused = 0;
  int accepted = 0;
  int at_once = 0;
  for (int round = 0; round < Repetitions(6000); ++round) {
    instructions.OfAiv(
        static_cast<int>(random.Int(2, RandomInstructions::kVectorKinds - 1)), [&](const auto& any) {
          const auto op = WithLimit(random, any);
          values->registers() = timed->registers();
          const std::string refusal = RefusalOf(*timed, op);
          (refusal.empty() ? accepted : refused) += 1;
          ASSERT_EQ(RefusalOf(*values, op), refusal) << InstructionName(op) << ", seed " << Seed();
          if constexpr (requires { op.RunAtOnce(*values); }) {
            if (refusal.empty() && op.RunAtOnce(*values)) {
              ++at_once;
              ASSERT_TRUE(RefusalOf(*timed, op).empty());  // once more there, too
            }
          }
        });
    if (round % 100 == 0) {
      ASSERT_TRUE(values.Ub() == timed.Ub()) << "round " << round << ", seed " << Seed();
    }
  }
  EXPECT_GT(refused, PartOf(500));
  EXPECT_GT(accepted, PartOf(500));
  EXPECT_GT(at_once, PartOf(100));
}

// Random instructions, of which refused ones are passed over; in the end the kernel is left by `leave`.
void ExpectCleanAfter(KernelType type, const std::function<void(Core&)>& leave) {
  Random random;
  TestCore holder(kValuesOnly);  // its GM and its part
  FillWith(random, DType::kFp16, holder.gm().data(), 1 << 19);
  const CoreKind kind = HasAics(type) ? CoreKind::kAic : CoreKind::kAiv;
  LaunchOptions options{.type = type, .mode = kValuesOnly, .threads = 1};
  options.gm.Add({.name = "gm", .address = holder.address(), .size_bytes = holder.gm().size()});
  CoreMemories fresh(holder.soc(), kind);
  const Image clean = ImageOf(fresh);
  for (int run = 0; run < 20; ++run) {
    bool dirty = false;
    const auto kernel = [&] {
      Core& core = CurrentCore();
      RandomInstructions instructions(random, core, holder.Gm());
      for (int i = 0; i < 40 || (!dirty && i < 400); ++i) {
        const auto issue = [&](const auto& op) {
          try {
            core.Issue(op, SourceLine::Here());
          } catch (const KernelFault&) {
          }
        };
        if (kind == CoreKind::kAic) {
          instructions.OfAic(static_cast<int>(random.Int(0, RandomInstructions::kCubeKinds - 1)), issue);
        } else {
          instructions.OfAiv(static_cast<int>(random.Int(0, RandomInstructions::kVectorKinds - 1)), issue);
        }
        dirty = i >= 39 && !(ImageOf(core) == clean);
      }
      leave(core);
    };
    try {
      Launch(holder.soc(), options, kernel);
    } catch (const std::runtime_error&) {
    }
    EXPECT_TRUE(dirty) << "run " << run << ", seed " << Seed();
    const auto handed_on = TakeMemories(holder.soc(), kind);
    EXPECT_TRUE(ImageOf(*handed_on) == clean) << "run " << run << ", seed " << Seed();
    GiveBack(std::make_unique<CoreMemories>(holder.soc(), kind));
  }
}

TEST(CoreMemories, AreCleanAfterAKernel) {
  for (const KernelType type : {KernelType::kAicOnly, KernelType::kAivOnly}) {
    ExpectCleanAfter(type, [](Core&) {});
  }
}

TEST(CoreMemories, AreCleanAfterAKernelThatThrowsMidWay) {
  for (const KernelType type : {KernelType::kAicOnly, KernelType::kAivOnly}) {
    ExpectCleanAfter(type, [](Core&) { throw std::runtime_error("of the kernel"); });
    ExpectCleanAfter(type, [](Core& core) { core.Fail(FaultKind::kMisuse, "dst", "of the kernel"); });
  }
}

// Nor while it runs: what instructions read without having written it is the same whatever others left there.
TEST(CoreMemories, ShowNothingOfTheCoreBefore) {
  Random seeds;
  TestCore holder(kValuesOnly);  // its GM and its part
  FillWith(seeds, DType::kFp16, holder.gm().data(), 1 << 19);
  for (const KernelType type : {KernelType::kAicOnly, KernelType::kAivOnly}) {
    const CoreKind kind = HasAics(type) ? CoreKind::kAic : CoreKind::kAiv;
    LaunchOptions options{.type = type, .mode = kValuesOnly, .threads = 1};
    options.gm.Add({.name = "gm", .address = holder.address(), .size_bytes = holder.gm().size()});
    for (int run = 0; run < 40; ++run) {
      const auto seed = static_cast<uint32_t>(seeds.Int(0, 1 << 30));
      const auto image_on = [&](std::unique_ptr<CoreMemories> memories) {
        const std::byte* const given = kind == CoreKind::kAic ? memories->L1() : memories->Ub();
        GiveBack(std::move(memories));  // so the launch takes these
        std::optional<Image> image;
        Launch(holder.soc(), options, [&] {
          const std::byte* const taken = kind == CoreKind::kAic ? CurrentCore().l1() : CurrentCore().ub();
          EXPECT_EQ(taken, given) << "run " << run;
          Random random;
          random.engine.seed(seed);
          RandomInstructions instructions(random, CurrentCore(), holder.Gm());
          for (int i = 0; i < 40; ++i) {
            const auto issue = [&](const auto& op) {
              try {
                CurrentCore().Issue(op, SourceLine::Here());
              } catch (const KernelFault&) {
              }
            };
            if (kind == CoreKind::kAic) {
              instructions.OfAic(static_cast<int>(random.Int(0, RandomInstructions::kCubeKinds - 1)), issue);
            } else {
              instructions.OfAiv(static_cast<int>(random.Int(0, RandomInstructions::kVectorKinds - 1)),
                                 issue);
            }
          }
          image = ImageOf(CurrentCore());
        });
        (void)TakeMemories(holder.soc(), kind);  // back again, so that no earlier ones are waiting
        return image;
      };
      auto left = std::make_unique<CoreMemories>(holder.soc(), kind);
      left->ReachAll();
      std::fill_n(left->L1(), left->l1_bytes(), std::byte{0x22});
      std::fill_n(left->Ub(), left->ub_bytes(), std::byte{0x22});
      std::fill_n(left->L0c(), left->l0c_floats(), 5.0F);
      for (const Memory memory : {Memory::kL1, Memory::kUb, Memory::kL0C}) {
        left->NoteWrite(memory, ~uint64_t{0});
      }
      const auto on_fresh = image_on(std::make_unique<CoreMemories>(holder.soc(), kind));
      EXPECT_TRUE(on_fresh.has_value());
      EXPECT_TRUE(image_on(std::move(left)) == on_fresh) << "run " << run << ", seed " << Seed();
    }
  }
}

// The bytes around L0A and L0B belong to others: a window whose last rows do not exist once reached past
// them.
TEST(Footprint, AWindowAtTheEndOfL0EndsThere) {
  for (const Memory memory : {Memory::kL0A, Memory::kL0B}) {
    TestCore core(kValuesOnly);
    core->registers().feature_map[0] = {.height = 1, .width = 8};
    const int64_t capacity = core->CapacityBytes(memory);
    FillWith(*std::make_unique<Random>(), DType::kFp32, core->l1(), 64);
    L0Memory& l0 = memory == Memory::kL0A ? core->l0a() : core->l0b();
    const int64_t last = l0.num_fractals() - 1;
    LoadData3D load{.dst = In(memory, capacity - 1024),
                    .src = In(Memory::kL1),
                    .dtype = DType::kFp32,
                    .channels = 8,
                    .k_extension = 8,
                    .m_extension = 16,
                    .transpose = true};
    core.Issue(load);
    EXPECT_EQ(l0.type(last - 1), FractalType::kFp32);
    EXPECT_EQ(l0.type(last), FractalType::kNone);
  }
}

}  // namespace
}  // namespace tilesim::isa
