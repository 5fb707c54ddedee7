#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/human.hpp"
#include "base/time_column.hpp"
#include "src/formats/csv.hpp"
#include "src/pictures/axis.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/tables.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

struct MapCell {
  std::string name;             // name of the algorithm; "" for none
  std::string value;            // text of the margin or loss: "+12 %"
  std::optional<double> share;  // the margin or loss as a share: 0.12
  std::string tip;
  std::string classes;   // CSS classes of the cell's area
  bool inverse = false;  // true: the text is light, because the area is dark
};

// Class of cells without a value. A class without a fill would be black.
constexpr std::string_view kEmptyCell = "q0 faint";

struct Map {
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> sizes_bytes;
  std::vector<MapCell> cells;  // ordered by ranks, then sizes
};

std::string size_text(std::uint64_t bytes) {
  return bytes == 0 ? "0" : short_bytes(static_cast<double>(bytes));
}

// Returns the margin in few digits, such as "+78 %" or "+3.8 %", so that it fits into every cell.
std::string in_few_digits(const MapCell& cell) {
  constexpr double kLevel = 0.0005;
  if (!cell.share || *cell.share < kLevel) {
    return cell.value;
  }
  return fmt::format("+{:.{}f} %", 100 * *cell.share, *cell.share < 0.0995 ? 1 : 0);
}

// Draws a name and its value. A name that is too long continues on a second line if there is room.
void put_two_lines(Svg& svg, const MapCell& cell, Point middle, double width, double height,
                   std::string_view words) {
  constexpr double kRoomForThree = 42;
  constexpr double kName = 11;
  std::string_view rest = cell.name;
  double y = middle.y - 2;
  if (height >= kRoomForThree && text_width(rest, kName) > width) {
    // Breaks the name at the last separator at which the first line fits.
    std::size_t end = rest.size();
    do {
      end = rest.find_last_of("_ ,", end - 1);
    } while (end != std::string_view::npos && end > 0 &&
             text_width(rest.substr(0, end + 1), kName) > width);
    if (end != std::string_view::npos && end > 0) {
      svg.text({middle.x, y - 7}, rest.substr(0, end + 1), Anchor::middle, words, kName);
      rest.remove_prefix(end + 1);
      y += 5;
    }
  }
  svg.text({middle.x, y}, fitted(rest, width, kName), Anchor::middle, words, kName);
  svg.text({middle.x, y + 13}, fitted(cell.value, width, 10), Anchor::middle, words, 10);
}

// Names with the classes of their colours.
using ColourNames = std::vector<std::pair<std::string, std::string>>;

// Draws the names in as many lines as needed. Returns the bottom.
double draw_names(Svg& svg, const ColourNames& names, double top, double right) {
  double x = 16;
  double y = top;
  for (const auto& [name, classes] : names) {
    const double width = text_width(name) + 34;
    if (x + width > right - 8 && x > 16) {
      x = 16;
      y += 20;
    }
    svg.rectangle({x, y}, 12, 12, classes);
    svg.text({x + 18, y + 11}, fitted(name, right - 60), Anchor::start, "ink");
    x += width;
  }
  return y + 28;
}

// Draws the legend, and below it the cells, with the largest number of ranks at the top.
void draw_map(Picture& picture, const Map& map, const ColourNames& legend) {
  Svg svg;
  const double top = draw_names(svg, legend, 38, picture.width) + 14;
  const auto columns = static_cast<double>(std::max<std::size_t>(map.sizes_bytes.size(), 1));
  const auto rows = static_cast<double>(std::max<std::size_t>(map.ranks.size(), 1));
  constexpr double kLeft = 76;
  const double width = std::min(150.0, (picture.width - kLeft - 24) / columns);
  const double height = std::clamp(420 / rows, 22.0, 46.0);
  const bool two_lines = height >= 34;
  // Without room for readable names, the legend and the tips name the algorithms.
  const bool names = width >= 44;
  for (std::size_t row = 0; row < map.ranks.size(); ++row) {
    const double y = top + height * static_cast<double>(map.ranks.size() - 1 - row);
    svg.text({kLeft - 8, y + height / 2 + 4}, fmt::format("{}", map.ranks[row]), Anchor::end,
             "muted");
    for (std::size_t column = 0; column < map.sizes_bytes.size(); ++column) {
      const MapCell& cell = map.cells[row * map.sizes_bytes.size() + column];
      const double x = kLeft + width * static_cast<double>(column);
      svg.rectangle({x + 0.5, y + 0.5}, width - 1, height - 1, cell.classes, cell.tip);
      const std::string_view words = cell.inverse ? "inverse" : "ink";
      const double middle = x + width / 2;
      if (names && two_lines) {
        put_two_lines(svg, cell, {middle, y + height / 2}, width - 6, height, words);
      } else if (names) {
        svg.text({middle, y + height / 2 + 4},
                 fitted(cell.name.empty() ? cell.value : cell.name, width - 6, 11), Anchor::middle,
                 words, 11);
      } else if (const std::string value = in_few_digits(cell); text_width(value, 9) <= width - 2) {
        svg.text({middle, y + height / 2 + 3}, value, Anchor::middle, words, 9);
      }
    }
  }
  const double bottom = top + height * static_cast<double>(map.ranks.size());
  double widest = 0;
  for (const std::uint64_t bytes : map.sizes_bytes) {
    widest = std::max(widest, text_width(size_text(bytes), 11) + 4);
  }
  const auto every = static_cast<std::size_t>(std::ceil(widest / width));
  for (std::size_t column = 0; column < map.sizes_bytes.size(); column += every) {
    const double middle = kLeft + width * (static_cast<double>(column) + 0.5);
    svg.text({middle, bottom + 16}, size_text(map.sizes_bytes[column]), Anchor::middle, "muted",
             11);
  }
  svg.text({kLeft - 8, top - 8}, "ranks", Anchor::end, "muted", 11);
  svg.text({kLeft + width * columns / 2, bottom + 36}, "bytes in the largest buffer of a rank",
           Anchor::middle, "ink");
  picture.height = bottom + 44;
  picture.body = svg.body();
}

std::string time_text(const RangedTime& time) {
  return time.ties_matter() ? time_range(time.least_s(), time.most_s()) : human_time(time.seconds);
}

std::string percent(double share) {
  constexpr double kLevel = 0.0005;
  return share < kLevel ? "level"
         : share >= 10  ? fmt::format("+{:.0f} %", 100 * share)
                        : fmt::format("+{:.3g} %", 100 * share);
}

// Adds the drawing and the CSV to a map of winners, whose cells already have names and margins.
// Algorithms get colours by the number of cells that they win. The rarest algorithms share the last
// colour.
void draw_winners(Picture& picture, Map& map) {
  std::map<std::string, std::size_t> wins;
  for (const MapCell& cell : map.cells) {
    wins[cell.name] += 1;
  }
  wins.erase("");
  std::vector<std::pair<std::string, std::size_t>> order(wins.begin(), wins.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::map<std::string, std::string> classes{{"", std::string(kEmptyCell)}};
  ColourNames legend;
  picture.alt = fmt::format("Map of ranks and sizes. {}: ", picture.title);
  for (const auto& [name, cells] : order) {
    classes[name] = fmt::format("f{} faint", std::min(legend.size(), kSeriesColours - 1));
    const std::string words = fmt::format("{} ({})", name, counted(cells, "cell"));
    picture.alt += (legend.empty() ? "" : ", ") + words;
    legend.emplace_back(words, classes[name]);
  }
  picture.csv = "ranks,bytes,best,second_slower_by\n";
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    MapCell& cell = map.cells[i];
    cell.classes = classes[cell.name];
    picture.csv += fmt::format("{},{},{},{}\n", map.ranks[i / map.sizes_bytes.size()],
                               map.sizes_bytes[i % map.sizes_bytes.size()], csv_field(cell.name),
                               cell.share ? fmt::format("{}", *cell.share) : "");
  }
  draw_map(picture, map, legend);
}

// Returns the map of a decision's grid, with empty cells.
Map grid_of(const Json& decision) {
  Map map;
  map.ranks = decision.at("ranks").get<std::vector<std::uint32_t>>();
  map.sizes_bytes = decision.at("sizes_bytes").get<std::vector<std::uint64_t>>();
  map.cells.resize(map.ranks.size() * map.sizes_bytes.size());
  for (MapCell& cell : map.cells) {
    cell.classes = kEmptyCell;
  }
  return map;
}

// Returns the map's cell for a cell in JSON; null if the cell is not on the grid.
MapCell* cell_at(Map& map, const Json& cell) {
  const auto rank = std::ranges::find(map.ranks, cell.at("ranks").get<std::uint32_t>());
  const auto size = std::ranges::find(map.sizes_bytes, cell.at("bytes").get<std::uint64_t>());
  return rank == map.ranks.end() || size == map.sizes_bytes.end()
             ? nullptr
             : &map.cells[static_cast<std::size_t>(rank - map.ranks.begin()) *
                              map.sizes_bytes.size() +
                          static_cast<std::size_t>(size - map.sizes_bytes.begin())];
}

std::string machine_of(const Json& decision) {
  const Json& machine = decision.at("machine");
  return machine.is_object() && machine.contains("platform") && machine["platform"].is_string()
             ? machine["platform"].get<std::string>()
             : "measured";
}

// Upper limits of the shades for relative losses.
constexpr std::array<double, kShades> kLosses{0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 1e300};

std::size_t shade(double loss) {
  return static_cast<std::size_t>(std::lower_bound(kLosses.begin(), kLosses.end(), loss) -
                                  kLosses.begin());
}

// Returns the legend of the shades: in percent or, if `factors`, as how many times as long.
ColourNames share_scale(bool factors) {
  const auto text = [&](double share) {
    return factors ? fmt::format("{:.3g} x", 1 + share) : fmt::format("{:.3g} %", 100 * share);
  };
  ColourNames names;
  for (std::size_t i = 0; i < kShades; ++i) {
    names.emplace_back(i + 1 < kShades ? "to " + text(kLosses[i]) : "over " + text(kLosses[i - 1]),
                       fmt::format("q{}", i));
  }
  return names;
}

}  // namespace

Picture winners_map(const TimesTable& table, double width) {
  Map map{table.ranks, table.sizes_bytes, {}};
  const std::vector<Winner> all = winners(table);
  for (std::size_t rank = 0; rank < table.ranks.size(); ++rank) {
    for (std::size_t size = 0; size < table.sizes_bytes.size(); ++size) {
      const Winner& found = all[rank * table.sizes_bytes.size() + size];
      MapCell cell;
      if (found.best) {
        cell.name = table.algorithms[*found.best];
        cell.tip = fmt::format("{}, {}\n{}: {}", counted(table.ranks[rank], "rank"),
                               human_bytes(table.sizes_bytes[size]), cell.name,
                               time_text(table.cell(rank, size, *found.best).ranged));
      }
      for (const std::size_t equal : found.equals) {
        cell.tip += fmt::format("\n= {}", table.algorithms[equal]);
      }
      if (found.second) {
        cell.share = found.margin;
        cell.value = percent(found.margin);
        cell.tip += fmt::format("\n{}: {}", table.algorithms[*found.second],
                                time_text(table.cell(rank, size, *found.second).ranged));
      }
      map.cells.push_back(std::move(cell));
    }
  }
  Picture picture =
      begun("comparison", fmt::format("winners {} {}", table.collective, table.machine),
            fmt::format("The fastest {} on {}, and how much slower the second is", table.collective,
                        table.machine),
            width);
  draw_winners(picture, map);
  return picture;
}

Picture decision_map(const Json& decision, double width) {
  Map map = grid_of(decision);
  for (const Json& cell : decision.at("cells")) {
    MapCell* const at = cell.at("best").is_string() ? cell_at(map, cell) : nullptr;
    if (at == nullptr) {
      continue;
    }
    at->name = cell.at("best").get<std::string>();
    at->tip = fmt::format("{}, {}\n{}", counted(cell.at("ranks").get<std::uint32_t>(), "rank"),
                          human_bytes(cell.at("bytes").get<std::uint64_t>()), at->name);
    if (cell.at("margin").is_number()) {
      at->share = cell.at("margin").get<double>();
      at->value = percent(*at->share);
    }
    for (const Json& equal : cell.at("equal")) {
      at->tip += "\n= " + equal.get<std::string>();
    }
    if (cell.at("second").is_string()) {
      at->tip += fmt::format("\nthen {}: {}", cell.at("second").get<std::string>(), at->value);
    }
    at->tip += "\n" + cell.at("reason").get<std::string>();
  }
  const auto collective = decision.at("collective").get<std::string>();
  const std::string machine = machine_of(decision);
  Picture picture = begun(
      "decision", fmt::format("decision {} {}", collective, machine),
      fmt::format("The best {} on {}, and how much slower the second is", collective, machine),
      width);
  draw_winners(picture, map);
  return picture;
}

namespace {

// Returns a gain as a factor if `most`, the largest gain of the map, exceeds 1, and otherwise as a
// percentage.
std::string gain_text(double gain, double most) {
  constexpr double kLevel = 0.0005;
  if (most > 1) {
    return fmt::format("{:.{}f} x", 1 + gain, gain < 8.995 ? 2 : 1);
  }
  return gain > -kLevel && gain < kLevel ? "0" : fmt::format("{:+.3g} %", 100 * gain);
}

// Returns "12.3 % lost on average", with the number of judged cells if it is not all.
std::string loss_in_words(const Json& against) {
  const std::size_t cells = against.at("cells").size();
  const auto judged = against.at("judged").get<std::size_t>();
  if (judged == 0) {
    return fmt::format("nothing could be judged in {}", counted(cells, "cell"));
  }
  return fmt::format("{:.3g} % lost on average{}", 100 * against.at("mean_loss").get<double>(),
                     judged == cells ? ""
                                     : fmt::format(" in the {} of {} that could be judged", judged,
                                                   counted(cells, "cell")));
}

}  // namespace

Picture gain_map(const Json& site, const Json& part, double width) {
  const auto collective = part.at("collective").get<std::string>();
  const auto per_host = part.at("ranks_per_host").get<std::uint32_t>();
  std::vector<const Json*> cells;
  std::set<std::uint32_t> ranks;
  std::set<std::uint64_t> sizes;
  double most = 0;
  for (const Json& cell : site.at("cells")) {
    if (cell.at("collective") == part.at("collective") &&
        cell.at("ranks_per_host") == part.at("ranks_per_host")) {
      cells.push_back(&cell);
      ranks.insert(cell.at("ranks").get<std::uint32_t>());
      sizes.insert(cell.at("bytes").get<std::uint64_t>());
      most = std::max(most, cell.at("gain").is_number() ? cell.at("gain").get<double>() : 0);
    }
  }
  Map map{{ranks.begin(), ranks.end()}, {sizes.begin(), sizes.end()}, {}};
  map.cells.resize(map.ranks.size() * map.sizes_bytes.size());
  for (MapCell& cell : map.cells) {
    cell.classes = kEmptyCell;
  }
  std::string csv = "ranks,bytes,rules,built_in,gain\n";
  for (const Json* each : cells) {
    const Json& cell = *each;
    MapCell& at = *cell_at(map, cell);
    const auto text = [&](const char* key) {
      return cell.at(key).is_string() ? cell.at(key).get<std::string>() : std::string("not known");
    };
    const auto time = [&](const char* key) {
      return cell.at(key).is_number() ? human_time(cell.at(key).get<double>())
                                      : std::string("not known");
    };
    const bool stays = cell.at("rules") == cell.at("built_in");
    at.name = stays ? "own choice" : text("rules");
    at.tip = fmt::format("{}, {}\nwith the rules: {}, {}\nown choice: {}, {}",
                         counted(cell.at("ranks").get<std::uint32_t>(), "rank"),
                         human_bytes(cell.at("bytes").get<std::uint64_t>()), text("rules"),
                         time("rules_s"), text("built_in"), time("built_in_s"));
    csv += fmt::format("{},{},{},{},{}\n", cell.at("ranks").get<std::uint32_t>(),
                       cell.at("bytes").get<std::uint64_t>(), csv_field(text("rules")),
                       csv_field(text("built_in")), cell.at("gain").dump());
    if (!cell.at("gain").is_number()) {
      at.value = "not known";
      continue;
    }
    const double gain = cell.at("gain").get<double>();
    at.value = gain_text(gain, most);
    at.tip += "\ngain: " + at.value;
    at.classes = fmt::format("q{}", shade(std::max(0.0, gain)));
    at.inverse = shade(std::max(0.0, gain)) >= 5;
  }
  Picture picture =
      begun("decision", fmt::format("gain {} {}", collective, per_host),
            fmt::format("What the rules gain: {} with {} on each host, by {}", collective,
                        counted(per_host, "rank"), site.at("library").get<std::string>()),
            width);
  picture.csv = std::move(csv);
  picture.alt = fmt::format("Map of ranks and sizes; darker cells gain more. {}", picture.title);
  draw_map(picture, map, share_scale(most > 1));
  return picture;
}

Picture loss_map(const Json& decision, double width) {
  const Json& against = decision.at("against");
  Map map = grid_of(decision);
  std::string csv = "ranks,bytes,runs,loss\n";
  for (const Json& cell : against.at("cells")) {
    const std::string name = label_of_run(cell);
    const auto ranks = cell.at("ranks").get<std::uint32_t>();
    const auto bytes = cell.at("bytes").get<std::uint64_t>();
    const bool known = cell.at("loss").is_number();
    csv += fmt::format("{},{},{},{}\n", ranks, bytes, csv_field(name),
                       known ? fmt::format("{}", cell.at("loss").get<double>()) : "");
    MapCell* const at = known ? cell_at(map, cell) : nullptr;
    if (at == nullptr) {
      continue;
    }
    const double loss = std::max(0.0, cell.at("loss").get<double>());
    at->name = name;
    at->share = loss;
    at->value = loss < 0.0005 ? "0" : percent(loss);
    at->classes = fmt::format("q{}", shade(loss));
    at->inverse = shade(loss) >= 5;
    at->tip = fmt::format(
        "{}, {}\nruns {}: {}, loses {}", counted(ranks, "rank"), human_bytes(bytes), name,
        cell.at("seconds").is_number() ? human_time(cell.at("seconds").get<double>()) : "not known",
        at->value);
  }
  const auto collective = decision.at("collective").get<std::string>();
  const std::string machine = machine_of(decision);
  Picture picture = begun("decision", fmt::format("loss {} {}", collective, machine),
                          fmt::format("{}: {} on {}, by {}", loss_in_words(against), collective,
                                      machine, name_of_rival(against)),
                          width);
  picture.csv = std::move(csv);
  picture.alt = fmt::format("Map of ranks and sizes; darker cells lose more. {}", picture.title);
  draw_map(picture, map, share_scale(false));
  return picture;
}

}}  // namespace tutti::pictures
