#include "src/search/phases.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>

#include "tests/src/search/goals.hpp"

using namespace tutti;

namespace {

constexpr std::uint32_t kSeed = 20261127;

// A tree of switches; hosts are its leaves. The link from node v to its parent has the number 2v,
// and the one back 2v + 1.
class TreeNetwork final : public Network {
 public:
  TreeNetwork(std::uint32_t hosts, std::vector<std::uint32_t> parents)
      : hosts_(hosts), parents_(std::move(parents)) {
    links_.assign(2 * parents_.size(), {1e9, false});
    figures_.latency_s = 1e-6;
    figures_.alone_bytes_per_s = 1e9;
  }
  [[nodiscard]] NetworkHost host(std::uint32_t) const override { return {1e9, 1}; }
  [[nodiscard]] std::uint32_t hosts() const override { return hosts_; }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return std::to_string(link);
  }

 private:
  // Hosts are the nodes 0 to hosts - 1; the root is the last node, and its own parent.
  [[nodiscard]] NetworkRoute find_route(std::uint32_t src, std::uint32_t dst) override {
    const auto path = [&](std::uint32_t node) {
      std::vector<std::uint32_t> nodes{node};
      while (parents_[nodes.back()] != nodes.back()) {
        nodes.push_back(parents_[nodes.back()]);
      }
      return nodes;
    };
    std::vector<std::uint32_t> up = path(src);
    std::vector<std::uint32_t> down = path(dst);
    while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
      up.pop_back();
      down.pop_back();
    }
    hops_now_.clear();
    for (std::size_t i = 0; i + 1 < up.size(); ++i) {
      hops_now_.emplace_back(2 * up[i], 1, 0);
    }
    for (std::size_t i = down.size() - 1; i-- > 0;) {
      hops_now_.emplace_back(2 * down[i] + 1, 1, 0);
    }
    return {&figures_, hops_now_};
  }

  std::uint32_t hosts_;
  std::vector<std::uint32_t> parents_;
  RouteFigures figures_;
  std::vector<Hop> hops_now_;
};

struct SwitchTree {
  Machine machine;
  Goal goal;

  SwitchTree(std::uint32_t hosts, std::uint32_t switches, std::mt19937& random) {
    std::vector<std::uint32_t> parents(hosts + switches);
    const std::uint32_t root = hosts + switches - 1;
    for (std::uint32_t node = 0; node < root; ++node) {
      const std::uint32_t first = std::max(node + 1, hosts);
      parents[node] = first + static_cast<std::uint32_t>(random() % (root - first + 1));
    }
    parents[root] = root;
    goal.network = std::make_shared<TreeNetwork>(hosts, std::move(parents));
    goal.machine = &machine;
    goal.problem = problem_of(Collective::alltoall, hosts, hosts);
    for (std::uint32_t host = 0; host < hosts; ++host) {
      goal.host_of_rank.push_back(host);
    }
  }
};

// Checks that each pair is in one phase, and that no rank or link has two messages in a phase.
void check_phases(const Goal& goal, const std::vector<Phase>& phases) {
  std::set<std::pair<Rank, Rank>> pairs;
  bool alone = true;
  for (const Phase& phase : phases) {
    std::set<Rank> senders;
    std::set<Rank> receivers;
    std::set<std::uint32_t> links;
    for (const Pair& pair : phase) {
      CHECK(pairs.emplace(pair.src, pair.dst).second);
      alone = alone && senders.insert(pair.src).second && receivers.insert(pair.dst).second;
      for (const Hop& hop :
           goal.network->route(goal.host_of_rank[pair.src], goal.host_of_rank[pair.dst]).hops) {
        alone = alone && links.insert(hop.link()).second;
      }
    }
  }
  const std::size_t ranks = goal.problem.ranks;
  CHECK(alone);
  CHECK(pairs.size() == ranks * (ranks - 1));
}

// The number of messages of the busiest link, counted from the routes.
std::size_t busiest_link(const Goal& goal) {
  std::map<std::uint32_t, std::size_t> messages;
  std::size_t most = 0;
  for (Rank src = 0; src < goal.problem.ranks; ++src) {
    for (Rank dst = 0; dst < goal.problem.ranks; ++dst) {
      if (src != dst) {
        for (const Hop& hop : goal.network->route(src, dst).hops) {
          most = std::max(most, ++messages[hop.link()]);
        }
      }
    }
  }
  return most;
}

}  // namespace

TEST_CASE("on a tree of switches, an all-to-all has as many phases as its busiest link messages") {
  std::mt19937 random(kSeed);
  for (int number = 0; number < 200; ++number) {
    const auto hosts = static_cast<std::uint32_t>(2 + random() % 23);
    const auto switches = static_cast<std::uint32_t>(1 + random() % 8);
    const SwitchTree tree(hosts, switches, random);
    const PhasePlanner planner(tree.goal);
    CAPTURE(number, hosts, switches);
    REQUIRE(planner.is_tree());
    const std::vector<Phase> phases = planner.on_tree();
    CHECK(phases.size() == busiest_link(tree.goal));
    CHECK(planner.busiest() == phases.size());
    check_phases(tree.goal, phases);
  }
}

TEST_CASE("greedy phases have no contention on any network") {
  for (const char* const platform : {"torus_64.xml", "ethernet_10g_64.xml", "crossbar_64.xml"}) {
    const TestGoal test(platform, Collective::alltoall, 20, 1 << 16U);
    const PhasePlanner planner(test.goal);
    SearchRandom random(kSeed);
    std::vector<float> preference(400);
    for (float& each : preference) {
      each = static_cast<float>(random.fraction());
    }
    const std::vector<Phase> phases = planner.greedy(preference);
    CAPTURE(platform);
    CHECK(phases.size() >= planner.busiest());
    CHECK(phases.size() <= 2 * planner.busiest());
    std::size_t messages = 0;
    for (const Phase& phase : phases) {
      messages += phase.size();
    }
    CHECK(messages == 20 * 19);
  }
}

TEST_CASE("a torus is not taken for a tree") {
  const TestGoal test("torus_64.xml", Collective::alltoall, 64, 1 << 16U);
  CHECK_FALSE(PhasePlanner(test.goal).is_tree());
}
