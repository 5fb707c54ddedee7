// In the notation a label is the name of an operation, so no two may share one.
#pragma once

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// Throws InvariantError that names the label that two operations of the schedule share.
void check_unique_labels(const Schedule& schedule);

}  // namespace tutti::inline schedules
