// What a report's page is told of a case: the JSON that stands in it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/report/case_view.h"

namespace tilesim {

// Names of its fields are those that page/*.js read. Numbers that are not finite are the texts "inf", "-inf"
// and "nan".
nlohmann::ordered_json CaseJson(const CaseView& view);

// The timeline alone: texts are kept once and named by number, an instruction is an array (see
// page/timeline.js).
nlohmann::ordered_json TimelineJson(const CaseTimes& times);

}  // namespace tilesim
