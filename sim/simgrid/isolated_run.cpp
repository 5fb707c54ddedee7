#include "sim/simgrid/isolated_run.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/platform_text.hpp"
#include "sim/isolated_process.hpp"
#include "sim/packed_bytes.hpp"
#include "sim/platform_prices.hpp"
#include "sim/simgrid/report_parts.hpp"
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
      return packed(load_simgrid_side(config, parent)
                        ->simulate(schedule, setup, simulator, times.start_s(), times.end_s()));
    });
    SimGridResult result = result_of(unpacked<SimGridReport>(child.bytes), config);
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
      return packed(load_simgrid_side(config, parent)->describe(ranks));
    });
    SimGridResult result = result_of(unpacked<SimGridReport>(child.bytes), config);
    result.peak_rss_bytes = child.peak_rss_bytes;
    return result;
  } catch (const ChildCrash& crash) {
    rethrow(crash, config);
  }
}

SimGridRoutes routes_isolated(std::uint32_t ranks, const SimGridConfig& config) {
  try {
    return unpacked<SimGridRoutes>(run_in_child([&](ParentLink& parent) {
                                     return packed(
                                         load_simgrid_side(config, parent)->routes(ranks));
                                   }).bytes);
  } catch (const ChildCrash& crash) {
    rethrow(crash, config);
  }
}

std::vector<std::string> host_names_isolated(const SimGridConfig& config) {
  try {
    return unpacked<std::vector<std::string>>(
        run_in_child([&](ParentLink& parent) {
          return packed(load_simgrid_side(config, parent)->host_names());
        }).bytes);
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
