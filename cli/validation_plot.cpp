#include "cli/validation_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cli/reporter.h"
#include "formats/error.h"

namespace tilesim {
namespace {

constexpr double kSide = 640;    // of the square between the axes
constexpr double kMargin = 70;   // left and below of it
constexpr double kLegend = 150;  // right of it

struct GroupColour {
  std::string_view group;
  std::string_view colour;
};
constexpr GroupColour kColours[] = {{"micro", "#4477aa"},
                                    {"matmul", "#ee6677"},
                                    {"copy", "#228833"},
                                    {"conv", "#aa3377"},
                                    {"other", "#777777"}};

std::string Fixed(double value) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.1f", value);
  return digits.data();
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    escaped += letter == '&'   ? "&amp;"
               : letter == '<' ? "&lt;"
               : letter == '"' ? "&quot;"
                               : std::string(1, letter);
  }
  return escaped;
}

// Decades from a power of ten below every time to one above.
class PlotAxes {
 public:
  explicit PlotAxes(std::span<const ValidatedRow> rows) {
    for (const ValidatedRow& row : rows) {
      if (row.pair) {
        for (const double value : {row.pair->measured, row.pair->predicted}) {
          const double decade = std::log10(std::max(value * row.unit_us, 1e-9));
          first_ = std::min(first_, static_cast<int>(std::floor(decade)));
          last_ = std::max(last_, static_cast<int>(std::ceil(decade)));
        }
      }
    }
    first_ = std::min(first_, last_ - 1);
  }
  [[nodiscard]] int first() const { return first_; }
  [[nodiscard]] int last() const { return last_; }
  [[nodiscard]] double X(double us) const { return kMargin + Part(us) * kSide; }
  [[nodiscard]] double Y(double us) const { return 20 + (1 - Part(us)) * kSide; }

 private:
  [[nodiscard]] double Part(double us) const {
    return std::clamp((std::log10(std::max(us, 1e-9)) - first_) / (last_ - first_), 0.0, 1.0);
  }
  int first_ = 9;
  int last_ = -9;
};

std::string Line(double x1, double y1, double x2, double y2, std::string_view style) {
  return Say("<line x1='", Fixed(x1), "' y1='", Fixed(y1), "' x2='", Fixed(x2), "' y2='", Fixed(y2), "' ",
             style, "/>\n");
}

std::string Label(double x, double y, std::string_view text, std::string_view style) {
  return Say("<text x='", Fixed(x), "' y='", Fixed(y), "' ", style, ">", Escaped(text), "</text>\n");
}

std::string Grid(const PlotAxes& axes) {
  std::string text;
  for (int decade = axes.first(); decade <= axes.last(); ++decade) {
    const double us = std::pow(10.0, decade);
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "%g us", us);
    text += Line(axes.X(us), 20, axes.X(us), 20 + kSide, "stroke='#ddd'");
    text += Line(kMargin, axes.Y(us), kMargin + kSide, axes.Y(us), "stroke='#ddd'");
    text += Label(axes.X(us), kSide + 38, name.data(), "text-anchor='middle'");
    text += Label(kMargin - 6, axes.Y(us) + 4, name.data(), "text-anchor='end'");
  }
  const double low = std::pow(10.0, axes.first());
  const double high = std::pow(10.0, axes.last());
  text += Line(axes.X(low), axes.Y(low), axes.X(high), axes.Y(high), "stroke='#000'");
  for (const double factor : {0.8, 1.25}) {
    text += Line(axes.X(low), axes.Y(low * factor), axes.X(high), axes.Y(high * factor),
                 "stroke='#999' stroke-dasharray='4 4'");
  }
  return text + Label(kMargin + kSide / 2, kSide + 60, "measured", "text-anchor='middle'") +
         Label(18, 20 + kSide / 2, "predicted",
               Say("text-anchor='middle' transform='rotate(-90 18 ", Fixed(20 + kSide / 2), ")'"));
}

}  // namespace

std::string ValidationPlot(std::span<const ValidatedRow> rows) {
  const PlotAxes axes(rows);
  const std::string size = Say(Fixed(kMargin + kSide + kLegend), " ", Fixed(kSide + 80));
  std::string text =
      Say("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ", size,
          "' font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='#fff'/>\n",
          Grid(axes));
  double legend = 40;
  for (const GroupColour& group : kColours) {
    std::string dots;
    for (const ValidatedRow& row : rows) {
      if (row.pair && row.group == group.group) {
        dots +=
            Say("<circle cx='", Fixed(axes.X(row.pair->measured * row.unit_us)), "' cy='",
                Fixed(axes.Y(row.pair->predicted * row.unit_us)), "' r='", row.group == "micro" ? "2" : "4",
                "'><title>", Escaped(row.id), ": measured ", PlainText(row.pair->measured), ", predicted ",
                PlainText(row.pair->predicted), " ", row.unit, "</title></circle>\n");
      }
    }
    if (!dots.empty()) {
      text += Say("<g fill='", group.colour, "' fill-opacity='0.6'>\n", dots, "</g>\n");
      text += Say("<circle cx='", Fixed(kMargin + kSide + 20), "' cy='", Fixed(legend - 4), "' r='5' fill='",
                  group.colour, "'/>\n");
      text += Label(kMargin + kSide + 32, legend, group.group, "");
      legend += 20;
    }
  }
  return text + Label(kMargin + kSide + 14, legend + 10, "dashed: -20 %, +25 %", "") + "</svg>\n";
}

}  // namespace tilesim
