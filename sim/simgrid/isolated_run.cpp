#include "sim/simgrid/isolated_run.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/platform_text.hpp"
#include "sim/isolated_process.hpp"
#include "sim/platform_prices.hpp"
#include "sim/simgrid/simgrid_side.hpp"

namespace tutti { inline namespace sim {

namespace {

constexpr unsigned kMostDeaths = 2;

// Start and end of every operation, in memory that the child shares with the parent.
class SharedTimes {
 public:
  explicit SharedTimes(OpId ops) : ops_(ops) {
    void* const memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw InvariantError("not enough memory for the times of the operations");
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

// Calls visit() for each number in `facts`, both for packing and for unpacking.
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

template <typename Routes, typename Visit>
void for_each_list(Routes& routes, Visit&& visit) {
  visit(routes.host_of_rank);
  for (auto* const list : {&routes.used, &routes.others}) {
    visit(list->src_host);
    visit(list->dst_host);
    visit(list->starts);
    visit(list->links);
  }
}

std::string pack(const SimGridReport& report) {
  std::string bytes;
  const auto put = [&bytes](const auto& value) {
    static_assert(std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto put_list = [&](const auto& list) {
    put(list.size());
    bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof list[0]);
  };
  for_each_number(report.facts, put);
  put(report.total_s);
  put(report.load_s);
  put(report.simulate_s);
  put(report.waited);
  put(report.ties.runs);
  put(report.ties.seed);
  put(report.ties.least_s);
  put(report.ties.median_s);
  put(report.ties.most_s);
  put(report.repeats.runs);
  put(report.repeats.seed);
  put(report.repeats.least_s);
  put(report.repeats.median_s);
  put(report.repeats.most_s);
  put(report.links.size());
  for (const NamedLinkStatistics& link : report.links) {
    put(link.statistics.link);
    put(link.statistics.bytes);
    put(link.statistics.busy_s);
    put(link.statistics.most_at_once);
    put(link.statistics.capacity_bytes_per_s);
    put(link.statistics.lost_s);
    for (const std::string* text : {&link.name, &link.place.name, &link.place.group}) {
      put(text->size());
      bytes += *text;
    }
    put(link.acknowledges);
    put_list(link.senders);
    put_list(link.levels);
  }
  put_list(report.record.stretches);
  put_list(report.record.loads);
  put_list(report.arrival_s);
  put_list(report.alone.routes);
  put_list(report.alone.route_of_op);
  put_list(report.alone.reduce_s_per_byte);
  put(report.alone.copy_s_per_byte);
  for_each_list(report.routes, put_list);
  bytes += report.facts.name;
  for (const std::string& note : report.facts.notes) {
    bytes += '\n' + note;
  }
  return bytes;
}

SimGridReport unpack(const std::string& bytes) {
  SimGridReport report;
  std::size_t at = 0;
  const auto get = [&](auto& value) {
    TUTTI_INVARIANT(bytes.size() - at >= sizeof value);
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
  };
  const auto get_list = [&](auto& list) {
    std::size_t size = 0;
    get(size);
    TUTTI_INVARIANT((bytes.size() - at) / sizeof list[0] >= size);
    if (size == 0) {
      list.clear();
      return;  // data() of an empty list may be null
    }
    list.resize(size);
    std::memcpy(list.data(), bytes.data() + at, size * sizeof list[0]);
    at += size * sizeof list[0];
  };
  for_each_number(report.facts, get);
  get(report.total_s);
  get(report.load_s);
  get(report.simulate_s);
  get(report.waited);
  get(report.ties.runs);
  get(report.ties.seed);
  get(report.ties.least_s);
  get(report.ties.median_s);
  get(report.ties.most_s);
  get(report.repeats.runs);
  get(report.repeats.seed);
  get(report.repeats.least_s);
  get(report.repeats.median_s);
  get(report.repeats.most_s);
  std::size_t count = 0;
  get(count);
  for (; count > 0; --count) {
    NamedLinkStatistics& link = report.links.emplace_back();
    get(link.statistics.link);
    get(link.statistics.bytes);
    get(link.statistics.busy_s);
    get(link.statistics.most_at_once);
    get(link.statistics.capacity_bytes_per_s);
    get(link.statistics.lost_s);
    for (std::string* text : {&link.name, &link.place.name, &link.place.group}) {
      std::size_t size = 0;
      get(size);
      TUTTI_INVARIANT(bytes.size() - at >= size);
      *text = bytes.substr(at, size);
      at += size;
    }
    get(link.acknowledges);
    get_list(link.senders);
    get_list(link.levels);
  }
  get_list(report.record.stretches);
  get_list(report.record.loads);
  get_list(report.arrival_s);
  get_list(report.alone.routes);
  get_list(report.alone.route_of_op);
  get_list(report.alone.reduce_s_per_byte);
  get(report.alone.copy_s_per_byte);
  for_each_list(report.routes, get_list);
  const std::size_t name_end = std::min(bytes.find('\n', at), bytes.size());
  report.facts.name = bytes.substr(at, name_end - at);
  for (at = name_end; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at + 1), bytes.size());
    report.facts.notes.push_back(bytes.substr(at + 1, end - at - 1));
    at = end;
  }
  return report;
}

SimGridResult result_of(SimGridReport report, const SimGridConfig& config) {
  SimGridResult result;
  result.facts = report.facts;
  result.prices =
      prices_of(report.facts, config.changes.any() ? PriceOverrides() : config.overrides,
                config.element_bytes, config.copy_s_per_byte);
  result.load_s = report.load_s;
  result.simulate_s = report.simulate_s;
  result.links = std::move(report.links);
  result.record = std::move(report.record);
  result.routes = std::move(report.routes);
  result.ties = report.ties;
  result.repeats = report.repeats;
  result.alone = std::move(report.alone);
  result.timeline.total_s = report.total_s;
  result.timeline.waited = report.waited;
  result.timeline.arrival_s = std::move(report.arrival_s);
  return result;
}

// True if the platform caused the crash. False if a signal from another process or a bug in tutti
// caused it.
bool is_of_the_platform(const ChildCrash& crash, const SimGridConfig& config) {
  if (crash.killed() || crash.doing().empty()) {
    return false;
  }
  return crash.doing() != kSimGridSimulates || !config.platform.file.empty();
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

SimGridResult LoadedPlatform::simulate(const Schedule& schedule, const RunSetup& setup,
                                       Simulator simulator) const {
  std::vector<double> start_s(schedule.size());
  std::vector<double> end_s(schedule.size());
  SimGridResult result =
      result_of(side_.simulate(schedule, setup, simulator, start_s, end_s), config_);
  result.timeline.start_s = std::move(start_s);
  result.timeline.end_s = std::move(end_s);
  return result;
}

std::optional<SymmetricResult> LoadedPlatform::simulate_symmetric(const SymmetricSchedule& schedule,
                                                                  const RunSetup& setup) const {
  auto run = side_.simulate_symmetric(schedule, setup);
  if (!run) {
    return std::nullopt;
  }
  SimGridResult result = result_of(std::move(run->second), config_);
  result.timeline = std::move(run->first.timeline);
  return SymmetricResult{std::move(run->first.part), std::move(result)};
}

SimGridResult simulate_isolated(const Schedule& schedule, const SimGridConfig& config,
                                const RunSetup& setup, Simulator simulator) {
  const SharedTimes times(schedule.size());
  try {
    const ChildResult child = run_in_child([&](ParentLink& parent) {
      return pack(load_simgrid_side(config, parent)
                      ->simulate(schedule, setup, simulator, times.start_s(), times.end_s()));
    });
    SimGridResult result = result_of(unpack(child.bytes), config);
    result.timeline.start_s.assign(times.start_s().begin(), times.start_s().end());
    result.timeline.end_s.assign(times.end_s().begin(), times.end_s().end());
    result.peak_rss_bytes = child.peak_rss_bytes;
    return result;
  } catch (const ChildCrash& crash) {
    rethrow(crash, config);
  }
}

SimGridResult describe_isolated(std::uint32_t ranks, const SimGridConfig& config) {
  try {
    const ChildResult child = run_in_child([&](ParentLink& parent) {
      return pack(load_simgrid_side(config, parent)->describe(ranks));
    });
    SimGridResult result = result_of(unpack(child.bytes), config);
    result.peak_rss_bytes = child.peak_rss_bytes;
    return result;
  } catch (const ChildCrash& crash) {
    rethrow(crash, config);
  }
}

// The child sends one name per line. This is possible because SimGrid's names contain no line ends.
std::vector<std::string> host_names_isolated(const SimGridConfig& config) {
  try {
    const ChildResult child = run_in_child([&](ParentLink& parent) {
      std::string lines;
      for (const std::string& name : load_simgrid_side(config, parent)->host_names()) {
        lines += name + '\n';
      }
      return lines;
    });
    std::vector<std::string> names;
    for (std::size_t at = 0; at < child.bytes.size();) {
      const std::size_t end = child.bytes.find('\n', at);
      names.push_back(child.bytes.substr(at, end - at));
      at = end + 1;
    }
    return names;
  } catch (const ChildCrash& crash) {
    rethrow(crash, config);
  }
}

PlatformProcess::PlatformProcess(SimGridConfig config, Cell cell, Cells cells)
    : config_(std::move(config)), cell_(std::move(cell)), cells_(cells) {
  TUTTI_INVARIANT(cells == Cells::forked ||
                  (!config_.overrides.any() && !config_.changes.of_network()));
  // If the process dies while it loads the platform, it is started again.
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
  (void)child_->receive();  // waits until the platform is loaded
}

void PlatformProcess::serve(ParentLink& parent) {
  const std::unique_ptr<SimGridSide> side = load_simgrid_side(config_, parent);
  parent.send({});
  while (true) {
    const std::optional<std::string> request = parent.receive();
    if (!request) {
      return;
    }
    answer(*request, parent, *side);
  }
}

void PlatformProcess::answer(const std::string& request, ParentLink& parent, SimGridSide& side) {
  const LoadedPlatform loaded(side, config_);
  const auto forked = [&](ParentLink& server) {
    side.set_parent(server);
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

// If the process or its fork dies during a cell, the cell runs again. The death of an idle process
// does not count.
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

}}  // namespace tutti::sim
