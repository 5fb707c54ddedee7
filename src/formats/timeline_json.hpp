// Writes a run as Chrome trace events, for the Perfetto UI and chrome://tracing.
//
// There is one process. Each rank has the threads "rank R compute", "rank R send" and "rank R
// receive", if they are used. Slices on one thread must nest, so operations that overlap get
// further threads, "rank R send 2" and so on. Every operation is an X slice on the compute thread
// of its rank or the send thread of its sender. A message has a second slice, with args.side =
// "receive", on the receiver's thread, and a flow, which viewers draw as an arrow between the two
// slices. (A flow binds to slices that enclose its ends in time, so it needs a slice on each of the
// two threads.) The flow starts (s) with the sender's slice and finishes (f, "bp":"e") within the
// last nanosecond of the receiver's slice. End points are rounded to nanoseconds before durations
// are computed, because otherwise rounding would make consecutive slices overlap. A counter track
// shows the number of messages in flight. With TimelineExtras, a thread above all others shows the
// chain that ends last, the operations of that chain are also in the category "critical", and
// counter tracks show the loads of links.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/timeline.hpp"

namespace tutti { inline namespace formats {

struct TimelineCounter {
  std::string name;
  // pairs of a time in seconds and the value from then on, in order of time
  std::vector<std::pair<double, double>> values;
};

struct TimelineExtras {
  struct Step {
    OpId op = kNoOp;
    double from_s = 0;
    double until_s = 0;
    std::string spent;  // what the time was spent on, in words
  };
  std::vector<Step> chain;  // in order of time
  std::vector<TimelineCounter> loads;
};

// `title` names the process in the viewer. The schedule must have payload.
void write_timeline_json(const Schedule& schedule, const Timeline& timeline, std::string_view title,
                         std::ostream& out, const TimelineExtras& extras = {});

}}  // namespace tutti::formats
