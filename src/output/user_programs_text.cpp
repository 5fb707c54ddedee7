#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/human.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"

namespace tutti { inline namespace output {

namespace {

// The times of a user's program and of the fastest other candidate in one cell. Other programs of
// the user do not count as candidates here.
struct OwnCell {
  const RankDecision* ranks = nullptr;
  const TimedCell* cell = nullptr;
  RangedTime own_time;
  std::optional<RangedTime> other_time;  // empty if no other candidate runs
  std::size_t other = 0;

  // True if the program is faster than all other candidates by more than rounding errors and ties,
  // or if no other candidate runs.
  [[nodiscard]] bool best() const {
    return !other_time || (own_time.seconds < other_time->seconds * (1 - 1e-9) && !level());
  }
  [[nodiscard]] bool level() const {
    return other_time && level_within_ties(own_time, *other_time);
  }
  [[nodiscard]] double lead() const {
    return other_time && own_time.seconds > 0 ? other_time->seconds / own_time.seconds - 1 : 0;
  }
  [[nodiscard]] double lag() const {
    return other_time && other_time->seconds > 0 && !level()
               ? own_time.seconds / other_time->seconds - 1
               : 0;
  }
};

std::vector<OwnCell> cells_of(const Decision& decision, std::size_t own) {
  std::vector<OwnCell> found;
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      if (!cell.on_grid || own >= cell.times.size() || !cell.times[own].timed()) {
        continue;
      }
      OwnCell one;
      one.ranks = &each;
      one.cell = &cell;
      one.own_time = cell.times[own].time();
      for (std::size_t i = 0; i < cell.times.size(); ++i) {
        const bool counts = !decision.candidates[i].own && cell.times[i].timed();
        if (counts && (!one.other_time || cell.times[i].seconds < one.other_time->seconds)) {
          one.other_time = cell.times[i].time();
          one.other = i;
        }
      }
      found.push_back(one);
    }
  }
  return found;
}

std::string place_of(const Decision& decision, const OwnCell& each) {
  return ranks_and_size(decision.collective, each.cell->bytes, each.ranks->ranks);
}

// Prints ranges of sizes in which the program is best: "p = 8, n = 64 bytes to 4 KiB: by 3 % to
// 12 %, ahead of ring".
void print_ranges(const Decision& decision, const std::vector<OwnCell>& cells, std::ostream& out) {
  for (std::size_t i = 0; i < cells.size();) {
    if (!cells[i].best()) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < cells.size() && cells[end].ranks == cells[i].ranks && cells[end].best()) {
      ++end;
    }
    const auto [least, most] =
        std::minmax_element(cells.begin() + static_cast<std::ptrdiff_t>(i),
                            cells.begin() + static_cast<std::ptrdiff_t>(end),
                            [](const OwnCell& a, const OwnCell& b) { return a.lead() < b.lead(); });
    std::string text = place_of(decision, cells[i]);
    if (end > i + 1) {
      text += fmt::format(" to {}", call_size(decision.collective, cells[end - 1].cell->bytes,
                                              cells[i].ranks->ranks));
    }
    if (most->other_time) {
      const std::string by = longer_in_words(most->lead(), ShareForm::percent);
      text += least == most || longer_in_words(least->lead(), ShareForm::percent) == by
                  ? fmt::format(": by {}", by)
                  : fmt::format(": by {} to {}", longer_in_words(least->lead(), ShareForm::percent),
                                by);
      text += fmt::format(", ahead of {}", in_words(decision.candidates[most->other], 0));
    }
    print_field(out, 4, 0, "", text);
    i = end;
  }
}

}  // namespace

void print_own(const Decision& decision, std::ostream& out) {
  for (std::size_t own = 0; own < decision.candidates.size(); ++own) {
    if (!decision.candidates[own].own) {
      continue;
    }
    const std::vector<OwnCell> cells = cells_of(decision, own);
    const auto best = static_cast<std::size_t>(std::ranges::count_if(cells, &OwnCell::best));
    out << '\n';
    const std::string name = in_words(decision.candidates[own], 0);
    if (cells.empty()) {
      print_field(out, 2, 0, "", fmt::format("{} runs in no cell", name));
      continue;
    }
    if (best > 0) {
      print_field(
          out, 2, 0, "",
          fmt::format("{} is the best in {} of {}", name, best, counted(cells.size(), "cell")));
      print_ranges(decision, cells, out);
      continue;
    }
    const auto nearest = std::ranges::min_element(
        cells, [](const OwnCell& a, const OwnCell& b) { return a.lag() < b.lag(); });
    print_field(out, 2, 0, "",
                fmt::format("{} is the best in none of {}; nearest at {}: {} {}", name,
                            counted(cells.size(), "cell"), place_of(decision, *nearest),
                            nearest->lag() < kNoticeable
                                ? std::string("level with")
                                : longer_in_words(nearest->lag(), ShareForm::percent) + " behind",
                            in_words(decision.candidates[nearest->other], 0)));
  }
}

}}  // namespace tutti::output
