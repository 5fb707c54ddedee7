// A run as Chrome trace events, which the Perfetto UI (and chrome://tracing) opens.
//
// One process; per rank the threads "rank R compute", "rank R send" and "rank R receive", as far as
// they are used, and "rank R send 2" and so on where operations overlap, since slices on one thread
// must nest. Every operation is one X slice, named for people, on the compute thread of its rank
// or the send thread of its sender. A message has a second one, args.side = "receive", on the
// receiver's thread: a flow binds to the slice that encloses its time on its thread, so without a
// slice at the receiver the arrow would end nowhere. The flow starts (s) with the sender's slice
// and finishes (f, "bp":"e") within the last nanosecond of the receiver's. End points are rounded
// to nanoseconds before durations are taken, or neighbours would overlap by the rounding. A counter
// track shows how many messages are under way; with more known of the run, a thread above all
// others has the chain that ends last, its operations are in the category "critical" too, and
// counter tracks have the loads of links.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/timeline.hpp"

namespace tutti::inline formats {

struct TimelineCounter {
  std::string name;
  std::vector<std::pair<double, double>> values;  // from when on, in seconds, ascending
};

struct TimelineExtras {
  struct Step {
    OpId op = kNoOp;
    double from_s = 0;
    double until_s = 0;
    std::string spent;  // in words
  };
  std::vector<Step> chain;  // in the order of time
  std::vector<TimelineCounter> loads;
};

// `title` names the process in the viewer. The schedule must have payload.
void write_timeline_json(const Schedule& schedule, const Timeline& timeline, std::string_view title,
                         std::ostream& out, const TimelineExtras& extras = {});

}  // namespace tutti::inline formats
