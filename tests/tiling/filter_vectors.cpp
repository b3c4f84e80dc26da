#include "tests/tiling/filter_vectors.h"

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

// The fields' names as the file's header lists them after `key`.
std::vector<std::string> ListedAfter(const std::string& line, const std::string& key) {
  return Parts(line.substr(key.size()), ' ');
}

const TilingField& FieldNamed(const std::string& section, const std::string& name) {
  for (const TilingField& field : FieldsIn<Conv3DBackpropFilterTilingData>()) {
    if (field.section == section && field.name == name) {
      return field;
    }
  }
  throw std::runtime_error("no field " + section + "." + name);
}

FilterProblem ProblemFrom(const std::string& text, const std::string& dtype, const std::string& groups) {
  std::istringstream in(text);
  FilterProblem p;
  in >> p.batch >> p.cin >> p.di >> p.hi >> p.wi >> p.cout >> p.dout >> p.ho >> p.wo >> p.dk >> p.hk >> p.wk;
  in >> p.stride_d >> p.stride_h >> p.stride_w >> p.dilation_d >> p.dilation_h >> p.dilation_w;
  in >> p.pad_front >> p.pad_back >> p.pad_up >> p.pad_down >> p.pad_left >> p.pad_right;
  if (in.fail()) {
    throw std::runtime_error("bad problem: " + text);
  }
  p.dtype = ParseDType(dtype).value();
  p.groups = std::stoll(groups);
  return p;
}

// What the file leaves out because it is the same in every row.
void SetConstants(TConv3DBpFilterTiling& t) {
  t.group = 1;
  t.channelSize = t.m0 = t.k0 = t.n0 = 16;
  t.al0Pbuffer = t.bl0Pbuffer = 2;
  t.singleCoreDk = t.singleCoreGroup = 1;
  t.singleCoreBatch = 1;
}

Conv3DBackpropFilterTilingData DataFrom(const std::vector<std::string>& problem_names,
                                        const std::string& problem,
                                        const std::vector<std::string>& result_names,
                                        const std::string& result) {
  Conv3DBackpropFilterTilingData data;
  data.params.totalL1Size = 524288;
  SetConstants(data.dwTiling);
  const std::vector<std::string> inputs = Parts(problem, ' ');
  for (size_t i = 0; i < inputs.size(); ++i) {
    WriteField(&data, FieldNamed("dwTiling", problem_names.at(i)),
               static_cast<uint64_t>(std::stoll(inputs[i])));
  }
  const std::vector<std::string> numbers = Parts(result, ' ');
  for (size_t i = 0; i < numbers.size(); ++i) {
    const bool block = i + 3 >= numbers.size();
    WriteField(&data, FieldNamed(block ? "basicBlockTiling" : "dwTiling", result_names.at(i)),
               std::stoull(numbers[i]));
  }
  return data;
}

}  // namespace

std::vector<FilterVector> ReadFilterVectors() {
  const std::string problem_key = "# problem: ";
  const std::string result_key = "# result:  ";
  std::ifstream file("tests/data/filter_api_planner.csv");
  std::vector<std::string> problem_names, result_names;
  std::vector<FilterVector> vectors;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(problem_key)) {
      problem_names = ListedAfter(line, problem_key);
    } else if (line.starts_with(result_key)) {
      result_names = ListedAfter(line, result_key);
    } else if (!line.starts_with('#') && !line.starts_with("id,")) {
      std::vector<std::string> cells = Parts(line, ',');
      cells.resize(7);
      FilterVector vector;
      vector.id = cells[0];
      vector.problem = ProblemFrom(cells[3], cells[1], cells[2]);
      vector.accepted = cells[4] == "accepted";
      vector.flags = cells[5];
      if (vector.accepted) {
        vector.data = DataFrom(problem_names, cells[3], result_names, cells[6]);
      }
      vectors.push_back(vector);
    }
  }
  return vectors;
}

}  // namespace tilesim::testing
