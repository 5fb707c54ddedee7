#include "sim/simgrid/isolated_run.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "platforms/simgrid_network.hpp"
#include "platforms/simgrid_platform.hpp"
#include "schedules/error.hpp"
#include "sim/confinement.hpp"
#include "sim/isolated_process.hpp"
#include "sim/simgrid/simgrid_engine.hpp"

namespace tutti {

namespace {

constexpr unsigned kMostDeaths = 2;
constexpr std::uint32_t kRoutesKnownUpToHosts = 64;  // place() looks at all pairs up to here

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Start and end of every operation, in memory that the child shares with us.
class SharedTimes {
 public:
  explicit SharedTimes(OpId ops) : ops_(ops) {
    void* const memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw InvariantError("no memory for the times of the operations");
    }
    times_ = static_cast<double*>(memory);
  }
  ~SharedTimes() { munmap(times_, bytes()); }
  SharedTimes(const SharedTimes&) = delete;
  SharedTimes& operator=(const SharedTimes&) = delete;

  [[nodiscard]] std::span<double> start_s() const { return {times_, ops_}; }
  [[nodiscard]] std::span<double> end_s() const { return {times_ + ops_, ops_}; }

 private:
  [[nodiscard]] std::size_t bytes() const { return std::max<std::size_t>(1, 2 * ops_) * 8; }

  std::size_t ops_;
  double* times_ = nullptr;
};

// What a child says of a run, apart from the times: plain values first, then strings.
struct Report {
  PlatformFacts facts;
  double total_s = 0;
  double load_s = 0;
  double simulate_s = 0;
  double undisturbed = 0;  // 0 or 1
  std::vector<NamedLinkStatistics> links;
  TieRange ties;
};

// One list of fields, for both directions.
template <typename Facts, typename Visit>
void for_each_number(Facts& facts, Visit&& visit) {
  visit(facts.hosts);
  visit(facts.hosts_used);
  visit(facts.latency_s);
  visit(facts.fastest_latency_s);
  visit(facts.bandwidth_bytes_per_s);
  visit(facts.widest_bandwidth_bytes_per_s);
  visit(facts.speed_flops_per_s);
  visit(facts.fastest_speed_flops_per_s);
  visit(facts.routes_looked_at);
}

std::string pack(const Report& report) {
  std::string bytes;
  const auto put = [&bytes](const auto& value) {
    static_assert(std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for_each_number(report.facts, put);
  put(report.total_s);
  put(report.load_s);
  put(report.simulate_s);
  put(report.undisturbed);
  put(report.ties.runs);
  put(report.ties.least_s);
  put(report.ties.most_s);
  put(report.links.size());
  for (const NamedLinkStatistics& link : report.links) {
    put(link.statistics.link);
    put(link.statistics.bytes);
    put(link.statistics.busy_s);
    put(link.statistics.most_at_once);
    put(link.name.size());
    bytes += link.name;
  }
  bytes += report.facts.name;
  for (const std::string& note : report.facts.notes) {
    bytes += '\n' + note;
  }
  return bytes;
}

Report unpack(const std::string& bytes) {
  Report report;
  std::size_t at = 0;
  const auto get = [&](auto& value) {
    TUTTI_INVARIANT(bytes.size() - at >= sizeof value);
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
  };
  for_each_number(report.facts, get);
  get(report.total_s);
  get(report.load_s);
  get(report.simulate_s);
  get(report.undisturbed);
  get(report.ties.runs);
  get(report.ties.least_s);
  get(report.ties.most_s);
  std::size_t count = 0;
  get(count);
  for (; count > 0; --count) {
    NamedLinkStatistics& link = report.links.emplace_back();
    get(link.statistics.link);
    get(link.statistics.bytes);
    get(link.statistics.busy_s);
    get(link.statistics.most_at_once);
    std::size_t name_bytes = 0;
    get(name_bytes);
    TUTTI_INVARIANT(bytes.size() - at >= name_bytes);
    link.name = bytes.substr(at, name_bytes);
    at += name_bytes;
  }
  const std::size_t name_end = std::min(bytes.find('\n', at), bytes.size());
  report.facts.name = bytes.substr(at, name_end - at);
  for (at = name_end; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at + 1), bytes.size());
    report.facts.notes.push_back(bytes.substr(at + 1, end - at - 1));
    at = end;
  }
  return report;
}

// A crossbar takes the user's prices when it is made, rather than being scaled afterwards: that
// also works where it had none to scale.
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

Prices prices_of(const PlatformFacts& facts, const SimGridConfig& config) {
  const PriceOverrides& given = config.overrides;
  return {.alpha_s = given.alpha_s.value_or(facts.latency_s),
          .beta_s_per_byte = given.beta_s_per_byte.value_or(1 / facts.bandwidth_bytes_per_s),
          .gamma_s_per_byte =
              given.gamma_s_per_byte.value_or(1 / (facts.speed_flops_per_s * config.element_bytes)),
          .copy_s_per_byte = config.copy_s_per_byte};
}

SimGridResult result_of(const Report& report, const SimGridConfig& config) {
  SimGridResult result;
  result.facts = report.facts;
  result.prices = prices_of(report.facts, config);
  result.load_s = report.load_s;
  result.simulate_s = report.simulate_s;
  result.undisturbed = report.undisturbed != 0;
  result.links = report.links;
  result.ties = report.ties;
  return result;
}

// Each pair of hosts between which the schedule sends, once, by ranks.
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

constexpr std::string_view kSimulating = "simulating";

// The crash was SimGrid's answer to the platform, unless somebody else ended the process.
bool is_of_the_platform(const ChildCrash& crash, const SimGridConfig& config) {
  if (crash.killed() || crash.doing().empty()) {
    return false;
  }
  return crash.doing() != kSimulating || !config.platform.file.empty();
}

[[noreturn]] void rethrow(const ChildCrash& crash, const SimGridConfig& config) {
  if (!is_of_the_platform(crash, config)) {
    throw crash;
  }
  const std::string what = config.platform.file.empty() ? "the crossbar" : config.platform.file;
  std::string text = what + ": SimGrid " + crash.how() + " while " + crash.doing();
  if (!crash.last_words().empty()) {
    text += ": " + with_platform_named(crash.last_words(), what);
  }
  throw UserError(text);
}

}  // namespace

// A platform in this process, and whom to tell what SimGrid is about to do.
class LoadedPlatform::Impl {
 public:
  Impl(const SimGridConfig& config, ParentLink& parent) : config_(config), parent_(&parent) {
    (void)confinement_;
  }

  // A fork of the process tells its own parent.
  void set_parent(ParentLink& parent) { parent_ = &parent; }

  [[nodiscard]] const RankHosts& place(std::uint32_t ranks) { return placed(ranks).hosts; }

  Report simulate(const Schedule& schedule, const RunSetup& setup, Simulator simulator,
                  std::span<double> start_s, std::span<double> end_s) {
    return simulator == Simulator::flow ? simulate_flow(schedule, setup, start_s, end_s)
                                        : simulate_simgrid(schedule, setup, start_s, end_s);
  }

  // With its report.
  std::optional<std::pair<SymmetricRun, Report>> simulate_symmetric(
      const SymmetricSchedule& schedule, const RunSetup& setup) {
    Placed& own = placed(schedule.ranks);
    Report report = report_of(own.hosts);
    const auto start = std::chrono::steady_clock::now();
    SimGridNetwork& network = network_of(own);
    auto run = run_symmetric(schedule, network, flow_setup(own), setup);
    if (!run) {
      return std::nullopt;
    }
    report.simulate_s = seconds_since(start);
    report.total_s = run->timeline.total_s;
    report.undisturbed = run->undisturbed ? 1 : 0;
    return std::pair(std::move(*run), std::move(report));
  }

  [[nodiscard]] Report describe(std::uint32_t ranks) { return report_of(place(ranks)); }

  [[nodiscard]] const SimGridConfig& config() const { return config_; }

 private:
  // Where ranks lie, and the routes between them that the flow engine has asked for.
  struct Placed {
    RankHosts hosts;
    std::unique_ptr<SimGridNetwork> network;
  };

  // Kept for the next run with as many ranks; for a few numbers of ranks.
  Placed& placed(std::uint32_t ranks) {
    constexpr std::size_t kMost = 32;
    const auto known = placed_.find(ranks);
    if (known != placed_.end()) {
      return known->second;
    }
    // Prices that the user gives have changed the links.
    TUTTI_INVARIANT(placed_.empty() || !config_.overrides.any());
    if (placed_.size() == kMost) {
      placed_.clear();
    }
    Placed& place = placed_[ranks];
    place.hosts = platform_.place({ranks, config_.ranks_per_host, config_.placement},
                                  config_.overrides, config_.element_bytes);
    return place;
  }

  Report simulate_simgrid(const Schedule& schedule, const RunSetup& setup,
                          std::span<double> start_s, std::span<double> end_s) {
    const RankHosts& hosts = place(schedule.ranks());
    if (hosts.facts.hosts_used > kRoutesKnownUpToHosts) {
      platform_.check_routes(hosts, pairs_used(schedule));
    }
    Report report = report_of(hosts);
    parent_->doing(kSimulating);
    const auto start = std::chrono::steady_clock::now();
    SimGridEngine engine(hosts, config_.copy_s_per_byte, config_.updates);
    report.total_s = engine.run_into(schedule, setup, start_s, end_s);
    report.simulate_s = seconds_since(start);
    parent_->doing("");
    return report;
  }

  Report simulate_flow(const Schedule& schedule, const RunSetup& setup, std::span<double> start_s,
                       std::span<double> end_s) {
    Placed& own = placed(schedule.ranks());
    Report report = report_of(own.hosts);
    const auto start = std::chrono::steady_clock::now();
    SimGridNetwork& network = network_of(own);
    const FlowSetup setup_of_flows = flow_setup(own);
    FlowEngine engine(network, setup_of_flows);
    if (config_.link_statistics) {
      engine.keep_statistics();
    }
    report.total_s = engine.run_into(schedule, setup, start_s, end_s);
    report.simulate_s = seconds_since(start);
    report.undisturbed = engine.undisturbed() ? 1 : 0;
    report.ties = engine.ties(schedule, setup, report.total_s);
    for (const LinkStatistics& link : engine.statistics()) {
      report.links.push_back({network.link_name(link.link), link});
    }
    return report;
  }

  [[nodiscard]] Report report_of(const RankHosts& hosts) const {
    Report report;
    report.facts = hosts.facts;
    report.load_s = load_s_;
    return report;
  }

  [[nodiscard]] SimGridNetwork& network_of(Placed& own) const {
    if (!own.network) {
      own.network = std::make_unique<SimGridNetwork>(platform_, own.hosts, config_.network_model);
    }
    return *own.network;
  }

  [[nodiscard]] FlowSetup flow_setup(Placed& own) const {
    return {.host_of_rank = network_of(own).host_of_rank(),
            .flops_per_byte = own.hosts.flops_per_byte,
            .copy_s_per_byte = config_.copy_s_per_byte,
            .free_transfers = own.hosts.free_transfers};
  }

  const SimGridConfig& config_;
  ParentLink* parent_;
  // Before SimGrid sees anything of the platform. Where the kernel has nothing of the kind, it goes
  // without.
  Confinement confinement_ = confine_process();
  std::chrono::steady_clock::time_point load_start_ = std::chrono::steady_clock::now();
  SimGridPlatform platform_{priced(config_), config_.network_model,
                            [this](std::string_view what) { parent_->doing(what); },
                            config_.updates};
  double load_s_ = seconds_since(load_start_);
  std::map<std::uint32_t, Placed> placed_;  // by number of ranks
};

SimGridResult LoadedPlatform::simulate(const Schedule& schedule, const RunSetup& setup,
                                       Simulator simulator) const {
  Timeline timeline;
  timeline.start_s.resize(schedule.size());
  timeline.end_s.resize(schedule.size());
  const Report report =
      impl_.simulate(schedule, setup, simulator, timeline.start_s, timeline.end_s);
  SimGridResult result = result_of(report, impl_.config());
  result.timeline = std::move(timeline);
  result.timeline.total_s = report.total_s;
  return result;
}

std::optional<SymmetricResult> LoadedPlatform::simulate_symmetric(const SymmetricSchedule& schedule,
                                                                  const RunSetup& setup) const {
  auto run = impl_.simulate_symmetric(schedule, setup);
  if (!run) {
    return std::nullopt;
  }
  SimGridResult result = result_of(run->second, impl_.config());
  result.timeline = std::move(run->first.timeline);
  return SymmetricResult{std::move(run->first.part), std::move(result)};
}

SimGridResult simulate_isolated(const Schedule& schedule, const SimGridConfig& config,
                                const RunSetup& setup, Simulator simulator) {
  const SharedTimes times(schedule.size());
  try {
    const ChildResult child = run_in_child([&](ParentLink& parent) {
      LoadedPlatform::Impl platform(config, parent);
      return pack(platform.simulate(schedule, setup, simulator, times.start_s(), times.end_s()));
    });
    const Report report = unpack(child.bytes);
    SimGridResult result = result_of(report, config);
    result.timeline.start_s.assign(times.start_s().begin(), times.start_s().end());
    result.timeline.end_s.assign(times.end_s().begin(), times.end_s().end());
    result.timeline.total_s = report.total_s;
    result.peak_rss_bytes = child.peak_rss_bytes;
    return result;
  } catch (const ChildCrash& crash) {
    rethrow(crash, config);
  }
}

SimGridResult describe_isolated(std::uint32_t ranks, const SimGridConfig& config) {
  try {
    const ChildResult child = run_in_child([&](ParentLink& parent) {
      return pack(LoadedPlatform::Impl(config, parent).describe(ranks));
    });
    SimGridResult result = result_of(unpack(child.bytes), config);
    result.peak_rss_bytes = child.peak_rss_bytes;
    return result;
  } catch (const ChildCrash& crash) {
    rethrow(crash, config);
  }
}

PlatformProcess::PlatformProcess(SimGridConfig config, Cell cell, Cells cells)
    : config_(std::move(config)), cell_(std::move(cell)), cells_(cells) {
  TUTTI_INVARIANT(cells == Cells::forked || !config_.overrides.any());
  // One that dies while it loads has a second try, too.
  for (unsigned deaths = 1; !child_; ++deaths) {
    try {
      start();
    } catch (const ChildCrash& crash) {
      child_.reset();
      if (deaths == kMostDeaths || is_of_the_platform(crash, config_)) {
        rethrow(crash, config_);
      }
    }
  }
}

void PlatformProcess::start() {
  child_ = std::make_unique<ChildProcess>([this](ParentLink& parent) { serve(parent); });
  (void)child_->receive();  // loaded
}

void PlatformProcess::serve(ParentLink& parent) {
  LoadedPlatform::Impl platform(config_, parent);
  parent.send({});
  while (true) {
    const std::optional<std::string> request = parent.receive();
    if (!request) {
      return;
    }
    answer(*request, parent, platform);
  }
}

void PlatformProcess::answer(const std::string& request, ParentLink& parent,
                             LoadedPlatform::Impl& platform) {
  const LoadedPlatform loaded(platform);
  const auto forked = [&](ParentLink& server) {
    platform.set_parent(server);
    return cell_(request, loaded);
  };
  try {
    parent.send(cells_ == Cells::in_place ? cell_(request, loaded) : run_in_child(forked).bytes);
  } catch (const ChildCrash& crash) {
    parent.send_crash(crash);
  } catch (const std::exception& error) {
    parent.send_error(error);
  }
}

// Whoever dies while it is at the cell, the process or its fork, the cell has a second try. One
// that died before, idle, does not count.
std::string PlatformProcess::run(const std::string& request) {
  if (child_ && !child_->is_alive()) {
    child_.reset();
  }
  for (unsigned deaths = 1;; ++deaths) {
    try {
      if (!child_) {
        start();
      }
      child_->send(request);
      return child_->receive();
    } catch (const ChildCrash& crash) {
      if (child_ && !child_->is_alive()) {
        child_.reset();
      }
      if (deaths == kMostDeaths || is_of_the_platform(crash, config_)) {
        rethrow(crash, config_);
      }
    }
  }
}

bool is_network_model(const std::string& name) {
  const std::span<const std::string_view> models = network_models();
  return std::find(models.begin(), models.end(), name) != models.end();
}

}  // namespace tutti
