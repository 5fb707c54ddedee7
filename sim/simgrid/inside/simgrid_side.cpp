#include "sim/simgrid/simgrid_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "platforms/platform_files.hpp"
#include "platforms/simgrid/simgrid_network.hpp"
#include "platforms/simgrid/simgrid_platform.hpp"
#include "sim/simgrid/inside/simgrid_engine.hpp"
#include "sim/simgrid/simgrid_maker.hpp"

namespace tutti { inline namespace sim {

namespace {

// Up to this number of hosts, place() checks the routes of all pairs of hosts.
constexpr std::uint32_t kRoutesKnownUpToHosts = 64;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Applies the user's prices to a crossbar before it is made. Scaling the finished crossbar would
// not work if its values are 0.
PlatformSource priced(const SimGridConfig& config) {
  PlatformSource source = config.platform;
  if (source.file.empty()) {
    const PriceOverrides& prices = config.overrides;
    source.crossbar.latency_s = prices.alpha_s.value_or(source.crossbar.latency_s);
    if (prices.beta_s_per_byte && *prices.beta_s_per_byte > 0) {
      source.crossbar.bandwidth_bytes_per_s = 1 / *prices.beta_s_per_byte;
    }
    if (prices.gamma_s_per_byte && *prices.gamma_s_per_byte > 0) {
      source.crossbar.speed_flops_per_s = 1 / (*prices.gamma_s_per_byte * config.element_bytes);
    }
  }
  return source;
}

// Returns each pair of ranks between which the schedule sends, without duplicates.
std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_used(const Schedule& schedule) {
  std::vector<std::uint64_t> keys;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  const auto shrink = [&keys] {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  };
  std::size_t shrink_at = 1U << 20U;
  for (const Op& op : schedule.ops()) {
    const std::uint64_t key = std::uint64_t{op.src()} << 32U | op.dst();
    if (op.is_comm() && key != last) {
      keys.push_back(last = key);
      if (keys.size() == shrink_at) {
        shrink();
        shrink_at = std::max<std::size_t>(1U << 20U, 2 * keys.size());
      }
    }
  }
  shrink();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(keys.size());
  for (const std::uint64_t key : keys) {
    pairs.emplace_back(static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key));
  }
  return pairs;
}

class LoadedSide final : public SimGridSide {
 public:
  LoadedSide(const SimGridConfig& config, ParentLink& parent) : config_(config), parent_(&parent) {}

  void set_parent(ParentLink& parent) override { parent_ = &parent; }

  SimGridReport simulate(const Schedule& schedule, const RunSetup& setup, Simulator simulator,
                         std::span<double> start_s, std::span<double> end_s) override {
    return simulator == Simulator::flow ? simulate_flow(schedule, setup, start_s, end_s)
                                        : simulate_simgrid(schedule, setup, start_s, end_s);
  }

  std::optional<std::pair<SymmetricRun, SimGridReport>> simulate_symmetric(
      const SymmetricSchedule& schedule, const RunSetup& setup) override {
    RankPlacement& own = placed(schedule.ranks);
    SimGridReport report = report_of(own);
    const auto start = std::chrono::steady_clock::now();
    SimGridNetwork& network = network_of(own);
    auto run = run_symmetric(schedule, network, flow_setup(own), setup);
    if (!run) {
      return std::nullopt;
    }
    report.simulate_s = seconds_since(start);
    report.total_s = run->timeline.total_s;
    report.alone = std::move(run->alone);
    return std::pair(std::move(*run), std::move(report));
  }

  [[nodiscard]] SimGridReport describe(std::uint32_t ranks) override {
    return report_of(placed(ranks));
  }

  [[nodiscard]] SimGridRoutes routes(std::uint32_t ranks) override {
    RankPlacement& own = placed(ranks);
    SimGridNetwork& network = network_of(own);
    SimGridRoutes result;
    result.host_of_rank = own.hosts.number_of_rank_host;
    std::vector<std::uint32_t> ranks_of_host(network.hosts());
    std::vector<std::uint32_t> numbers(network.hosts());
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t host = network.host_of_rank()[rank];
      ++ranks_of_host[host];
      numbers[host] = result.host_of_rank[rank];
    }
    std::vector<bool> has_own_route;
    for (const std::uint32_t count : ranks_of_host) {
      has_own_route.push_back(count > 1);
    }
    auto routes = route_set_of(
        network, [&](std::uint32_t from, std::uint32_t to) { return network.route_once(from, to); },
        has_own_route, kMostRouteBytes);
    if (!routes) {
      throw UserError(fmt::format(
          "{}: the routes between {} hosts need more than {}; use fewer hosts, or a platform that "
          "'tutti platform' wrote",
          config_.platform.file, human_count(network.hosts()), human_bytes(kMostRouteBytes)));
    }
    result.routes = *std::move(routes);
    result.routes.numbers = std::move(numbers);
    const SimGridReport report = report_of(own);
    result.facts = report.facts;
    result.load_s = report.load_s;
    result.flops_per_byte = own.hosts.flops_per_byte;
    result.free_transfers = own.hosts.free_transfers;
    return result;
  }

  [[nodiscard]] std::vector<std::string> host_names() const override {
    return platform_.host_names();
  }

 private:
  // The hosts of ranks, and the routes between these hosts that the flow engine has requested.
  struct RankPlacement {
    RankHosts hosts;
    double place_s = 0;  // wall-clock time to place the ranks and to look at their routes
    std::unique_ptr<SimGridNetwork> network;
  };

  // Returns the hosts and routes for a number of ranks. Caches the hosts and routes for at most
  // kMost different numbers of ranks.
  RankPlacement& placed(std::uint32_t ranks) {
    constexpr std::size_t kMost = 32;
    const auto known = placed_.find(ranks);
    if (known != placed_.end()) {
      return known->second;
    }
    // The user's prices and changes have modified the links, so ranks cannot be placed once more.
    TUTTI_INVARIANT(placed_.empty() || (!config_.overrides.any() && !config_.changes.of_network()));
    if (placed_.size() == kMost) {
      placed_.clear();
    }
    const auto start = std::chrono::steady_clock::now();
    RankPlacement& place = placed_[ranks];
    place.hosts = platform_.place(
        {ranks, config_.ranks_per_host, config_.placement, config_.hosts_per_switch,
         config_.place_at_switch, config_.host_of_rank},
        config_.overrides, config_.element_bytes, config_.changes, config_.known_as.get());
    place.place_s = seconds_since(start);
    return place;
  }

  SimGridReport simulate_simgrid(const Schedule& schedule, const RunSetup& setup,
                                 std::span<double> start_s, std::span<double> end_s) {
    const RankPlacement& own = placed(schedule.ranks());
    const RankHosts& hosts = own.hosts;
    if (hosts.facts.hosts_used > kRoutesKnownUpToHosts) {
      platform_.check_routes(hosts, pairs_used(schedule));
    }
    SimGridReport report = report_of(own);
    parent_->doing(kSimGridSimulates);
    const auto start = std::chrono::steady_clock::now();
    SimGridEngine engine(hosts, config_.copy_s_per_byte, config_.updates);
    try {
      report.total_s = engine.run_into(schedule, setup, start_s, end_s);
    } catch (const SwitchedOff& off) {
      throw UserError(describe_switched_off(off));
    } catch (const UnfinishedRun&) {
      if (platform_.unmodelled().empty()) {
        throw;
      }
      // SimGrid 3.32 loses a message if a latency changes while the message starts.
      throw UserError(
          fmt::format("{}: SimGrid does not finish the run: it loses messages that start while a "
                      "profile changes "
                      "a latency; remove {}",
                      config_.platform.file, printable(platform_.unmodelled())));
    }
    report.simulate_s = seconds_since(start);
    parent_->doing("");
    return report;
  }

  SimGridReport simulate_flow(const Schedule& schedule, const RunSetup& setup,
                              std::span<double> start_s, std::span<double> end_s) {
    RankPlacement& own = placed(schedule.ranks());
    SimGridReport report = report_of(own);
    const auto start = std::chrono::steady_clock::now();
    SimGridNetwork& network = network_of(own);
    const FlowSetup setup_of_flows = flow_setup(own);
    FlowEngine engine(network, setup_of_flows);
    RunSetup own_setup = setup;
    report.repeats = engine.repeat(schedule, own_setup);
    if (config_.link_statistics) {
      engine.keep_statistics();
    }
    report.total_s = engine.run_into(schedule, own_setup, start_s, end_s);
    report.simulate_s = seconds_since(start);
    report.waited = engine.waited();
    report.ties = engine.ties(schedule, own_setup, report.total_s);
    if (config_.link_statistics) {
      report.links = named_links(engine.statistics(), network, setup_of_flows, schedule);
    }
    report.record = std::move(engine.record());
    report.arrival_s = std::move(engine.arrival_s());
    const std::vector<std::uint32_t>& host = setup_of_flows.host_of_rank;
    report.alone = alone_times(schedule, network, setup_of_flows,
                               [&](OpId, const Op& op) -> const RouteFigures& {
                                 return *network.route(host[op.src()], host[op.dst()]).figures;
                               });
    if (config_.keep_routes) {
      report.routes = used_routes(network, setup_of_flows, schedule);
    }
    return report;
  }

  [[nodiscard]] std::string describe_switched_off(const SwitchedOff& off) const {
    return fmt::format(
        "{}: {} {} is switched off{}, but {} needs it at {}; tutti simulates no failures: remove "
        "the profile, or place the ranks on other hosts with $hosts",
        config_.platform.file, off.is_host ? "host" : "link", printable(off.name),
        printable(switched_by(config_.platform.file, off.name)), off.operation,
        human_time(off.time_s));
  }

  [[nodiscard]] SimGridReport report_of(const RankPlacement& own) const {
    SimGridReport report;
    report.facts = own.hosts.facts;
    report.load_s = load_s_ + own.place_s;
    return report;
  }

  [[nodiscard]] SimGridNetwork& network_of(RankPlacement& own) const {
    if (!own.network) {
      own.network = std::make_unique<SimGridNetwork>(platform_, own.hosts, config_.network_model);
    }
    return *own.network;
  }

  [[nodiscard]] FlowSetup flow_setup(RankPlacement& own) const {
    return {.host_of_rank = network_of(own).host_of_rank(),
            .flops_per_byte = own.hosts.flops_per_byte,
            .copy_s_per_byte = config_.copy_s_per_byte,
            .free_transfers = own.hosts.free_transfers};
  }

  const SimGridConfig& config_;
  ParentLink* parent_;
  std::chrono::steady_clock::time_point load_start_ = std::chrono::steady_clock::now();
  SimGridPlatform platform_{priced(config_), config_.network_model,
                            [this](std::string_view what) { parent_->doing(what); },
                            config_.updates};
  double load_s_ = seconds_since(load_start_);
  std::map<std::uint32_t, RankPlacement> placed_;  // by number of ranks
};

}  // namespace

SimGridSide* make_simgrid_side(const SimGridConfig& config, ParentLink& parent) {
  return new LoadedSide(config, parent);
}

}}  // namespace tutti::sim
