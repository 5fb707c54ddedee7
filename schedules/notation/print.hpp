// Prints a schedule in the notation, every dependency and every block named. The grammar stands in
// README.md beside this file; reading it back gives the same schedule.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "schedules/notation/text_writer.hpp"
#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// `algorithm` is the name for the header, without its collective. Throws InvariantError when the
// schedule has no payload, or when two operations share a label (it names the label): a file could
// not say which of the two an operation comes after. A bare schedule has its document form alone.
void print_notation(const Schedule& schedule, std::string_view algorithm, std::ostream& out);

// The form of the schedule document: bytes and no blocks, so that reading it back gives a bare
// schedule of the same times. Payload is not needed.
void print_document(const Schedule& schedule, std::string_view algorithm, std::ostream& out);

// Parts of it, for the other formats.

// Req(<0,0>,{0,1}); a reduction names its rank once, a copy twice.
void write_label(TextWriter& writer, const Op& op);
// work[0] -> scratch[0]; for a reduction, scratch[3] op work[3] -> work[3].
void write_payload(TextWriter& writer, const Schedule& schedule, OpId id);

[[nodiscard]] std::string label_text(const Op& op);

}  // namespace tutti::inline schedules
