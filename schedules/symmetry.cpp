#include "schedules/symmetry.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules {

namespace {

bool even_blocks(const Problem& problem) {
  const std::vector<std::uint64_t>& given = problem.block_bytes;
  return given.empty()
             ? problem.elements() % problem.ranks == 0
             : std::adjacent_find(given.begin(), given.end(), std::not_equal_to<>()) == given.end();
}

}  // namespace

std::string_view name(Symmetry symmetry) {
  return symmetry == Symmetry::rotation ? "rotation" : "exchange";
}

RankSymmetry rotation(const Problem&) { return {Symmetry::rotation, {}}; }

RankSymmetry rotation_of_even_blocks(const Problem& problem) {
  if (!even_blocks(problem)) {
    return {{}, "blocks are uneven"};
  }
  return rotation(problem);
}

RankSymmetry exchange(const Problem& problem) {
  if (!std::has_single_bit(problem.ranks)) {
    return {{}, "the number of ranks is not a power of two"};
  }
  return {Symmetry::exchange, {}};
}

RankSymmetry exchange_of_even_blocks(const Problem& problem) {
  if (!even_blocks(problem)) {
    return {{}, "blocks are uneven"};
  }
  return exchange(problem);
}

RankSymmetry symmetry_of(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.symmetry == nullptr) {
    return {{}, "its ranks do different things"};
  }
  return algorithm.symmetry(problem);
}

}}  // namespace tutti::schedules
