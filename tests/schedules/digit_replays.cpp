// Compares the messages of algorithms that work on the digits of rank numbers with those that MPI
// libraries send, for each pair of ranks. The comment above each function below names the library's
// source file from which the function is rewritten; tutti's patterns are not used. For algorithms
// that an installed MPICH has, tests/mpi/test_mpich_digits.py compares tutti's messages with those
// of the library itself.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <vector>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_digit_replays {
namespace {

using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // from, to, bytes

// Collects the messages that a library's algorithm sends, except messages from a rank to itself.
class MessageLog {
 public:
  void message(int from, int to, std::uint64_t bytes) {
    if (from != to) {
      all_.emplace_back(from, to, bytes);
    }
  }
  [[nodiscard]] std::vector<Message> sorted() const {
    std::vector<Message> messages = all_;
    std::sort(messages.begin(), messages.end());
    return messages;
  }

 private:
  std::vector<Message> all_;
};

std::vector<Message> sent_by(const char* algorithm, const Problem& problem) {
  const Schedule schedule = make_schedule(algorithm_named(algorithm), problem);
  std::vector<Message> messages;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      messages.emplace_back(op.src(), op.dst(), op.bytes());
    }
  }
  std::sort(messages.begin(), messages.end());
  return messages;
}

// Returns a problem with `p` ranks, radix `k`, `each` 8-byte elements per rank, and `more` further
// elements, which make the blocks uneven.
Problem problem_for(const char* algorithm, int p, int k, std::uint64_t each, std::uint64_t more) {
  const Algorithm& found = algorithm_named(algorithm);
  const bool barrier = found.collective == Collective::barrier;
  Problem problem = problem_of(found.collective, static_cast<std::uint32_t>(p),
                               barrier ? 0 : each * static_cast<std::uint64_t>(p) + more);
  problem.radix = static_cast<std::uint32_t>(k);
  return problem;
}

// A layout with one block per rank. bytes(first, end) is the total size of the blocks `first` to
// `end` - 1.
struct Blocks {
  explicit Blocks(const Problem& problem) : layout(block_per_rank(problem)) {}
  [[nodiscard]] std::uint64_t bytes(int first, int end) const {
    return layout.offset_bytes(static_cast<std::uint32_t>(end)) -
           layout.offset_bytes(static_cast<std::uint32_t>(first));
  }
  BlockLayout layout;
};

using Replay = std::function<void(const Problem&, int p, int k, MessageLog&)>;

void check(const char* algorithm, const Replay& replay, std::uint64_t each = 3,
           std::uint64_t more = 0, Cuts cuts = Cuts::even) {
  for (int p = 2; p <= 64; ++p) {
    for (int k = 2; k <= 8; ++k) {
      Problem problem = problem_for(algorithm, p, k, each, more);
      problem.cuts = cuts;
      MessageLog sent;
      replay(problem, p, k, sent);
      INFO(algorithm << " p=" << p << " K=" << k);
      CHECK(sent_by(algorithm, problem) == sent.sorted());
    }
  }
}

// ---- MPICH. Files without a version below are from 4.0.2. Recexch is rewritten from
// src/mpi/coll/algorithms/recexchalgo/recexchalgo.c, which 5.0 has not changed.

struct Recexch {
  Recexch(int ranks, int radix) : p(ranks), k(ranks < radix ? std::max(ranks, 2) : radix) {
    while (pofk * k <= p) {
      pofk *= k;
      ++phases;
    }
    rem = p - pofk;
    t = rem * k / (k - 1);
  }
  // Rank to which `rank` sends in step 1, or -1 if `rank` takes part in step 2 (from
  // MPII_Recexchalgo_get_neighbors).
  [[nodiscard]] int step1_sendto(int rank) const {
    if (rank >= t || rank % k == k - 1) {
      return -1;
    }
    const int to = rank + (k - 1 - rank % k);
    return to > t - 1 ? t : to;
  }
  [[nodiscard]] int step2rank(int rank) const { return rank < t ? rank / k : rank - rem; }
  [[nodiscard]] int orig(int step2) const {
    return step2 < rem / (k - 1) ? step2 * k + k - 1 : step2 + rem;
  }
  [[nodiscard]] std::vector<int> step2_nbrs(int rank, int phase) const {
    std::vector<int> nbrs;
    const int v = step2rank(rank);
    int power = 1;
    for (int i = 0; i < phase; ++i) {
      power *= k;
    }
    const int digit = v / power % k;
    for (int i = 0; i < k; ++i) {
      if (i != digit) {
        nbrs.push_back(orig(v - digit * power + i * power));
      }
    }
    return nbrs;
  }
  // Range of ranks whose blocks `rank` exchanges in `phase`: first rank, and one past the last rank
  // (from get_count_and_offset).
  [[nodiscard]] std::array<int, 2> range(int rank, int phase) const {
    int power = 1;
    for (int i = 0; i < phase; ++i) {
      power *= k;
    }
    const int low = step2rank(rank) / power * power - 1;
    return {low >= 0 ? orig(low) + 1 : 0, orig(low + power) + 1};
  }
  [[nodiscard]] int reverse_digits(int rank) const {
    int v = step2rank(rank);
    int reversed = 0;
    for (int i = 0; i < phases; ++i) {
      reversed = reversed * k + v % k;
      v /= k;
    }
    return orig(reversed);
  }

  int p;
  int k;
  int pofk = 1;
  int phases = 0;
  int rem = 0;
  int t = 0;
};

// From allreduce_intra_recexch.c. The barrier of barrier_intra_recexch.c sends the same messages,
// but empty ones.
void recexch_allreduce(const Problem& problem, int p, int k, MessageLog& sent) {
  const Recexch x(p, k);
  for (int rank = 0; rank < p; ++rank) {
    if (const int to = x.step1_sendto(rank); to != -1) {
      sent.message(rank, to, problem.bytes);
      sent.message(to, rank, problem.bytes);
      continue;
    }
    for (int phase = 0; phase < x.phases; ++phase) {
      for (const int nbr : x.step2_nbrs(rank, phase)) {
        sent.message(rank, nbr, problem.bytes);
      }
    }
  }
}

// From allgather_intra_recexch.c.
void recexch_allgather(const Problem& problem, int p, int k, bool halving, MessageLog& sent) {
  const Recexch x(p, k);
  const Blocks blocks(problem);
  for (int rank = 0; rank < p; ++rank) {
    if (const int to = x.step1_sendto(rank); to != -1) {
      sent.message(rank, to, blocks.bytes(rank, rank + 1));
      sent.message(to, rank, problem.bytes);
      continue;
    }
    if (halving) {
      const auto [first, end] = x.range(rank, 0);
      sent.message(rank, x.reverse_digits(rank), blocks.bytes(first, end));
    }
    for (int j = 0; j < x.phases; ++j) {
      const auto [first, end] = x.range(halving ? x.reverse_digits(rank) : rank, j);
      for (const int nbr : x.step2_nbrs(rank, halving ? x.phases - 1 - j : j)) {
        sent.message(rank, nbr, blocks.bytes(first, end));
      }
    }
  }
}

// From ireduce_scatter_tsp_recexch.c, without distance halving.
void recexch_reduce_scatter(const Problem& problem, int p, int k, MessageLog& sent) {
  const Recexch x(p, k);
  const Blocks blocks(problem);
  for (int rank = 0; rank < p; ++rank) {
    if (const int to = x.step1_sendto(rank); to != -1) {
      sent.message(rank, to, problem.bytes);
      sent.message(to, rank, blocks.bytes(rank, rank + 1));
      continue;
    }
    for (int phase = x.phases - 1; phase >= 0; --phase) {
      for (const int dst : x.step2_nbrs(rank, phase)) {
        const auto [first, end] = x.range(dst, phase);
        sent.message(rank, dst, blocks.bytes(first, end));
      }
    }
  }
}

// From allreduce_intra_k_reduce_scatter_allgather.c.
void k_reduce_scatter_allgather(const Problem& problem, int p, int k, MessageLog& sent) {
  const Recexch x(p, k);
  const std::uint64_t count = problem.elements();
  // Each rank that takes part in step 2 gets the same number of elements, except that the last of
  // these ranks gets the rest.
  std::vector<std::uint64_t> displs(static_cast<std::size_t>(p) + 1);
  for (int rank = 0, at = 0; rank < p; ++rank) {
    std::uint64_t own = 0;
    if (x.step1_sendto(rank) == -1) {
      const auto parts = static_cast<std::uint64_t>(x.pofk);
      own = ++at < x.pofk ? count / parts : count - count / parts * (parts - 1);
    }
    displs[static_cast<std::size_t>(rank) + 1] = displs[static_cast<std::size_t>(rank)] + own;
  }
  const auto bytes = [&](std::array<int, 2> range) {
    return problem.element_bytes * (displs[static_cast<std::size_t>(range[1])] -
                                    displs[static_cast<std::size_t>(range[0])]);
  };
  for (int rank = 0; rank < p; ++rank) {
    if (const int to = x.step1_sendto(rank); to != -1) {
      sent.message(rank, to, problem.bytes);
      sent.message(to, rank, problem.bytes);
      continue;
    }
    for (int phase = 0; phase < x.phases; ++phase) {
      for (const int dst : x.step2_nbrs(rank, phase)) {
        sent.message(rank, dst, bytes(x.range(x.reverse_digits(dst), x.phases - 1 - phase)));
        sent.message(rank, dst, bytes(x.range(x.reverse_digits(rank), x.phases - 1 - phase)));
      }
    }
  }
}

// From allreduce_intra_recursive_multiplying.c of MPICH 4.3.0.
void recursive_multiplying(const Problem& problem, int p, int k, MessageLog& sent) {
  int pofk = 1;
  while (pofk * k <= p) {
    pofk *= k;
  }
  for (int rank = 0; rank < p; ++rank) {
    if (rank >= pofk) {
      sent.message(rank, rank % pofk, problem.bytes);
      sent.message(rank % pofk, rank, problem.bytes);
      continue;
    }
    for (int distance = 1, next = k; distance < pofk; distance = next, next *= k) {
      const int start = rank / next * next;
      for (int dst = start + rank % distance; dst < start + next; dst += distance) {
        sent.message(rank, dst, problem.bytes);
      }
    }
  }
}

// From barrier_intra_k_dissemination.c of MPICH 4.1.
void k_dissemination(const Problem&, int p, int radix, MessageLog& sent) {
  const int k = std::min(radix, p);
  for (int shift = 1; shift < p; shift *= k) {
    for (int rank = 0; rank < p; ++rank) {
      for (int j = 1; j < k; ++j) {
        sent.message(rank, (rank + j * shift) % p, 0);
      }
    }
  }
}

// From allgather_intra_k_brucks.c of MPICH 4.1.
void mpich_k_brucks(const Problem& problem, int p, int k, MessageLog& sent) {
  const std::uint64_t block = problem.bytes / problem.ranks;
  int phases = 0;
  int power = 1;
  for (int max = p - 1; max > 0; max /= k) {
    ++phases;
    power *= k;
  }
  int delta = 1;
  for (int phase = 0; phase < phases; ++phase, delta *= k) {
    for (int j = 1; j < k && delta * j < p; ++j) {
      int count = delta;
      if (phase == phases - 1 && power != p) {
        const int left = p - delta * j;
        count = j == k - 1 ? left : std::min(count, left);
      }
      for (int rank = 0; rank < p; ++rank) {
        sent.message(rank, (p + rank - delta * j) % p, block * static_cast<std::uint64_t>(count));
      }
    }
  }
}

// From ompi_coll_base_allgather_intra_k_bruck in coll_base_allgather.c of Open MPI main of August
// 2026.
void open_mpi_k_bruck(const Problem& problem, int p, int radix, MessageLog& sent) {
  const std::uint64_t block = problem.bytes / problem.ranks;
  for (int distance = 1; distance < p; distance *= radix) {
    for (int j = 1; j < radix && distance * j < p; ++j) {
      const int count = distance <= p / radix ? distance : std::min(distance, p - distance * j);
      for (int rank = 0; rank < p; ++rank) {
        sent.message(rank, (rank - distance * j + p) % p,
                     block * static_cast<std::uint64_t>(count));
      }
    }
  }
}

// From alltoall_intra_k_brucks.c of MPICH 4.1.
void k_brucks_alltoall(const Problem& problem, int p, int k, MessageLog& sent) {
  const std::uint64_t block = problem.bytes / problem.ranks;
  for (int delta = 1; delta < p; delta *= k) {
    for (int j = 1; j < k && delta * j < p; ++j) {
      std::uint64_t packed = 0;
      for (int offset = 0; offset < p; ++offset) {
        packed += offset / delta % k == j ? block : 0;
      }
      for (int rank = 0; rank < p; ++rank) {
        sent.message(rank, (rank + delta * j) % p, packed);
      }
    }
  }
}

// ---- UCC of August 2026. Knomial is rewritten from src/coll_patterns/recursive_knomial.h and
// sra_knomial.h.

struct Knomial {
  Knomial(int ranks, int wanted) : size(ranks), radix(std::min(wanted, ranks)) {
    int power = radix;
    for (iterations = 1; power < size; ++iterations) {
      power *= radix;
    }
    full = power == size ? power : power / radix;
    subtrees = size / full;
    extra = size - subtrees * full;
    if (extra > 0 && subtrees == 1) {
      --iterations;
    }
  }
  [[nodiscard]] bool is_extra(int rank) const { return rank < 2 * extra && rank % 2 == 1; }
  [[nodiscard]] int loop_rank(int rank) const { return rank < 2 * extra ? rank / 2 : rank - extra; }
  [[nodiscard]] int rank_of(int loop) const { return loop < extra ? 2 * loop : loop + extra; }
  [[nodiscard]] int power(int iteration) const {
    int power = 1;
    for (int i = 0; i < iteration; ++i) {
      power *= radix;
    }
    return power;
  }
  // Ranks that exchange with `rank` in the iteration with distance `power`.
  [[nodiscard]] std::vector<int> peers(int rank, int power) const {
    std::vector<int> found;
    const int step = power * radix;
    const int loop = loop_rank(rank);
    for (int i = 1; i < radix; ++i) {
      const int peer = (loop + i * power) % step + loop / step * step;
      if (peer < size - extra) {
        found.push_back(rank_of(peer));
      }
    }
    return found;
  }
  [[nodiscard]] int step_radix(int power) const {
    return power * radix >= size && subtrees > 1 ? subtrees : radix;
  }
  [[nodiscard]] int segment(int rank, int power) const {
    const int loop = loop_rank(rank);
    const int base = loop / (power * radix) * (power * radix);
    return (loop - base) / power;
  }
  // Divides the loop ranks into groups of `width` ranks. Returns the range of ranks whose blocks
  // belong to the group of `rank`: the first rank, and one past the last rank.
  [[nodiscard]] std::array<int, 2> ranks_around(int rank, int width) const {
    const int first = loop_rank(rank) / width * width;
    const int end = first + width;
    return {rank_of(first), end == size - extra ? size : rank_of(end)};
  }
  // From ucc_knx_block. Returns how many of `count` elements a rank still has after `iteration`
  // iterations.
  [[nodiscard]] std::uint64_t block(int rank, std::uint64_t count, int iteration) const {
    for (int i = 0; i < iteration; ++i) {
      const auto parts = static_cast<std::uint64_t>(step_radix(power(i)));
      const auto at = static_cast<std::uint64_t>(segment(rank, power(i)));
      count = count / parts + (at < count % parts ? 1 : 0);
    }
    return count;
  }

  int size;
  int radix;
  int iterations = 1;
  int full = 1;
  int subtrees = 1;
  int extra = 0;
};

// From tl/ucp/allreduce/allreduce_knomial.c. barrier/barrier_knomial.c sends the same messages, but
// empty ones.
void ucc_allreduce(const Problem& problem, int p, int k, MessageLog& sent) {
  const Knomial tree(p, k);
  for (int rank = 0; rank < p; ++rank) {
    if (tree.is_extra(rank)) {
      sent.message(rank, rank - 1, problem.bytes);
      sent.message(rank - 1, rank, problem.bytes);
      continue;
    }
    for (int i = 0; i < tree.iterations; ++i) {
      for (const int peer : tree.peers(rank, tree.power(i))) {
        sent.message(rank, peer, problem.bytes);
      }
    }
  }
}

// From tl/ucp/allgather/allgather_knomial.c.
void ucc_allgather(const Problem& problem, int p, int k, MessageLog& sent) {
  const Knomial tree(p, k);
  const Blocks blocks(problem);
  for (int rank = 0; rank < p; ++rank) {
    if (tree.is_extra(rank)) {
      sent.message(rank, rank - 1, blocks.bytes(rank, rank + 1));
      sent.message(rank - 1, rank, problem.bytes);
      continue;
    }
    for (int i = 0; i < tree.iterations; ++i) {
      const auto [first, end] = tree.ranks_around(rank, tree.power(i));
      for (const int peer : tree.peers(rank, tree.power(i))) {
        sent.message(rank, peer, blocks.bytes(first, end));
      }
    }
  }
}

// From tl/ucp/reduce_scatter/reduce_scatter_knomial.c, which begins with the largest distance.
void ucc_reduce_scatter(const Problem& problem, int p, int k, MessageLog& sent) {
  const Knomial tree(p, k);
  const Blocks blocks(problem);
  for (int rank = 0; rank < p; ++rank) {
    if (tree.is_extra(rank)) {
      sent.message(rank, rank - 1, problem.bytes);
      sent.message(rank - 1, rank, blocks.bytes(rank, rank + 1));
      continue;
    }
    int power = tree.subtrees == 1 ? tree.full / tree.radix : tree.full;
    for (int i = 0; i < tree.iterations; ++i, power /= tree.radix) {
      for (const int peer : tree.peers(rank, power)) {
        const auto [first, end] = tree.ranks_around(peer, power);
        sent.message(rank, peer, blocks.bytes(first, end));
      }
    }
  }
}

// From tl/ucp/allreduce/allreduce_sra_knomial.c: KN_PATTERN_REDUCE_SCATTERX, then
// KN_PATTERN_ALLGATHERX.
void ucc_sra(const Problem& problem, int p, int k, MessageLog& sent) {
  const Knomial tree(p, k);
  for (int rank = 0; rank < p; ++rank) {
    if (tree.is_extra(rank)) {
      sent.message(rank, rank - 1, problem.bytes);
      sent.message(rank - 1, rank, problem.bytes);
      continue;
    }
    for (int i = 0; i < tree.iterations; ++i) {
      for (const int peer : tree.peers(rank, tree.power(i))) {
        sent.message(rank, peer, 8 * tree.block(peer, problem.elements(), i + 1));
        sent.message(rank, peer, 8 * tree.block(rank, problem.elements(), i + 1));
      }
    }
  }
}

// From ucc_knomial_calc_recv_dist, for ranks numbered relative to the root.
int recv_dist(const Knomial& tree, int loop_rank) {
  if (loop_rank == 0) {
    return 0;
  }
  int dist = 1;
  while (dist <= tree.size - tree.extra && loop_rank >= tree.radix * dist) {
    dist *= tree.radix;
  }
  return dist;
}

// From tl/ucp/scatter/scatter_knomial.c, followed by the KN_PATTERN_ALLGATHERX of a broadcast.
void ucc_sag(const Problem& problem, int p, int k, MessageLog& sent) {
  const Knomial tree(p, k);
  const auto from_root = [&](int rank) { return (rank + static_cast<int>(problem.root)) % p; };
  for (int rank = 0; rank < p; ++rank) {
    if (tree.is_extra(rank)) {
      sent.message(from_root(rank - 1), from_root(rank), problem.bytes);
      continue;
    }
    const int dist = recv_dist(tree, tree.loop_rank(rank));
    for (int i = 0; i < tree.iterations; ++i) {
      for (const int peer : tree.peers(rank, tree.power(i))) {
        if (dist < tree.power(i)) {
          sent.message(from_root(rank), from_root(peer),
                       8 * tree.block(peer, problem.elements(), i + 1));
        }
        if (recv_dist(tree, tree.loop_rank(peer)) >= dist) {
          sent.message(from_root(rank), from_root(peer),
                       8 * tree.block(rank, problem.elements(), i + 1));
        }
      }
    }
  }
}

// From tl/ucp/reduce/reduce_srg_knomial.c: KN_PATTERN_REDUCE_SCATTERX, then KN_PATTERN_GATHERX.
void ucc_srg(const Problem& problem, int p, int k, MessageLog& sent) {
  const Knomial tree(p, k);
  const auto from_root = [&](int rank) { return (rank + static_cast<int>(problem.root)) % p; };
  for (int rank = 0; rank < p; ++rank) {
    if (tree.is_extra(rank)) {
      sent.message(from_root(rank), from_root(rank - 1), problem.bytes);
      continue;
    }
    for (int i = 0; i < tree.iterations; ++i) {
      for (const int peer : tree.peers(rank, tree.power(i))) {
        sent.message(from_root(rank), from_root(peer),
                     8 * tree.block(peer, problem.elements(), i + 1));
      }
    }
    for (int i = tree.iterations - 1; i >= 0; --i) {
      const int loop = tree.loop_rank(rank);
      const int step = tree.power(i) * tree.radix;
      if (const int base = loop / step * step + loop % tree.power(i); base != loop) {
        sent.message(from_root(rank), from_root(tree.rank_of(base)),
                     8 * tree.block(rank, problem.elements(), i + 1));
        break;
      }
    }
  }
}

// From tl/ucp/gather/gather_knomial.c.
void ucc_gather(const Problem& problem, int p, int wanted, MessageLog& sent) {
  const int k = std::min(wanted, p);
  const std::uint64_t block = problem.bytes / problem.ranks;
  const int root = static_cast<int>(problem.root);
  for (int vrank = 1; vrank < p; ++vrank) {
    int dist = 1;
    while (vrank / dist % k == 0) {
      dist *= k;
    }
    const int rank = (vrank + root) % p;
    const int to = (vrank / (dist * k) * (dist * k) + root) % p;
    const int blocks = std::min(dist, p - vrank);
    if (to != root || blocks <= p - rank) {
      sent.message(rank, to, block * static_cast<std::uint64_t>(blocks));
    } else {
      sent.message(rank, to, block * static_cast<std::uint64_t>(p - rank));
      sent.message(rank, to, block * static_cast<std::uint64_t>(blocks - (p - rank)));
    }
  }
}

// Compares tutti's messages with those of `replay`, like check(), but with several roots, and with
// vectors that divide evenly in every iteration. `by_rank` is true if the algorithm divides the
// vector among all ranks, and false if it leaves out the extra ranks.
void check_from_roots(const char* algorithm, const Replay& replay, bool by_rank) {
  for (int p = 2; p <= 64; ++p) {
    for (int k = 2; k <= 8; ++k) {
      for (const int root : {0, 1, p / 3, p - 1}) {
        if (root > 0 && !has_root(algorithm_named(algorithm).collective)) {
          continue;
        }
        Problem problem = problem_for(algorithm, p, k, 0, 0);
        const int parts = by_rank ? p : p - Knomial(p, k).extra;
        problem.bytes = 8 * 5 * static_cast<std::uint64_t>(parts);
        problem.root = static_cast<Rank>(root);
        MessageLog sent;
        replay(problem, p, k, sent);
        INFO(algorithm << " p=" << p << " K=" << k << " root=" << root);
        CHECK(sent_by(algorithm, problem) == sent.sorted());
      }
    }
  }
}

}  // namespace

TEST_CASE("recursive exchange sends the same messages as MPICH's") {
  check("allreduce/recursive_exchange", recexch_allreduce);
  check("barrier/recursive_exchange", recexch_allreduce);
  for (const bool halving : {false, true}) {
    check(halving ? "allgather/recursive_exchange_halving" : "allgather/recursive_exchange",
          [halving](const Problem& problem, int p, int k, MessageLog& sent) {
            recexch_allgather(problem, p, k, halving, sent);
          });
  }
  check("reduce_scatter/recursive_exchange", recexch_reduce_scatter, 3, 1);
  check("allreduce/k_reduce_scatter_allgather", k_reduce_scatter_allgather, 3, 1, Cuts::mpich);
  check("allreduce/k_reduce_scatter_allgather", k_reduce_scatter_allgather, 0, 1, Cuts::mpich);
}

TEST_CASE("recursive multiplying sends the same messages as MPICH's") {
  check("allreduce/recursive_multiplying", recursive_multiplying);
}

TEST_CASE("dissemination with a radix sends the same messages as MPICH's, except to oneself") {
  check("barrier/dissemination", k_dissemination);
}

TEST_CASE("Bruck's algorithms with a radix send the same messages as MPICH's and Open MPI's") {
  check("allgather/bruck_mirrored", mpich_k_brucks);
  check("allgather/bruck_mirrored", open_mpi_k_bruck);
  check("alltoall/bruck", k_brucks_alltoall);
}

TEST_CASE("k-nomial exchanges send the same messages as UCC's") {
  check("allreduce/knomial", ucc_allreduce);
  check("barrier/knomial", ucc_allreduce);
  check("allgather/knomial", ucc_allgather, 3, 1);
  check("reduce_scatter/knomial", ucc_reduce_scatter, 3, 1);
  check_from_roots("allreduce/sra_knomial", ucc_sra, false);
  check_from_roots("bcast/sag_knomial", ucc_sag, false);
  check_from_roots("reduce/srg_knomial", ucc_srg, false);
  check_from_roots("gather/knomial", ucc_gather, true);
}

TEST_CASE("without a radix, digits have base 2, or UCC's 4 and 8") {
  for (const auto& [algorithm, radix] :
       std::vector<std::pair<const char*, int>>{{"allreduce/recursive_exchange", 2},
                                                {"allreduce/recursive_multiplying", 2},
                                                {"allreduce/k_reduce_scatter_allgather", 2},
                                                {"allreduce/knomial", 4},
                                                {"allreduce/sra_knomial", 4},
                                                {"bcast/sag_knomial", 4},
                                                {"reduce/srg_knomial", 4},
                                                {"gather/knomial", 4},
                                                {"scatter/knomial", 4},
                                                {"reduce_scatter/recursive_exchange", 2},
                                                {"reduce_scatter/knomial", 4},
                                                {"allgather/bruck", 2},
                                                {"allgather/bruck_mirrored", 2},
                                                {"allgather/recursive_exchange", 2},
                                                {"allgather/recursive_exchange_halving", 2},
                                                {"allgather/knomial", 4},
                                                {"alltoall/bruck", 2},
                                                {"barrier/dissemination", 2},
                                                {"barrier/recursive_exchange", 2},
                                                {"barrier/knomial", 8}}) {
    for (int p = 1; p <= 33; ++p) {
      INFO(algorithm << " p=" << p);
      CHECK(sent_by(algorithm, problem_for(algorithm, p, 0, 3, 1)) ==
            sent_by(algorithm, problem_for(algorithm, p, radix, 3, 1)));
    }
  }
}

}  // namespace tutti::test_digit_replays
