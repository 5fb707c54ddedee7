// What proofs have found: for people, one line per algorithm and what is wrong below it; for
// programs, one object per proof.
#pragma once

#include <iosfwd>
#include <vector>

#include "schedules/algorithm.hpp"
#include "src/experiments/proof_cells.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti::inline output {

// `file`: the one schedule that was read and proved, or null. Returns whether all were proved.
bool print_proofs(const std::vector<const Algorithm*>& algorithms, const ScheduleFile* file,
                  const std::vector<ProofCell>& cells, const std::vector<ProofOutcome>& outcomes,
                  std::ostream& out);
// An array, schema tutti-verify/1.
void write_proofs_json(const ScheduleFile* file, const std::vector<ProofCell>& cells,
                       const std::vector<ProofOutcome>& outcomes, std::ostream& out);

}  // namespace tutti::inline output
