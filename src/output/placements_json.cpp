// The object `placements` of the document tutti-decide/2.
#include <utility>
#include <vector>

#include "src/experiments/decisions/placement_spread.hpp"
#include "src/output/decision_text.hpp"

namespace tutti { inline namespace output {

namespace { namespace placement_fields_of {

const std::string& label_of(const Decision& decision, std::size_t candidate) {
  return decision.candidates[candidate].contender.label;
}

using WinnerRow = PartOf<Decision, PlacementWinner>;

constexpr auto kWinner = fields<WinnerRow>({
    {"candidate", [](const WinnerRow& of) { return label_of(of.whole, of.part.candidate); }},
    {"placements", [](const WinnerRow& of) { return of.part.placements; }, at_least(1)},
});

struct PlacementRow {
  const Decision& decision;
  PlacementCell cell;
};

constexpr auto kPlacementCell = fields<PlacementRow>({
    {"ranks", [](const PlacementRow& of) { return of.decision.ranks[of.cell.rank_index]; },
     at_least(1)},
    {"bytes", [](const PlacementRow& of) { return of.cell.bytes; }},
    {"candidate",
     [](const PlacementRow& of) { return label_of(of.decision, of.cell.choice.candidate); },
     "Label of the candidate that the rules choose."},
    {"segment_bytes",
     [](const PlacementRow& of) {
       return value_if(of.cell.choice.segment_bytes > 0, of.cell.choice.segment_bytes);
     },
     "null: not segmented."},
    {"winners", kWinner,
     [](const PlacementRow& of) { return parts_of(of.decision, of.cell.winners); },
     "Number of placements in which each candidate is the best, with any segment size that was "
     "tried. The largest number comes first."},
    {"choice_wins", [](const PlacementRow& of) { return of.cell.choice_wins; },
     "Number of placements in which no candidate is faster than the choice."},
    {"mean_s", [](const PlacementRow& of) { return of.cell.mean_s; },
     "Mean time of the choice over all placements."},
    {"least_s", [](const PlacementRow& of) { return of.cell.least_s; }},
    {"most_s", [](const PlacementRow& of) { return of.cell.most_s; }},
    {"mean_loss", [](const PlacementRow& of) { return of.cell.mean_loss; },
     "Loss of the choice against the best candidate of each placement: 0.1 means that the sum of "
     "its times over all placements is 10 % longer."},
    {"most_loss", [](const PlacementRow& of) { return of.cell.most_loss; }},
    {"worst_seed",
     [](const PlacementRow& of) { return value_if(of.cell.most_loss > 0, of.cell.worst_seed); },
     "Seed of the placement in which the choice loses most. null if it loses in none."},
});

std::vector<PlacementRow> placement_rows(const Decision& decision) {
  std::vector<PlacementRow> rows;
  for (PlacementCell& cell : placement_spread(decision)) {
    rows.push_back({decision, std::move(cell)});
  }
  return rows;
}

constexpr auto kPlacementSpread = fields<Decision>({
    {"count", [](const Decision& decision) { return decision.placements(); }, at_least(2)},
    {"first_seed", member<&Decision::first_seed>,
     "SEED of the first placement, as in --placement random:SEED. The seeds of the other "
     "placements follow."},
    {"cells", kPlacementCell, from<placement_rows>,
     "The cells of the grid, ordered by number of ranks and then by size. Cells in which the "
     "choice does not run are left out."},
});

}}  // namespace ::placement_fields_of

FieldView placement_fields() { return placement_fields_of::kPlacementSpread.view(); }

}}  // namespace tutti::output
