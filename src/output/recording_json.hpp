// Writes a run with all data needed to draw it, for `tutti report` and `tutti plot`. The schema is
// src/formats/schemas/tutti-recording-1.schema.json.
#pragma once

#include <iosfwd>

#include "src/simulation/recording/recording.hpp"

namespace tutti { inline namespace output {

void write_recording_json(const Recording& recording, std::ostream& out);

}}  // namespace tutti::output
