// Tests trees of any radix: compares each rank's parent with an independent definition, and
// verifies the schedules.
#include "schedules/patterns/segmented_tree.hpp"

#include <catch2/catch.hpp>

#include <vector>

#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_segmented_tree {

namespace {

// Returns r with its lowest non-zero digit to base k set to 0.
std::uint32_t without_lowest_digit(std::uint32_t r, std::uint32_t k) {
  std::uint32_t place = k;
  while (r % place == 0) {
    place *= k;
  }
  return r / place * place;
}

// Returns the parent of rank r in a tree of p ranks in which each subtree consists of consecutive
// ranks. Let k^d be the smallest power of k that is at least p. The first k-1 children of rank 0
// are the roots of subtrees with k^(d-1) ranks, the next k-1 children are the roots of subtrees
// with k^(d-2) ranks, and so on, until there are no more ranks.
std::uint32_t depth_first_parent(std::uint32_t r, std::uint32_t p, std::uint32_t k) {
  std::uint64_t size = 1;
  while (size < p) {
    size *= k;
  }
  std::uint32_t parent = 0;
  std::uint64_t child = 1;
  while (true) {
    size /= k;
    for (std::uint32_t i = 1; i < k; ++i) {
      if (r == child) {
        return parent;
      }
      if (r < child + size) {
        parent = static_cast<std::uint32_t>(child);
        child = parent + 1;
        break;
      }
      child += size;
    }
  }
}

// Returns the parent of rank r if the p-1 ranks after the root are divided into k chains. If the
// division is uneven, the first chains are longer by one rank.
std::uint32_t chained_parent(std::uint32_t r, std::uint32_t p, std::uint32_t k) {
  std::uint32_t head = 1;
  for (std::uint32_t chain = 0; chain < k; ++chain) {
    const std::uint32_t length = (p - 1) / k + (chain < (p - 1) % k ? 1 : 0);
    if (r < head + length) {
      return r == head ? 0 : r - 1;
    }
    head += length;
  }
  return r;
}

std::uint32_t parent_of(Tree tree, std::uint32_t r, std::uint32_t p, std::uint32_t k) {
  switch (tree) {
    case Tree::chain:
      return chained_parent(r, p, k);
    case Tree::kary:
      return (r - 1) / k;
    case Tree::knomial_1:
      return depth_first_parent(r, p, k);
    default:
      return without_lowest_digit(r, k);
  }
}

constexpr std::array kTrees{Tree::chain, Tree::kary, Tree::knomial, Tree::knomial_1,
                            Tree::knomial_2};

template <typename Visit>
void for_all_trees(std::uint32_t most_ranks, Visit&& visit) {
  for (const Tree tree : kTrees) {
    for (std::uint32_t k = tree == Tree::chain || tree == Tree::kary ? 1 : 2; k <= 9; ++k) {
      for (std::uint32_t p = 1; p <= most_ranks; ++p) {
        for (const Rank root : {0U, p / 2}) {
          Problem problem = problem_of(Collective::bcast, p, 7, root);
          problem.tree = tree;
          problem.radix = k;
          INFO(name(tree) << " k=" << k << " p=" << p << " root=" << root);
          visit(problem, k);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("in a tree of any radix, each rank has the parent given by the definition") {
  for_all_trees(70, [](const Problem& problem, std::uint32_t k) {
    const std::uint32_t p = problem.ranks;
    const RootedTree tree = rooted_tree(problem);
    std::vector<bool> reached(p, false);
    reached[problem.root] = true;
    std::uint32_t most = 1;
    for (const RootedTree::Edge& edge : tree.edges) {
      const std::uint32_t child = (edge.child + p - problem.root) % p;
      const std::uint32_t parent = (edge.parent + p - problem.root) % p;
      CHECK(parent == parent_of(problem.tree, child, p, k));
      CHECK(reached[edge.parent]);  // a rank receives before it sends
      CHECK_FALSE(reached[edge.child]);
      reached[edge.child] = true;
      most = std::max(most, edge.child_number + 1);
    }
    CHECK(tree.edges.size() == p - 1);
    CHECK(tree.fan_out == most);
    // In the order of towards_root(), a rank receives from all its children before it sends.
    std::vector<bool> sent(p, false);
    for (const RootedTree::Edge& edge : towards_root(tree)) {
      CHECK_FALSE(sent[edge.parent]);
      sent[edge.child] = true;
    }
  });
}

TEST_CASE("a k-nomial tree serves far children first, in rising or falling order") {
  const auto children = [](Tree tree) {
    Problem problem = problem_of(Collective::bcast, 10, 7);
    problem.tree = tree;
    problem.radix = 3;
    std::vector<Rank> found;
    for (const RootedTree::Edge& edge : rooted_tree(problem).edges) {
      if (edge.parent == 0) {
        found.push_back(edge.child);
      }
    }
    return found;
  };
  CHECK(children(Tree::knomial) == std::vector<Rank>{9, 3, 6, 1, 2});
  CHECK(children(Tree::knomial_2) == std::vector<Rank>{9, 6, 3, 2, 1});
  CHECK(children(Tree::knomial_1) == std::vector<Rank>{1});
}

TEST_CASE("collectives over trees of any radix are proved, with the promised order") {
  for_all_trees(13, [](const Problem& shape, std::uint32_t) {
    for (const char* const name : {"bcast/pipeline", "reduce/pipeline", "allreduce/tree"}) {
      const Algorithm& algorithm = algorithm_named(name);
      Problem problem = shape;
      problem.collective = algorithm.collective;
      problem.root = has_root(algorithm.collective) ? shape.root : 0;
      problem.segment_bytes = 3 * problem.element_bytes;
      INFO(name);
      VerifyOptions options;
      options.claims = claims_of(algorithm, problem);
      CHECK(verify(make_schedule(algorithm, problem), options).findings.empty());
    }
  });
}

}  // namespace tutti::test_segmented_tree
