// Writes a schedule as GraphML, for programs that draw and analyse graphs (Gephi, yEd, networkx,
// igraph).
#pragma once

#include <ostream>

#include "schedules/schedule.hpp"

namespace tutti::inline output {

// Writes a node per operation with `label`, `kind`, `src`, `dst`, `bytes`, `level`, `segment` and
// `payload`, and an edge per dependency. The edge goes from the predecessor to the operation that
// depends on it, and has the `kind` of the dependency (see schedules/edge_kind.hpp). If the
// schedule has no blocks, leaves out `payload` and the edges' `kind`, and writes the reason as
// `unproved`.
void write_graphml(const Schedule& schedule, std::ostream& out);

}  // namespace tutti::inline output
