#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "base/human.hpp"
#include "base/time_column.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/comparison_text.hpp"
#include "src/output/result_words.hpp"

namespace tutti { inline namespace output {

namespace {

// If there are more sizes than this, consecutive sizes with the same winners share a line.
constexpr std::size_t kManyLines = 10;

// Formats a margin in percent, without the unit.
std::string percent_digits(double margin) {
  return fmt::format("{:.{}f}", 100 * margin, margin < 0.0995 && margin > 0 ? 1 : 0);
}

// Formats the margin of the best algorithm: "+12 %", or "+12..40 %" over several cells. Returns
// "level" if ties decide in all cells, and "" if no cell has a second algorithm.
std::string margin_in_words(const std::vector<const CellWinners*>& cells) {
  std::optional<double> least;
  double most = 0;
  for (const CellWinners* cell : cells) {
    if (const auto margin = cell->margin()) {
      least = std::min(least.value_or(*margin), *margin);
      most = std::max(most, *margin);
    }
  }
  if (!least) {
    return "";
  }
  if (most == 0) {
    return "level";
  }
  const std::string from = percent_digits(*least);
  const std::string to = percent_digits(most);
  return fmt::format("+{} %", from == to ? to : from + ".." + to);
}

class Winners {
 public:
  Winners(const Comparison& comparison, const WinnerMap& map, std::ostream& out)
      : comparison_(comparison), map_(map), out_(out) {}

  void print() {
    if (map_.few_cells()) {
      print_list();
    } else {
      print_map();
    }
  }

 private:
  struct Line {
    std::string head;
    std::vector<std::size_t> places;  // indices of sizes in the map
  };
  struct Cell {
    std::string who;
    std::string margin;
  };

  // Prints a line for each cell, followed by a line with the reason why the best algorithm is best,
  // or with the algorithms that are level with it.
  void print_list() {
    constexpr std::size_t kBest = 5;
    Table table({{"p", true, 0, map_.ranks().size() > 1},
                 {"n", true, 0, map_.sizes().size() > 1},
                 {"time", true},
                 {kOfLimit, true, 1},
                 {"ahead by", true},
                 {"best"}});
    for (std::size_t r = 0; r < map_.ranks().size(); ++r) {
      for (std::size_t s = 0; s < map_.sizes().size(); ++s) {
        const CellWinners& cell = map_.at(r, s);
        const std::string p = fmt::format("{}", comparison_.ranks[map_.ranks()[r]]);
        const std::string n = human_bytes(comparison_.sizes_bytes[map_.sizes()[s]]);
        if (cell.who.empty()) {
          table.add({p, n, "-", "-", "-", "none: nothing ran"}, Style::warning, kBest);
          continue;
        }
        std::vector<std::string> names;
        names.reserve(cell.who.size());
        for (const std::size_t i : cell.who) {
          names.push_back(comparison_.contenders[i].label);
        }
        const std::string margin = margin_in_words({&cell});
        table.add({p, n, ranged_time_in_words(cell.best), of_limit_in_words(best_in(r, s)),
                   margin.empty() ? "-" : margin, fmt::format("{}", fmt::join(names, " = "))},
                  Style::best, kBest);
        if (!cell.level.empty()) {
          table.add_line("level within ties with " + level_in_words(r, s, cell));
          continue;
        }
        if (!cell.why.empty()) {
          table.add_line("because " + cell.why);
        } else if (cell.second) {
          table.add_line("ahead of " + comparison_.contenders[*cell.second].label);
        }
      }
    }
    table.print(out_, kIndent);
    print_level();
    if (map_.ranks().size() * map_.sizes().size() > 1) {
      print_limits();
    }
  }

  // Returns the run of the best algorithm of a cell, in which some algorithm must have run.
  [[nodiscard]] const RunResult& best_in(std::size_t r, std::size_t s) const {
    return *comparison_.run(map_.ranks()[r], map_.sizes()[s], map_.at(r, s).who.front())
                .outcome.result();
  }

  // Prints how far the best algorithms are from the limits, at most and at least.
  void print_limits() {
    std::optional<double> least;
    double most = 0;
    std::string where;
    for (std::size_t r = 0; r < map_.ranks().size(); ++r) {
      for (std::size_t s = 0; s < map_.sizes().size(); ++s) {
        const auto of_limit = map_.at(r, s).who.empty() ? std::nullopt : best_in(r, s).of_limit();
        if (!of_limit) {
          continue;
        }
        least = std::min(least.value_or(*of_limit), *of_limit);
        if (*of_limit > most) {
          most = *of_limit;
          where = cell_in_words(comparison_, map_.ranks()[r], map_.sizes()[s]);
        }
      }
    }
    if (!least) {
      return;
    }
    const std::string from = human_factor(*least);
    const std::string to = human_factor(most);
    print_field(out_, kIndent, 2, "-",
                from == to ? fmt::format("{}: {} {}", kOfLimit, to, kOfLimitMeans)
                           : fmt::format("{}: the best are {} to {} {}; most at {}", kOfLimit, from,
                                         to, kOfLimitMeans, where));
  }

  // Lists the algorithms that are level with the best, with their times: "bucket (26.56..29.08
  // ms)".
  [[nodiscard]] std::string level_in_words(std::size_t r, std::size_t s,
                                           const CellWinners& cell) const {
    std::vector<std::string> names;
    for (const std::size_t i : cell.level) {
      const RunResult& result =
          *comparison_.run(map_.ranks()[r], map_.sizes()[s], i).outcome.result();
      names.push_back(fmt::format("{} ({})", comparison_.contenders[i].label,
                                  ranged_time_in_words(result.time())));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // Prints what "level" means, if any cell uses the word.
  void print_level() {
    for (std::size_t r = 0; r < map_.ranks().size(); ++r) {
      for (std::size_t s = 0; s < map_.sizes().size(); ++s) {
        if (!map_.at(r, s).level.empty()) {
          print_field(out_, kIndent, 2, "-", fmt::format("level: {}", kLevelWithinTies));
          return;
        }
      }
    }
  }

  void print_map() {
    const std::vector<Line> lines = lines_of_map();
    std::vector<std::vector<Cell>> cells = cells_of(lines, false);
    const bool keyed = width_of(lines, cells) > page_width();
    if (keyed) {
      cells = cells_of(lines, true);
    }
    const bool across = width_of(lines, cells) > page_width() && lines.size() < cells[0].size();
    if (across) {
      print_across(lines, cells);
    } else {
      print_down(lines, cells);
    }
    print_reasons(keyed);
    print_level();
    print_limits();
  }

  // Returns the lines of the map, one for each size. If there are many sizes, consecutive sizes
  // with the same winners share a line.
  [[nodiscard]] std::vector<Line> lines_of_map() const {
    std::vector<Line> lines;
    const auto alike = [&](std::size_t a, std::size_t b) {
      for (std::size_t r = 0; r < map_.ranks().size(); ++r) {
        if (map_.shown(r, a) != map_.shown(r, b)) {
          return false;
        }
      }
      return true;
    };
    for (std::size_t s = 0; s < map_.sizes().size(); ++s) {
      if (map_.sizes().size() > kManyLines && !lines.empty() && alike(s, lines.back().places[0])) {
        lines.back().places.push_back(s);
      } else {
        lines.push_back({"", {s}});
      }
    }
    for (Line& line : lines) {
      const auto bytes = [&](std::size_t place) {
        return human_bytes(comparison_.sizes_bytes[map_.sizes()[place]]);
      };
      line.head = line.places.size() == 1 ? bytes(line.places.front())
                                          : fmt::format("{} to {}", bytes(line.places.front()),
                                                        bytes(line.places.back()));
      if (comparison_.collective == Collective::barrier) {
        line.head = "";
      }
    }
    return lines;
  }

  [[nodiscard]] std::string key_of(std::size_t contender) const {
    const auto& all = map_.all_shown();
    const auto place = static_cast<std::size_t>(std::ranges::find(all, contender) - all.begin());
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    return place < kLetters.size() ? std::string(1, kLetters[place])
                                   : fmt::format("{}", place + 1 - kLetters.size());
  }

  [[nodiscard]] std::vector<std::vector<Cell>> cells_of(const std::vector<Line>& lines,
                                                        bool keyed) const {
    std::vector<std::vector<Cell>> cells;
    for (const Line& line : lines) {
      std::vector<Cell>& row = cells.emplace_back();
      for (std::size_t r = 0; r < map_.ranks().size(); ++r) {
        std::vector<const CellWinners*> all;
        for (const std::size_t place : line.places) {
          all.push_back(&map_.at(r, place));
        }
        const auto who = map_.shown(r, line.places.front());
        row.push_back(!who    ? Cell{"-", ""}
                      : keyed ? Cell{key_of(*who), margin_in_words(all)}
                              : Cell{comparison_.contenders[*who].label, margin_in_words(all)});
      }
    }
    return cells;
  }

  [[nodiscard]] std::string head_of_ranks(std::size_t r) const {
    return fmt::format("p = {}", comparison_.ranks[map_.ranks()[r]]);
  }

  // Widths of the two parts of a column: names on the left, margins on the right.
  struct Widths {
    std::size_t who = 0;
    std::size_t margin = 0;
    [[nodiscard]] std::size_t all() const { return who + (margin > 0 ? 1 + margin : 0); }
  };
  static void widen(Widths& widths, const Cell& cell) {
    widths.who = std::max(widths.who, display_width(cell.who));
    widths.margin = std::max(widths.margin, display_width(cell.margin));
  }
  static std::string aligned(const Cell& cell, const Widths& widths) {
    std::string text = cell.who;
    text.append(widths.who - display_width(cell.who), ' ');
    if (widths.margin > 0) {
      text.append(1 + widths.margin - display_width(cell.margin), ' ');
      text += cell.margin;
    }
    return text;
  }

  [[nodiscard]] std::size_t width_of(const std::vector<Line>& lines,
                                     const std::vector<std::vector<Cell>>& cells) const {
    std::size_t head = 0;
    for (const Line& line : lines) {
      head = std::max(head, display_width(line.head));
    }
    std::size_t width = kIndent + head;
    for (std::size_t r = 0; r < map_.ranks().size(); ++r) {
      Widths widths;
      for (const auto& row : cells) {
        widen(widths, row[r]);
      }
      width += 2 + std::max(widths.all(), head_of_ranks(r).size());
    }
    return width;
  }

  // Prints the map with a row for each of `lines` (one or more sizes), and a column for each number
  // of ranks. Columns for which the page is too narrow go to another map below.
  void print_down(const std::vector<Line>& lines, const std::vector<std::vector<Cell>>& cells) {
    std::vector<std::string> heads;
    for (std::size_t r = 0; r < map_.ranks().size(); ++r) {
      heads.push_back(head_of_ranks(r));
    }
    std::vector<std::string> sides;
    sides.reserve(lines.size());
    for (const Line& line : lines) {
      sides.push_back(line.head);
    }
    print_grid(comparison_.collective == Collective::barrier ? "" : "n", sides, heads, cells);
  }

  // Prints the map with a row for each number of ranks, and a column for each of `lines`. Used if
  // the map would otherwise be too wide, and has fewer `lines` than numbers of ranks.
  void print_across(const std::vector<Line>& lines, const std::vector<std::vector<Cell>>& cells) {
    std::vector<std::string> heads;
    heads.reserve(lines.size());
    for (const Line& line : lines) {
      heads.push_back(line.head.empty() ? "" : "n = " + line.head);
    }
    std::vector<std::string> sides;
    std::vector<std::vector<Cell>> turned;
    for (std::size_t r = 0; r < map_.ranks().size(); ++r) {
      sides.push_back(fmt::format("{}", comparison_.ranks[map_.ranks()[r]]));
      std::vector<Cell>& row = turned.emplace_back();
      for (const auto& line : cells) {
        row.push_back(line[r]);
      }
    }
    print_grid("p", sides, heads, turned);
  }

  void print_grid(const std::string& corner, const std::vector<std::string>& sides,
                  const std::vector<std::string>& heads,
                  const std::vector<std::vector<Cell>>& cells) {
    std::size_t side = corner.size();
    for (const std::string& each : sides) {
      side = std::max(side, display_width(each));
    }
    std::size_t first = 0;
    while (first < heads.size()) {
      std::vector<TableColumn> columns{{corner, true}};
      std::vector<Widths> widths;
      std::size_t width = kIndent + side;
      std::size_t end = first;
      for (; end < heads.size(); ++end) {
        Widths one;
        for (const auto& row : cells) {
          widen(one, row[end]);
        }
        const std::size_t wider = width + 2 + std::max(one.all(), heads[end].size());
        if (end > first && wider > page_width()) {
          break;
        }
        width = wider;
        widths.push_back(one);
        columns.push_back({heads[end], false});
      }
      Table table(std::move(columns));
      for (std::size_t i = 0; i < sides.size(); ++i) {
        std::vector<std::string> row{sides[i]};
        for (std::size_t c = first; c < end; ++c) {
          row.push_back(aligned(cells[i][c], widths[c - first]));
        }
        table.add(std::move(row));
      }
      out_ << (first > 0 ? "\n" : "");
      table.print(out_, kIndent);
      first = end;
    }
  }

  // Prints each winner, with its key if `keyed` is true, and with the reason why it is the best
  // algorithm in a cell.
  void print_reasons(bool keyed) {
    out_ << '\n';
    for (const std::size_t contender : map_.all_shown()) {
      const std::string name = map_.with_equals(contender);
      const std::string why = reason_of(contender);
      const std::string text = why.empty() ? name : fmt::format("{}; {}", name, why);
      if (keyed) {
        print_field(out_, kIndent, 3, key_of(contender), text);
      } else if (!why.empty() || name != comparison_.contenders[contender].label) {
        print_field(out_, kIndent, 2, "-", text);
      }
    }
  }

  // Returns the reason why `contender` is the best algorithm in a cell. Among the cells for which a
  // reason is known, this is the cell with the largest lead. Returns "" if no reason is known.
  [[nodiscard]] std::string reason_of(std::size_t contender) const {
    for (const std::size_t place : map_.leads_of(contender)) {
      if (const std::string& why = map_.cell(place).why; !why.empty()) {
        const std::size_t rank = map_.ranks()[place / map_.sizes().size()];
        const std::size_t size = map_.sizes()[place % map_.sizes().size()];
        return fmt::format("at {}, {}", cell_in_words(comparison_, rank, size), why);
      }
    }
    return "";
  }

  const Comparison& comparison_;
  const WinnerMap& map_;
  std::ostream& out_;
};

}  // namespace

std::string cell_in_words(const Comparison& comparison, std::size_t rank, std::size_t size) {
  const std::string p = fmt::format("p = {}", comparison.ranks[rank]);
  return comparison.collective == Collective::barrier
             ? p
             : fmt::format("{}, n = {}", p, human_bytes(comparison.sizes_bytes[size]));
}

void print_winners(const Comparison& comparison, const WinnerMap& map, std::ostream& out) {
  Winners(comparison, map, out).print();
}

}}  // namespace tutti::output
