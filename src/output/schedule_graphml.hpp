// A schedule as GraphML, for programs that draw and analyse graphs (Gephi, yEd, networkx, igraph).
#pragma once

#include <ostream>

#include "schedules/schedule.hpp"

namespace tutti::inline output {

// A node per operation with `label`, `kind`, `src`, `dst`, `bytes`, `level`, `segment` and
// `payload`; an edge per dependency, from what comes before, with its `kind`
// (schedules/edge_kind.hpp). The schedule has its payloads.
void write_graphml(const Schedule& schedule, std::ostream& out);

}  // namespace tutti::inline output
