#include "tiling/max_pool/max_pool_text.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/error.h"
#include "tiling/max_pool/max_pool_fields.h"
#include "tiling/tiling_text_reader.h"

namespace tilesim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kData = "data";
constexpr std::string_view kSplit = "split";

// One of a few words of the split, as its number in the list.
class Words {
 public:
  Words(std::string_view name, std::vector<std::string_view> known) : name_(name), known_(std::move(known)) {}

  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::string_view At(size_t number) const { return known_[number]; }
  [[nodiscard]] size_t Read(const json& section, TilingTextReader& reader) const {
    std::string allowed;
    for (const std::string_view word : known_) {
      allowed += Say(allowed.empty() ? "" : ", ", word);
    }
    const std::string found = reader.Word(section, kSplit, name_, allowed);
    for (size_t i = 0; i < known_.size(); ++i) {
      if (found == known_[i]) {
        return i;
      }
    }
    if (!found.empty()) {
      reader.Complain(Say("split.", name_, " = \"", found, "\"; must be one of ", allowed));
    }
    return 0;
  }

 private:
  std::string_view name_;
  std::vector<std::string_view> known_;
};

const Words& Strategies() {
  static const Words words("strategy",
                           {Name(MaxPoolStrategy::kNoExpandIndices), Name(MaxPoolStrategy::kHuge)});
  return words;
}
const Words& Lanes() {
  static const Words words("lanes", {"nc", "c"});  // lanes run over all n and c, or over c within one n
  return words;
}
const Words& NanRules() {
  static const Words words("nan", {"propagate", "ignore"});
  return words;
}
const Words& Indices() {
  static const Words words("argmax",
                           {Name(PoolIndex::kPlane), Name(PoolIndex::kNhwc), Name(PoolIndex::kBatchNhwc)});
  return words;
}

MaxPoolSplit ReadSplit(const json& section, TilingTextReader& reader) {
  MaxPoolSplit split;
  std::vector<std::string_view> names;
  for (const Words* words : {&Strategies(), &Lanes(), &NanRules(), &Indices()}) {
    names.push_back(words->name());
  }
  split.strategy = static_cast<MaxPoolStrategy>(Strategies().Read(section, reader));
  split.channels_last = Lanes().Read(section, reader) == 1;
  split.ignores_nan = NanRules().Read(section, reader) == 1;
  split.index = static_cast<PoolIndex>(Indices().Read(section, reader));
  for (const MaxPoolSplitField& field : MaxPoolSplitFields()) {
    names.push_back(field.name);
    split.*field.member = static_cast<int64_t>(reader.Number(section, kSplit, field.name, INT64_MAX));
  }
  reader.RefuseUnknown(section, Say(kSplit, "."), names);
  return split;
}

}  // namespace

ordered_json ToJson(const MaxPoolTiling& tiling) {
  ordered_json object;
  for (const TilingField& field : MaxPoolFields()) {
    object[std::string(field.section)][std::string(field.name)] = ReadField(&tiling.data, field);
  }
  ordered_json& split = object[std::string(kSplit)];
  const MaxPoolSplit& s = tiling.split;
  split["strategy"] = Strategies().At(static_cast<size_t>(s.strategy));
  split["lanes"] = Lanes().At(s.channels_last ? 1 : 0);
  split["nan"] = NanRules().At(s.ignores_nan ? 1 : 0);
  split["argmax"] = Indices().At(static_cast<size_t>(s.index));
  for (const MaxPoolSplitField& field : MaxPoolSplitFields()) {
    split[std::string(field.name)] = s.*field.member;
  }
  return object;
}

MaxPoolTiling ParseMaxPoolTiling(std::string_view text, std::string_view where) {
  TilingTextReader reader(where, {kData, kSplit});
  const json tiling = reader.Parse(text);
  MaxPoolTiling result;
  reader.ReadFields(tiling, MaxPoolFields(), &result.data);
  if (const json* section = reader.Section(tiling, kSplit)) {
    result.split = ReadSplit(*section, reader);
  }
  reader.Finish();
  return result;
}

std::array<std::byte, sizeof(MaxPool3DWithArgmaxTilingData)> ToBytes(
    const MaxPool3DWithArgmaxTilingData& data) {
  std::array<std::byte, sizeof(data)> bytes{};
  std::memcpy(bytes.data(), &data, sizeof(data));  // 64-bit numbers only: no padding
  return bytes;
}

MaxPool3DWithArgmaxTilingData MaxPoolDataFromBytes(std::span<const std::byte> bytes, std::string_view where) {
  RequireUser(bytes.size() == sizeof(MaxPool3DWithArgmaxTilingData), where, ": ", bytes.size(),
              " bytes, must be the ", sizeof(MaxPool3DWithArgmaxTilingData),
              " bytes of MaxPool3DWithArgmaxTilingData; `plan --binary` writes them");
  MaxPool3DWithArgmaxTilingData data;
  std::memcpy(&data, bytes.data(), bytes.size());
  return data;
}

}  // namespace tilesim
