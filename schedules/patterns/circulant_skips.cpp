#include "schedules/patterns/circulant_skips.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "schedules/patterns/sum_in_order.hpp"

namespace tutti { inline namespace schedules {

namespace {

void append_halving(std::vector<std::uint32_t>& skips, std::uint32_t s) {
  while (s > 1) {
    s = s / 2 + s % 2;
    skips.push_back(s);
  }
}

std::uint32_t ceil_sqrt(std::uint32_t p) {
  auto c = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(p)));
  while (std::uint64_t{c} * c < p) {
    ++c;
  }
  while (c > 1 && std::uint64_t{c - 1} * (c - 1) >= p) {
    --c;
  }
  return c;
}

// The set of all numbers below p that are sums of different skips among those added so far.
class SubsetSums {
 public:
  explicit SubsetSums(std::uint32_t p) : is_sum_(p, 0) { is_sum_[0] = 1; }

  [[nodiscard]] bool contains(std::uint32_t i) const { return is_sum_[i] != 0; }
  void add(std::uint32_t skip) {
    for (std::uint32_t i = static_cast<std::uint32_t>(is_sum_.size()) - 1; i >= skip; --i) {
      is_sum_[i] |= is_sum_[i - skip];
    }
  }

 private:
  std::vector<std::uint8_t> is_sum_;
};

void check_list(const std::vector<std::uint32_t>& skips, const Skips& request, std::uint32_t p) {
  for (std::size_t k = 0; k < skips.size(); ++k) {
    const std::uint32_t before = k == 0 ? p : skips[k - 1];
    if (skips[k] >= before || skips[k] == 0) {
      throw UserError(
          sentence("skips '{}' for {} ranks: {} comes after {}; skips must be below the number of "
                   "ranks and decrease to 1",
                   to_text(request), p, skips[k], before));
    }
  }
  SubsetSums sums(p);
  for (const std::uint32_t skip : skips) {
    sums.add(skip);
  }
  for (std::uint32_t i = 1; i < p; ++i) {
    if (!sums.contains(i)) {
      throw UserError(sentence(
          "skips '{}' for {} ranks: {} is not a sum of different skips, so nothing from rank "
          "r-{} would reach rank r; add a skip",
          to_text(request), p, i, i));
    }
  }
  TUTTI_INVARIANT(skips.empty() || skips.back() == 1);  // otherwise 1 would not be a sum of skips
}

bool ranges_are_enough(const std::vector<std::uint32_t>& skips, std::uint32_t p) {
  std::uint32_t before = p;
  for (const std::uint32_t skip : skips) {
    if (before > 2 * std::uint64_t{skip}) {
      return false;
    }
    before = skip;
  }
  return true;
}

std::vector<CirculantRound> scattered_rounds(const std::vector<std::uint32_t>& skips,
                                             std::uint32_t p) {
  std::vector<CirculantRound> rounds(skips.size());
  SubsetSums later(p);
  std::vector<std::uint8_t> placed(p, 0);
  for (std::size_t k = skips.size(); k-- > 0;) {
    CirculantRound& round = rounds[k];
    round.skip = skips[k];
    for (std::uint32_t i = round.skip; i < p; ++i) {
      if (placed[i] == 0 && later.contains(i - round.skip)) {
        placed[i] = 1;
        round.scattered.push_back(i);
      }
    }
    later.add(round.skip);
  }
  std::erase_if(rounds, [](const CirculantRound& round) { return round.scattered.empty(); });
  for (CirculantRound& round : rounds) {
    const std::vector<std::uint32_t>& list = round.scattered;
    round.first = list.front();
    round.count = static_cast<std::uint32_t>(list.size());
    if (list.back() - list.front() + 1 == round.count) {
      round.scattered.clear();
    }
  }
  return rounds;
}

// Lists the blocks base + i of a round, as pairs of equal numbers.
void absolute_blocks(const CirculantRound& round, std::uint32_t base, std::uint32_t p,
                     std::vector<BlockPair>& pairs) {
  pairs.clear();
  for (const std::uint32_t i : round.scattered) {
    const auto block = static_cast<std::uint32_t>((std::uint64_t{base} + i) % p);
    pairs.push_back({block, block});
  }
}

std::uint32_t plus(std::uint32_t a, std::uint32_t b, std::uint32_t p) {
  return static_cast<std::uint32_t>((std::uint64_t{a} + b) % p);
}

void emit_in_any_order(Rounds& rounds, const std::vector<CirculantRound>& plan, std::uint32_t p,
                       Place first_from) {
  std::vector<BlockPair> pairs;
  for (const CirculantRound& round : plan) {
    rounds.next();
    const Place from_place = &round == plan.data() ? first_from : kWork;
    for (const Rank rank : rounds.emitted_ranks()) {
      const Rank to = plus(rank, round.skip, p);
      if (round.scattered.empty()) {
        rounds.comm(rank, to, {{plus(rank, round.first, p), round.count}, from_place, kScratch});
      } else {
        absolute_blocks(round, rank, p, pairs);
        rounds.comm(rank, to, pairs, from_place, kScratch);
      }
    }
    // A rank does not reduce a block that it sends in this round, so no reduction waits for a send.
    for (const Rank rank : rounds.emitted_ranks()) {
      const Rank from = plus(rank, p - round.skip, p);
      if (round.scattered.empty()) {
        rounds.reduce(rank, {{plus(from, round.first, p), round.count}, kScratch, kWork},
                      Operand::right);
      } else {
        absolute_blocks(round, from, p, pairs);
        rounds.reduce(rank, pairs, kScratch, kWork, Operand::right);
      }
    }
  }
}

void emit_in_order(Rounds& rounds, std::uint32_t p, Place first_from) {
  for (std::uint32_t skip = p - 1; skip > 0; --skip) {
    rounds.next();
    for (Rank rank = 0; rank < p; ++rank) {
      const Rank to = plus(rank, skip, p);
      rounds.comm(rank, to,
                  {{to, 1}, skip == p - 1 ? first_from : kWork, place_of_contribution(rank)});
    }
    for (Rank rank = 0; rank < p; ++rank) {
      sum_in_order(rounds, rank, plus(rank, p - skip, p), {rank, 1});
    }
  }
}

// Copies, at each rank r, the blocks that the rank does not send in the first round: r + i for all
// i not in that round.
void copy_what_stays(Rounds& rounds, const CirculantRound& first, std::uint32_t p) {
  std::vector<std::uint8_t> sent(p, 0);
  for_each_index(first, [&](std::uint32_t i) { sent[i] = 1; });
  std::vector<BlockPair> pairs;
  for (const Rank rank : rounds.emitted_ranks()) {
    if (first.scattered.empty() && first.first + first.count == p) {
      rounds.copy_first(rank, {{rank, first.first}, kInput, kWork});
      continue;
    }
    pairs.clear();
    for (std::uint32_t i = 0; i < p; ++i) {
      if (sent[i] == 0) {
        pairs.push_back({plus(rank, i, p), plus(rank, i, p)});
      }
    }
    rounds.copy_first(rank, pairs, kInput, kWork);
  }
}

}  // namespace

std::vector<std::uint32_t> circulant_skips(const Skips& request, std::uint32_t p) {
  TUTTI_INVARIANT(p > 0);
  std::vector<std::uint32_t> skips;
  switch (request.scheme) {
    case Skips::Scheme::halving:
      append_halving(skips, p);
      break;
    case Skips::Scheme::doubling:
      for (std::uint32_t s = p > 1 ? std::bit_floor(p - 1) : 0; s > 0; s /= 2) {
        skips.push_back(s);
      }
      break;
    case Skips::Scheme::linear:
      for (std::uint32_t s = p - 1; s > 0; --s) {
        skips.push_back(s);
      }
      break;
    case Skips::Scheme::sqrt: {
      const std::uint32_t c = ceil_sqrt(p);
      std::uint32_t s = p;
      while (s > c && s - c > c) {
        s -= c;
        skips.push_back(s);
      }
      append_halving(skips, s);
      break;
    }
    case Skips::Scheme::list:
      skips = request.list;
      if (!skips.empty() && skips.front() == p) {
        skips.erase(skips.begin());  // the paper's first skip, s_0 = p, is optional
      }
      check_list(skips, request, p);
      break;
  }
  return skips;
}

bool linear_skips(const Skips& request, std::uint32_t p) {
  return request.scheme == Skips::Scheme::linear || circulant_skips(request, p).size() + 1 == p;
}

bool keeps_order_by_skips(const Problem& problem) {
  const Skips::Scheme scheme = problem.skips.scheme;
  return (scheme == Skips::Scheme::linear || scheme == Skips::Scheme::list) &&
         linear_skips(problem.skips, problem.ranks);
}

double circulant_reduced_bytes(const Problem& problem) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t blocks = p > 2 && keeps_order_by_skips(problem) ? p : p - 1;
  return static_cast<double>(blocks) / p * static_cast<double>(problem.bytes);
}

RankSymmetry rotation_unless_in_order(const Problem& problem) {
  if (keeps_order_by_skips(problem)) {
    return {{}, "sums in rank order start at rank 0"};
  }
  return rotation_of_even_blocks(problem);
}

std::vector<CirculantRound> circulant_rounds(const std::vector<std::uint32_t>& skips,
                                             std::uint32_t p) {
  if (!ranges_are_enough(skips, p)) {
    return scattered_rounds(skips, p);
  }
  std::vector<CirculantRound> rounds;
  std::uint32_t before = p;
  for (const std::uint32_t skip : skips) {
    rounds.push_back({skip, skip, before - skip, {}});
    before = skip;
  }
  return rounds;
}

void emit_circulant_reduce_scatter(const Problem& problem, Rounds& rounds,
                                   const std::vector<CirculantRound>& plan) {
  const std::uint32_t p = problem.ranks;
  const bool half = problem.copies == Copies::half && !plan.empty();
  if (half) {
    copy_what_stays(rounds, plan.front(), p);
  } else {
    rounds.start_with_copy({0, p});
  }
  const Place first_from = half ? kInput : kWork;
  if (keeps_order_by_skips(problem)) {
    emit_in_order(rounds, p, first_from);
  } else {
    emit_in_any_order(rounds, plan, p, first_from);
  }
}

double circulant_copied_bytes(const Problem& problem, const std::vector<CirculantRound>& plan) {
  const bool half = problem.copies == Copies::half && !plan.empty();
  const std::uint32_t stay = problem.ranks - (half ? plan.front().count : 0);
  return static_cast<double>(stay) / problem.ranks * static_cast<double>(problem.bytes);
}

void emit_circulant_allgather(Rounds& rounds, const std::vector<CirculantRound>& plan,
                              std::uint32_t p) {
  std::vector<BlockPair> pairs;
  for (auto round = plan.rbegin(); round != plan.rend(); ++round) {
    rounds.next();
    for (const Rank rank : rounds.emitted_ranks()) {
      const Rank to = plus(rank, p - round->skip, p);
      if (round->scattered.empty()) {
        rounds.comm(rank, to, {{plus(to, round->first, p), round->count}, kWork, kWork});
      } else {
        absolute_blocks(*round, to, p, pairs);
        rounds.comm(rank, to, pairs, kWork, kWork);
      }
    }
  }
}

}}  // namespace tutti::schedules
