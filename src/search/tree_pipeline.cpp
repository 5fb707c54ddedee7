#include "src/search/tree_pipeline.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "sim/engine.hpp"

namespace tutti { inline namespace search {

namespace {

// A block that waits at the source of an edge. The greatest goes first.
struct WaitingBlock {
  // Messages until the last block of the tree is everywhere, if the tree is alone.
  std::uint32_t remaining = 0;
  std::uint32_t below = 0;  // ranks that get the block through the edge
  std::uint32_t block = 0;
  std::uint32_t tree = 0;

  [[nodiscard]] auto key() const { return std::tuple(remaining, below, ~block); }
  friend bool operator<(const WaitingBlock& a, const WaitingBlock& b) { return a.key() < b.key(); }
};

class TreePipeline {
 public:
  TreePipeline(const TreeEdges& edges, const std::vector<PipelinedTree>& trees,
               const PipelineSetup& setup)
      : edges_(edges),
        routes_(edges.routes()),
        trees_(trees),
        setup_(setup),
        waiting_(edges.edges().size()),
        marked_(waiting_.size()),
        edges_of_link_(routes_.all_links()),
        load_(routes_.all_links()),
        sending_(edges.ranks()),
        receiving_(edges.ranks()) {
    std::vector<bool> used(waiting_.size());
    for (const PipelinedTree& each : trees_) {
      add_shape(*each.tree);
      for (const std::uint32_t edge : each.tree->edge) {
        if (edge != PackedTree::kNoEdge) {
          used[edge] = true;
        }
      }
    }
    for (std::uint32_t edge = 0; edge < used.size(); ++edge) {
      if (used[edge]) {
        for (const std::uint32_t link : links(edge)) {
          edges_of_link_[link].push_back(edge);
        }
      }
    }
  }

  std::vector<Transfer> run() {
    for (std::uint32_t tree = 0; tree < trees_.size(); ++tree) {
      for (std::uint32_t block = trees_[tree].first_block; block < trees_[tree].end_block;
           ++block) {
        arrive(tree, block, trees_[tree].tree->root);
      }
    }
    start(0);
    while (!ends_.empty()) {
      const double now_s = ends_.top().first;
      while (!ends_.empty() && ends_.top().first <= now_s * (1 + 1e-12)) {
        end(under_way_[ends_.top().second]);
        ends_.pop();
      }
      start(now_s);
    }
    return std::move(done_);
  }

 private:
  struct UnderWay {
    std::uint32_t edge = 0;
    std::vector<WaitingBlock> blocks;
  };
  struct Shape {
    std::vector<std::vector<std::uint32_t>> out;  // the tree's edges out of each rank
    std::vector<std::uint32_t> height;            // of each rank
    std::vector<std::uint32_t> below;             // ranks in the subtree of each rank
  };

  void add_shape(const PackedTree& tree) {
    Shape shape;
    shape.out.resize(edges_.ranks());
    shape.height.resize(edges_.ranks());
    shape.below.assign(edges_.ranks(), 1);
    const std::vector<std::uint32_t> depth = depths(edges_, tree);
    std::vector<Rank> order(edges_.ranks());
    for (Rank rank = 0; rank < edges_.ranks(); ++rank) {
      order[rank] = rank;
    }
    std::ranges::sort(order, std::greater<>(), [&](Rank rank) { return depth[rank]; });
    for (const Rank rank : order) {
      if (rank != tree.root) {
        const Rank parent = edges_.edges()[tree.edge[rank]].src;
        shape.out[parent].push_back(tree.edge[rank]);
        shape.height[parent] = std::max(shape.height[parent], shape.height[rank] + 1);
        shape.below[parent] += shape.below[rank];
      }
    }
    shapes_.push_back(std::move(shape));
  }

  [[nodiscard]] const RankRoute& route(std::uint32_t edge) const {
    return routes_.route(edges_.edges()[edge].src, edges_.edges()[edge].dst);
  }
  [[nodiscard]] std::span<const std::uint32_t> links(std::uint32_t edge) const {
    return routes_.links(route(edge));
  }

  void arrive(std::uint32_t tree, std::uint32_t block, Rank rank) {
    for (const std::uint32_t edge : shapes_[tree].out[rank]) {
      const Rank next = edges_.edges()[edge].dst;
      waiting_[edge].push({shapes_[tree].height[next] + trees_[tree].end_block - block,
                           shapes_[tree].below[next], block, tree});
      mark(edge);
    }
  }

  // Marks an edge on which a transfer may be able to start.
  void mark(std::uint32_t edge) {
    if (!waiting_[edge].empty() && !marked_[edge]) {
      marked_[edge] = true;
      to_try_.push_back(edge);
    }
  }

  [[nodiscard]] bool is_free(std::uint32_t edge) const {
    if (setup_.ports != kUnlimitedPorts && (sending_[edges_.edges()[edge].src] == setup_.ports ||
                                            receiving_[edges_.edges()[edge].dst] == setup_.ports)) {
      return false;
    }
    return std::ranges::all_of(links(edge), [&](std::uint32_t link) {
      return load_[link] + route(edge).bytes_per_s <= routes_.capacity(link) * (1 + 1e-9);
    });
  }
  void occupy(std::uint32_t edge, int sign) {
    sending_[edges_.edges()[edge].src] += static_cast<std::uint32_t>(sign);
    receiving_[edges_.edges()[edge].dst] += static_cast<std::uint32_t>(sign);
    for (const std::uint32_t link : links(edge)) {
      load_[link] += sign * route(edge).bytes_per_s;
    }
  }

  void start(double now_s) {
    std::vector<std::uint32_t> edges = std::exchange(to_try_, {});
    std::ranges::sort(edges, [&](std::uint32_t a, std::uint32_t b) {
      return waiting_[b].top() < waiting_[a].top();
    });
    for (const std::uint32_t edge : edges) {
      marked_[edge] = false;
      while (!waiting_[edge].empty() && is_free(edge)) {
        send(edge, now_s);
      }
    }
  }

  void send(std::uint32_t edge, double now_s) {
    UnderWay message{edge, {}};
    Transfer transfer{edges_.edges()[edge].src, edges_.edges()[edge].dst, {}, now_s, 0};
    while (!waiting_[edge].empty() && message.blocks.size() < setup_.most_blocks) {
      message.blocks.push_back(waiting_[edge].top());
      transfer.blocks.push_back(waiting_[edge].top().block);
      waiting_[edge].pop();
    }
    std::ranges::sort(transfer.blocks);
    occupy(edge, 1);
    const double bytes = setup_.block_bytes * static_cast<double>(message.blocks.size());
    transfer.end_s = now_s + route(edge).latency_s + bytes / route(edge).bytes_per_s;
    ends_.emplace(transfer.end_s, under_way_.size());
    under_way_.push_back(std::move(message));
    done_.push_back(std::move(transfer));
  }

  void end(const UnderWay& message) {
    occupy(message.edge, -1);
    const TreeEdges::Edge& ended = edges_.edges()[message.edge];
    for (const WaitingBlock& each : message.blocks) {
      arrive(each.tree, each.block, ended.dst);
    }
    if (setup_.ports != kUnlimitedPorts) {
      for (const std::uint32_t edge : edges_.out_of(ended.src)) {
        mark(edge);
      }
      for (const std::uint32_t edge : edges_.into(ended.dst)) {
        mark(edge);
      }
    }
    mark(message.edge);
    for (const std::uint32_t link : links(message.edge)) {
      for (const std::uint32_t edge : edges_of_link_[link]) {
        mark(edge);
      }
    }
  }

  const TreeEdges& edges_;
  const RankRoutes& routes_;
  const std::vector<PipelinedTree>& trees_;
  const PipelineSetup& setup_;
  std::vector<Shape> shapes_;                               // of each tree
  std::vector<std::priority_queue<WaitingBlock>> waiting_;  // for each edge
  std::vector<bool> marked_;                                // edges in to_try_
  std::vector<std::uint32_t> to_try_;
  std::vector<std::vector<std::uint32_t>> edges_of_link_;  // only edges of trees
  std::vector<double> load_;                               // of each link, in bytes per second
  std::vector<std::uint32_t> sending_;                     // messages of each rank
  std::vector<std::uint32_t> receiving_;
  std::vector<UnderWay> under_way_;
  std::vector<Transfer> done_;
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace

std::vector<std::uint32_t> depths(const TreeEdges& edges, const PackedTree& tree) {
  constexpr std::uint32_t kUnknownDepth = 0xffffffffU;
  std::vector<std::uint32_t> depth(edges.ranks(), kUnknownDepth);
  depth[tree.root] = 0;
  const std::function<std::uint32_t(Rank)> depth_of = [&](Rank rank) {
    if (depth[rank] == kUnknownDepth) {
      depth[rank] = depth_of(edges.edges()[tree.edge[rank]].src) + 1;
    }
    return depth[rank];
  };
  for (Rank rank = 0; rank < edges.ranks(); ++rank) {
    depth_of(rank);
  }
  return depth;
}

std::vector<Transfer> pipeline(const TreeEdges& edges, const std::vector<PipelinedTree>& trees,
                               const PipelineSetup& setup) {
  return TreePipeline(edges, trees, setup).run();
}

}}  // namespace tutti::search
