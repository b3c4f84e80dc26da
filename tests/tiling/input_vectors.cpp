#include "tests/tiling/input_vectors.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tiling/conv_backprop/gradient_text.h"

namespace tilesim::testing {
namespace {

std::vector<std::string> Parts(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

const TilingField& FieldNamed(const std::string& name) {
  for (const TilingField& field : FieldsIn<Conv3DBackpropInputTilingData>()) {
    if (field.name == name) {
      return field;
    }
  }
  throw std::runtime_error("no field " + name);
}

InputProblem ProblemFrom(const std::vector<std::string>& cells) {
  std::istringstream in(cells[4]);
  InputProblem p;
  in >> p.batch >> p.cin >> p.di >> p.hi >> p.wi >> p.cout >> p.dout >> p.ho >> p.wo >> p.dk >> p.hk >> p.wk;
  in >> p.stride_d >> p.stride_h >> p.stride_w >> p.dilation_d >> p.dilation_h >> p.dilation_w;
  in >> p.pad_front >> p.pad_back >> p.pad_up >> p.pad_down >> p.pad_left >> p.pad_right;
  in >> p.output_pad_d >> p.output_pad_h >> p.output_pad_w;
  if (in.fail()) {
    throw std::runtime_error("bad problem: " + cells[4]);
  }
  p.dtype = ParseDType(cells[1]).value();
  p.transpose = cells[2] == "transpose";
  p.groups = std::stoll(cells[3]);
  return p;
}

// What the file leaves out because it is the same in every row.
void SetConstants(TConv3DBackpropInputTiling& t) {
  t.c0 = 16;
  t.c0Bits = 4;
  t.al0Pbuffer = t.bl0Pbuffer = 2;
  t.cl0Pbuffer = t.group = t.singleCoreGroup = t.singleCoreDin = t.singleCoreHo = 1;
  t.baseD = t.baseBatch = t.baseGroup = t.stepM = t.stepN = t.stepBatch = t.stepGroup = t.iterateOrder = 1;
  t.singleCoreBatch = 1;
}

class Rows {
 public:
  // False for a line that is none of the rows.
  bool Read(const std::string& line, InputVector& vector) {
    const std::string problem_key = "# problem: ";
    const std::string result_key = "# result:  ";
    if (line.starts_with(problem_key)) {
      problem_names_ = Parts(line.substr(problem_key.size()), ' ');
    } else if (line.starts_with(result_key)) {
      result_names_ = Parts(line.substr(result_key.size()), ' ');
    }
    if (line.starts_with('#') || line.starts_with("id,")) {
      return false;
    }
    std::vector<std::string> cells = Parts(line, ',');
    cells.resize(9);
    vector = {.id = cells[0],
              .problem = ProblemFrom(cells),
              .accepted = cells[5] == "accepted",
              .flags_recorded = cells[6] != "?",
              .note_m = cells[6] == "NOTE_M",
              .data = {},
              .pixels_on_24_cores = {}};
    if (vector.accepted) {
      SetConstants(vector.data.conv3DDxTiling);
      Fill(problem_names_, cells[4], vector.data);
      Fill(result_names_, cells[7], vector.data);
    }
    if (!cells[8].empty()) {
      vector.pixels_on_24_cores = std::stoull(cells[8]);
    }
    return true;
  }

 private:
  static void Fill(const std::vector<std::string>& names, const std::string& numbers,
                   Conv3DBackpropInputTilingData& data) {
    const std::vector<std::string> parts = Parts(numbers, ' ');
    if (parts.size() != names.size()) {
      throw std::runtime_error("not as many numbers as names: " + numbers);
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!names[i].starts_with("outputPad")) {  // no field holds them
        WriteField(&data, FieldNamed(names[i]), static_cast<uint64_t>(std::stoll(parts[i])));
      }
    }
  }

  std::vector<std::string> problem_names_, result_names_;
};

}  // namespace

std::vector<InputVector> ReadInputVectors() {
  std::ifstream file("tests/data/input_api_planner.csv");
  Rows rows;
  std::vector<InputVector> vectors;
  InputVector vector;
  for (std::string line; std::getline(file, line);) {
    if (rows.Read(line, vector)) {
      vectors.push_back(vector);
    }
  }
  return vectors;
}

}  // namespace tilesim::testing
