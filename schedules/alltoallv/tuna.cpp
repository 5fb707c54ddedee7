// TuNA: Bruck's all-to-all in any base K, for blocks of any sizes. A block whose destination is i
// ranks away travels by the digits of i, the lowest digit first. In the round for the value z of a
// digit of weight w (a power of K), every rank sends all blocks whose digit has this value to the
// rank z w below it. With K = 2 this is the two-phase Bruck algorithm. With K = p each block goes
// directly to its destination. K is --radix.
//
// Source: Fan, Domke, Ba and Kumar, "Configurable Non-uniform All-to-all Algorithms", arXiv
// 2411.02581, and "Parameterized Algorithms for Non-uniform All-to-all", HPDC'25; for K = 2 Fan et
// al., "Optimizing the Bruck Algorithm for Non-uniform All-to-all Communication", HPDC'22. Before
// each message, the authors' code (github.com/harp-lab/bruck-alltoallv) sends another message with
// the sizes of its blocks, 4 bytes each; these messages are left out here.
#include <algorithm>
#include <vector>

#include "schedules/patterns/kary_hypercube.hpp"
#include "schedules/patterns/pair_blocks.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace alltoallv {

namespace {

// Returns the square root of p, rounded up. With this radix, a block takes at most two hops, in
// nearly as few rounds as possible.
std::uint32_t root_of_ranks(const Problem& problem) {
  std::uint32_t radix = 2;
  while (std::uint64_t{radix} * radix < problem.ranks) {
    ++radix;
  }
  return radix;
}
constexpr DefaultedNumber kOwnRadix{
    .option = Option::radix,
    .member = &Problem::radix,
    .by_problem = root_of_ranks,
    .by_problem_in_words = "the square root of p, rounded up, at least 2",
    .by_ranks = true};

// Calls visit(unit, value) for each round: the round of the blocks whose distance has the digit
// `value` at the position of weight `unit`.
template <typename Visit>
void for_each_round(std::uint32_t p, std::uint32_t radix, Visit&& visit) {
  for (std::uint64_t unit = 1; unit < p; unit *= radix) {
    for (std::uint64_t value = 1; value < radix && unit * value < p; ++value) {
      visit(static_cast<std::uint32_t>(unit), static_cast<std::uint32_t>(value));
    }
  }
}

// Calls visit(distance, lower) for each distance that has the digit `value` at the position of
// weight `unit`. `lower` is the value of the lower digits of the distance.
template <typename Visit>
void for_each_distance(std::uint32_t p, std::uint32_t radix, std::uint32_t unit,
                       std::uint32_t value, Visit&& visit) {
  for (std::uint64_t first = std::uint64_t{unit} * value; first < p;
       first += std::uint64_t{unit} * radix) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(unit, p - first));
    for (std::uint32_t lower = 0; lower < count; ++lower) {
      visit(static_cast<std::uint32_t>(first) + lower, lower);
    }
  }
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  double rounds = 0;
  double blocks = 0;
  for_each_round(problem.ranks, kOwnRadix.of(problem),
                 [&](std::uint32_t unit, std::uint32_t value) {
                   ++rounds;
                   for_each_distance(problem.ranks, kOwnRadix.of(problem), unit, value,
                                     [&](std::uint32_t, std::uint32_t) { ++blocks; });
                 });
  return rounds * prices.alpha_s +
         blocks / problem.ranks * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t radix = kOwnRadix.of(problem);
  std::size_t messages = 0;
  for_each_round(p, radix, [&](std::uint32_t, std::uint32_t) { messages += p; });
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  struct Travelling {
    std::uint32_t distance;
    std::uint32_t lower;
  };
  std::vector<Travelling> travelling;
  std::vector<BlockPair> pairs;
  const auto plus = [p](std::uint32_t a, std::uint32_t b) { return a + b < p ? a + b : a + b - p; };
  for_each_round(p, radix, [&](std::uint32_t unit, std::uint32_t value) {
    rounds.next();
    travelling.clear();
    for_each_distance(p, radix, unit, value, [&](std::uint32_t distance, std::uint32_t lower) {
      travelling.push_back({distance, lower});
    });
    for (const Rank rank : builder.emitted_ranks()) {
      pairs.resize(travelling.size());
      std::transform(travelling.begin(), travelling.end(), pairs.begin(),
                     [&](const Travelling& block) {
                       // The block has already travelled its lower digits.
                       const Rank from = plus(rank, block.lower);
                       const std::uint32_t number = from * p + plus(from, p - block.distance);
                       return BlockPair{number, number};
                     });
      rounds.comm(rank, plus(rank, p - unit * value), pairs, kWork, kWork);
    }
  });
}

}  // namespace

extern const Algorithm tuna{
    .collective = Collective::alltoallv,
    .name = "tuna",
    .idea =
        "blocks travel by the base-K digits of their distance; K = 2 is the two-phase Bruck "
        "algorithm",
    .source = "Fan, Domke, Ba and Kumar, arXiv 2411.02581, HPDC'25; Fan et al., HPDC'22",
    .cost = "for equal blocks, about (K-1) log_K p alpha + (K-1)/K log_K p n beta",
    .options = bit(Option::radix) | bit(Option::block_sizes),
    .own_numbers = {&kOwnRadix, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = block_per_pair,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoallv
