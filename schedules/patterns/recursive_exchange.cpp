#include "schedules/patterns/recursive_exchange.hpp"

#include <vector>

namespace tutti { inline namespace schedules {

namespace {

constexpr BlockSet kWholeVector{0, 1};

std::size_t pass_messages(const KaryHypercube& cube) {
  return std::size_t{cube.base_ranks()} * digit_messages(cube);
}

// Number of dependencies of a pass that does not combine messages: each message depends on all
// messages of the previous phase at its sender and at its receiver.
std::size_t pass_dependencies(const KaryHypercube& cube) {
  const std::size_t base = cube.base_ranks();
  std::size_t sum = 0;
  std::size_t before = cube.most_extras();
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    const std::size_t others = cube.radix(digit) - 1;
    sum += 2 * base * others * before;
    before = 2 * others;
  }
  return sum + std::size_t{cube.extra_ranks()} * (before + 1);
}

// Upper bound on the dependencies of a pass that combines messages. In such a pass, one operation
// represents each phase of a rank.
std::size_t sum_dependencies(const KaryHypercube& cube) {
  return 5 * pass_messages(cube) + 5 * std::size_t{cube.extra_ranks()};
}

// True if the exchanges take as long as if all ranks had begun them together. This holds if all
// ranks have the same number of extras. It also holds if some have K - 1 extras and the others
// none: ranks without extras have finished the messages between each other when the ranks with
// extras begin, and in each turn all remaining messages start at once. With other numbers of
// extras, some messages are in flight when others begin, and there is no closed form for the
// waiting time.
bool in_step(const KaryHypercube& cube) {
  return cube.extras_first() ? cube.extra_ranks() % (cube.radix() - 1) == 0
                             : cube.extras(0) == cube.extras(cube.base_ranks() - 1);
}

std::vector<std::uint32_t> mirrors_of(const KaryHypercube& cube) {
  std::vector<std::uint32_t> mirrors(cube.base_ranks());
  for (std::uint32_t v = 0; v < cube.base_ranks(); ++v) {
    mirrors[v] = cube.mirror(v);
  }
  return mirrors;
}

}  // namespace

RankSymmetry digit_symmetry(const KaryHypercube& cube, const Problem& problem) {
  if (cube.extra_ranks() > 0) {
    return {{}, "some ranks act for others"};
  }
  return exchange(problem);
}

RankSymmetry digit_symmetry_of_even_blocks(const KaryHypercube& cube, const Problem& problem) {
  if (cube.extra_ranks() > 0) {
    return {{}, "some ranks act for others"};
  }
  return exchange_of_even_blocks(problem);
}

std::uint32_t digit_messages(const KaryHypercube& cube) {
  std::uint32_t sum = 0;
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    sum += cube.radix(digit) - 1;
  }
  return sum;
}

void emit_digit_allreduce(const KaryHypercube& cube, ScheduleBuilder& builder) {
  builder.reserve(2 * pass_messages(cube) + 3 * std::size_t{cube.extra_ranks()},
                  sum_dependencies(cube));
  RecursiveExchange exchange(cube, builder);
  exchange.take_in_sums(kWholeVector);
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    exchange.sums(digit, [](std::uint32_t) { return kWholeVector; });
  }
  exchange.hand_out([](Rank) { return Move{kWholeVector, kWork, kWork}; });
}

void emit_digit_halving_allreduce(const KaryHypercube& cube, ScheduleBuilder& builder) {
  const std::uint32_t blocks = cube.base_ranks();
  builder.reserve(3 * pass_messages(cube) + 3 * std::size_t{cube.extra_ranks()},
                  sum_dependencies(cube) + pass_dependencies(cube));
  RecursiveExchange exchange(cube, builder);
  exchange.take_in_sums({0, blocks});
  const std::vector<std::uint32_t> mirrors = mirrors_of(cube);
  std::uint32_t width = blocks;
  const auto held = [&](std::uint32_t v) { return BlockSet{mirrors[v] / width * width, width}; };
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    width /= cube.radix(digit);
    exchange.sums(digit, held);
  }
  for (std::uint32_t digit = cube.digits(); digit-- > 0;) {
    exchange.blocks(digit, held);
    width *= cube.radix(digit);
  }
  exchange.hand_out([&](Rank) { return Move{{0, blocks}, kWork, kWork}; });
}

void emit_digit_halving_reduce(const KaryHypercube& cube, ScheduleBuilder& builder, Rank root) {
  const std::uint32_t blocks = cube.base_ranks();
  const std::size_t gathered = cube.base_ranks() - 1;
  builder.reserve(2 * pass_messages(cube) + 2 * std::size_t{cube.extra_ranks()} + gathered,
                  sum_dependencies(cube) + 2 * gathered * cube.radix());
  RecursiveExchange exchange(cube, builder, root);
  exchange.take_in_sums({0, blocks});
  const std::vector<std::uint32_t> mirrors = mirrors_of(cube);
  std::uint32_t width = blocks;
  const auto held = [&](std::uint32_t v) { return BlockSet{mirrors[v] / width * width, width}; };
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    width /= cube.radix(digit);
    exchange.sums(digit, held);
  }
  for (std::uint32_t digit = cube.digits(); digit-- > 0;) {
    exchange.gather(digit, held);
    width *= cube.radix(digit);
  }
}

void emit_digit_scatter_allgather(const KaryHypercube& cube, ScheduleBuilder& builder, Rank root) {
  const std::uint32_t blocks = cube.base_ranks();
  // At each digit of the allgather, the virtual ranks below the digit's weight receive nothing.
  std::size_t messages = pass_messages(cube);
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    messages -= std::size_t{cube.weight(digit)} * (cube.radix(digit) - 1);
  }
  const std::size_t scattered = cube.base_ranks() - 1;
  builder.reserve(scattered + messages + cube.extra_ranks(),
                  pass_dependencies(cube) + 4 * std::size_t{blocks} * cube.radix());
  RecursiveExchange exchange(cube, builder, root);
  const std::vector<std::uint32_t> mirrors = mirrors_of(cube);
  std::uint32_t width = blocks;
  const auto held = [&](std::uint32_t v) { return BlockSet{mirrors[v] / width * width, width}; };
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    width /= cube.radix(digit);
    exchange.scatter(digit, held);
  }
  for (std::uint32_t digit = cube.digits(); digit-- > 0;) {
    exchange.blocks_but_to_first(digit, held);
    width *= cube.radix(digit);
  }
  exchange.hand_out([&](Rank) { return Move{{0, blocks}, kWork, kWork}; });
}

void emit_digit_allgather(const KaryHypercube& cube, ScheduleBuilder& builder) {
  builder.reserve(pass_messages(cube) + 2 * std::size_t{cube.extra_ranks()},
                  pass_dependencies(cube));
  RecursiveExchange exchange(cube, builder);
  exchange.take_in_blocks();
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    const std::uint32_t width = cube.weight(digit);
    exchange.blocks(digit, [&](std::uint32_t v) { return cube.blocks(v / width * width, width); });
  }
  exchange.hand_out([&](Rank) { return Move{{0, builder.ranks()}, kWork, kWork}; });
}

void emit_mirrored_digit_allgather(const KaryHypercube& cube, ScheduleBuilder& builder) {
  // A block stays in place if its digits read the same in reverse. The first half of the digits
  // determines such a number.
  const std::size_t moving = cube.base_ranks() - cube.weight((cube.digits() + 1) / 2);
  builder.reserve(pass_messages(cube) + 2 * std::size_t{cube.extra_ranks()} + moving,
                  pass_dependencies(cube) + 2 * moving * (1 + cube.most_extras()) +
                      4 * std::size_t{cube.base_ranks()} * (cube.radix() - 1));
  RecursiveExchange exchange(cube, builder);
  exchange.take_in_blocks();
  if (moving > 0) {
    exchange.to_mirrored();
  }
  const std::vector<std::uint32_t> mirrors = mirrors_of(cube);
  std::uint32_t width = 1;
  for (std::uint32_t digit = cube.digits(); digit-- > 0;) {
    exchange.blocks(
        digit, [&](std::uint32_t v) { return cube.blocks(mirrors[v] / width * width, width); });
    width *= cube.radix(digit);
  }
  exchange.hand_out([&](Rank) { return Move{{0, builder.ranks()}, kWork, kWork}; });
}

void emit_digit_reduce_scatter(const KaryHypercube& cube, ScheduleBuilder& builder) {
  builder.reserve(2 * pass_messages(cube) + 3 * std::size_t{cube.extra_ranks()},
                  sum_dependencies(cube));
  RecursiveExchange exchange(cube, builder);
  exchange.take_in_sums({0, builder.ranks()});
  for (std::uint32_t digit = cube.digits(); digit-- > 0;) {
    const std::uint32_t width = cube.weight(digit);
    exchange.sums(digit, [&](std::uint32_t v) { return cube.blocks(v / width * width, width); });
  }
  exchange.hand_out([](Rank extra) { return Move{{extra, 1}, kWork, kWork}; });
}

void emit_digit_barrier(const KaryHypercube& cube, ScheduleBuilder& builder) {
  builder.reserve(pass_messages(cube) + 2 * std::size_t{cube.extra_ranks()},
                  pass_dependencies(cube));
  RecursiveExchange exchange(cube, builder);
  exchange.take_in_signs();
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    exchange.signs(digit);
  }
  exchange.hand_out([](Rank) { return Move{kWholeVector, kWork, kScratch}; });
}

std::optional<double> digit_allreduce_s(const KaryHypercube& cube, const Problem& problem,
                                        const Prices& prices) {
  if (!in_step(cube)) {
    return std::nullopt;
  }
  const double n = static_cast<double>(problem.bytes);
  const double exchanges = digit_messages(cube);
  const double extras = cube.most_extras();
  return (exchanges + 2 * extras) * (prices.alpha_s + n * prices.beta_s_per_byte) +
         (exchanges + extras) * n * prices.gamma_s_per_byte;
}

std::optional<double> digit_halving_allreduce_s(const KaryHypercube& cube, const Problem& problem,
                                                const Prices& prices) {
  // With extras and K > 2, some messages are under way when the next, shorter ones could begin.
  if (!in_step(cube) || (cube.extra_ranks() > 0 && cube.radix() > 2)) {
    return std::nullopt;
  }
  const double base = cube.base_ranks();
  const double n = static_cast<double>(problem.bytes);
  const double extras = cube.most_extras();
  return 2 * (digit_messages(cube) + extras) * prices.alpha_s +
         ((base - 1) / base + extras) * n * (2 * prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

std::optional<double> digit_allgather_s(const KaryHypercube& cube, const Problem& problem,
                                        const Prices& prices) {
  if (cube.extra_ranks() > 0) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return digit_messages(cube) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

std::optional<double> digit_reduce_scatter_s(const KaryHypercube& cube, const Problem& problem,
                                             const Prices& prices) {
  if (cube.extra_ranks() > 0 || !problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return digit_messages(cube) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) *
             (prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

std::optional<double> digit_barrier_s(const KaryHypercube& cube, const Problem& /*problem*/,
                                      const Prices& prices) {
  if (!in_step(cube)) {
    return std::nullopt;
  }
  return (digit_messages(cube) + 2 * cube.most_extras()) * prices.alpha_s;
}

}}  // namespace tutti::schedules
