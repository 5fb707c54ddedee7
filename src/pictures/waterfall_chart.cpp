#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "src/formats/csv.hpp"
#include "src/pictures/axis.hpp"
#include "src/pictures/charts.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

constexpr double kMostLabels = 420;  // maximum width of labels, in pixels

struct Bar {
  std::string label;
  std::string words;  // text at the end of the bar
  std::string tip;
  double from_s = 0;
  double until_s = 0;
  std::string classes;
  bool is_sum = false;
};

// Draws bars over one time axis, below what `svg` already has. If `joined` is true, lines connect
// consecutive bars, as in a waterfall chart. Narrow charts have names above their bars.
void draw_bars(Picture& picture, const std::vector<Bar>& bars, double top = 44, bool joined = false,
               Svg svg = {}) {
  const double width = picture.width;
  const bool narrow = width < kWide;
  double most_s = 0;
  double labels = 0;
  double words = 0;
  for (const Bar& bar : bars) {
    most_s = std::max({most_s, bar.from_s, bar.until_s});
    labels = std::max(labels, 1.1 * text_width(bar.label) + 30);
    words = std::max(words, text_width(bar.words) + 16);
  }
  const double row = narrow ? 42 : 26;
  const double above = narrow ? 16 : 0;  // space above the bar for its name
  const Frame frame{narrow ? 16 : std::min(labels, kMostLabels), top, width - words,
                    top + row * static_cast<double>(bars.size())};
  const Scale x = Scale::linear(0, most_s > 0 ? most_s : 1, frame.left, frame.right);
  draw_horizontal_axis(svg, frame, x, time_ticks(x, narrow ? 3 : 6), "");
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const double y = frame.top + row * static_cast<double>(i);
    const double left = x(std::min(bar.from_s, bar.until_s));
    const double right = x(std::max(bar.from_s, bar.until_s));
    const std::string_view style = bar.classes == "ink" ? "ink bold" : "ink";
    if (narrow) {
      svg.text({frame.left, y + 15}, fitted(bar.label, width - 32), Anchor::start, style);
    } else {
      svg.text({frame.left - 10, y + 17}, fitted(bar.label, frame.left - 24), Anchor::end, style);
    }
    svg.rectangle({left, y + above + 5}, std::max(right - left, 1.0), 16, bar.classes, bar.tip);
    svg.text({right + 6, y + above + 17}, bar.words, Anchor::start, "muted");
    if (joined && i + 1 < bars.size() && !bars[i + 1].is_sum) {
      svg.line({x(bar.until_s), y + above + 21}, {x(bar.until_s), y + row + above + 5}, "muted");
    }
  }
  picture.height = frame.bottom + 34;
  picture.body = svg.body();
}

// Returns the place of the link that has the name `link` in the platform; the name itself if the
// place is unknown. `links` is an array or null.
std::string place_of(const std::string& link, const Json& links) {
  for (const Json& known : links) {
    const auto name = known.find(known.contains("name") ? "name" : "link");
    if (name != known.end() && *name == link) {
      return known.at("place").get<std::string>();
    }
  }
  return link;
}

}  // namespace

Picture waterfall_chart(const Json& explanation, const std::string& title, const Json& links,
                        double width) {
  const double total_s = explanation.at("total_s").get<double>();
  Picture picture =
      begun("why", "waterfall " + title,
            fmt::format("From the formula to {}: {}", short_time(total_s), title), width);
  picture.csv = "kind,what,why,seconds\n";
  picture.alt = "Waterfall: ";
  std::vector<Bar> bars;
  double at_s = 0;
  for (const Json& step : explanation.at("waterfall").at("steps")) {
    const double seconds = step.at("seconds").get<double>();
    auto what = step.at("what").get<std::string>();
    if (step.contains("link") && step["link"].is_string()) {
      what += ": " + place_of(step["link"].get<std::string>(), links);
    } else if (step.contains("host")) {
      what += fmt::format(" of host {}", step["host"].get<std::uint64_t>());
    }
    const auto why = step.at("why").get<std::string>();
    const auto kind = step.at("kind").get<std::string>();
    picture.csv += fmt::format("{},{},{},{}\n", kind, csv_field(what), csv_field(why), seconds);
    if (kind == "subtotal") {
      if (!bars.empty() && bars.back().is_sum) {  // no steps since the last subtotal
        bars.pop_back();
      }
      bars.push_back({what, short_time(seconds), fmt::format("{}: {}", what, short_time(seconds)),
                      0, seconds, "ink", true});
      picture.alt += fmt::format("= {} {}; ", what, short_time(seconds));
      continue;
    }
    const bool term = kind == "term";
    bars.push_back(
        {what, fmt::format("{}{}", term || seconds < 0 ? "" : "+", short_time(seconds)),
         fmt::format("{}: {}{}{}", what, short_time(seconds), why.empty() ? "" : "\n", why), at_s,
         at_s + seconds,
         term          ? "f0"
         : seconds < 0 ? "good"
                       : "bad"});
    at_s += seconds;
    picture.alt += fmt::format("{} {}, ", what, short_time(seconds));
  }
  Svg svg;
  const Json& formula = explanation.at("waterfall").at("formula");
  double top = 44;
  if (formula.is_string()) {
    constexpr std::size_t kMostLines = 4;
    const std::string words = "formula: " + formula.get<std::string>();
    top = svg.lines({16, top}, wrapped(words, width - 32, kTextSize, kMostLines), 16, "muted") - 2;
  }
  draw_bars(picture, bars, top, true, std::move(svg));
  return picture;
}

Picture account_chart(const Json& explanation, const std::string& title, double width) {
  const double total_s = explanation.at("total_s").get<double>();
  Picture picture = begun("why", "account " + title,
                          fmt::format("Where {} goes: {}", short_time(total_s), title), width);
  picture.csv = "row,what,seconds\n";
  picture.alt = "Bars: ";
  std::vector<Bar> bars;
  for (const Json& row : explanation.at("account")) {
    const double seconds = row.at("seconds").get<double>();
    const auto what = row.at("in_words").get<std::string>();
    const auto kind = row.at("row").get<std::string>();
    const bool lost = kind == "sharing" || kind == "cores" || kind == "lateness";
    const std::string share =
        total_s > 0 ? fmt::format(" ({:.3g} %)", 100 * seconds / total_s) : std::string();
    bars.push_back({what, short_time(seconds) + share, what + ": " + short_time(seconds) + share, 0,
                    seconds, lost ? "bad" : "f0"});
    picture.csv += fmt::format("{},{},{}\n", kind, csv_field(what), seconds);
    picture.alt += fmt::format("{} {}, ", what, short_time(seconds));
  }
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Bar& a, const Bar& b) { return a.until_s > b.until_s; });
  constexpr std::size_t kMost = 24;
  if (bars.size() > kMost) {
    double rest_s = 0;
    for (std::size_t i = kMost - 1; i < bars.size(); ++i) {
      rest_s += bars[i].until_s;
    }
    const std::string others = fmt::format("{} more rows", bars.size() - kMost + 1);
    bars.resize(kMost - 1);
    bars.push_back(
        {others, short_time(rest_s), others + ": " + short_time(rest_s), 0, rest_s, "f9 faint"});
  }
  picture.alt += "total " + short_time(total_s);
  draw_bars(picture, bars);
  return picture;
}

Picture gap_chart(const Json& explanation, const std::string& title, double width) {
  const Json& limit = explanation.at("limit");
  const double total_s = limit.at("sum_s").get<double>();
  Picture picture =
      begun("why", "limit " + title,
            fmt::format("From the limit to {}: {}", short_time(total_s), title), width);
  const std::string certificate = fmt::format("limit: {}", limit.at("in_words").get<std::string>());
  picture.csv = "part,what,seconds\n";
  picture.alt = certificate + ". Bars: ";
  std::vector<Bar> bars;
  double at_s = 0;
  for (const Json& part : limit.at("parts")) {
    const double seconds = part.at("seconds").get<double>();
    const auto what = part.at("in_words").get<std::string>();
    const std::string words =
        fmt::format("{} ({:.3g} %)", short_time(seconds), 100 * seconds / total_s);
    bars.push_back({what, words, what + ": " + words, at_s, at_s + seconds,
                    at_s == 0     ? "f0"
                    : seconds < 0 ? "good"
                                  : "bad"});
    at_s += seconds;
    picture.csv +=
        fmt::format("{},{},{}\n", part.at("part").get<std::string>(), csv_field(what), seconds);
    picture.alt += fmt::format("{} {}, ", what, short_time(seconds));
  }
  bars.push_back(
      {"total", short_time(total_s), "total: " + short_time(total_s), 0, total_s, "ink", true});
  picture.alt += "total " + short_time(total_s);
  Svg svg;
  constexpr std::size_t kMostLines = 8;
  const double top =
      svg.lines({16, 44}, wrapped(kept_together(certificate), width - 32, kTextSize, kMostLines),
                16, "muted");
  draw_bars(picture, bars, top - 2, true, std::move(svg));
  return picture;
}

Picture improvements_chart(const Json& explanation, const std::string& title, double width) {
  const double total_s = explanation.at("total_s").get<double>();
  Picture picture = begun("why", "improvements " + title, "What would help: " + title, width);
  picture.csv = "what,what_if,simulated_s,saved\n";
  std::vector<Bar> bars{{"as it is", short_time(total_s), "as it is", 0, total_s, "ink"}};
  picture.alt = fmt::format("Bars of simulated times: as it is {}", short_time(total_s));
  for (const Json& one : explanation.at("improvements")) {
    const double seconds = one.at("simulated_s").get<double>();
    const double saved = one.at("saved").get<double>();
    const auto what = one.at("what").get<std::string>();
    const auto how = one.at("what_if").is_string() ? one.at("what_if").get<std::string>() : "";
    constexpr double kSame = 0.0005;
    const std::string words =
        std::abs(saved) < kSame ? short_time(seconds) + " (the same)"
        : saved >= 0            ? fmt::format("{} (-{:.3g} %)", short_time(seconds), 100 * saved)
                                : fmt::format("{} (+{:.3g} %)", short_time(seconds), -100 * saved);
    bars.push_back({what, words, fmt::format("{}\n{}\n--what-if {}", what, words, how), 0, seconds,
                    saved > 0.0005 ? "good" : "f9 faint"});
    picture.csv += fmt::format("{},{},{},{}\n", csv_field(what), csv_field(how), seconds, saved);
    picture.alt += fmt::format(", {} {}", what, short_time(seconds));
  }
  draw_bars(picture, bars);
  return picture;
}

}}  // namespace tutti::pictures
