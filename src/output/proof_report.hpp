// Results of proofs: as text, with one line per algorithm and its findings below; as JSON, with one
// object per proof.
#pragma once

#include <iosfwd>
#include <vector>

#include "schedules/algorithm.hpp"
#include "src/experiments/runner/proof_cells.hpp"
#include "src/formats/document.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti { inline namespace output {

// Prints the outcome of the proof of each cell as text. `file`: the schedule file if the schedule
// was read from one, otherwise null. Returns true if all schedules were proved, except those of
// refused problems.
bool print_proofs(const std::vector<const Algorithm*>& algorithms, const ScheduleFile* file,
                  const std::vector<ProofCell>& cells, const std::vector<ProofOutcome>& outcomes,
                  std::ostream& out);
extern const DocumentType kProofDocument;
// Writes a list of these documents.
void write_proofs_json(const ScheduleFile* file, const std::vector<ProofCell>& cells,
                       const std::vector<ProofOutcome>& outcomes, std::ostream& out);

}}  // namespace tutti::output
