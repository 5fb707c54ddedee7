#include "src/simulation/switch_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/cluster_platform.hpp"
#include "platforms/xml_check.hpp"
#include "schedules/place_name.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti { inline namespace simulation {

namespace {

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

// Finds the platform's switch for each switch of a schedule. The search uses the ranks and switches
// with which the schedule's switch exchanges messages.
class SwitchPlaces {
 public:
  SwitchPlaces(const Schedule& schedule, const ClusterPlatform& platform,
               const std::vector<std::uint32_t>& host_of_rank)
      : schedule_(schedule),
        platform_(platform),
        host_of_rank_(host_of_rank),
        of_(schedule.switches(), kUnknown),
        rank_of_(schedule.switches(), kUnknown),
        beside_(schedule.switches()) {}

  std::vector<std::uint32_t> find() {
    for (const Op& op : schedule_.ops()) {
      if (op.is_comm()) {
        join(op.src(), op.dst());
        join(op.dst(), op.src());
      }
    }
    for (std::vector<std::uint32_t>& others : beside_) {
      std::sort(others.begin(), others.end());
      others.erase(std::unique(others.begin(), others.end()), others.end());
    }
    place_above();
    check_apart();
    return std::move(of_);
  }

 private:
  [[nodiscard]] std::string name(std::uint32_t index) const {
    return place_name(schedule_, schedule_.ranks() + index);
  }

  void join(Rank place, Rank other) {
    if (place < schedule_.ranks()) {
      return;
    }
    const std::uint32_t index = place - schedule_.ranks();
    if (other >= schedule_.ranks()) {
      // Consecutive messages often have the same ends, which are then stored once.
      if (beside_[index].empty() || beside_[index].back() != other - schedule_.ranks()) {
        beside_[index].push_back(other - schedule_.ranks());
      }
      return;
    }
    const std::uint32_t found = platform_.switch_of_host(host_of_rank_[other]);
    if (of_[index] == kUnknown) {
      of_[index] = found;
      rank_of_[index] = other;
    } else if (of_[index] != found) {
      throw UserError(
          fmt::format("ranks {} and {} share {} of the schedule, but one is at {} and the other at "
                      "{}; if the algorithm takes $groups, use $groups switch",
                      rank_of_[index], other, name(index), platform_.switch_name(of_[index]),
                      platform_.switch_name(found)));
    }
  }

  // Places the switches without ranks, from the bottom upwards. A switch can be placed once at most
  // one of its neighbours is not placed yet, because all its neighbours but one are below it.
  void place_above() {
    for (bool any = true; any;) {
      any = false;
      std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
      for (std::uint32_t index = 0; index < of_.size(); ++index) {
        if (of_[index] != kUnknown) {
          continue;
        }
        const auto unknown =
            std::count_if(beside_[index].begin(), beside_[index].end(),
                          [&](std::uint32_t other) { return of_[other] == kUnknown; });
        if (unknown <= 1 && static_cast<std::size_t>(unknown) < beside_[index].size()) {
          found.emplace_back(index, above_neighbours(index));
        }
      }
      for (const auto& [index, vertex] : found) {
        of_[index] = vertex;
        any = true;
      }
    }
    const auto left = std::find(of_.begin(), of_.end(), kUnknown);
    if (left != of_.end()) {
      throw UserError(
          fmt::format("{} of the schedule is not in a tree of switches above ranks, so it cannot "
                      "be matched to a switch of the platform",
                      name(static_cast<std::uint32_t>(left - of_.begin()))));
    }
  }

  // Returns the lowest switch of the platform that is above the switches of all placed neighbours
  // of the schedule's switch `index`, and is none of these switches.
  std::uint32_t above_neighbours(std::uint32_t index) const {
    std::optional<std::uint32_t> above;
    for (const std::uint32_t other : beside_[index]) {
      if (of_[other] != kUnknown) {
        above = above ? platform_.switch_above(*above, of_[other]) : of_[other];
      }
    }
    const bool taken = std::any_of(beside_[index].begin(), beside_[index].end(),
                                   [&](std::uint32_t other) { return of_[other] == *above; });
    const auto next = taken ? platform_.next_above(*above) : above;
    if (!next) {
      throw UserError(
          fmt::format("{} of the schedule must be above {}, but {} has no switch above that one; "
                      "use fewer levels of $groups",
                      name(index), platform_.switch_name(*above), platform_.name()));
    }
    return *next;
  }

  void check_apart() const {
    for (std::uint32_t index = 0; index < of_.size(); ++index) {
      for (const std::uint32_t other : beside_[index]) {
        if (of_[other] == of_[index]) {
          throw UserError(
              fmt::format("{} and {} of the schedule send to each other, but both map to {}; put "
                          "their ranks in one group, as $groups switch does",
                          name(std::min(index, other)), name(std::max(index, other)),
                          platform_.switch_name(of_[index])));
        }
      }
    }
  }

  const Schedule& schedule_;
  const ClusterPlatform& platform_;
  const std::vector<std::uint32_t>& host_of_rank_;
  std::vector<std::uint32_t> of_;  // for each switch of the schedule: its vertex in the platform
  std::vector<Rank> rank_of_;      // for each switch: a rank with which it exchanges messages
  // for each switch: other switches with which it exchanges messages
  std::vector<std::vector<std::uint32_t>> beside_;
};

}  // namespace

bool switches_take_time(const Machine& machine) {
  return machine.files.has_reducing_switches() &&
         std::isfinite(machine.files.cluster->in_network()->reduce_bytes_per_s);
}

void check_switches(const Schedule& schedule, const Machine& machine) {
  if (schedule.switches() == 0) {
    return;
  }
  const std::string part = fmt::format("{} {} part in the schedule", schedule.switches(),
                                       schedule.switches() == 1 ? "switch takes" : "switches take");
  if (machine.engine->by_simgrid || machine.both_engines()) {
    throw UserError(
        fmt::format("$engine={}: {}, but SimGrid has no switches that reduce; use $engine=flow",
                    machine.both_engines() ? machine.spec.engine : machine.engine->name, part));
  }
  if (!machine.files.has_reducing_switches()) {
    throw UserError(fmt::format(
        "{}, but {} declares none that reduce; a platform file declares them in its <cluster> with "
        "<prop id=\"{}\" value=\"yes\"/>, which 'tutti platform' writes with $in_network",
        part, platform_name(machine), kInNetworkProperty));
  }
  if (!machine.engine->has_network && switches_take_time(machine)) {
    throw UserError(
        fmt::format("$engine={}: {}, but this engine does not model how fast those of {} reduce; "
                    "use $engine=flow",
                    machine.engine->name, part, platform_name(machine)));
  }
  if (machine.setup.curves || machine.files.messages) {
    throw UserError(
        fmt::format("$parameters '{}': {}, but {} do not cover switches; leave $parameters out",
                    machine.spec.parameters, part,
                    machine.setup.curves ? "costs measured with MPI" : "models of messages"));
  }
}

std::vector<std::uint32_t> switches_of_ranks(const ClusterPlatform& platform, FlowSetup& setup) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t host : setup.host_of_rank) {
    found.push_back(platform.switch_of_host(host));
  }
  setup.switch_s_per_byte = 1 / platform.in_network()->reduce_bytes_per_s;
  return found;
}

void place_switches(const Schedule& schedule, const ClusterPlatform& platform, FlowSetup& setup) {
  if (schedule.switches() == 0) {
    return;
  }
  const std::vector<std::uint32_t> vertices =
      SwitchPlaces(schedule, platform, setup.host_of_rank).find();
  setup.host_of_rank.insert(setup.host_of_rank.end(), vertices.begin(), vertices.end());
  setup.switch_s_per_byte = 1 / platform.in_network()->reduce_bytes_per_s;
}

}}  // namespace tutti::simulation
