// Writes the streams of a step's ranks as Chrome trace events, for the Perfetto UI.
#pragma once

#include <ostream>

#include "src/steps/answer.hpp"

namespace tutti { inline namespace output {

// Each rank of `answer.streams` is a process. Its threads are the stream of computing and the
// stream of each group. Messages between stages may overlap, and then have further threads. End
// points are rounded to nanoseconds before durations are computed, so that slices that follow each
// other do not overlap.
void write_step_timeline(const StepAnswer& answer, std::ostream& out);

}}  // namespace tutti::output
