#include "schedules/experts/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/plural.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::uint32_t kNoExpert = 0xffffffffU;

// Draws the experts of one token after another.
class ExpertDraw {
 public:
  ExpertDraw(const ExpertRouting& routing, std::uint32_t nodes)
      : routing_(routing),
        experts_per_node_(routing.experts / nodes),
        random_(routing.seed),
        weights_(routing.experts),
        sums_(routing.experts),
        taken_(routing.experts),
        node_taken_(nodes) {
    std::vector<std::uint32_t> order(routing.experts);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint32_t i = routing.experts; i > 1; --i) {
      std::swap(order[i - 1], order[random_() % i]);
    }
    for (std::uint32_t i = 0; i < routing.experts; ++i) {
      weights_[order[i]] = std::pow(i + 1.0, -routing.skew);
    }
    std::partial_sum(weights_.begin(), weights_.end(), sums_.begin());
  }

  // Stores the experts of the next token in `into`.
  void draw(std::span<std::uint32_t> into) {
    std::uint32_t nodes = 0;
    for (std::uint32_t& expert : into) {
      expert = next(nodes);
      taken_[expert] = true;
      auto&& node = node_taken_[expert / experts_per_node_];
      nodes += node ? 0U : 1U;
      node = true;
    }
    for (const std::uint32_t expert : into) {
      taken_[expert] = false;
      node_taken_[expert / experts_per_node_] = false;
    }
  }

 private:
  // Returns a number from 0 to 1. Does not use the distributions of <random>, whose results differ
  // between standard libraries.
  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }

  [[nodiscard]] bool possible(std::uint32_t expert, bool on_taken_nodes) const {
    return !taken_[expert] && (!on_taken_nodes || node_taken_[expert / experts_per_node_]);
  }

  std::uint32_t next(std::uint32_t nodes) {
    constexpr int kTries = 32;
    const bool on_taken_nodes = routing_.most_nodes > 0 && nodes >= routing_.most_nodes;
    for (int i = 0; i < kTries; ++i) {
      const auto found = std::upper_bound(sums_.begin(), sums_.end(), uniform() * sums_.back());
      const auto expert =
          std::min(static_cast<std::uint32_t>(found - sums_.begin()), routing_.experts - 1);
      if (possible(expert, on_taken_nodes)) {
        return expert;
      }
    }
    return next_of_remaining(on_taken_nodes);
  }

  // Draws like next(), but looks at each expert once, however unlikely the remaining ones are.
  std::uint32_t next_of_remaining(bool on_taken_nodes) {
    double sum = 0;
    for (std::uint32_t expert = 0; expert < routing_.experts; ++expert) {
      sum += possible(expert, on_taken_nodes) ? weights_[expert] : 0;
    }
    double left = uniform() * sum;
    std::uint32_t last = kNoExpert;
    for (std::uint32_t expert = 0; expert < routing_.experts; ++expert) {
      if (possible(expert, on_taken_nodes)) {
        last = expert;
        left -= weights_[expert];
        if (left < 0) {
          break;
        }
      }
    }
    TUTTI_INVARIANT(last != kNoExpert);
    return last;
  }

  const ExpertRouting& routing_;
  std::uint32_t experts_per_node_;
  std::mt19937_64 random_;
  std::vector<double> weights_;
  std::vector<double> sums_;  // of the weights up to each expert
  std::vector<bool> taken_;   // experts of the present token, and their nodes
  std::vector<bool> node_taken_;
};

void check_routing(const ExpertRouting& routing, std::uint32_t ranks, std::uint32_t nodes) {
  if (ranks > kMostPairedRanks) {
    throw UserError(fmt::format("experts on {}, but at most {} are possible",
                                number_of(ranks, "rank"), kMostPairedRanks));
  }
  if (routing.experts == 0 || routing.experts > kMostExperts || routing.experts % ranks != 0) {
    throw UserError(
        routing.experts == 0 || routing.experts > kMostExperts
            ? fmt::format("experts {}: there must be 1 to {}", routing.experts, kMostExperts)
            : fmt::format("experts {}: {} cannot have the same number of experts each",
                          routing.experts, number_of(ranks, "rank")));
  }
  const std::uint32_t most_nodes =
      routing.most_nodes == 0 ? nodes : std::min(nodes, routing.most_nodes);
  const std::uint32_t available = routing.experts / nodes * most_nodes;
  if (routing.top == 0 || routing.top > available) {
    throw UserError(fmt::format(
        "top {}: a token goes to 1 to {}{}", routing.top, number_of(available, "expert"),
        most_nodes < nodes ? fmt::format(" on {}", number_of(most_nodes, "node")) : std::string()));
  }
  if (routing.tokens == 0 || routing.tokens > kMostTokens ||
      std::uint64_t{routing.tokens} * routing.top * ranks > kMostTokenCopies) {
    throw UserError(fmt::format(
        "tokens {}: a rank must have 1 to {}, and all tokens together at most {} copies",
        routing.tokens, kMostTokens, kMostTokenCopies));
  }
  if (!(routing.skew >= 0 && routing.skew <= kMostSkew)) {
    throw UserError(fmt::format("skew {}: must be from 0 to {}", routing.skew, kMostSkew));
  }
  if (routing.capacity != 0 &&
      !(routing.capacity >= kLeastCapacity && routing.capacity <= kMostExperts)) {
    throw UserError(fmt::format("capacity {}: must be from {} to {}", routing.capacity,
                                kLeastCapacity, kMostExperts));
  }
}

// Drops copies over the capacity of each expert, and returns how many. The first tokens of all
// ranks come before their second tokens, and so on.
std::uint64_t drop_copies(const ExpertRouting& routing, std::uint32_t ranks,
                          std::vector<std::uint32_t>& expert_of) {
  const double mean = static_cast<double>(expert_of.size()) / routing.experts;
  const double most = std::ceil(routing.capacity * mean);
  std::vector<std::uint64_t> copies(routing.experts);
  std::uint64_t dropped = 0;
  for (std::uint32_t token = 0; token < routing.tokens; ++token) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      const std::size_t first = (std::size_t{rank} * routing.tokens + token) * routing.top;
      for (std::uint32_t& expert : std::span(expert_of).subspan(first, routing.top)) {
        if (static_cast<double>(copies[expert]) < most) {
          ++copies[expert];
        } else {
          expert = kNoExpert;
          ++dropped;
        }
      }
    }
  }
  return dropped;
}

}  // namespace

double CopyCounts::load() const {
  const std::uint64_t sum = std::accumulate(received.begin(), received.end(), std::uint64_t{0});
  return sum == 0 ? 1
                  : static_cast<double>(*std::max_element(received.begin(), received.end())) *
                        static_cast<double>(received.size()) / static_cast<double>(sum);
}

RoutedTokens::RoutedTokens(const ExpertRouting& routing, std::uint32_t ranks,
                           std::uint32_t ranks_per_node)
    : routing_(routing), ranks_(ranks), ranks_per_node_(ranks_per_node) {
  TUTTI_INVARIANT(ranks_per_node > 0 && ranks % ranks_per_node == 0);
  check_routing(routing, ranks, nodes());
  const std::size_t tokens = std::size_t{ranks} * routing.tokens;
  std::vector<std::uint32_t> expert_of(tokens * routing.top);
  ExpertDraw draw(routing, nodes());
  for (std::size_t token = 0; token < tokens; ++token) {
    draw.draw(std::span(expert_of).subspan(token * routing.top, routing.top));
  }
  if (routing.capacity > 0) {
    dropped_ = drop_copies(routing, ranks, expert_of);
  }
  // From here on, the rank of each expert.
  const std::uint32_t experts_per_rank = routing.experts / ranks;
  copies_.resize(std::size_t{ranks} * ranks);
  for (std::size_t i = 0; i < expert_of.size(); ++i) {
    if (expert_of[i] != kNoExpert) {
      expert_of[i] /= experts_per_rank;
      ++copies_[i / routing.top / routing.tokens * ranks + expert_of[i]];
    }
  }
  for (std::size_t token = 0; token < tokens; ++token) {
    std::ranges::sort(std::span(expert_of).subspan(token * routing.top, routing.top));
  }
  away_ = Rows<Rank>(tokens, [&](const auto& add) {
    for (std::size_t i = 0; i < expert_of.size(); ++i) {
      const bool again = i % routing_.top != 0 && expert_of[i - 1] == expert_of[i];
      if (expert_of[i] != kNoExpert && !again) {
        add(i / routing_.top, expert_of[i]);
      }
    }
  });
}

CopyCounts RoutedTokens::counts() const {
  CopyCounts counts{std::vector<std::uint64_t>(ranks_), std::vector<std::uint64_t>(ranks_)};
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    counts.sent[i / ranks_] += copies_[i];
    counts.received[i % ranks_] += copies_[i];
  }
  return counts;
}

double RoutedTokens::copies_to_other_nodes() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const bool leaves = i / ranks_ / ranks_per_node_ != i % ranks_ / ranks_per_node_;
    sum += leaves ? copies_[i] : 0;
  }
  return static_cast<double>(sum) / ranks_ / routing_.tokens;
}

double RoutedTokens::other_nodes() const {
  std::uint64_t sum = 0;
  const std::uint32_t tokens = ranks_ * routing_.tokens;
  for (std::uint32_t token = 0; token < tokens; ++token) {
    std::uint32_t last = token / routing_.tokens / ranks_per_node_;
    const std::uint32_t own = last;
    for (const Rank rank : ranks_of(token)) {
      const std::uint32_t node = rank / ranks_per_node_;
      sum += node != own && node != last ? 1 : 0;
      last = node;
    }
  }
  return static_cast<double>(sum) / tokens;
}

double mean_copies_to_other_nodes(std::uint32_t top, std::uint32_t nodes) {
  return top * (nodes - 1.0) / nodes;
}

double mean_other_nodes(std::uint32_t top, std::uint32_t nodes) {
  return (nodes - 1.0) * (1 - std::pow(1 - 1.0 / nodes, top));
}

std::vector<std::uint64_t> loaded_blocks(std::uint32_t ranks, std::uint64_t elements,
                                         std::uint32_t element_bytes, double load) {
  if (!(load >= 1 && load <= ranks)) {
    throw UserError(fmt::format("load {}: the busiest of {} receives 1 to {} times the mean", load,
                                number_of(ranks, "rank"), ranks));
  }
  const std::uint64_t busiest = std::min(
      elements,
      static_cast<std::uint64_t>(std::llround(static_cast<double>(elements) / ranks * load)));
  std::vector<std::uint64_t> blocks(ranks, 0);
  blocks[0] = busiest * element_bytes;
  for (std::uint32_t other = 1; other < ranks; ++other) {
    const std::uint64_t share =
        (elements - busiest) / (ranks - 1) + (other <= (elements - busiest) % (ranks - 1) ? 1 : 0);
    blocks[other] = share * element_bytes;
  }
  std::vector<std::uint64_t> of_pairs;
  of_pairs.reserve(std::size_t{ranks} * ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    of_pairs.insert(of_pairs.end(), blocks.begin(), blocks.end());
  }
  return of_pairs;
}

}}  // namespace tutti::schedules
