// Prints a schedule in the notation, with every dependency and every block. Reading the output back
// gives the same schedule. README.md beside this file has the grammar.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "schedules/notation/text_writer.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// `algorithm` is the name for the header, without the collective. Throws InvariantError if the
// schedule has no payload and is not bare. Also throws InvariantError, which names the label, if
// two operations share a label, because a file could not say on which of the two another operation
// depends. For a bare schedule, does the same as print_document().
void print_notation(const Schedule& schedule, std::string_view algorithm, std::ostream& out);

// Prints the form of the schedule document, with bytes but no blocks. Reading the output back gives
// a bare schedule with the same times. The schedule need not have payload.
void print_document(const Schedule& schedule, std::string_view algorithm, std::ostream& out);

// Prints a program (program/README.md) that makes this schedule, for this number of ranks and this
// root. For other sizes, it makes the same operations on the blocks of scaled_layout(); verify()
// tells if the result is then correct. The schedule must have payload and no switches, and must not
// be an alltoallv. Throws UserError if the blocks of ranks differ in size and are cut further.
void print_program(const Schedule& schedule, std::string_view algorithm, std::ostream& out);

// The functions below print parts of the notation, for other formats.

// Writes the label of `op`, such as Req(<0,0>,{0,1}). The label of a reduction has its rank once,
// that of a copy twice.
void write_label(TextWriter& writer, const Op& op);
// Writes the blocks of operation `id`, such as work[0] -> scratch[0] or, for a reduction,
// scratch[3] op work[3] -> work[3].
void write_payload(TextWriter& writer, const Schedule& schedule, OpId id);

[[nodiscard]] std::string label_text(const Op& op);

}}  // namespace tutti::schedules
