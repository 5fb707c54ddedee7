// One schedule in the formats of other programs.
#pragma once

#include <iosfwd>
#include <string_view>

#include "schedules/schedule.hpp"

namespace tutti::inline output {

// "comm", "reduce", "copy".
[[nodiscard]] std::string_view kind_name(OpKind kind);

// Graphviz: operations as nodes, dependencies as edges drawn by their kind.
void write_dot(const Schedule& schedule, std::string_view full_name, std::ostream& out);

// src/formats/schemas/tutti-schedule-1.schema.json; an operation's dependencies are ids.
void write_schedule_json(const Schedule& schedule, std::string_view algorithm, std::ostream& out);

}  // namespace tutti::inline output
