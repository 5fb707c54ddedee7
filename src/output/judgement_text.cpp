#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "base/human.hpp"
#include "base/time_column.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"
#include "src/output/result_words.hpp"

namespace tutti::inline output {

namespace {

std::vector<const TableCell*> worst_first(const Judgement& judgement) {
  std::vector<const TableCell*> cells;
  cells.reserve(judgement.cells.size());
  for (const TableCell& cell : judgement.cells) {
    cells.push_back(&cell);
  }
  std::stable_sort(cells.begin(), cells.end(), [](const TableCell* a, const TableCell* b) {
    return a->loss().value_or(-1) > b->loss().value_or(-1);
  });
  return cells;
}

// Prints which choices of the judged table of rules cannot run, and what the library runs instead.
void print_refused(const Judgement& judgement, std::ostream& out) {
  std::map<std::string, std::size_t> refused;  // number of cells, by message
  for (const TableCell& cell : judgement.cells) {
    if (!cell.refusal.empty()) {
      const std::string what = cell.choice ? in_words(*cell.choice) : "no rule";
      ++refused[cell.seconds
                    ? fmt::format("{} cannot run; the library runs {}", what, in_words(cell.runs))
                    : fmt::format("{}: not judged", what)];
    }
  }
  for (const auto& [what, count] : refused) {
    print_field(out, 2, 0, "", fmt::format("in {}, {}", counted(count, "cell"), what));
  }
}

void print_cells(const Decision& decision, const std::vector<const TableCell*>& cells,
                 bool times_too, std::ostream& out) {
  std::vector<double> times;
  for (const TableCell* cell : cells) {
    times.push_back(cell->best.seconds);
    times.push_back(cell->seconds.value_or(cell->best.seconds));
  }
  const TimeUnit unit = unit_of_column(times);
  CallTable table(decision.collective, {{"loss", true},
                                        {fmt::format("takes {}", unit.name), true, 1, times_too},
                                        {fmt::format("best {}", unit.name), true, 1, times_too},
                                        {"its choice"},
                                        {"best is"}});
  for (const TableCell* cell : cells) {
    const RankDecision& at = decision.decisions[cell->rank_index];
    const auto found = std::find_if(at.cells.begin(), at.cells.end(), [&](const TimedCell& each) {
      return each.bytes == cell->bytes;
    });
    const std::size_t best = found->best().value();
    const CandidateTime& time = found->times[best];
    std::string choice = cell->choice ? in_words(*cell->choice) : "-";
    if (!cell->refusal.empty() && cell->seconds) {
      choice = fmt::format("{} for {}", in_words(cell->runs), choice);
    }
    const bool loses = cell->loss().value_or(0) > kNoticeable;
    table.add(
        decision.ranks[cell->rank_index], cell->bytes,
        {cell->loss() ? longer_in_words(*cell->loss()) : "-",
         cell->seconds ? ranged_time_in(unit, {*cell->seconds, cell->below_s, cell->above_s}) : "-",
         ranged_time_in(unit, cell->best), choice,
         in_words(decision.candidates[best],
                  time.segment_bytes < cell->bytes ? time.segment_bytes : 0)},
        loses ? Style::warning : Style::plain);
  }
  table.print(out);
}

}  // namespace

void print_judgement(const Decision& decision, const Judgement& judgement, bool all,
                     std::ostream& out) {
  // Maximum number of cells shown without --all.
  constexpr std::size_t kMostShown = 10;
  std::string text = fmt::format("Against {}", judgement.rival);
  if (!judgement.title.empty()) {
    text += fmt::format(" ({})", judgement.title);
  }
  std::vector<const TableCell*> cells = worst_first(judgement);
  const auto losing =
      static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [](const TableCell* cell) {
        return cell->loss().value_or(0) > kNoticeable;
      }));
  text += fmt::format(": loses {:.1f} % on average over {} of {}", 100 * judgement.mean_loss(),
                      judgement.judged(), counted(judgement.cells.size(), "cell"));
  if (const TableCell* worst = judgement.worst(); worst != nullptr && losing > 0) {
    text += fmt::format(", {} at worst", longer_in_words(*worst->loss()));
  }
  print_field(out, 0, 0, "", text);
  print_field(out, 2, 6, "loss",
              "how much longer its choice takes than the best of all candidates");
  const std::size_t shown = all ? cells.size() : std::min(losing, kMostShown);
  cells.resize(shown);
  if (!cells.empty()) {
    out << '\n';
    print_cells(decision, cells, all, out);
  }
  if (!all) {
    print_field(out, 2, 0, "",
                losing > shown ? fmt::format("and {} more that lose; --all shows every cell",
                                             human_count(losing - shown))
                : losing > 0   ? std::string("no other cell loses; --all shows every cell")
                               : std::string("no cell loses; --all shows every cell"));
  }
  print_refused(judgement, out);
}

}  // namespace tutti::inline output
