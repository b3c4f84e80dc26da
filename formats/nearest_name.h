#pragma once
#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// Letters to insert, remove or replace to make one name of the other; upper and lower case differ by nothing.
size_t EditDistance(std::string_view left, std::string_view right);

// The known name most like an unknown one. `names` is not empty; the first of equals wins.
template <class Names>
std::string NearestName(std::string_view unknown, const Names& names) {
  return std::string(*std::ranges::min_element(
      names, {}, [&](std::string_view name) { return EditDistance(unknown, name); }));
}

// Whether a known name may be what was meant: about a letter in three may differ, or the name goes on.
bool MayBeMeant(std::string_view unknown, std::string_view name);

// "did you mean --cores? " with "--" before the name; nothing where no name is like the unknown one.
template <class Names>
std::string DidYouMean(std::string_view unknown, const Names& names, std::string_view before = "",
                       std::string_view after = "") {
  std::vector<std::string_view> like;
  for (const std::string_view name : names) {
    if (MayBeMeant(unknown, name)) {
      like.push_back(name);
    }
  }
  return like.empty() ? ""
                      : std::string("did you mean ").append(before) + NearestName(unknown, like) +
                            std::string(after) + "? ";
}

}  // namespace tilesim
