#include "schedules/bytes_only.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "schedules/notation/print.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Round of an operation: the position of its level, counted from 1, among the levels that hold a
// message.
std::size_t round_of(const Schedule& schedule, OpId id) {
  const std::uint32_t level = schedule.op(id).label().level;
  std::set<std::uint32_t> levels;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm() && op.label().level <= level) {
      levels.insert(op.label().level);
    }
  }
  return levels.size();
}

}  // namespace

std::string bytes_only_text(const Schedule& schedule) {
  TUTTI_INVARIANT(schedule.bytes_only().has_value());
  if (schedule.problem().collective == Collective::application) {
    return "an application has no collective to check; only its messages and calculations are "
           "known";
  }
  const BareOp bare = *schedule.bytes_only();
  const Op& op = schedule.op(bare.op);
  return fmt::format("{} in line {}{} has {} bytes and no blocks", label_text(op), bare.line,
                     op.is_comm() ? fmt::format(", of round {},", round_of(schedule, bare.op)) : "",
                     op.bytes());
}

void refuse_bytes_only(const Schedule& schedule, std::string_view name, std::string_view why) {
  if (schedule.bytes_only()) {
    throw UserError(fmt::format("'{}': {}: {}", printable(name), why, bytes_only_text(schedule)));
  }
}

}}  // namespace tutti::schedules
