// Termination and locality.
#pragma once

#include "schedules/schedule.hpp"
#include "schedules/verify/findings.hpp"

namespace tutti::inline schedules {

// Every event can happen. The witness is one execution: operations one at a time in id order, each
// posting both ends before either is done. If every event that must come before another does come
// before it there, rendezvous included, the event graph has no cycle, and any execution goes on
// until all is done. It holds one port at a time; and since a message asks for its ports only when
// everything it waits for is over, and takes both or none, none holds one while it waits: a limited
// number of ports changes when things happen, never whether.
void check_termination(const Schedule& schedule, Findings& findings);

// What a rank waits for, that rank took part in.
void check_locality(const Schedule& schedule, Findings& findings);

}  // namespace tutti::inline schedules
