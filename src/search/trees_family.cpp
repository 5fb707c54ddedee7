// Pipelines along spanning trees that are packed into the network (src/search/tree_packing.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/human.hpp"
#include "src/search/family.hpp"
#include "src/search/transfers.hpp"
#include "src/search/tree_packing.hpp"
#include "src/search/tree_pipeline.hpp"

namespace tutti { inline namespace search {

namespace {

// The choices that determine the trees. Each root has `blocks` blocks of the vector, which its
// trees share.
struct PackingChoices {
  std::uint32_t trees = 1;  // of each root
  std::uint32_t blocks = 1;
  double depth_weight = 0;
  std::uint64_t seed = 0;
};

// True if there are not too many messages and edges to look at, and if the blocks of each root can
// be cut into this number.
bool is_possible(const Problem& problem, const TreeEdges& edges, std::uint32_t trees,
                 std::uint32_t blocks) {
  constexpr std::uint64_t kMostMessages = 300'000;
  constexpr std::uint64_t kMostEdges = 10'000'000;  // to look at to grow all trees; about a second
  const std::uint64_t roots = has_root(problem.collective) ? 1 : problem.ranks;
  // The result of these collectives is not cut at ranks.
  const bool anywhere = has_root(problem.collective) || problem.collective == Collective::allreduce;
  return roots * trees * edges.edges().size() <= kMostEdges &&
         roots * blocks <= problem.elements() &&
         (anywhere || problem.elements() % (roots * blocks) == 0) &&
         roots * blocks * (problem.ranks - 1) <= kMostMessages;
}

// Trees that are packed when they are first needed.
class LazyPacking {
 public:
  LazyPacking(const Goal& goal, const TreeEdges& edges, const PackingChoices& choices)
      : goal_(goal), edges_(edges), choices_(choices) {}

  [[nodiscard]] const PackingChoices& choices() const { return choices_; }
  // Returns all trees of the first root, then those of the next one.
  [[nodiscard]] const std::vector<PackedTree>& trees() const {
    const std::scoped_lock lock(mutex_);
    if (!trees_) {
      std::vector<PackedTree> trees;
      const bool rooted = has_root(goal_.problem.collective);
      const std::uint32_t roots = rooted ? 1 : goal_.problem.ranks;
      const double block_bytes = static_cast<double>(goal_.problem.bytes) / roots / choices_.blocks;
      for (std::uint32_t root = 0; root < roots; ++root) {
        for (std::uint32_t tree = 0; tree < choices_.trees; ++tree) {
          trees.push_back({rooted ? goal_.problem.root : root,
                           block_bytes * (first_block(tree + 1) - first_block(tree)),
                           {}});
        }
      }
      trees_ =
          pack_trees(edges_, std::move(trees), choices_.depth_weight, SearchRandom(choices_.seed));
    }
    return *trees_;
  }
  // Returns the first block of a root's tree, counted from the root's first block.
  [[nodiscard]] std::uint32_t first_block(std::uint32_t tree) const {
    return tree * choices_.blocks / choices_.trees;
  }

 private:
  const Goal& goal_;
  const TreeEdges& edges_;
  PackingChoices choices_;
  mutable std::mutex mutex_;
  mutable std::optional<std::vector<PackedTree>> trees_;
};

class TreesDraft final : public Draft {
 public:
  TreesDraft(const Goal& goal, const TreeEdges& edges, std::shared_ptr<const LazyPacking> packing,
             std::uint32_t most_blocks)
      : goal_(goal), edges_(edges), packing_(std::move(packing)), most_blocks_(most_blocks) {}

  [[nodiscard]] Schedule schedule(Detail detail) const override {
    const PackingChoices& choices = packing_->choices();
    std::vector<PipelinedTree> trees;
    std::uint32_t number = 0;
    for (const PackedTree& tree : packing_->trees()) {
      const std::uint32_t root = number / choices.trees;
      const std::uint32_t of_root = number % choices.trees;
      trees.push_back({&tree, root * choices.blocks + packing_->first_block(of_root),
                       root * choices.blocks + packing_->first_block(of_root + 1)});
      ++number;
    }
    const std::uint32_t blocks = number / choices.trees * choices.blocks;
    const PipelineSetup setup{goal_.machine->setup.ports,
                              static_cast<double>(goal_.problem.bytes) / blocks, most_blocks_};
    return schedule_of(goal_.problem, blocks, pipeline(edges_, trees, setup), detail);
  }

  [[nodiscard]] std::string in_words() const override {
    std::uint32_t deepest = 0;
    for (const PackedTree& tree : packing_->trees()) {
      deepest = std::max(deepest, std::ranges::max(depths(edges_, tree)));
    }
    const PackingChoices& choices = packing_->choices();
    return fmt::format("{} from {}, {} along them, at most {} in a message, depth at most {}",
                       counted(choices.trees, "tree"),
                       has_root(goal_.problem.collective) ? "the root" : "each rank",
                       counted(choices.blocks, "block"), counted(most_blocks_, "block"), deepest);
  }

  [[nodiscard]] std::unique_ptr<const Draft> neighbour(SearchRandom& random) const override {
    PackingChoices choices = packing_->choices();
    std::uint32_t most_blocks = most_blocks_;
    switch (random.below(6)) {
      case 0:
        choices.trees = std::max(1U, random.below(2) == 0 ? choices.trees + 1 : choices.trees - 1);
        choices.blocks = std::max(choices.blocks, choices.trees);
        break;
      case 1:
        choices.blocks += random.below(2) == 0 ? choices.trees : choices.blocks;
        break;
      case 2:
        choices.blocks = std::max(choices.blocks / 2, choices.trees);
        break;
      case 3:
        choices.depth_weight *= 0.25 + 2 * random.fraction();
        break;
      case 4:
        most_blocks = random.below(2) == 0 ? most_blocks * 2 : std::max(most_blocks / 2, 1U);
        break;
      default:
        break;  // only the seed
    }
    if (!is_possible(goal_.problem, edges_, choices.trees, choices.blocks)) {
      choices = packing_->choices();
    }
    const std::uint64_t seed = random.below(0xffffffffU);
    if (most_blocks != most_blocks_) {
      return std::make_unique<TreesDraft>(goal_, edges_, packing_, most_blocks);
    }
    choices.seed = seed;
    return std::make_unique<TreesDraft>(
        goal_, edges_, std::make_shared<LazyPacking>(goal_, edges_, choices), most_blocks);
  }

 private:
  const Goal& goal_;
  const TreeEdges& edges_;
  std::shared_ptr<const LazyPacking> packing_;
  std::uint32_t most_blocks_;
};

class TreesFamily final : public Family {
 public:
  explicit TreesFamily(const Goal& goal) : goal_(goal) {
    constexpr std::uint32_t kMostRanks = 256;  // all triples of ranks are looked at
    if (can_be_transfers(goal.problem) && goal.problem.ranks <= kMostRanks) {
      edges_ = std::make_unique<TreeEdges>(goal);
    }
  }

  [[nodiscard]] std::string_view name() const override { return "trees"; }

  [[nodiscard]] Drafts propose(SearchRandom& random) const override {
    Drafts made;
    if (!edges_) {
      return made;
    }
    for (const auto& [trees, blocks] : shapes()) {
      for (const double depth_weight : {has_root(goal_.problem.collective) ? 0.01 : 1.0, 0.1}) {
        const PackingChoices choices{trees, blocks, depth_weight, random.below(0xffffffffU)};
        made.push_back(std::make_unique<TreesDraft>(
            goal_, *edges_, std::make_shared<LazyPacking>(goal_, *edges_, choices), 1));
      }
    }
    return made;
  }

 private:
  // Returns numbers of trees and blocks of a root.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> shapes() const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    using Shapes = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    const Shapes wanted =
        has_root(goal_.problem.collective)
            ? Shapes{{3, 128}, {16, 128}, {32, 128}, {64, 512}, {8, 32}, {6, 12}, {2, 32}, {1, 8}}
            : Shapes{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {6, 6}, {1, 2}, {2, 4}, {4, 8}, {6, 12}};
    for (const auto& [trees, blocks] : wanted) {
      if (is_possible(goal_.problem, *edges_, trees, blocks)) {
        found.emplace_back(trees, blocks);
      }
    }
    return found;
  }

  const Goal& goal_;
  std::unique_ptr<TreeEdges> edges_;
};

}  // namespace

std::unique_ptr<Family> trees_family(const Goal& goal) {
  return std::make_unique<TreesFamily>(goal);
}

}}  // namespace tutti::search
