#include "ops/cases/case_inputs.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "formats/error.h"
#include "formats/npy.h"
#include "ops/cases/refusal.h"
#include "ops/harness/harness.h"

namespace tilesim {
namespace {

// Which file of the case gives an input, and what is added to the case's seed where none does: so the same
// tensor of two operators is the same.
struct InputSource {
  std::string_view name;
  std::string Case::*file;
  uint64_t seed;
};
constexpr InputSource kSources[] = {{"x", &Case::x_file, 0},   {"x1", &Case::x_file, 0},
                                    {"x2", &Case::x2_file, 1}, {"dy", &Case::dy_file, 1},
                                    {"w", &Case::w_file, 2},   {"a", &Case::a_file, 0},
                                    {"b", &Case::b_file, 1},   {"argmax", &Case::argmax_file, 0}};

// Random values are made where the device wants them, so that there is only one copy; their logical values
// are those of any layout.
Layout LayoutOfRandom(const OperatorTensor& tensor) {
  if (tensor.device.format() != Format::kNDC1HWC0) {
    return tensor.host;
  }
  return Layout(tensor.host.rank() == 4 ? Format::kNC1HWC0 : Format::kNDC1HWC0, tensor.host.extents(),
                tensor.device.c0());
}

// Is the file that was given for an argmax one of values, of the right shape?
bool IsArgmaxOfFloats(const OperatorTensor& input, const std::string& file) {
  if (input.name != "argmax") {
    return false;
  }
  try {
    const NpyHeader header = ReadNpyHeader(file);
    return header.descr.starts_with("<f") && header.shape == input.host.StorageShape();
  } catch (const UserError&) {
    return false;
  }
}

Tensor MakeInput(const Case& problem, const OperatorTensor& input) {
  const auto* const source = std::ranges::find(kSources, input.name, &InputSource::name);
  if (source == std::end(kSources)) {
    throw std::logic_error(Say("MakeInput: no source for the tensor '", input.name, "'"));
  }
  const std::string& file = problem.*source->file;
  if (!file.empty()) {
    try {
      return ReadNpy(file, input.dtype, input.host);
    } catch (const UserError& error) {
      if (IsArgmaxOfFloats(input, file)) {
        throw UserError(
            Say(input.name, "_file: ", file,
                ": its elements are floating-point and not all whole numbers, must be the positions of "
                "maxima; is it y? `run` of the pooling writes <id>.argmax.npy beside <id>.y.npy: give "
                "that, or leave argmax_file out to recompute it from x"));
      }
      throw UserError(Say(input.name, "_file: ", error.what()));
    }
  }
  Tensor tensor(input.dtype, LayoutOfRandom(input));
  FillRandom(tensor, static_cast<uint64_t>(problem.seed) + source->seed, problem.range_low,
             problem.range_high);
  return tensor;
}

}  // namespace

std::vector<Tensor> MakeInputs(const Case& problem, const Operator& op) {
  std::vector<Tensor> inputs;
  for (const OperatorTensor& input : op.Inputs()) {
    inputs.push_back(MakeInput(problem, input));
  }
  return inputs;
}

void CheckInputs(const Case& problem, const Operator& op, std::span<const Tensor> inputs) {
  try {
    op.CheckInputs(inputs);
  } catch (const RefusedInput& refused) {
    Refusal refusal = refused.refusal();
    for (const InputSource& source : kSources) {
      if (!(problem.*source.file).empty() && refusal.where.starts_with(Say(source.name, " "))) {
        refusal.where = Say(source.name, "_file: ", problem.*source.file, ": ", refusal.where);
        break;
      }
    }
    throw RefusedInput(std::move(refusal));
  }
}

bool HasFiles(const Case& problem, const Operator& op) {
  const std::vector<OperatorTensor> inputs = op.Inputs();
  return std::ranges::any_of(kSources, [&](const InputSource& source) {
    return !(problem.*source.file).empty() &&
           std::ranges::count(inputs, source.name, &OperatorTensor::name) > 0;
  });
}

std::string RandomInputsNote(const Case& problem, const Operator& op) {
  std::string note;
  if (problem.expected_file.empty() && problem.expected_argmax_file.empty()) {
    return note;
  }
  const std::vector<OperatorTensor> inputs = op.Inputs();
  for (const InputSource& source : kSources) {
    if ((problem.*source.file).empty() &&
        std::ranges::count(inputs, source.name, &OperatorTensor::name) > 0) {
      note += Say(note.empty() ? "" : "\n", source.name, " is random (seed ", problem.seed, "): no ",
                  source.name, "_file was given");
    }
  }
  return note;
}

}  // namespace tilesim
