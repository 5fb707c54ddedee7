#include "src/pictures/matrix_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/human.hpp"
#include "base/time_column.hpp"
#include "src/formats/csv.hpp"
#include "src/pictures/axis.hpp"

namespace tutti::inline pictures {

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

// Draws the cells, with the largest number of ranks at the top. Returns the bottom of the map.
double draw_map(Svg& svg, const Map& map, double top, double right) {
  const auto columns = static_cast<double>(std::max<std::size_t>(map.sizes_bytes.size(), 1));
  const auto rows = static_cast<double>(std::max<std::size_t>(map.ranks.size(), 1));
  constexpr double kLeft = 76;
  const double width = std::min(150.0, (right - kLeft - 24) / columns);
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
  return bottom + 44;
}

// Draws names with their colours, in as many lines as needed. Returns the bottom.
double draw_legend(Svg& svg, const std::vector<std::pair<std::string, std::string>>& names,
                   double top, double right) {
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

// Assigns colours to algorithms by the number of cells that they win. The rarest algorithms share
// the last colour.
class Colours {
 public:
  explicit Colours(const std::vector<std::string>& winners) {
    std::map<std::string, std::size_t> counts;
    for (const std::string& one : winners) {
      counts[one] += one.empty() ? 0 : 1;
    }
    counts.erase("");
    order_.assign(counts.begin(), counts.end());
    std::stable_sort(order_.begin(), order_.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
  }

  [[nodiscard]] std::string of(const std::string& name) const {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (order_[i].first == name) {
        return fmt::format("f{} faint", std::min(i, kSeriesColours - 1));
      }
    }
    return "grid";
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> legend() const {
    std::vector<std::pair<std::string, std::string>> names;
    for (const auto& [name, count] : order_) {
      names.emplace_back(fmt::format("{} ({})", name, counted(count, "cell")), of(name));
    }
    return names;
  }

 private:
  std::vector<std::pair<std::string, std::size_t>> order_;
};

std::string time_text(const RangedTime& time) {
  return time.ties_matter() ? time_range(time.least_s(), time.most_s()) : human_time(time.seconds);
}

std::string percent(double share) {
  constexpr double kLevel = 0.0005;
  return share < kLevel ? "level"
         : share >= 10  ? fmt::format("+{:.0f} %", 100 * share)
                        : fmt::format("+{:.3g} %", 100 * share);
}

// Adds the colours, the legend, the CSV and the drawing to a map of winners, whose cells already
// have names and margins.
Picture finished(Picture picture, Map map, std::string_view csv_columns) {
  std::vector<std::string> winners;
  for (const MapCell& cell : map.cells) {
    winners.push_back(cell.name);
  }
  const Colours colours(winners);
  picture.csv = csv_columns;
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    MapCell& cell = map.cells[i];
    cell.classes = colours.of(cell.name);
    picture.csv += fmt::format("{},{},{},{}\n", map.ranks[i / map.sizes_bytes.size()],
                               map.sizes_bytes[i % map.sizes_bytes.size()], csv_field(cell.name),
                               cell.share ? fmt::format("{}", *cell.share) : "");
  }
  Svg svg;
  const double legend_end = draw_legend(svg, colours.legend(), 38, picture.width);
  picture.height = draw_map(svg, map, legend_end + 14, picture.width);
  picture.body = svg.body();
  picture.alt = fmt::format("Map of ranks and sizes. {}: ", picture.title);
  for (const auto& [name, classes] : colours.legend()) {
    picture.alt += (picture.alt.ends_with(": ") ? "" : ", ") + name;
  }
  return picture;
}

std::string candidate_name(const Json& candidate) {
  const auto label = candidate.find("label");
  return (label != candidate.end() ? *label : candidate.at("algorithm")).get<std::string>();
}

// Creates the map of a decision's grid. Passes to `visit` a function that returns the map's cell
// for a cell in JSON, or null if the cell is not on the grid.
template <typename Visit>
Map grid_of(const Json& decision, Visit&& visit) {
  Map map;
  map.ranks = decision.at("ranks").get<std::vector<std::uint32_t>>();
  map.sizes_bytes = decision.at("sizes_bytes").get<std::vector<std::uint64_t>>();
  map.cells.resize(map.ranks.size() * map.sizes_bytes.size());
  for (MapCell& cell : map.cells) {
    cell.classes = "grid";
  }
  visit([&map](const Json& cell) -> MapCell* {
    const auto rank =
        std::find(map.ranks.begin(), map.ranks.end(), cell.at("ranks").get<std::uint32_t>());
    const auto size = std::find(map.sizes_bytes.begin(), map.sizes_bytes.end(),
                                cell.at("bytes").get<std::uint64_t>());
    if (rank == map.ranks.end() || size == map.sizes_bytes.end()) {
      return nullptr;
    }
    return &map.cells[static_cast<std::size_t>(rank - map.ranks.begin()) * map.sizes_bytes.size() +
                      static_cast<std::size_t>(size - map.sizes_bytes.begin())];
  });
  return map;
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

std::vector<std::pair<std::string, std::string>> loss_scale() {
  std::vector<std::pair<std::string, std::string>> names;
  for (std::size_t i = 0; i < kShades; ++i) {
    names.emplace_back(i + 1 < kShades ? fmt::format("to {:.3g} %", 100 * kLosses[i])
                                       : fmt::format("over {:.3g} %", 100 * kLosses[i - 1]),
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
  Picture picture;
  picture.id = id_of(fmt::format("winners {} {}", table.collective, table.machine));
  picture.group = "comparison";
  picture.width = width;
  picture.title = fmt::format("The fastest {} on {}, and how much slower the second is",
                              table.collective, table.machine);
  return finished(std::move(picture), std::move(map), "ranks,bytes,best,second_slower_by\n");
}

Picture decision_map(const Json& decision, double width) {
  Map map = grid_of(decision, [&](auto&& place) {
    for (const Json& cell : decision.at("cells")) {
      MapCell* const at = cell.at("best").is_string() ? place(cell) : nullptr;
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
  });
  Picture picture;
  const auto collective = decision.at("collective").get<std::string>();
  picture.id = id_of("decision " + collective + ' ' + machine_of(decision));
  picture.group = "decision";
  picture.width = width;
  picture.title = fmt::format("The best {} on {}, and how much slower the second is", collective,
                              machine_of(decision));
  return finished(std::move(picture), std::move(map), "ranks,bytes,best,second_slower_by\n");
}

Picture loss_map(const Json& decision, double width) {
  const Json& against = decision.at("against");
  Map map = grid_of(decision, [&](auto&& place) {
    for (const Json& cell : against.at("cells")) {
      MapCell* const at = cell.at("loss").is_number() ? place(cell) : nullptr;
      if (at == nullptr) {
        continue;
      }
      const double loss = std::max(0.0, cell.at("loss").get<double>());
      const Json& runs = cell.at("runs").is_object() ? cell.at("runs") : cell.at("choice");
      at->name = runs.is_object() ? candidate_name(runs) : "";
      at->share = loss;
      at->value = loss < 0.0005 ? "0" : percent(loss);
      at->classes = fmt::format("q{}", shade(loss));
      at->inverse = shade(loss) >= 5;
      at->tip = fmt::format(
          "{}, {}\nruns {}: {}, loses {}", counted(cell.at("ranks").get<std::uint32_t>(), "rank"),
          human_bytes(cell.at("bytes").get<std::uint64_t>()), at->name,
          cell.at("seconds").is_number() ? human_time(cell.at("seconds").get<double>())
                                         : "not known",
          at->value);
    }
  });
  Picture picture;
  const auto collective = decision.at("collective").get<std::string>();
  const auto table = against.at("name").get<std::string>();
  picture.id = id_of("loss " + collective + ' ' + machine_of(decision));
  picture.group = "decision";
  picture.width = width;
  picture.title = fmt::format("{:.3g} % lost on average: {} on {}, by {}",
                              100 * against.at("mean_loss").get<double>(), collective,
                              machine_of(decision), table);
  picture.csv = "ranks,bytes,runs,loss\n";
  for (const Json& cell : against.at("cells")) {
    const Json& runs = cell.at("runs").is_object() ? cell.at("runs") : cell.at("choice");
    picture.csv += fmt::format(
        "{},{},{},{}\n", cell.at("ranks").get<std::uint32_t>(),
        cell.at("bytes").get<std::uint64_t>(),
        runs.is_object() ? csv_field(candidate_name(runs)) : "",
        cell.at("loss").is_number() ? fmt::format("{}", cell.at("loss").get<double>()) : "");
  }
  Svg svg;
  const double legend_end = draw_legend(svg, loss_scale(), 38, width);
  picture.height = draw_map(svg, map, legend_end + 14, width);
  picture.body = svg.body();
  picture.alt = fmt::format("Map of ranks and sizes; darker cells lose more. {}", picture.title);
  return picture;
}

}  // namespace tutti::inline pictures
