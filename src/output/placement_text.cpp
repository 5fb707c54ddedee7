#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

#include "base/human.hpp"
#include "base/time_column.hpp"
#include "src/experiments/decisions/placement_spread.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"

namespace tutti::inline output {

namespace {

using Json = nlohmann::ordered_json;

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
               longer_in_words(cell.mean_loss), longer_in_words(cell.most_loss),
               loses ? fmt::format("{}", cell.worst_seed) : "-", unit.print(cell.least_s),
               unit.print(cell.most_s), winners_in_words(decision, cell)},
              loses ? Style::warning : Style::plain, 2);
  }
  table.print(out);
}

}  // namespace

void print_placements(const Decision& decision, bool all, std::ostream& out) {
  // Maximum number of cells shown without --all.
  constexpr std::size_t kMostShown = 10;
  std::vector<PlacementCell> cells = placement_spread(decision);
  if (cells.empty()) {
    return;
  }
  const std::size_t placements = decision.placements();
  const auto always =
      static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [&](const auto& cell) {
        return cell.choice_wins == placements;
      }));
  out << '\n';
  print_heading(out, fmt::format("Over {} random placements", placements));
  print_field(out, 2, 0, "",
              fmt::format("seeds {} to {} of --placement random; the choice has the best mean "
                          "time, and in {} of {} it is the best in every placement",
                          decision.first_seed, decision.first_seed + placements - 1, always,
                          counted(cells.size(), "cell")));
  std::stable_sort(cells.begin(), cells.end(), [](const PlacementCell& a, const PlacementCell& b) {
    return a.most_loss > b.most_loss;
  });
  const auto losing = static_cast<std::size_t>(
      std::count_if(cells.begin(), cells.end(),
                    [](const PlacementCell& cell) { return cell.most_loss > kNoticeable; }));
  const std::size_t shown = all ? cells.size() : std::min(losing, kMostShown);
  cells.resize(shown);
  if (!cells.empty()) {
    out << '\n';
    print_cells(decision, cells, out);
  }
  if (!all) {
    print_field(
        out, 2, 0, "",
        losing > shown ? fmt::format("and {} more where the choice loses in some placement; --all "
                                     "shows every cell",
                                     human_count(losing - shown))
        : losing > 0   ? std::string("the choice loses in no other cell; --all shows every cell")
                       : std::string("the choice loses in no placement; --all shows every cell"));
  }
}

nlohmann::ordered_json placements_json(const Decision& decision) {
  const auto label = [&](std::size_t candidate) {
    return decision.candidates[candidate].contender.label;
  };
  Json json{{"count", decision.placements()},
            {"first_seed", decision.first_seed},
            {"cells", Json::array()}};
  for (const PlacementCell& cell : placement_spread(decision)) {
    Json winners = Json::array();
    for (const PlacementWinner& winner : cell.winners) {
      winners.push_back(
          {{"candidate", label(winner.candidate)}, {"placements", winner.placements}});
    }
    json["cells"].push_back(
        {{"ranks", decision.ranks[cell.rank_index]},
         {"bytes", cell.bytes},
         {"candidate", label(cell.choice.candidate)},
         {"segment_bytes",
          cell.choice.segment_bytes > 0 ? Json(cell.choice.segment_bytes) : Json()},
         {"winners", std::move(winners)},
         {"choice_wins", cell.choice_wins},
         {"mean_s", cell.mean_s},
         {"least_s", cell.least_s},
         {"most_s", cell.most_s},
         {"mean_loss", cell.mean_loss},
         {"most_loss", cell.most_loss},
         {"worst_seed", cell.most_loss > 0 ? Json(cell.worst_seed) : Json()}});
  }
  return json;
}

}  // namespace tutti::inline output
