// Statistics of a schedule.
#pragma once

#include <nlohmann/json.hpp>

#include <iosfwd>

#include "schedules/algorithm.hpp"
#include "src/simulation/schedule_times.hpp"

namespace tutti { inline namespace output {

void print_stats(const Schedule& schedule, const Algorithm& algorithm, const Machine& machine,
                 const ScheduleTimes& times, std::ostream& out);
// Returns the statistics as JSON, whose schema is src/formats/schemas/tutti-stats-1.schema.json.
[[nodiscard]] nlohmann::ordered_json stats_json(const Schedule& schedule,
                                                const Algorithm& algorithm, const Machine& machine,
                                                const ScheduleTimes& times);

}}  // namespace tutti::output
