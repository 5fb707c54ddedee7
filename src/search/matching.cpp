#include "src/search/matching.hpp"

#include <boost/pending/disjoint_sets.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <utility>

#include "base/error.hpp"
#include "sim/engine.hpp"

namespace tutti { inline namespace search {

class Spread {
 public:
  Spread(const Matching& matching, const MatchingChoices& choices)
      : matching_(matching),
        choices_(choices),
        routes_(matching.routes_),
        ranks_(routes_.ranks()),
        blocks_(choices.blocks),
        words_((blocks_ + 63) / 64),
        has_(std::size_t{ranks_} * words_),
        expects_(has_.size()),
        lacks_(ranks_, blocks_),
        holders_(blocks_, 1),
        sending_(ranks_),
        receiving_(ranks_),
        load_(routes_.all_links()) {
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      const Rank owner = matching.root_ ? *matching.root_ : block / (blocks_ / ranks_);
      set(has_, owner, block);
      set(expects_, owner, block);
      --lacks_[owner];
    }
  }

  std::vector<Transfer> run() {
    for (Rank rank = 0; rank < ranks_; ++rank) {
      senders_.push_back(rank);
    }
    double now_s = 0;
    while (true) {
      start(now_s);
      if (ends_.empty()) {
        TUTTI_INVARIANT(std::ranges::all_of(lacks_, [](std::uint32_t lack) { return lack == 0; }));
        return std::move(transfers_);
      }
      now_s = ends_.top().first;
      while (!ends_.empty() && ends_.top().first <= now_s * (1 + 1e-12)) {
        end(ends_.top().second);
        ends_.pop();
      }
    }
  }

 private:
  using Bits = std::vector<std::uint64_t>;
  void set(Bits& bits, Rank rank, std::uint32_t block) const {
    bits[std::size_t{rank} * words_ + block / 64] |= std::uint64_t{1} << (block % 64);
  }
  [[nodiscard]] bool port_free(std::uint32_t used) const {
    return matching_.ports_ == kUnlimitedPorts || used < matching_.ports_;
  }

  // Starts all transfers that can start.
  void start(double now_s) {
    for (bool more = true; more;) {
      more = false;
      for (const Rank src : senders_) {
        while (port_free(sending_[src]) && start_from(src, now_s)) {
          more = matching_.ports_ != 1;
        }
      }
    }
  }

  bool start_from(Rank src, double now_s) {
    Rank best = src;
    double best_score = 0;
    for (Rank dst = 0; dst < ranks_; ++dst) {
      if (dst == src || lacks_[dst] == 0 || !port_free(receiving_[dst])) {
        continue;
      }
      if (routes_.route(src, dst).distance > choices_.farthest * (1 + 1e-9)) {
        continue;
      }
      const std::uint32_t useful = useful_blocks(src, dst);
      if (useful == 0 || !links_free(src, dst)) {
        continue;
      }
      const double full =
          static_cast<double>(std::min(useful, choices_.most_blocks)) / choices_.most_blocks;
      const double score = 1 + full + choices_.preference[std::size_t{src} * ranks_ + dst] -
                           choices_.nearness * routes_.route(src, dst).distance;
      if (best == src || score > best_score) {
        best = dst;
        best_score = score;
      }
    }
    if (best == src) {
      return false;
    }
    send(src, best, now_s);
    return true;
  }

  [[nodiscard]] std::uint32_t useful_blocks(Rank src, Rank dst) const {
    std::uint32_t count = 0;
    for (std::uint32_t word = 0; word < words_; ++word) {
      count += static_cast<std::uint32_t>(std::popcount(useful(src, dst, word)));
    }
    return count;
  }
  [[nodiscard]] std::uint64_t useful(Rank src, Rank dst, std::uint32_t word) const {
    return has_[std::size_t{src} * words_ + word] & ~expects_[std::size_t{dst} * words_ + word];
  }

  [[nodiscard]] bool links_free(Rank src, Rank dst) const {
    const RankRoute& route = routes_.route(src, dst);
    for (const std::uint32_t link : routes_.links(route)) {
      if (load_[link] + route.bytes_per_s > routes_.capacity(link) * (1 + 1e-9)) {
        return false;
      }
    }
    return true;
  }
  void load(const Transfer& transfer, double sign) {
    const RankRoute& route = routes_.route(transfer.src, transfer.dst);
    for (const std::uint32_t link : routes_.links(route)) {
      load_[link] += sign * route.bytes_per_s;
    }
  }

  void send(Rank src, Rank dst, double now_s) {
    Transfer transfer{src, dst, {}, now_s, 0};
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::uint32_t word = 0; word < words_; ++word) {
      for (std::uint64_t bits = useful(src, dst, word); bits != 0; bits &= bits - 1) {
        const std::uint32_t block = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        // Among equally rare blocks, receivers begin with different ones.
        order.emplace_back(choices_.rareness * holders_[block],
                           (block + blocks_ - first_block(dst)) % blocks_);
      }
    }
    const std::size_t count = std::min<std::size_t>(order.size(), choices_.most_blocks);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end());
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t block = (order[i].second + first_block(dst)) % blocks_;
      transfer.blocks.push_back(block);
      set(expects_, dst, block);
      ++holders_[block];
    }
    std::ranges::sort(transfer.blocks);
    lacks_[dst] -= static_cast<std::uint32_t>(count);
    ++sending_[src];
    ++receiving_[dst];
    load(transfer, 1);
    const RankRoute& route = routes_.route(src, dst);
    const double bytes =
        static_cast<double>(matching_.bytes_) / blocks_ * static_cast<double>(count);
    transfer.end_s = now_s + route.latency_s + bytes / route.bytes_per_s;
    ends_.emplace(transfer.end_s, transfers_.size());
    transfers_.push_back(std::move(transfer));
  }

  [[nodiscard]] std::uint32_t first_block(Rank rank) const {
    return static_cast<std::uint32_t>(std::uint64_t{rank} * blocks_ / ranks_);
  }

  void end(std::size_t number) {
    const Transfer& transfer = transfers_[number];
    for (const std::uint32_t block : transfer.blocks) {
      set(has_, transfer.dst, block);
    }
    --sending_[transfer.src];
    --receiving_[transfer.dst];
    load(transfer, -1);
  }

  const Matching& matching_;
  const MatchingChoices& choices_;
  const RankRoutes& routes_;
  std::uint32_t ranks_;
  std::uint32_t blocks_;
  std::uint32_t words_;
  Bits has_;                            // by rank
  Bits expects_;                        // by rank: has, or is being sent
  std::vector<std::uint32_t> lacks_;    // number of blocks that each rank does not expect yet
  std::vector<std::uint32_t> holders_;  // of each block
  std::vector<std::uint32_t> sending_;
  std::vector<std::uint32_t> receiving_;
  std::vector<double> load_;
  std::vector<Rank> senders_;
  std::vector<Transfer> transfers_;
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

Matching::Matching(const Goal& goal)
    : routes_(goal, only_backwards(goal.problem.collective)),
      ports_(goal.machine->setup.ports),
      bytes_(goal.problem.bytes),
      root_(has_root(goal.problem.collective) ? std::optional(goal.problem.root) : std::nullopt),
      nearest_(least_reach()) {}

// Joins pairs of ranks, the nearest first, until all ranks are joined.
double Matching::least_reach() const {
  std::vector<std::pair<double, std::pair<Rank, Rank>>> pairs;
  for (Rank a = 0; a < routes_.ranks(); ++a) {
    for (Rank b = 0; b < a; ++b) {
      pairs.push_back(
          {std::max(routes_.route(a, b).distance, routes_.route(b, a).distance), {a, b}});
    }
  }
  std::ranges::sort(pairs);
  std::vector<Rank> rank(routes_.ranks());
  std::vector<Rank> parent(routes_.ranks());
  boost::disjoint_sets sets(rank.data(), parent.data());
  for (Rank each = 0; each < routes_.ranks(); ++each) {
    sets.make_set(each);
  }
  double reach = 0;
  for (std::uint32_t apart = routes_.ranks(); const auto& [distance, ends] : pairs) {
    if (apart == 1) {
      break;
    }
    if (sets.find_set(ends.first) != sets.find_set(ends.second)) {
      sets.link(sets.find_set(ends.first), sets.find_set(ends.second));
      reach = distance;
      --apart;
    }
  }
  return reach;
}

std::vector<Transfer> Matching::transfers(const MatchingChoices& choices) const {
  return Spread(*this, choices).run();
}

}}  // namespace tutti::search
