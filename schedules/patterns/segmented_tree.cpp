#include "schedules/patterns/segmented_tree.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::uint64_t kDefaultSegmentBytes = 64 * 1024;
// Returns the number of digits of p-1 in base k; 0 for p = 1.
std::uint32_t digits(std::uint32_t p, std::uint64_t k) {
  std::uint32_t count = 0;
  for (std::uint64_t left = p - 1; left > 0; left /= k) {
    ++count;
  }
  return count;
}

// A rank whose children are sought. `relative` is its number relative to the root. `step` is used
// only for knomial_1, where the rank's subtree has at most k^(digits - step) ranks and `digits` is
// the number of digits of p-1 in base k.
struct Node {
  std::uint64_t relative = 0;
  std::uint32_t level = 0;
  std::uint32_t step = 0;
};

// Finds the children of a node, in the order in which they are served.
class Children {
 public:
  explicit Children(const Problem& problem)
      : tree_(problem.tree), p_(problem.ranks), k_(kTreeRadix.of(problem)) {
    if (tree_ == Tree::knomial || tree_ == Tree::knomial_1 || tree_ == Tree::knomial_2) {
      digits_ = digits(p_, k_);
    } else if (tree_ == Tree::chain && p_ > 1) {
      k_ = std::min<std::uint64_t>(k_, p_ - 1);
    }
  }

  void find(const Node& node, std::vector<Node>& found) const {
    found.clear();
    const auto add = [&](std::uint64_t relative, std::uint32_t step = 0) {
      if (relative < p_) {
        found.push_back({relative, node.level + 1, step});
      }
    };
    const std::uint64_t r = node.relative;
    switch (tree_) {
      case Tree::chain:
        add_chained(r, add);
        break;
      case Tree::binary: {
        const std::uint64_t width = std::uint64_t{1} << node.level;
        add(r + width);
        add(r + 2 * width);
        break;
      }
      case Tree::doubling:
        for (std::uint64_t distance = r == 0 ? 1 : 2 * std::bit_floor(r); distance < p_;
             distance *= 2) {
          add(r + distance);
        }
        break;
      case Tree::kary:
        for (std::uint64_t i = 1; i <= k_ && r * k_ + i < p_; ++i) {
          add(r * k_ + i);
        }
        break;
      case Tree::knomial:
        for_each_digit(r, [&](std::uint64_t distance) {
          for (std::uint64_t i = 1; i < k_ && r + i * distance < p_; ++i) {
            add(r + i * distance);
          }
        });
        break;
      case Tree::knomial_2:
        for_each_digit(r, [&](std::uint64_t distance) {
          for (std::uint64_t i = std::min(k_ - 1, (p_ - 1 - r) / distance); i >= 1; --i) {
            add(r + i * distance);
          }
        });
        break;
      case Tree::knomial_1: {
        std::uint64_t child = r + 1;
        std::uint64_t size = power(digits_ - node.step);
        for (std::uint32_t step = node.step; step < digits_; ++step) {
          size /= k_;  // size of each of the next k-1 subtrees
          for (std::uint64_t i = 1; i < k_ && child < p_; ++i) {
            add(child, step + 1);
            child += size;
          }
        }
        break;
      }
      case Tree::binomial: {
        // The child with the largest subtree comes first, as in the rounds of the binomial tree.
        const std::uint32_t free_bits =
            r == 0 ? ceil_log2(p_) : static_cast<std::uint32_t>(std::countr_zero(r));
        for (std::uint32_t bit = free_bits; bit-- > 0;) {
          add(r + (std::uint64_t{1} << bit));
        }
        break;
      }
    }
  }

 private:
  [[nodiscard]] std::uint64_t power(std::uint32_t exponent) const {
    std::uint64_t product = 1;
    for (; exponent > 0; --exponent) {
      product *= k_;
    }
    return product;
  }

  // Adds the children of `r`: for the root, the first rank of each chain; for any other rank, the
  // next rank, unless that one starts another chain.
  template <typename Add>
  void add_chained(std::uint64_t r, Add&& add) const {
    const std::uint64_t shorter = (p_ - 1) / k_;
    const std::uint64_t longer_ones = (p_ - 1) % k_;
    if (r == 0) {
      std::uint64_t head = 1;
      for (std::uint64_t chain = 0; chain < k_; ++chain) {
        add(head);
        head += shorter + (chain < longer_ones ? 1 : 0);
      }
      return;
    }
    const std::uint64_t in_longer_ones = longer_ones * (shorter + 1);
    const bool ends =
        r <= in_longer_ones ? r % (shorter + 1) == 0 : (r - in_longer_ones) % shorter == 0;
    if (!ends) {
      add(r + 1);
    }
  }

  // Calls visit(k^i) for each digit i below the lowest nonzero digit of r, the highest i first.
  template <typename Visit>
  void for_each_digit(std::uint64_t r, Visit&& visit) const {
    std::uint64_t distance = 1;
    for (std::uint32_t digit = 0; digit < digits_ && r % (distance * k_) == 0; ++digit) {
      distance *= k_;
    }
    for (; distance > 1;) {
      distance /= k_;
      visit(distance);
    }
  }

  Tree tree_;
  std::uint32_t p_;
  std::uint64_t k_;
  std::uint32_t digits_ = 0;
};

// Upper bound on the number of children of a rank.
std::uint64_t most_children(const Problem& problem) {
  const std::uint64_t k = kTreeRadix.of(problem);
  switch (problem.tree) {
    case Tree::chain:
    case Tree::kary:
      return std::min<std::uint64_t>(k, problem.ranks);
    case Tree::knomial:
    case Tree::knomial_1:
    case Tree::knomial_2:
      return std::min<std::uint64_t>(digits(problem.ranks, k) * (k - 1), problem.ranks) + 1;
    case Tree::binary:
    case Tree::binomial:
    case Tree::doubling:
      break;
  }
  return ceil_log2(problem.ranks) + 1;
}

}  // namespace

RootedTree rooted_tree(const Problem& problem) {
  const std::uint32_t p = problem.ranks;
  RootedTree tree;
  tree.edges.reserve(p);
  const auto rank = [&](std::uint64_t relative) {
    return static_cast<Rank>((relative + problem.root) % p);
  };
  tree.children_in_order = problem.tree != Tree::binomial && problem.tree != Tree::doubling;
  const Children children(problem);
  std::vector<Node> queue{{}};
  queue.reserve(p);
  std::vector<Node> found;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const Node parent = queue[at];
    children.find(parent, found);
    std::uint32_t number = 0;
    for (const Node& child : found) {
      tree.edges.push_back({rank(parent.relative), rank(child.relative), parent.level, number++});
      queue.push_back(child);
      tree.levels = child.level;
    }
    tree.fan_out = std::max(tree.fan_out, number);
  }
  TUTTI_INVARIANT(tree.edges.size() == p - 1);
  return tree;
}

std::uint64_t segment_elements_of(const Problem& problem) {
  switch (problem.cuts) {
    case Cuts::even:
      break;
    case Cuts::open_mpi:
      return open_mpi_segment_elements(problem);
    case Cuts::mpich: {
      const std::uint64_t elements = problem.segment_bytes / problem.element_bytes;
      const bool uncut = elements == 0 || elements >= problem.elements();
      return uncut ? std::max<std::uint64_t>(1, problem.elements()) : elements;
    }
  }
  return segment_elements(problem, kDefaultSegmentBytes);
}

namespace {

// Cuts segments of equal size, except for the first one, which may be shorter.
BlockLayout mpich_segments(Problem problem) {
  // Broadcasts count bytes. If a block ends inside an element, the layout counts single bytes.
  if (problem.collective == Collective::bcast &&
      problem.segment_bytes % problem.element_bytes != 0) {
    problem.element_bytes = 1;
  }
  const std::uint64_t each = segment_elements_of(problem);
  std::vector<std::uint64_t> elements(segment_count(problem.elements(), each), each);
  elements.front() = problem.elements() - each * (elements.size() - 1);
  return BlockLayout::irregular(elements, problem.element_bytes);
}

}  // namespace

BlockLayout segment_layout(const Problem& problem) {
  if (problem.cuts == Cuts::mpich) {
    return mpich_segments(problem);
  }
  return BlockLayout::segmented(problem.elements(), segment_elements_of(problem),
                                problem.element_bytes);
}

std::vector<RootedTree::Edge> towards_root(const RootedTree& tree) {
  std::vector<RootedTree::Edge> edges(tree.edges.rbegin(), tree.edges.rend());
  if (tree.children_in_order) {
    // The children of one parent are adjacent.
    for (auto begin = edges.begin(); begin != edges.end();) {
      const auto end = std::find_if(begin, edges.end(), [&](const RootedTree::Edge& edge) {
        return edge.parent != begin->parent;
      });
      std::reverse(begin, end);
      begin = end;
    }
  }
  return edges;
}

std::uint32_t own_tree_radix(const Problem& problem) {
  return problem.tree == Tree::chain ? 1 : problem.tree == Tree::knomial ? 4 : 2;
}

bool tree_keeps_order(const Problem& problem) {
  if (problem.root != 0) {
    return false;
  }
  const bool ordered = problem.tree == Tree::chain || problem.tree == Tree::binomial ||
                       problem.tree == Tree::knomial_1 || problem.ranks <= 2 ||
                       (problem.tree == Tree::binary && problem.ranks == 3);
  const std::uint32_t k = kTreeRadix.of(problem);
  return ordered || (problem.tree == Tree::kary && (k == 1 || problem.ranks - 1 <= k)) ||
         (problem.tree == Tree::knomial && problem.ranks <= k);
}

std::optional<Sentence> refuse_radix(const Problem& problem) {
  if (problem.radix == 0) {
    return std::nullopt;
  }
  switch (problem.tree) {
    case Tree::binary:
    case Tree::binomial:
    case Tree::doubling:
      return sentence("$tree {} takes no $radix; leave $radix out, or use $tree kary or knomial",
                      name(problem.tree));
    case Tree::knomial:
    case Tree::knomial_1:
    case Tree::knomial_2:
      if (problem.radix < 2) {
        return sentence("$tree {} needs a $radix of at least 2", name(problem.tree));
      }
      break;
    case Tree::chain:
    case Tree::kary:
      break;
  }
  return std::nullopt;
}

std::optional<Sentence> refuse_segments(const Problem& problem, std::uint64_t fan_out) {
  if (problem.segment_bytes > problem.bytes && problem.cuts == Cuts::even) {
    return sentence("a segment of {} bytes is larger than the vector of {} bytes",
                    problem.segment_bytes, problem.bytes);
  }
  const std::uint64_t segments = segment_count(problem.elements(), segment_elements_of(problem));
  if (segments * fan_out > kMaxSegment) {
    return sentence(
        "segments of {} bytes cut the vector into {} segments, more than {}; use a larger "
        "$segment",
        segment_elements_of(problem) * problem.element_bytes, segments, kMaxSegment / fan_out);
  }
  return std::nullopt;
}

std::optional<Sentence> refuse_pipeline(const Problem& problem) {
  if (auto reason = refuse_radix(problem)) {
    return reason;
  }
  // Reductions of several children share a level, so each needs a label segment of its own.
  return refuse_segments(problem, most_children(problem));
}

SegmentTimes::SegmentTimes(const Problem& problem, const Prices& prices) {
  const BlockLayout layout = segment_layout(problem);
  const auto bytes = static_cast<double>(layout.size_bytes(0));
  const auto last_bytes = static_cast<double>(layout.size_bytes(layout.blocks() - 1));
  count = layout.blocks();
  message_s = prices.alpha_s + bytes * prices.beta_s_per_byte;
  reduction_s = bytes * prices.gamma_s_per_byte;
  last_message_s = prices.alpha_s + last_bytes * prices.beta_s_per_byte;
  last_reduction_s = last_bytes * prices.gamma_s_per_byte;
  first_is_shorter = bytes < last_bytes;
}

}}  // namespace tutti::schedules
