// Checks of termination and locality.
#pragma once

#include "schedules/schedule.hpp"
#include "schedules/verify/findings.hpp"

namespace tutti::inline schedules {

// Checks that every event can happen. The witness is one execution: operations run one at a time in
// id order, and each posts both ends before either is done. If every event that must precede
// another does so in the witness, rendezvous included, the event graph has no cycle, and every
// execution goes on until all operations are done.
//
// The witness holds one port at a time. A message asks for its ports only when everything it waits
// for is over, and takes both or none, so no message holds a port while it waits. A limited number
// of ports therefore changes when events happen, but cannot prevent them.
void check_termination(const Schedule& schedule, Findings& findings);

// Checks that each rank takes part in every operation that it waits for.
void check_locality(const Schedule& schedule, Findings& findings);

}  // namespace tutti::inline schedules
