// Tests the simulation of one rank for each class of equivalent ranks, on tori, fat trees and
// dragonflies. The times of the simulated rank must be those of each rank of its class in a run of
// all ranks. Ranks that are not equivalent must be refused.
#include "sim/symmetry/platform_symmetry.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cluster_file.hpp"
#include "schedules/rank_part.hpp"
#include "schedules/registry.hpp"
#include "tests/platforms/random_clusters.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/sim/flow_platforms.hpp"
#include "tests/sim/random_schedule.hpp"
#include "tests/sim/simgrid_cells.hpp"
#include "tests/sim/torus_network.hpp"

namespace tutti::test_platform_symmetry {

namespace {

constexpr LinkFigures kLink{.latency_s = 0.53e-6, .bandwidth_bytes_per_s = 1.07e9};
constexpr NodeFigures kNode{.speed_flops_per_s = 0.41e9, .cores = 1, .loopback = {}};

FlowPlatform torus(std::vector<std::uint32_t> dims) {
  Torus torus;
  torus.dims = std::move(dims);
  torus.link = kLink;
  torus.node = kNode;
  return {fmt::format("torus_{}", fmt::join(torus.dims, "x")), to_xml(torus), 1};
}

FlowPlatform fat_tree(std::vector<std::uint32_t> down, std::vector<std::uint32_t> up) {
  FatTree tree;
  tree.cables.assign(down.size(), 1);
  tree.down = std::move(down);
  tree.up = std::move(up);
  tree.link = kLink;
  tree.node = kNode;
  return {fmt::format("tree_{}", fmt::join(tree.down, "x")), to_xml(tree), 1};
}

FlowPlatform dragonfly(std::uint32_t groups, std::uint32_t routers, std::uint32_t nodes) {
  Dragonfly dragonfly;
  dragonfly.groups = groups;
  dragonfly.chassis = 1;
  dragonfly.routers = routers;
  dragonfly.nodes = nodes;
  dragonfly.link = kLink;
  dragonfly.node = kNode;
  return {fmt::format("dragonfly_{}_{}_{}", groups, routers, nodes), to_xml(dragonfly), 1};
}

// Returns the symmetric schedule of an algorithm. Its ranks are divided into classes later, because
// the classes depend on the platform. Returns nothing if the algorithm is not symmetric.
std::optional<SymmetricSchedule> symmetric(const Algorithm& algorithm, const Problem& problem) {
  const RankSymmetry symmetry = symmetry_of(algorithm, problem);
  if (!symmetry.symmetry) {
    return std::nullopt;
  }
  const auto one = make_rank_part(algorithm, problem, symmetry, 1U << 20U);
  if (!one) {
    return std::nullopt;
  }
  return SymmetricSchedule{problem.ranks, *symmetry.symmetry, distances(*one),
                           [&](const RankClasses& classes, std::uint32_t most_rounds) {
                             return emit_part(algorithm, problem, {classes}, most_rounds);
                           }};
}

// Returns a description of the first operation of `whole` whose times differ from those of the
// operation of `part` that represents it; "" if there is none.
std::string time_difference(const Schedule& whole, const Timeline& of_whole, const RankPart& part,
                            const Timeline& of_part) {
  std::vector<std::vector<OpId>> of_class(part.classes.count());
  for (OpId id = 0; id < part.schedule.size(); ++id) {
    of_class[part.schedule.op(id).src()].push_back(id);
  }
  const double allowed_s = 1e-9 * of_whole.total_s;
  const auto same = [allowed_s](double x, double y) { return std::abs(x - y) <= allowed_s; };
  if (!same(of_part.total_s, of_whole.total_s)) {
    return fmt::format("the total times differ: {:.17g} s and {:.17g} s", of_part.total_s,
                       of_whole.total_s);
  }
  if (part.schedule.size() * std::uint64_t{part.stands_for()} != whole.size()) {
    return "a different number of operations";
  }
  std::vector<std::size_t> position(whole.ranks(), 0);
  for (OpId id = 0; id < whole.size(); ++id) {
    const Rank rank = whole.op(id).src();
    const OpId own = of_class[part.classes.class_of(rank)][position[rank]++];
    if (!same(of_part.start_s[own], of_whole.start_s[id]) ||
        !same(of_part.end_s[own], of_whole.end_s[id])) {
      return fmt::format(
          "operation {}, for operation {} of the whole: {:.17g} to {:.17g} s, but in the whole run "
          "{:.17g} to {:.17g} s",
          own, id, of_part.start_s[own], of_part.end_s[own], of_whole.start_s[id],
          of_whole.end_s[id]);
    }
  }
  return {};
}

struct Cell {
  const Algorithm* algorithm;
  Problem problem;
};

// Returns a cell for each algorithm and each number of ranks on which the algorithm is symmetric.
std::vector<Cell> cells_for(const std::vector<std::uint32_t>& rank_counts,
                            std::uint64_t elements_per_rank) {
  std::vector<Cell> cells;
  for (const Algorithm* algorithm : algorithms()) {
    for (const std::uint32_t ranks : rank_counts) {
      const Problem problem = problem_of(*algorithm, ranks, elements_per_rank * ranks);
      if (symmetry_of(*algorithm, problem).symmetry && !refuses(*algorithm, problem)) {
        cells.push_back({algorithm, problem});
      }
    }
  }
  return cells;
}

std::string named(const Cell& cell) {
  return fmt::format("{} p={}", cell.algorithm->full_name(), cell.problem.ranks);
}

// Compares a run of one rank per class with a run of all ranks. Returns "N classes" if they agree,
// and otherwise an error that begins with "wrong".
std::string compared(const Cell& cell, const RankPart& part, const Timeline& of_part,
                     const Schedule& whole, const Timeline& of_whole) {
  std::string wrong = time_difference(whole, of_whole, part, of_part);
  if (wrong.empty() && part.whole_dependencies != whole.dependencies()) {
    wrong = fmt::format("{} dependencies, not {}", part.whole_dependencies, whole.dependencies());
  }
  return wrong.empty() ? fmt::format("{} classes", part.classes.count())
                       : fmt::format("wrong: {}: {}", named(cell), wrong);
}

// Runs each algorithm on the platform with one rank per class and with all ranks. Returns a line
// with the number of classes for each cell that has equivalent ranks.
std::vector<std::string> check_platform(const FlowPlatform& platform,
                                        const std::vector<std::uint32_t>& rank_counts,
                                        const std::string& network_model = "hockney") {
  const std::vector<Cell> cells = cells_for(rank_counts, 1000);
  const PlatformFile file("symmetry_" + platform.name, platform.xml);
  SimGridConfig config;
  config.platform.file = file.path();
  config.network_model = network_model;
  config.ranks_per_host = platform.ranks_per_host;
  PlatformProcess process(config, [&](const std::string& request, const LoadedPlatform& loaded) {
    const Cell& cell = cells[std::stoul(request)];
    const auto schedule = symmetric(*cell.algorithm, cell.problem);
    const auto run = loaded.simulate_symmetric(schedule.value(), {});
    if (!run) {
      return std::string();
    }
    const Schedule whole = make_schedule(*cell.algorithm, cell.problem, Detail::times_only);
    return compared(cell, run->part, run->result.timeline, whole,
                    loaded.simulate(whole, {}, Simulator::flow).timeline);
  });
  std::vector<std::string> used;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string answer = process.run(std::to_string(i));
    INFO(platform.name << ": " << answer);
    CHECK(!answer.starts_with("wrong"));
    if (!answer.empty()) {
      used.push_back(fmt::format("{}: {}", named(cells[i]), answer));
    }
  }
  return used;
}

bool holds(const std::vector<std::string>& used, const std::string& line) {
  return std::find(used.begin(), used.end(), line) != used.end();
}

// A torus that needs no SimGrid, and the placement of ranks on it.
struct PlacedTorus {
  TorusNetwork::Shape shape;
  std::uint32_t ranks_per_host = 1;
  Placement placement = Placement::block;
};

std::vector<std::uint32_t> hosts_of(const PlacedTorus& placed, std::uint32_t ranks) {
  std::vector<std::uint32_t> hosts;
  for (Rank rank = 0; rank < ranks; ++rank) {
    hosts.push_back(placed.placement == Placement::block ? rank / placed.ranks_per_host
                                                         : rank % (ranks / placed.ranks_per_host));
  }
  return hosts;
}

std::string check_cell(const PlacedTorus& placed, const Cell& cell, std::uint32_t ports = 1) {
  TorusNetwork network(placed.shape);
  FlowSetup setup;
  setup.copy_s_per_byte = 0.7e-10;
  setup.host_of_rank = hosts_of(placed, cell.problem.ranks);
  const auto schedule = symmetric(*cell.algorithm, cell.problem);
  const RunSetup run_setup{ports};
  const auto run = run_symmetric(schedule.value(), network, setup, run_setup);
  if (!run) {
    return {};
  }
  const Schedule whole = make_schedule(*cell.algorithm, cell.problem, Detail::times_only);
  TorusNetwork again(placed.shape);
  FlowEngine engine(again, setup);
  const Timeline all = engine.run(whole, run_setup);
  return compared(cell, run->part, run->timeline, whole, all);
}

std::size_t check_shape(const PlacedTorus& placed, const std::vector<std::uint32_t>& rank_counts) {
  std::size_t used = 0;
  for (const Cell& cell : cells_for(rank_counts, 1000)) {
    const std::string answer = check_cell(placed, cell);
    INFO(named(cell) << ": " << answer);
    CHECK(!answer.starts_with("wrong"));
    used += answer.empty() ? 0 : 1;
  }
  return used;
}

// A network in which each message uses a single link, that of its sender. Several senders may use
// the same link.
class UplinkNetwork final : public Network {
 public:
  explicit UplinkNetwork(std::vector<std::uint32_t> link_of_host)
      : link_of_host_(std::move(link_of_host)) {
    links_.assign(link_of_host_.size(), {1e9, false});
    figures_.alone_bytes_per_s = 1e9;
  }
  [[nodiscard]] NetworkHost host(std::uint32_t) const override { return {1e9, 1}; }
  [[nodiscard]] std::uint32_t hosts() const override {
    return static_cast<std::uint32_t>(link_of_host_.size());
  }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return std::to_string(link);
  }

 private:
  [[nodiscard]] NetworkRoute find_route(std::uint32_t from, std::uint32_t) override {
    hop_ = Hop(link_of_host_[from], 1, 0);
    return {&figures_, {&hop_, 1}};
  }

  std::vector<std::uint32_t> link_of_host_;
  RouteFigures figures_;
  Hop hop_;
};

std::optional<RankClasses> classes_on(Network& network, const Cell& cell) {
  const auto schedule = symmetric(*cell.algorithm, cell.problem);
  auto found = platform_classes(network, hosts_of({}, cell.problem.ranks), cell.problem.ranks,
                                schedule->symmetry, schedule->distances);
  return found ? std::optional(found->ranks) : std::nullopt;
}

Cell cell_of(const char* algorithm, std::uint32_t ranks) {
  const Algorithm& named = algorithm_named(algorithm);
  return {&named, problem_of(named.collective, ranks, 1000 * ranks)};
}

// emit_planted() emits a ring that is declared to be symmetric. If `planted` is not `none`, the
// ring is not symmetric, because in the second round, rank kOdd sends a smaller message, sends to
// another rank, or does not wait for its previous message.
constexpr Rank kOdd = 5;
enum class Fault : std::uint8_t { none, size, peer, order };
Fault planted = Fault::none;

void emit_planted(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  std::vector<OpId> last(p, kNoOp);
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (const Rank rank : builder.emitted_ranks()) {
      const bool odd = rank == kOdd && round == 1;
      const std::uint32_t block = odd && planted == Fault::size ? 1 : 0;
      const Rank to = (rank + (odd && planted == Fault::peer ? 2 : 1)) % p;
      const std::size_t own = builder.takes_part() ? builder.classes().class_of(rank) : rank;
      const OpId after = odd && planted == Fault::order ? kNoOp : last[own];
      last[own] =
          builder.comm({round}, rank, to, {{block, 1}, kInput, kScratch}, std::array{after});
    }
  }
}

constexpr Algorithm kPlanted{
    .collective = Collective::allreduce,
    .name = "planted",
    .idea = {},
    .source = {},
    .cost = {},
    .layout =
        [](const Problem& problem) {
          const std::uint64_t elements = problem.elements();
          return BlockLayout::irregular({elements / 2 + 1, elements - elements / 2 - 1},
                                        problem.element_bytes);
        },
    .symmetry = rotation,
    .emit = emit_planted,
};

}  // namespace

TEST_CASE("one rank of each class represents all: tori") {
  const auto plane = check_platform(torus({4, 4}), {16});
  CHECK(holds(plane, "allreduce/ring p=16: 4 classes"));
  const auto odd = check_platform(torus({4, 3}), {12});
  CHECK(holds(odd, "alltoall/pairwise p=12: 4 classes"));
  CHECK(odd.size() > 10);
  CHECK(holds(check_platform(torus({3, 3, 3}), {27}), "allgather/bruck p=27: 9 classes"));
}

TEST_CASE("one rank of each class represents all: fat trees") {
  const auto used = check_platform(fat_tree({4, 8}, {1, 2}), {16, 32});
  CHECK(holds(used, "alltoall/pairwise p=32: 4 classes"));
  CHECK(holds(used, "allreduce/rabenseifner p=32: 1 classes"));
  const auto three = check_platform(fat_tree({4, 4, 4}, {1, 2, 2}), {64});
  CHECK(holds(three, "allgather/ring p=64: 16 classes"));
  CHECK(holds(three, "alltoall/pairwise_exchange p=64: 1 classes"));
}

TEST_CASE("one rank of each class represents all: dragonflies") {
  // If groups of the dragonfly are exchanged, the routers that lead to these groups are exchanged
  // too.
  const auto used = check_platform(dragonfly(4, 4, 2), {8, 32});
  CHECK(holds(used, "allreduce/recursive_doubling p=32: 4 classes"));
  CHECK(holds(used, "allreduce/ring p=8: 2 classes"));
}

TEST_CASE("one rank of each class represents all: with acknowledgements and windows") {
  CHECK(check_platform(torus({4, 3}), {12}, "lv08").size() > 10);
  CHECK(check_platform(fat_tree({4, 8}, {1, 2}), {32}, "lv08").size() > 10);
}

TEST_CASE("one rank of each class represents all: many shapes", "[slow]") {
  CHECK(check_platform(torus({9, 7}), {63}).size() > 10);
  CHECK(check_platform(torus({5, 5, 5}), {25, 125}).size() > 10);
  CHECK(check_platform(torus({32, 32}), {1024}).size() > 2);
  CHECK(check_platform(fat_tree({16, 8}, {1, 4}), {64, 128}).size() > 10);
  CHECK(check_platform(fat_tree({8, 8, 8}, {1, 4, 4}), {64, 512}).size() > 10);
  CHECK(check_platform(dragonfly(8, 8, 4), {64, 256}).size() > 10);
  CHECK(check_platform(dragonfly(8, 8, 4), {256}, "lv08").size() > 5);
}

TEST_CASE("one rank of each class represents all: every algorithm on equivalent routes") {
  CHECK(check_shape({{{4, 4}}}, {16}) > 15);
  CHECK(check_shape({{{5, 3}}}, {15}) > 10);
  CHECK(check_shape({{{2, 4, 2}}}, {16}) > 15);
  CHECK(check_shape({{.dims = {6, 2}, .acknowledged = true, .by_bandwidth = true}}, {12}) > 10);
  // Each flow shares the backbone with all flows that are equivalent to it.
  CHECK(check_shape({{.dims = {4, 4}, .backbone = true}}, {16}) > 15);
  CHECK(check_shape({{.dims = {12}, .backbone = true}}, {12}) > 10);
}

TEST_CASE("one rank of each class represents all: schedules in which only nodes are equivalent") {
  const Algorithm& rings = algorithm_named("allreduce/nccl_ring");
  const auto classes = [&](const TorusNetwork::Shape& shape, RingOrder order) {
    Problem problem = problem_of(rings.collective, 32, 32 * 4 * 16);
    problem.ranks_per_node = 4;
    problem.ring_order = order;
    problem.channels = 1;  // reductions of several channels wait for the rank's core
    return check_cell({shape}, {&rings, problem}, kUnlimitedPorts);
  };
  // The rows of the torus are the nodes.
  CHECK(classes({{4, 8}}, RingOrder::own) == "4 classes");
  CHECK(classes({{4, 8}}, RingOrder::paired) == "4 classes");
  CHECK(classes({{4, 8}}, RingOrder::crossed) == "8 classes");
  // A row has two nodes, and its first and last node are further apart than on the ring.
  CHECK(classes({{8, 4}}, RingOrder::own) == "8 classes");
}

TEST_CASE("one rank of each class represents all: several ranks to a host") {
  PlacedTorus placed{{.dims = {4, 3}, .cores = 2, .loopback = true}, 2};
  CHECK(check_shape(placed, {24}) > 10);
  placed.shape.cores = 1;  // both ranks of a host now share its core
  CHECK(check_shape(placed, {24}) > 10);
  placed.placement = Placement::cyclic;
  // Both ranks of a host are in the same class, and they share a core, so that one cannot represent
  // both.
  CHECK(check_cell(placed, cell_of("allreduce/ring", 24)).empty());
  placed.shape.cores = 2;
  CHECK(check_cell(placed, cell_of("allreduce/ring", 24)) == "4 classes");
}

TEST_CASE("pairwise rounds that repeat for one rank of each class are left out exactly") {
  const auto total_s = [](Network& network, const Cell& cell, bool leaves_out, std::size_t& cuts) {
    SymmetricSchedule schedule = *symmetric(*cell.algorithm, cell.problem);
    schedule.leaves_out_rounds = leaves_out;
    schedule.rounds_need_others_alike = true;
    FlowSetup setup;
    setup.host_of_rank = hosts_of({}, cell.problem.ranks);
    const auto run = run_symmetric(schedule, network, setup, {1});
    REQUIRE(run);
    cuts += run->part.schedule.repeated().empty() ? 0 : 1;
    return run->timeline.total_s;
  };
  std::size_t cuts = 0;
  std::size_t none = 0;
  const std::vector<std::pair<FlowPlatform, std::uint32_t>> trees{
      {fat_tree({4, 24}, {1, 2}), 96},
      {fat_tree({3, 21}, {1, 3}), 63},
      {fat_tree({4, 2, 20}, {1, 2, 2}), 160}};
  for (const auto& [tree, ranks] : trees) {
    for (const char* name : {"alltoall/pairwise", "alltoallv/pairwise", "reduce_scatter/pairwise",
                             "reduce_scatter_block/pairwise"}) {
      const Cell cell = cell_of(name, ranks);
      INFO(named(cell));
      const auto platform = read_cluster_text(tree.xml, "tree.xml");
      const auto network = platform->network(ranks, "hockney");
      const double whole_s = total_s(*network, cell, false, none);
      CHECK(total_s(*network, cell, true, cuts) == Approx(whole_s).epsilon(1e-12).margin(0));
    }
  }
  CHECK(cuts > 6);
  CHECK(none == 0);
}

namespace {

// Compares runs of one rank per class, without rounds that repeat, with runs of all ranks, on
// random clusters. Some clusters have a link or a host that differs from all others. Returns the
// number of runs in which one rank represented others.
int compare_on_random_clusters(std::uint32_t clusters) {
  int used = 0;
  INFO("TUTTI_TEST_SEED=" << test_seed());
  for (std::uint32_t i = 0; i < clusters; ++i) {
    random_clusters::Random random(test_seed() + i);
    const ClusterPlatform platform =
        random_clusters::random_cluster(random, i % random_clusters::kKindsOfClusters);
    const std::uint32_t ranks = platform.host_count();
    if (ranks < 2) {
      continue;
    }
    const std::vector<Cell> cells = cells_for({ranks}, random(0, 1) == 0 ? 1 : 3000);
    const Cell& cell = cells[random(0, static_cast<std::uint32_t>(cells.size()) - 1)];
    SymmetricSchedule schedule = *symmetric(*cell.algorithm, cell.problem);
    schedule.leaves_out_rounds =
        cell.algorithm->has_alike_rounds || cell.algorithm->has_alike_rounds_in_part;
    schedule.rounds_need_others_alike = cell.algorithm->has_alike_rounds_in_part;
    FlowSetup setup;
    setup.copy_s_per_byte = 0.7e-10;
    setup.host_of_rank = hosts_of({}, ranks);
    const RunSetup run_setup{random(0, 2)};
    const auto network = platform.network(ranks, random(0, 1) == 0 ? "hockney" : "lv08");
    const auto run = run_symmetric(schedule, *network, setup, run_setup);
    if (!run) {
      continue;
    }
    ++used;
    const Schedule whole = make_schedule(*cell.algorithm, cell.problem, Detail::times_only);
    FlowEngine engine(*network, setup);
    INFO("platform " << i << ", " << named(cell) << ", " << run->part.classes.count()
                     << " classes");
    CHECK(run->timeline.total_s ==
          Approx(engine.run(whole, run_setup).total_s).epsilon(1e-12).margin(0));
  }
  return used;
}

}  // namespace

TEST_CASE("one rank of each class represents all: random clusters") {
  CHECK(compare_on_random_clusters(300) > 100);
}

TEST_CASE("one rank of each class represents all: many random clusters", "[slow]") {
  CHECK(compare_on_random_clusters(5000) > 2000);
}

TEST_CASE("other ranks of a class are alike only if the way to all of them is") {
  const auto alike = [](const FlowPlatform& made, std::uint32_t ranks) {
    const auto platform = read_cluster_text(made.xml, "made.xml");
    const auto network = platform->network(ranks, "hockney");
    const Cell cell = cell_of("alltoall/pairwise", ranks);
    const auto schedule = symmetric(*cell.algorithm, cell.problem);
    const std::vector<std::uint32_t> hosts = hosts_of({}, ranks);
    auto found = platform_classes(*network, hosts, ranks, schedule->symmetry, schedule->distances);
    REQUIRE(found);
    return others_alike(*network, hosts, *found);
  };
  CHECK(alike(fat_tree({4, 8}, {1, 2}), 32));
  // The ways to hosts further away on a ring are longer.
  CHECK_FALSE(alike(torus({3, 3}), 9));
  CHECK_FALSE(alike(torus({9}), 9));
}

TEST_CASE("classes of ranks are the largest valid ones") {
  const auto count = [](std::vector<std::uint32_t> dims, const Cell& cell) {
    TorusNetwork network({.dims = std::move(dims)});
    const auto classes = classes_on(network, cell);
    return classes ? classes->count() : cell.problem.ranks;
  };
  CHECK(count({12}, cell_of("allreduce/ring", 12)) == 1);
  CHECK(count({6, 2}, cell_of("allreduce/ring", 12)) == 6);
  CHECK(count({4, 4}, cell_of("allgather/ring", 16)) == 4);
  // Two ranks are equivalent if they differ by an xor with 2, 8 or 10: only in bits 1 and 3.
  CHECK(count({4, 4}, cell_of("allreduce/recursive_doubling", 16)) == 4);
  CHECK(count({2, 2, 2}, cell_of("allreduce/recursive_doubling", 8)) == 1);
}

TEST_CASE("ranks that are not equivalent are refused") {
  const auto refused = [](const Cell& cell, auto&& change) {
    TorusNetwork alike({.dims = {4, 4}});
    CHECK(classes_on(alike, cell));
    TorusNetwork network({.dims = {4, 4}});
    change(network);
    CHECK_FALSE(classes_on(network, cell));
  };
  for (const char* algorithm :
       {"allgather/ring", "alltoall/pairwise", "allreduce/recursive_doubling"}) {
    INFO(algorithm);
    const Cell cell = cell_of(algorithm, 16);
    // Changes, one at a time: a link of the last host, a link of another host, the speed of the
    // last host, the speed of another host, and the latency of a route.
    refused(cell, [](TorusNetwork& network) {
      network.slower_link[network.link(15, 0, true)] = 1 - 1e-15;
    });
    refused(cell,
            [](TorusNetwork& network) { network.slower_link[network.link(4, 0, true)] = 0.5; });
    refused(cell, [](TorusNetwork& network) { network.slower_host[15] = 0.99; });
    refused(cell, [](TorusNetwork& network) { network.slower_host[6] = 2; });
    refused(cell, [](TorusNetwork& network) { network.longer_route = {14, 15}; });
  }
  // A faster link also breaks the symmetry.
  refused(cell_of("allgather/ring", 16),
          [](TorusNetwork& network) { network.slower_link[network.link(0, 1, true)] = 2; });
  // All routes are equal, but `link_of_host` determines which messages share a link.
  const auto count = [](std::vector<std::uint32_t> link_of_host) {
    UplinkNetwork uplinks(std::move(link_of_host));
    const auto classes = classes_on(uplinks, cell_of("allgather/ring", 4));
    return classes ? classes->count() : 4;
  };
  CHECK(count({0, 1, 2, 3}) == 1);
  CHECK(count({0, 0, 1, 1}) == 2);
  CHECK(count({0, 1, 0, 1}) == 1);
  CHECK(count({0, 0, 1, 2}) == 4);
  CHECK(count({0, 1, 1, 1}) == 4);
  // A link that no message crosses may differ.
  TorusNetwork network({.dims = {4, 4}});
  network.slower_link[network.link(15, 0, false)] = 0.5;
  CHECK(classes_on(network, cell_of("allgather/ring", 16))->count() == 4);
}

TEST_CASE("a schedule that differs from its declared symmetry is refused") {
  const Problem problem = problem_of(Collective::allreduce, 16, 160);
  CHECK(make_rank_part(kPlanted, problem, {Symmetry::rotation, {}}, 1U << 17U));
  for (const Fault fault : {Fault::size, Fault::peer, Fault::order}) {
    planted = fault;
    INFO(static_cast<int>(fault));
    CHECK_FALSE(make_rank_part(kPlanted, problem, {Symmetry::rotation, {}}, 1U << 17U));
  }
  planted = Fault::none;
}

TEST_CASE("classes of rotated or exchanged ranks have the right members") {
  const RankClasses turned = RankClasses::turned(12, 4);
  CHECK(turned.size() == 3);
  CHECK(turned.class_of(11) == 3);
  CHECK(turned.first_of(11) == 3);
  // Two ranks of a class differ by an xor with 6, 9 or 15.
  const RankClasses exchanged = RankClasses::exchanged(16, std::vector<Rank>{6, 9, 15});
  CHECK(exchanged.size() == 4);
  for (Rank rank = 0; rank < 16; ++rank) {
    CHECK(exchanged.first_of(rank) == std::min({rank, rank ^ 6U, rank ^ 9U, rank ^ 15U}));
    CHECK(exchanged.class_of(rank) == exchanged.class_of(rank ^ 9U));
  }
  std::vector<Rank> firsts;
  ScheduleBuilder builder(problem_of(Collective::barrier, 16, 0), BlockLayout::even(0, 1, 8),
                          ClassPart{exchanged, 15});
  for (const Rank rank : builder.emitted_ranks()) {
    firsts.push_back(rank);
  }
  CHECK(firsts == std::vector<Rank>{15, 14, 13, 12});
}

}  // namespace tutti::test_platform_symmetry
