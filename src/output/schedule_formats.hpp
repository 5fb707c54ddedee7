// The formats in which a schedule can be written.
#pragma once

#include <array>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace output {

struct WrittenSchedule {
  const Schedule& schedule;
  std::string_view collective;
  std::string_view algorithm;  // without the collective
  // The costs of reductions and copies; GOAL has times for them.
  Prices prices;
};

struct ScheduleFormat {
  std::string_view name;
  std::vector<std::string_view> endings;  // of files, such as ".goal"
  // Throws UserError, which names what the format cannot carry, if the schedule has it.
  void (*write)(const WrittenSchedule& written, std::ostream& out);
  // If not null, used instead of write: the format has a file for each rank, NAME.RANK.et for the
  // name NAME.et. Returns a function that writes one of them, and needs `written` no more.
  std::function<void(Rank, std::ostream&)> (*write_ranks)(const WrittenSchedule& written);
  // Returns a sentence for the user, without a full stop, about the properties of the schedule that
  // the file lacks; "" if it lacks none. Null: nothing is ever lost.
  std::string (*lost)(const WrittenSchedule& written);
};

// All formats: notation, document, dot, graphml, json, goal, msccl and chakra.
[[nodiscard]] const std::vector<ScheduleFormat>& schedule_formats();

}}  // namespace tutti::output
