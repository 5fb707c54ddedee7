// Diagnoses of measured times, as text and as JSON.
#pragma once

#include <iosfwd>

#include "src/experiments/doctor/doctor_report.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

// Prints the answer for each output, a table of its sizes, and what to look at.
void print_diagnoses(const DoctorReport& report, std::ostream& out);
extern const DocumentOf<DoctorReport> kDoctorDocument;

}}  // namespace tutti::output
