// Checks that a schedule terminates and that its dependencies are local.
#pragma once

#include "schedules/schedule.hpp"
#include "schedules/verify/findings.hpp"

namespace tutti { inline namespace schedules {

// Checks that every event can happen. A witness proves it: the execution in which operations run
// one at a time in the order of ids, and each posts both send and receive before either is done. If
// every event that must precede another does so in the witness, even with rendezvous, the event
// graph has no cycle, and every execution continues until all operations are done.
//
// Limited ports cannot cause a deadlock. A message asks for its ports only when everything that it
// waits for is over, and takes both or none, so no message holds a port while it waits. A limited
// number of ports therefore delays events, but cannot prevent them.
void check_termination(const Schedule& schedule, Findings& findings);

// Checks that the two operations of each dependency share a rank, so that each rank takes part in
// every operation that it waits for.
void check_locality(const Schedule& schedule, Findings& findings);

}}  // namespace tutti::schedules
