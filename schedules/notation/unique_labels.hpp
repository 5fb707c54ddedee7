// Checks that labels are unique, because in the notation a label is the name of an operation.
#pragma once

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Throws InvariantError if two operations of the schedule share a label. The error names the label.
void check_unique_labels(const Schedule& schedule);

}}  // namespace tutti::schedules
