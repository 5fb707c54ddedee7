// Slowdowns of jobs on one cluster, as text and as JSON.
#pragma once

#include <ostream>

#include "src/formats/document.hpp"
#include "src/steps/jobs/jobs_answer.hpp"

namespace tutti { inline namespace output {

void print_jobs(const JobsAnswer& answer, std::ostream& out);

extern const DocumentOf<JobsAnswer> kJobsDocument;

}}  // namespace tutti::output
