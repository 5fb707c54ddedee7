// Tests the precision of the rates that the flow engine computes, with weights and numbers of
// messages that are more extreme than on the platforms of this repository.
#include <catch2/catch.hpp>

#include <map>
#include <utility>
#include <vector>

#include "sim/flow/flow_engine.hpp"
#include "tests/schedules/hand_made.hpp"

namespace tutti::test_fair_share {

namespace {

// A network whose routes are set by the test.
class MadeUpNetwork final : public Network {
 public:
  explicit MadeUpNetwork(std::uint32_t hosts) : hosts_(hosts) {}

  std::uint32_t add_link(double capacity_bytes_per_s) {
    links_.push_back({capacity_bytes_per_s, false});
    return static_cast<std::uint32_t>(links_.size() - 1);
  }
  void add_route(std::uint32_t src, std::uint32_t dst, double weight,
                 const std::vector<std::uint32_t>& links) {
    RandomRoute& made = made_[{src, dst}];
    made.figures.weight = weight;
    for (const std::uint32_t link : links) {
      made.hops.emplace_back(link, 1, 0);
      made.figures.alone_bytes_per_s =
          std::min(made.figures.alone_bytes_per_s, links_[link].capacity_bytes_per_s);
    }
  }

  [[nodiscard]] NetworkHost host(std::uint32_t) const override { return {1, 1}; }
  [[nodiscard]] std::uint32_t hosts() const override { return hosts_; }
  [[nodiscard]] std::string link_name(std::uint32_t) const override { return {}; }

 private:
  [[nodiscard]] NetworkRoute find_route(std::uint32_t src, std::uint32_t dst) override {
    const RandomRoute& made = made_.at({src, dst});
    return {&made.figures, made.hops};
  }

  struct RandomRoute {
    RouteFigures figures;
    std::vector<Hop> hops;
  };

  std::uint32_t hosts_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, RandomRoute> made_;
};

Timeline run(MadeUpNetwork& network, const Schedule& schedule) {
  FlowSetup setup;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    setup.host_of_rank.push_back(rank);
  }
  return FlowEngine(network, setup).run(schedule, {kUnlimitedPorts});
}

}  // namespace

TEST_CASE("light messages get exactly what heavy ones leave, to the last digits") {
  // Each of nine heavy messages is limited by a narrow link that only this message uses. Two
  // messages of tiny weight share the bandwidth that remains on the wide link. With weights that
  // differ by a factor of 1e17, subtracting the heavy weights one by one from the sum of all
  // weights would leave no correct digit of the light weights.
  for (const double heavy : {1.0, 1e9, 1e13, 1e17}) {
    constexpr std::uint32_t kHeavy = 9;
    MadeUpNetwork network(2 * (kHeavy + 2));
    HandMadeSchedule made(network.hosts());
    const std::uint32_t wide = network.add_link(1000);
    for (std::uint32_t i = 0; i < kHeavy; ++i) {
      network.add_route(2 * i, 2 * i + 1, heavy * 10 / (i + 1), {wide, network.add_link(3)});
      made.comm(2 * i, 2 * i + 1, 24);
    }
    std::vector<OpId> light;
    for (std::uint32_t i = kHeavy; i < kHeavy + 2; ++i) {
      network.add_route(2 * i, 2 * i + 1, i - kHeavy + 1, {wide});
      light.push_back(made.comm(2 * i, 2 * i + 1, (i - kHeavy + 1) * 15));
    }
    const Timeline timeline = run(network, made.finish());
    INFO("weights " << heavy << " to 1");
    // The two light messages share the remaining rate of 1000 - 9 * 3 bytes/s: one gets a third of
    // it, the other two thirds.
    for (const OpId id : light) {
      CHECK(timeline.end_s[id] == Approx(15 / (973.0 / 3)).epsilon(1e-13));
    }
    CHECK(timeline.end_s[0] == Approx(8).epsilon(1e-13));
  }
}

TEST_CASE("a rate that changes a hundred thousand times loses no precision") {
  // One light message shares its link with heavy messages, which follow one after the other and
  // leave the light message almost no bandwidth. In the short gap between two heavy messages, the
  // light message uses the whole link.
  constexpr std::uint32_t kHeavy = 50000;
  constexpr double kWeight = 2e-4;
  constexpr double kBetweenS = 7e-6;
  MadeUpNetwork network(4);
  HandMadeSchedule made(4);
  const std::uint32_t link = network.add_link(1);
  network.add_route(0, 1, kWeight, {link});
  network.add_route(2, 3, 1, {link});
  network.add_route(3, 2, 1, {network.add_link(7 / kBetweenS)});
  const OpId light = made.comm(0, 1, 31);
  OpId before = made.comm(2, 3, 3);
  for (std::uint32_t i = 1; i < kHeavy; ++i) {
    before = made.comm(3, 2, 7, {before});
    before = made.comm(2, 3, 3, {before});
  }
  const Timeline timeline = run(network, made.finish());
  const double heavy_s = kHeavy * 3 * (1 + kWeight) + (kHeavy - 1) * kBetweenS;
  CHECK(timeline.end_s[before] == Approx(heavy_s).epsilon(1e-12));
  const double moved = kHeavy * 3 * kWeight + (kHeavy - 1) * kBetweenS;
  REQUIRE(moved < 31);
  CHECK(timeline.end_s[light] == Approx(heavy_s + 31 - moved).epsilon(1e-12));
}

}  // namespace tutti::test_fair_share
