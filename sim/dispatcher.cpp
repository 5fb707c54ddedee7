#include "sim/dispatcher.hpp"

#include <fmt/format.h>

#include <limits>

#include "schedules/error.hpp"
#include "schedules/large_array.hpp"

namespace tutti {

namespace {

std::string label_of(const Op& op) {
  const Label label = op.label();
  return op.is_comm()
             ? fmt::format("Req(<{},{}>,{{{},{}}})", label.level, label.segment, op.src(), op.dst())
             : fmt::format("Req(<{},{}>,{{{}}})", label.level, label.segment, op.rank());
}

}  // namespace

Dispatcher::Dispatcher(const Schedule& schedule, const RunSetup& setup)
    : schedule_(schedule), limited_(setup.ports != kUnlimitedPorts) {
  TUTTI_INVARIANT(schedule.ranks() <= std::numeric_limits<std::uint32_t>::max() / 3);
  const std::size_t resources = std::size_t{3} * schedule.ranks();
  reserve_large(waits_for_, schedule.size());
  waits_for_.resize(schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    waits_for_[id] = static_cast<std::uint32_t>(schedule.predecessors(id).size());
    if (waits_for_[id] == 0) {
      ready_.push_back(id);
    }
  }
  free_.assign(resources, setup.ports);
  std::fill(free_.begin() + 2 * std::ptrdiff_t{schedule.ranks()}, free_.end(), 1);
  waiting_.resize(resources);
  freed_mark_.assign(resources, 0);
}

std::string Dispatcher::describe_unfinished() const {
  for (OpId id = 0; id < schedule_.size(); ++id) {
    if (waits_for_[id] > 0) {
      for (const OpId dependency : schedule_.predecessors(id)) {
        if (waits_for_[dependency] == 0) {
          return fmt::format("{} of {} operations did not finish: {} waits for {}",
                             schedule_.size() - done_, schedule_.size(), label_of(schedule_.op(id)),
                             label_of(schedule_.op(dependency)));
        }
      }
    }
  }
  return fmt::format("{} of {} operations did not finish", schedule_.size() - done_,
                     schedule_.size());
}

}  // namespace tutti
