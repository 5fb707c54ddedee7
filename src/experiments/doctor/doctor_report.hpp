// The diagnoses of all outputs that the user gave, and how they compare.
#pragma once

#include <vector>

#include "src/experiments/doctor/diagnosis.hpp"

namespace tutti { inline namespace experiments {

struct DoctorReport {
  std::vector<Diagnosis> diagnoses;
  std::vector<Symptom> comparisons;  // what the outputs show together
};

// Returns what several outputs show together: changes after an upgrade or another change of
// settings, growth with the number of nodes, one collective or one host that is slow.
[[nodiscard]] std::vector<Symptom> compare_outputs(const std::vector<Diagnosis>& diagnoses);

}}  // namespace tutti::experiments
