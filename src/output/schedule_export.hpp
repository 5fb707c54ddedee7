// Writes a schedule in formats that other programs read.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace output {

// Writes a graph for Graphviz: operations are nodes, and dependencies are edges whose style shows
// their kind.
void write_dot(const Schedule& schedule, std::string_view full_name, std::ostream& out);

// Writes GraphML, for programs that draw and analyse graphs (Gephi, yEd, networkx, igraph). Writes
// a node per operation with `label`, `kind`, `src`, `dst`, `bytes`, `level`, `segment` and
// `payload`, and an edge per dependency. The edge goes from the predecessor to the operation that
// depends on it, and has the `kind` of the dependency (see schedules/edge_kind.hpp). If the
// schedule has no blocks, leaves out `payload` and the edges' `kind`, and writes the reason as
// `unproved`.
void write_graphml(const Schedule& schedule, std::ostream& out);

// Writes JSON whose schema is src/formats/schemas/tutti-schedule-1.schema.json. Dependencies are
// given as operation ids.
void write_schedule_json(const Schedule& schedule, std::string_view algorithm, std::ostream& out,
                         std::optional<std::uint32_t> ports = std::nullopt);

}}  // namespace tutti::output
