// Prints how much time choices lose: those of another table of rules, and those of the decision in
// individual placements.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/time_column.hpp"
#include "src/experiments/decisions/placement_spread.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"
#include "src/output/result_words.hpp"

namespace tutti { inline namespace output {

namespace {

std::vector<const TableCell*> worst_first(const Judgement& judgement) {
  std::vector<const TableCell*> cells;
  cells.reserve(judgement.cells.size());
  for (const TableCell& cell : judgement.cells) {
    cells.push_back(&cell);
  }
  std::ranges::stable_sort(cells, [](const TableCell* a, const TableCell* b) {
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
                    : fmt::format("{}: not judged, because {}", what, with_fields(cell.refusal))];
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
  double most = 0;
  for (const TableCell* cell : cells) {
    most = std::max(most, cell->loss().value_or(0));
  }
  const ShareForm form = share_form(most);
  CallTable table(decision.collective, {{"loss", true},
                                        {fmt::format("takes {}", unit.name), true, 1, times_too},
                                        {fmt::format("best {}", unit.name), true, 1, times_too},
                                        {"its choice"},
                                        {"best is"}});
  for (const TableCell* cell : cells) {
    const RankDecision& at = decision.decisions[cell->rank_index];
    const auto found = std::ranges::find_if(
        at.cells, [&](const TimedCell& each) { return each.bytes == cell->bytes; });
    const std::size_t best = found->best().value();
    const CandidateTime& time = found->times[best];
    std::string choice = cell->choice ? in_words(*cell->choice) : "-";
    if (!cell->refusal.empty() && cell->seconds) {
      choice = fmt::format("{} for {}", in_words(cell->runs), choice);
    }
    const bool loses = cell->loss().value_or(0) > kNoticeable;
    table.add(decision.ranks[cell->rank_index], cell->bytes,
              {cell->loss() ? longer_in_words(*cell->loss(), form) : "-",
               cell->seconds ? ranged_time_in(unit, cell->time()) : "-",
               ranged_time_in(unit, cell->best), choice,
               in_words(decision.candidates[best],
                        time.segment_bytes < cell->bytes ? time.segment_bytes : 0)},
              loses ? Style::warning : Style::plain);
  }
  table.print(out);
}

// Lists winners with the number of placements in which each wins: "ring 13, rabenseifner 7".
std::string winners_in_words(const Decision& decision, const PlacementCell& cell) {
  std::string text;
  for (const PlacementWinner& winner : cell.winners) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        in_words(decision.candidates[winner.candidate], 0), winner.placements);
  }
  return text;
}

void print_cells(const Decision& decision, const std::vector<PlacementCell>& cells,
                 std::ostream& out) {
  std::vector<double> times;
  for (const PlacementCell& cell : cells) {
    times.push_back(cell.least_s);
    times.push_back(cell.most_s);
  }
  const TimeUnit unit = unit_of_column(times);
  double most = 0;
  for (const PlacementCell& cell : cells) {
    most = std::max(most, cell.most_loss);
  }
  const ShareForm form = share_form(most);
  CallTable table(decision.collective, {{"choice"},
                                        {"mean loss", true},
                                        {"worst", true},
                                        {"seed", true, 1},
                                        {fmt::format("least {}", unit.name), true, 2},
                                        {fmt::format("most {}", unit.name), true, 2},
                                        {"wins"}});
  for (const PlacementCell& cell : cells) {
    const bool loses = cell.most_loss > kNoticeable;
    table.add(decision.ranks[cell.rank_index], cell.bytes,
              {in_words(decision.candidates[cell.choice.candidate], cell.choice.segment_bytes),
               longer_in_words(cell.mean_loss, form), longer_in_words(cell.most_loss, form),
               loses ? fmt::format("{}", cell.worst_seed) : "-", unit.print(cell.least_s),
               unit.print(cell.most_s), winners_in_words(decision, cell)},
              loses ? Style::warning : Style::plain, 2);
  }
  table.print(out);
}

// How the output names cells that are left out.
struct LossWords {
  const char* that_lose;
  const char* no_other_loses;
  const char* none_loses;
};

// Prints the cells with the largest losses, and how many others lose. `all`: prints every cell.
// `cells`: the largest losses first; those that are left out are removed before `print` is called.
template <typename Cell, typename Print>
void print_worst(std::vector<Cell>& cells, std::size_t losing, bool all, const LossWords& words,
                 Print&& print, std::ostream& out) {
  constexpr std::size_t kMostShown = 10;
  cells.resize(all ? cells.size() : std::min(losing, kMostShown));
  if (!cells.empty()) {
    out << '\n';
    print();
  }
  if (!all) {
    const std::size_t left = losing - cells.size();
    print_field(
        out, 2, 0, "",
        fmt::format("{}; {} shows every cell",
                    left > 0     ? fmt::format("and {} more {}", human_count(left), words.that_lose)
                    : losing > 0 ? words.no_other_loses
                                 : words.none_loses,
                    flag_of("all")));
  }
}

}  // namespace

namespace {

std::string mean_in_words(double mean, ShareForm form) {
  if (mean < -kNoticeable) {
    return fmt::format("takes {} less time than the best of all candidates",
                       longer_in_words(-mean, ShareForm::percent));
  }
  return form == ShareForm::percent
             ? fmt::format("loses {}", longer_in_words(mean, form))
             : fmt::format("takes {} the time of the best", longer_in_words(mean, form));
}

// Prints what the comparison leaves out.
void print_limits_of_judgement(const Decision& decision, const Judgement& judgement,
                               std::ostream& out) {
  const auto faster =
      static_cast<std::size_t>(std::ranges::count_if(judgement.cells, [](const TableCell& cell) {
        return cell.loss().value_or(0) < -kNoticeable;
      }));
  if (faster > 0) {
    print_field(out, 2, 0, "",
                fmt::format("in {}, its choice is faster than all candidates; the best below is "
                            "only the best candidate",
                            counted(faster, "cell")));
  }
  if (judgement.runs_nccl && decision.by != TimedBy::measured) {
    print_field(out, 2, 0, "",
                fmt::format("all times have the latencies of the platform; 'tutti nccl {}' has "
                            "those of NCCL's kernels",
                            name(decision.collective)));
  }
}

}  // namespace

void print_judgement(const Decision& decision, const Judgement& judgement, bool all,
                     std::ostream& out) {
  std::string text = fmt::format("Against {}", judgement.rival);
  if (!judgement.title.empty()) {
    text += fmt::format(" ({})", judgement.title);
  }
  if (!judgement.before.empty()) {
    print_field(out, 0, 0, "", fmt::format("{}: {}", text, judgement.before));
    text = "Where these rules decide for all ranks";
  }
  std::vector<const TableCell*> cells = worst_first(judgement);
  const auto losing = static_cast<std::size_t>(std::ranges::count_if(
      cells, [](const TableCell* cell) { return cell->loss().value_or(0) > kNoticeable; }));
  const std::string all_cells = counted(judgement.cells.size(), "cell");
  const std::optional<double> mean = judgement.mean_loss();
  if (!mean) {
    print_field(out, 0, 0, "",
                fmt::format("{}: nothing could be judged: the time of its choice is unknown in {} "
                            "of {}",
                            text, judgement.cells.size(), all_cells));
    print_refused(judgement, out);
    if (judgement.rival == "nccl") {
      print_field(out, 2, 0, "",
                  fmt::format("'tutti nccl {}' prints the times of NCCL's own model",
                              name(decision.collective)));
    }
    return;
  }
  const bool every = judgement.judged() == judgement.cells.size();
  const TableCell* const worst = judgement.worst();
  const ShareForm form = share_form(worst == nullptr ? 0 : worst->loss().value_or(0));
  text += fmt::format(": {} on average over {}{} of {}{}", mean_in_words(*mean, form),
                      every ? "" : "the ", judgement.judged(), all_cells,
                      every ? "" : " that could be judged");
  if (worst != nullptr && losing > 0) {
    text += fmt::format(", {} at worst", longer_in_words(*worst->loss(), form));
  }
  print_field(out, 0, 0, "", text);
  print_field(out, 2, 6, "loss",
              form == ShareForm::percent
                  ? "how much longer its choice takes than the best of all candidates"
                  : "how many times as long as the best of all candidates its choice takes");
  print_worst(
      cells, losing, all,
      {"that lose", "no other cell loses", every ? "no cell loses" : "none of these cells loses"},
      [&] { print_cells(decision, cells, all, out); }, out);
  print_limits_of_judgement(decision, judgement, out);
  print_refused(judgement, out);
}

void print_placements(const Decision& decision, bool all, std::ostream& out) {
  std::vector<PlacementCell> cells = placement_spread(decision);
  if (cells.empty()) {
    return;
  }
  const std::size_t placements = decision.placements();
  const auto always = static_cast<std::size_t>(std::ranges::count_if(
      cells, [&](const auto& cell) { return cell.choice_wins == placements; }));
  out << '\n';
  print_heading(out, fmt::format("Over {} random placements", placements));
  print_field(out, 2, 0, "",
              fmt::format("seeds {} to {} of {} random; the choice has the best mean "
                          "time, and in {} of {} it is the best in every placement",
                          decision.first_seed, decision.first_seed + placements - 1,
                          flag_of("placement"), always, counted(cells.size(), "cell")));
  std::ranges::stable_sort(cells, [](const PlacementCell& a, const PlacementCell& b) {
    return a.most_loss > b.most_loss;
  });
  const auto losing = static_cast<std::size_t>(std::ranges::count_if(
      cells, [](const PlacementCell& cell) { return cell.most_loss > kNoticeable; }));
  print_worst(
      cells, losing, all,
      {"where the choice loses in some placement", "the choice loses in no other cell",
       "the choice loses in no placement"},
      [&] { print_cells(decision, cells, out); }, out);
}

}}  // namespace tutti::output
