#include "src/steps/places.hpp"

#include <algorithm>
#include <numeric>

#include "schedules/symmetry.hpp"

namespace tutti { inline namespace steps {

namespace {

// Returns the positions of some ranks on an axis, each once, if they do not decrease.
std::optional<std::vector<std::uint32_t>> ascending_positions(
    const std::vector<Rank>& members, const std::vector<std::uint32_t>& position) {
  std::vector<std::uint32_t> found;
  for (const Rank rank : members) {
    if (!found.empty() && position[rank] < found.back()) {
      return std::nullopt;
    }
    if (found.empty() || position[rank] > found.back()) {
      found.push_back(position[rank]);
    }
  }
  return found;
}

// Returns the least number of positions by which a call allows to move the ranks; 0 if none.
std::uint32_t least_move(const StepDescription& step, const StepCall& call,
                         const std::optional<CallRun>& run,
                         const std::vector<std::uint32_t>& position, std::uint32_t size) {
  if (!run) {
    return 1;
  }
  const std::vector<Rank>& members = step.groups[call.group].members.front();
  const auto positions = ascending_positions(members, position);
  if (!positions) {
    return 0;
  }
  const auto count = static_cast<std::uint32_t>(positions->size());
  if (count < size) {  // within a part of the axis
    return count;
  }
  if (call.is_handover() || run->tokens) {
    return 0;
  }
  const RankSymmetry symmetry = symmetry_of(*run->algorithm, run->problem);
  if (symmetry.symmetry != Symmetry::rotation) {
    return 0;
  }
  const auto at_each = static_cast<std::uint32_t>(members.size()) / size;
  return std::lcm(symmetry.distance, at_each) / at_each;
}

}  // namespace

StepPlaces all_places(std::uint32_t ranks) {
  StepPlaces places;
  places.rank_of_place.resize(ranks);
  std::iota(places.rank_of_place.begin(), places.rank_of_place.end(), 0U);
  places.place_of_rank = places.rank_of_place;
  places.simulated = ranks;
  return places;
}

std::optional<StepPlaces> replicated_places(const StepDescription& step, const CallParts& parts) {
  std::uint32_t least = step.ranks;
  std::vector<std::uint32_t> best;  // positions on the best axis
  for (std::size_t axis = 0; axis < step.layout.size(); ++axis) {
    const std::uint32_t size = step.layout[axis].size;
    const std::vector<std::uint32_t> position = positions_on(step.layout, axis);
    if (size == 1 || position == step.stage_of_rank) {
      continue;
    }
    std::uint32_t move = 1;
    for (std::size_t i = 0; i < step.calls.size() && move != 0; ++i) {
      const std::uint32_t own = least_move(step, step.calls[i], parts.run(i), position, size);
      move = own == 0 ? 0 : std::lcm(move, own);
    }
    if (move == 0 || size % move != 0 || step.ranks / size * move >= least) {
      continue;
    }
    least = step.ranks / size * move;
    best = position;
  }
  if (best.empty()) {
    return std::nullopt;
  }
  StepPlaces places = all_places(step.ranks);
  std::ranges::stable_sort(places.rank_of_place, {}, [&](Rank rank) { return best[rank]; });
  for (std::uint32_t place = 0; place < step.ranks; ++place) {
    places.place_of_rank[places.rank_of_place[place]] = place;
  }
  places.simulated = least;
  return places;
}

}}  // namespace tutti::steps
