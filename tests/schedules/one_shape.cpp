// Tests Algorithm::one_shape, with which an algorithm declares that the size of the vector changes
// only the bytes of its schedule, and Schedule::resize(), which changes these bytes.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_one_shape {

namespace {

bool same_shape(const Schedule& a, const Schedule& b) {
  if (a.size() != b.size() || a.blocks() != b.blocks() || a.scratch_slots() != b.scratch_slots() ||
      !std::ranges::equal(a.pool(), b.pool()) || a.dependencies() != b.dependencies()) {
    return false;
  }
  for (OpId id = 0; id < a.size(); ++id) {
    const Op& one = a.op(id);
    const Op& other = b.op(id);
    if (one.kind() != other.kind() || one.src() != other.src() || one.dst() != other.dst() ||
        one.label() != other.label() || one.from() != other.from() || one.into() != other.into() ||
        one.from_is() != other.from_is() || one.pooled() != other.pooled() ||
        a.payload(id) != b.payload(id) ||
        !std::ranges::equal(a.predecessors(id), b.predecessors(id))) {
      return false;
    }
  }
  return true;
}

// Returns true if the shapes, the bytes and their sums, and the successors of all operations are
// equal.
bool equal(const Schedule& a, const Schedule& b) {
  if (!same_shape(a, b) || !std::ranges::equal(a.ops(), b.ops()) || a.problem() != b.problem() ||
      !(a.layout() == b.layout()) || a.messages() != b.messages() || a.rounds() != b.rounds() ||
      a.bytes_sent() != b.bytes_sent() || a.bytes_reduced() != b.bytes_reduced() ||
      a.pooled_ops() != b.pooled_ops()) {
    return false;
  }
  for (OpId id = 0; id < a.size(); ++id) {
    if (!std::ranges::equal(a.successors(id), b.successors(id))) {
      return false;
    }
  }
  return true;
}

std::vector<std::uint32_t> ranks_tried() { return {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 31}; }

// Returns copies of `problem` with other sizes: sizes that divide evenly, unevenly and into empty
// blocks, one with more than 4 GiB in a message and, if the algorithm takes block sizes, uneven
// blocks.
std::vector<Problem> at_other_sizes(const Algorithm& algorithm, const Problem& problem) {
  std::vector<Problem> sizes;
  const std::uint64_t p = problem.ranks;
  for (const std::uint64_t elements :
       {std::uint64_t{0}, std::uint64_t{1}, p - 1, p, p + 1, std::uint64_t{997},
        std::uint64_t{1000}, 1024 * p, (std::uint64_t{1} << 33U) + 5}) {
    Problem other = problem;
    other.bytes = elements * other.element_bytes;
    other.block_bytes = {};
    sizes.push_back(other);
    if (problem.collective == Collective::alltoallv) {
      other.block_bytes.assign(p * p, 0);
      other.block_bytes[p - 1] = other.bytes;  // rank 0 sends everything to the last rank
      sizes.push_back(other);
    } else if (takes(algorithm, Option::block_sizes)) {
      other.block_bytes.assign(p, 0);
      std::uint64_t left = elements;
      for (std::uint64_t& block : other.block_bytes) {
        block = (left - left / 3) * other.element_bytes;
        left /= 3;
      }
      other.block_bytes.front() += left * other.element_bytes;
      sizes.push_back(other);
    }
  }
  return sizes;
}

std::string in_words(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.full_name() + " p=" + std::to_string(problem.ranks) +
         " root=" + std::to_string(problem.root) + " bytes=" + std::to_string(problem.bytes) + " " +
         options_text(algorithm, problem);
}

// For each number of ranks, root and option value, calls visit() with a list of problems that
// differ only in size. Problems that the algorithm refuses are left out.
template <typename Visit>
void for_each_family(const Algorithm& algorithm, Visit&& visit) {
  for (const std::uint32_t ranks : ranks_tried()) {
    for (const Rank root : roots(algorithm.collective, ranks)) {
      for (const Problem& problem :
           option_variants(algorithm, problem_of(algorithm.collective, ranks, 1000, root), {100})) {
        std::vector<Problem> sizes = at_other_sizes(algorithm, problem);
        std::erase_if(sizes, [&](const Problem& each) { return refuses(algorithm, each); });
        visit(sizes);
      }
    }
  }
}

// Returns true if the algorithm declares that its schedules for these problems have one shape. The
// algorithm must declare this for all of the problems or for none.
bool says_one_shape(const Algorithm& algorithm, const std::vector<Problem>& sizes) {
  const auto says = [&](const Problem& problem) { return algorithm.one_shape(problem); };
  if (sizes.empty() || algorithm.one_shape == nullptr || std::ranges::none_of(sizes, says)) {
    return false;
  }
  INFO(in_words(algorithm, sizes.front()));
  REQUIRE(std::ranges::all_of(sizes, says));
  return true;
}

}  // namespace

TEST_CASE(
    "a schedule of a one-shape algorithm, changed to another size, equals that size's schedule") {
  for (const Algorithm* algorithm : algorithms()) {
    for_each_family(*algorithm, [&](const std::vector<Problem>& sizes) {
      if (!says_one_shape(*algorithm, sizes)) {
        return;
      }
      Schedule schedule = make_schedule(*algorithm, sizes.back());
      for (const Problem& problem : sizes) {
        const Schedule anew = make_schedule(*algorithm, problem);
        INFO(in_words(*algorithm, problem));
        REQUIRE(same_shape(schedule, anew));
        schedule.resize(problem, algorithm->layout(problem));
        REQUIRE(equal(schedule, anew));
      }
    });
  }
}

TEST_CASE("an algorithm of one shape declares it, unless it has only one size") {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->collective == Collective::barrier) {
      continue;
    }
    bool one = true;
    bool says_so_of_all = true;
    for_each_family(*algorithm, [&](const std::vector<Problem>& sizes) {
      if (sizes.empty() || says_one_shape(*algorithm, sizes)) {
        return;
      }
      says_so_of_all = false;
      for (std::size_t i = 1; i < sizes.size() && one; ++i) {
        // Skips large vectors: if segments have a fixed size, the schedule would have too many
        // operations.
        one = sizes[i].bytes > 1U << 20U ||
              same_shape(make_schedule(*algorithm, sizes[0]), make_schedule(*algorithm, sizes[i]));
      }
    });
    INFO(algorithm->full_name());
    CHECK(one == says_so_of_all);
  }
}

}  // namespace tutti::test_one_shape
