#include "sim/host/kernel_main.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "sim/ascendc/gm_types.h"
#include "sim/ascendc/tiling_macros.h"
#include "sim/host/arrays.h"
#include "sim/host/kernel_arguments.h"
#include "sim/host/kernel_registry.h"
#include "sim/host/option_words.h"
#include "sim/host/program.h"

namespace tilesim::host {
namespace {

std::string KernelList() {
  std::string list;
  for (const KernelEntry& kernel : KnownKernels()) {
    list += Say("\n  ", SignatureOf(kernel));
  }
  return list;
}

int PrintHelp() {
  std::printf(
      "Runs a kernel of this program on a simulated part.\n"
      "  --kernel NAME           which one; not needed where there is one only\n"
      "  --arg NAME=VALUE        for each parameter; VALUE is one of\n"
      "      FILE.npy, FILE.bin:dtype:shape                     an input\n"
      "      zeros: ones: arange: uniform: normal:dtype:shape   a made input; [:seed=1]\n"
      "      out:dtype:shape, inout:FILE.npy                    an output\n"
      "      workspace:bytes                                    memory that nothing has written\n"
      "      same:PARAMETER                                     that parameter's memory, to work in place\n"
      "      int32:5, float:0.5, ...                            a scalar\n"
      "  --blocks N              all cores of the part for that kernel\n"
      "  --tiling-key N          the tiling key\n"
      "  --output DIR            writes each output as DIR/NAME.npy\n"
      "  --expect NAME=FILE.npy  compares an output; exit code 1 where it differs\n"
      "  --tolerance T           of it, relative and absolute; two units in the last place\n"
      "  --soc --set --cores --mode --threads --strict-sync --watchdog --quiet   as `tilesim run` has them\n"
      "Kernels:%s\n",
      KernelList().c_str());
  return 0;
}

const KernelEntry& KernelNamed(const OptionWords& words) {
  RequireUser(!KnownKernels().empty(), "the program has no kernel: no __global__ function is defined");
  if (!words.Has("kernel")) {
    RequireUser(KnownKernels().size() == 1, "--kernel NAME says which; kernels:", KernelList());
    return KnownKernels().front();
  }
  const std::string name = words.Text("kernel", "");
  const KernelEntry* const kernel = FindKernel(name);
  std::vector<std::string_view> names;
  for (const KernelEntry& one : KnownKernels()) {
    names.emplace_back(one.name);
  }
  RequireUser(kernel != nullptr, "--kernel ", name, ": there is none, or more than one; ",
              DidYouMean(name, names), "kernels:", KernelList());
  return *kernel;
}

struct Expected {
  const KernelArguments::Output* output = nullptr;
  std::string file;
  Array array;
};

std::vector<Expected> ReadExpected(const OptionWords& words, const KernelEntry& kernel,
                                   const KernelArguments& arguments) {
  std::vector<Expected> expected;
  RequireUser(!words.Has("tolerance") || words.Has("expect"),
              "--tolerance: is for --expect NAME=FILE.npy, which is not given");
  for (const std::string& word : words.All("expect")) {
    const size_t equals = word.find('=');
    RequireUser(equals != std::string::npos, "--expect ", word, ": must be NAME=FILE.npy; the kernel is ",
                SignatureOf(kernel));
    const std::string name = word.substr(0, equals);
    Expected one{.output = arguments.FindOutput(name), .file = word.substr(equals + 1), .array = {}};
    std::string outputs;
    for (const KernelArguments::Output& output : arguments.outputs()) {
      outputs += Say(outputs.empty() ? "" : ", ", output.name);
    }
    RequireUser(one.output != nullptr, "--expect ", name, ": is no output (--arg ", name,
                "=out:... or inout:...); outputs: ", outputs.empty() ? "none" : outputs, "; the kernel is ",
                SignatureOf(kernel));
    one.array = ReadNpyArray(one.file);
    RequireUser(one.array.shape == one.output->shape, "--expect ", name, ": ", one.file, " has shape ",
                ShapeText(one.array.shape), ", the output has ", ShapeText(one.output->shape),
                "; the kernel is ", SignatureOf(kernel));
    if (one.output->type->kind == ElementType::Kind::kBFloat16 &&
        one.array.type->kind == ElementType::Kind::kUnsigned && one.array.type->bytes == 2) {
      one.array.type = one.output->type;  // its bits
    }
    expected.push_back(std::move(one));
  }
  return expected;
}

std::optional<double> ToleranceOf(const OptionWords& words) {
  if (!words.Has("tolerance")) {
    return {};
  }
  const std::string text = words.Text("tolerance", "");
  double value = -1;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  RequireUser(error == std::errc() && at == end && value >= 0 && std::isfinite(value), "--tolerance = '",
              text, "', must be a number, 0 or more");
  return value;
}

// Whole numbers with every digit, others as doubles.
std::string DigitsOf(long double number) {
  if (number != std::trunc(number) || number < -0x1p63L || number >= 0x1p64L) {
    return Say(static_cast<double>(number));
  }
  return number < 0 ? Say(static_cast<int64_t>(number)) : Say(static_cast<uint64_t>(number));
}

std::string Text(const ArrayDifference::Element& element, const std::vector<int64_t>& shape) {
  return Say(IndexText(element.index, shape), ": found ", DigitsOf(element.found), ", expected ",
             DigitsOf(element.expected));
}

// Says how they compare; is it equal?
bool Compare(const Expected& expected, const Array& found, std::optional<double> tolerance) {
  const ArrayDifference difference = CompareArrays(found, expected.array, tolerance);
  const std::string name = expected.output->name;
  std::string line;
  if (difference.differing == 0) {
    line = Say(name, ": equal to ", expected.file, ", largest error ", difference.max_error);
  } else {
    line = Say(name, ": ", difference.differing, " of ", found.elements(), " elements differ from ",
               expected.file, "; first ", Text(*difference.first, found.shape), "; worst ",
               Text(*difference.worst, found.shape));
  }
  std::printf("%s\n", line.c_str());
  return difference.differing == 0;
}

// Says which bytes the kernel has not written; false: it has written none.
bool TellUnwritten(Program& program, const KernelArguments& arguments, const KernelArguments::Output& output,
                   const Array& array) {
  const auto begin = reinterpret_cast<uint64_t>(arguments.Begin(output));
  const DeviceBuffer* const buffer = program.memory().Find(arguments.Begin(output));
  const uint64_t end = begin + array.data.size();
  const auto [first, next] = buffer->FirstUnwritten(begin, end);
  if (first == next || program.num_faults() != 0) {
    return true;
  }
  program.Tell(Say(output.name, ": the kernel has not written bytes [", first - begin, ", ", next - begin,
                   ") of ", array.data.size()));
  return first != begin || next != end;
}

int Run(const OptionWords& words) {
  Program& program = Program::Get();
  const std::lock_guard lock(program.mutex());
  std::optional<int64_t> blocks;
  if (words.Has("blocks")) {
    blocks = words.Whole("blocks", 0, 1, 65535);
  }
  program.SetOptions(ReadProgramOptions(words, program.options()));
  const KernelEntry& kernel = KernelNamed(words);
  const KernelArguments arguments(kernel, words.All("arg"), program);
  const std::optional<double> tolerance = ToleranceOf(words);
  const std::vector<Expected> expected = ReadExpected(words, kernel, arguments);
  const std::string folder = words.Text("output", "");
  if (!folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    RequireUser(!error, "--output ", folder, ": ", error.message());
  }
  if (words.Has("tiling-key")) {
    AscendC::simulator::SetTilingKey(static_cast<uint64_t>(words.Whole("tiling-key", 0, 0, INT64_MAX)));
  }
  uint8_t* workspace = nullptr;
  if (arguments.HasWorkspace()) {
    workspace =
        static_cast<uint8_t*>(program.memory().Allocate(kSystemWorkspaceBytes, BufferSource::kGmAlloc, true));
  }
  const AscendC::simulator::GmTypesAsked types;
  const Program::Ran ran =
      program.Run({.site = {.kernel = kernel.name, .qualifiers = kernel.qualifiers, .where = kernel.where},
                   .shape = {.blocks = blocks},
                   .pointers = arguments.Pointers(),
                   .kernel = [&kernel, values = arguments.Values()] { kernel.Call(values); },
                   .type = {},
                   .workspace = workspace});
  if (ran.refused) {
    return 2;
  }
  for (const std::string& sentence :
       arguments.OtherTypes([&types](uint64_t begin, uint64_t end) { return types.Of(begin, end); })) {
    program.Tell(sentence);
  }
  if (!program.options().mode.values) {
    if (!expected.empty() || !folder.empty()) {
      program.Tell("mode timing computes no values: nothing is compared or written");
    }
    return 0;
  }
  bool equal = true;
  for (const KernelArguments::Output& output : arguments.outputs()) {
    const Array array = arguments.Read(output);
    equal = TellUnwritten(program, arguments, output, array) && equal;
    if (!folder.empty()) {
      WriteNpyArray((std::filesystem::path(folder) / (output.name + ".npy")).string(), array);
    }
    for (const Expected& one : expected) {
      if (one.output == &output && ran.report->result.completed) {
        equal = Compare(one, array, tolerance) && equal;
      }
    }
  }
  return equal ? 0 : 1;
}

}  // namespace

int KernelMain(int argc, char** argv) {
  unsetenv("TILESIM_KERNEL");
  std::vector<OptionName> names = ProgramOptionNames();
  names.insert(names.end(), {{.name = "kernel"},
                             {.name = "arg", .repeats = true},
                             {.name = "blocks"},
                             {.name = "tiling-key"},
                             {.name = "output"},
                             {.name = "expect", .repeats = true},
                             {.name = "tolerance"},
                             {.name = "help", .is_switch = true}});
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const OptionWords options(words, names, "");
    return options.Has("help") ? PrintHelp() : Run(options);
  } catch (const UserError& error) {
    Program::Get().Tell(error.what());
    return 2;
  }
}

}  // namespace tilesim::host
