// Statistics of a schedule.
#pragma once

#include <iosfwd>

#include "schedules/algorithm.hpp"
#include "src/formats/document.hpp"
#include "src/simulation/schedule_times.hpp"

namespace tutti { inline namespace output {

void print_stats(const Schedule& schedule, const Algorithm& algorithm, const Machine& machine,
                 const ScheduleTimes& times, std::ostream& out);
// The statistics as JSON.
void write_stats_json(const Schedule& schedule, const Algorithm& algorithm, const Machine& machine,
                      const ScheduleTimes& times, std::ostream& out);
extern const DocumentType kStatsDocument;

}}  // namespace tutti::output
