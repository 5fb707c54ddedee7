// Max-min sharing where weights are far apart: of a platform that SimGrid knows they are one over
// latencies, and a message within a rack may weigh a million times as much as one across an ocean.
#include <catch2/catch.hpp>

#include "schedules/algorithm.hpp"
#include "sim/flow/flow_engine.hpp"

using namespace tutti;

namespace {

constexpr std::uint32_t kHeavy = 2000;
constexpr std::uint32_t kPairs = kHeavy + 1;
constexpr double kNarrow = 1;  // bytes per second
constexpr double kWide = 1e9;

// Host i sends to host kPairs + i: over a narrow link of its own and then over a wide one that all
// share. The last one weighs little, and has no narrow link.
class Unequal final : public Network {
 public:
  Unequal() {
    links_.assign(kPairs + 1, {kNarrow, false, true});
    links_[kPairs].capacity_bytes_per_s = kWide;
    links_[kHeavy].capacity_bytes_per_s = 2 * kWide;
    figures_.resize(kPairs);
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      figures_[i].latency_s = 1;
      figures_[i].weight = i == kHeavy ? 1 : 1e6 / 3 + 0.1 * i;
      figures_[i].alone_bytes_per_s = i == kHeavy ? kWide : kNarrow;
    }
  }
  NetworkRoute route(std::uint32_t src, std::uint32_t) override {
    hops_[0] = Hop(src, 1, 0);
    hops_[1] = Hop(kPairs, 1, 0);
    return {&figures_[src], hops_};
  }
  NetworkHost host(std::uint32_t) const override { return {1e9, 1}; }
  std::uint32_t hosts() const override { return 2 * kPairs; }
  std::string link_name(std::uint32_t) const override { return {}; }

 private:
  std::vector<RouteFigures> figures_;
  Hop hops_[2];
};

constexpr Algorithm kAllAtOnce{
    .collective = Collective::allreduce,
    .name = "all_at_once",
    .idea = {},
    .source = {},
    .cost = {},
    .layout = one_block,
    .emit =
        [](const Problem&, ScheduleBuilder& builder) {
          for (Rank rank = 0; rank < kPairs; ++rank) {
            builder.comm({0}, rank, kPairs + rank, {{0, 1}, kInput, kScratch}, {});
          }
        },
};

}  // namespace

TEST_CASE("what thousands of heavy messages leave of a link is a light one's to the last digits") {
  Problem problem;
  problem.ranks = 2 * kPairs;
  problem.bytes = 8'000'000'000;
  const Schedule schedule = make_schedule(kAllAtOnce, problem, Detail::times_only);
  FlowSetup setup;
  for (std::uint32_t host = 0; host < 2 * kPairs; ++host) {
    setup.host_of_rank.push_back(host);
  }
  Unequal network;
  FlowEngine engine(network, setup);
  const Timeline timeline = engine.run(schedule, {});
  const auto bytes = static_cast<double>(problem.bytes);
  CHECK(timeline.end_s[kHeavy] == Approx(1 + bytes / (kWide - kHeavy * kNarrow)).epsilon(1e-12));
  CHECK(timeline.end_s[0] == Approx(1 + bytes / kNarrow).epsilon(1e-12));
}
