// Writes a schedule as GraphML, for programs that draw and analyse graphs (Gephi, yEd, networkx,
// igraph).
#pragma once

#include <ostream>

#include "schedules/schedule.hpp"

namespace tutti::inline output {

// Writes a node per operation with `label`, `kind`, `src`, `dst`, `bytes`, `level`, `segment` and
// `payload`, and an edge per dependency, from the predecessor, with its `kind`
// (schedules/edge_kind.hpp). A schedule without blocks has neither `payload` nor kinds of edges,
// but says in `unproved` why.
void write_graphml(const Schedule& schedule, std::ostream& out);

}  // namespace tutti::inline output
