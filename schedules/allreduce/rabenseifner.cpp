// Rabenseifner's allreduce: a reduce-scatter by recursive vector halving and distance doubling,
// then an allgather that takes the same exchanges in reverse. Ranks beyond the largest power of two
// p' are folded in by halves: neighbours 2i and 2i+1 exchange half vectors and reduce one half
// each, then the odd one hands its half over and waits for the result.
//
// Source: Rabenseifner, "Optimization of collective reduction operations", ICCS 2004, as Open MPI's
// libnbc (nbc_iallreduce.c) describes it. Its description allows commutative operators only; here
// partners combine consecutive ranks with the lower ones on the left, so the order of ranks is
// kept. Memory: one scratch vector per rank, O(n).
#include <fmt/format.h>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti::allreduce {

namespace {

std::optional<std::string> refusal(const Problem& problem) {
  const std::uint32_t base = power_of_two_below(problem.ranks);
  if (problem.elements() < base) {
    return fmt::format(
        "{} element(s) on {} ranks; the vector is halved down to {} blocks, so it needs at least "
        "{} elements (count >= 2^floor(lg p))",
        problem.elements(), problem.ranks, base, base);
  }
  return std::nullopt;
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double n = static_cast<double>(problem.bytes);
  const double base = power_of_two_below(problem.ranks);
  const double levels = floor_log2(problem.ranks);
  const double share = (base - 1) / base * n;
  const double hypercube_s = 2 * levels * prices.alpha_s + 2 * share * prices.beta_s_per_byte +
                             share * prices.gamma_s_per_byte;
  if (problem.ranks == power_of_two_below(problem.ranks)) {
    return hypercube_s;
  }
  return hypercube_s + 3 * prices.alpha_s + 2 * n * prices.beta_s_per_byte +
         n / 2 * prices.gamma_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t base_ranks = power_of_two_below(problem.ranks);
  const std::uint32_t removed = problem.ranks - base_ranks;
  const std::uint32_t levels = floor_log2(base_ranks);
  const auto base = [removed](std::uint32_t v) { return v < removed ? 2 * v : v + removed; };
  builder.reserve(3 * std::size_t{base_ranks} * levels + 6 * std::size_t{removed},
                  9 * std::size_t{base_ranks} * levels + 16 * std::size_t{removed});
  Rounds rounds(builder);

  if (removed > 0) {
    const std::uint32_t half = base_ranks / 2;
    const BlockSet first_half{0, half};
    const BlockSet second_half{half, half};
    rounds.next();
    for (std::uint32_t i = 0; i < removed; ++i) {
      rounds.comm(2 * i, 2 * i + 1, {second_half, kWork, kScratch});
      rounds.comm(2 * i + 1, 2 * i, {first_half, kWork, kScratch});
      rounds.reduce(2 * i, {first_half, kScratch, kWork}, Operand::right);
      rounds.reduce(2 * i + 1, {second_half, kScratch, kWork}, Operand::left);
    }
    rounds.next();
    for (std::uint32_t i = 0; i < removed; ++i) {
      rounds.comm(2 * i + 1, 2 * i, {second_half, kWork, kWork});
    }
  }

  // kept[v]: the first of the blocks that virtual rank v goes on with.
  std::vector<std::uint32_t> kept(base_ranks, 0);
  std::uint32_t width = base_ranks;
  for (std::uint32_t level = 0; level < levels; ++level) {
    width /= 2;
    rounds.next();
    const auto upper = [level](std::uint32_t v) { return v >> level & 1U; };
    for (std::uint32_t v = 0; v < base_ranks; ++v) {
      const std::uint32_t given = kept[v] + (upper(v) != 0 ? 0 : width);
      rounds.comm(base(v), base(v ^ 1U << level), {{given, width}, kWork, kScratch});
    }
    for (std::uint32_t v = 0; v < base_ranks; ++v) {
      kept[v] += upper(v) * width;
      rounds.reduce(base(v), {{kept[v], width}, kScratch, kWork},
                    upper(v) != 0 ? Operand::left : Operand::right);
    }
  }
  for (std::uint32_t level = levels; level-- > 0;) {
    rounds.next();
    for (std::uint32_t v = 0; v < base_ranks; ++v) {
      rounds.comm(base(v), base(v ^ 1U << level), {{kept[v], width}, kWork, kWork});
    }
    for (std::uint32_t v = 0; v < base_ranks; ++v) {
      kept[v] -= (v >> level & 1U) * width;
    }
    width *= 2;
  }

  if (removed > 0) {
    rounds.next();
    for (std::uint32_t i = 0; i < removed; ++i) {
      rounds.comm(2 * i, 2 * i + 1, {{0, base_ranks}, kWork, kWork});
    }
  }
}

}  // namespace

extern const Algorithm rabenseifner{
    .collective = Collective::allreduce,
    .name = "rabenseifner",
    .idea = "reduce-scatter by recursive halving, then allgather by recursive doubling",
    .source = "Rabenseifner, ICCS 2004; Open MPI coll/libnbc nbc_iallreduce",
    .cost =
        "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = p'; else (2 lg p' + 3) alpha "
        "+ (4 - 2/p') n beta + (3/2 - 1/p') n gamma",
    .keeps_order = always,
    .options = 0,
    .refusal = refusal,
    .layout =
        [](const Problem& problem) {
          return BlockLayout::even(problem.elements(), power_of_two_below(problem.ranks),
                                   problem.element_bytes);
        },
    .exact_s = exact_s,
    .emit = emit,
};

}  // namespace tutti::allreduce
