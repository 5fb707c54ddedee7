#include "src/experiments/decisions/timed_cell.hpp"

#include <algorithm>

namespace tutti { inline namespace experiments {

std::string_view name(TimedBy by) {
  switch (by) {
    case TimedBy::simulation:
      return "simulation";
    case TimedBy::exact:
      return "exact";
    case TimedBy::longest_path:
      return "longest-path";
    case TimedBy::measured:
      return "measured";
  }
  return "";
}

std::optional<std::size_t> TimedCell::best() const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].timed() && !bars(i) &&
        (!found || times[i].seconds < times[*found].seconds * (1 - 1e-9))) {
      found = i;
    }
  }
  return found;
}

std::optional<std::size_t> TimedCell::second() const {
  const auto first = best();
  std::optional<std::size_t> found;
  for (std::size_t i = 0; first && i < times.size(); ++i) {
    const bool known = times[i].timed() || times[i].state == CandidateTime::State::beaten;
    if (known && !bars(i) && differs(times[i].seconds, times[*first].seconds) &&
        (!found || times[i].seconds < times[*found].seconds)) {
      found = i;
    }
  }
  return found;
}

std::vector<std::size_t> TimedCell::equals() const {
  const auto first = best();
  std::vector<std::size_t> found;
  for (std::size_t i = 0; first && i < times.size(); ++i) {
    if (i != *first && times[i].timed() && !bars(i) &&
        !differs(times[i].seconds, times[*first].seconds)) {
      found.push_back(i);
    }
  }
  return found;
}

bool TimedCell::level_within_ties() const {
  const auto first = best();
  return first && std::any_of(times.begin(), times.end(), [&](const CandidateTime& time) {
           return time.timed() && differs(time.seconds, times[*first].seconds) &&
                  tutti::level_within_ties(time.time(), times[*first].time());
         });
}

SegmentCandidate TimedCell::way_of(std::size_t candidate) const {
  return as_unsegmented({candidate, times[candidate].segment_bytes});
}

std::optional<double> TimedCell::seconds_of(const SegmentCandidate& way) const {
  const auto time = time_of(way);
  return time ? std::optional(time->seconds) : std::nullopt;
}

std::optional<RangedTime> TimedCell::time_of(const SegmentCandidate& way) const {
  const SegmentCandidate wanted = as_unsegmented(way);
  if (wanted.candidate < times.size() && times[wanted.candidate].timed() &&
      way_of(wanted.candidate) == wanted) {
    return times[wanted.candidate].time();
  }
  for (const SegmentTime& recut : recuts) {
    if (recut.way == wanted && recut.known()) {
      return recut.time();
    }
  }
  return std::nullopt;
}

std::optional<RangedTime> TimedCell::timed_time_of(const SegmentCandidate& way) const {
  const bool guessed = std::any_of(recuts.begin(), recuts.end(), [&](const SegmentTime& each) {
    return each.way == way && each.state != SegmentTime::State::timed;
  });
  return guessed ? std::nullopt : time_of(way);
}

SegmentTime* TimedCell::recut_of(const SegmentCandidate& way) {
  const SegmentCandidate wanted = as_unsegmented(way);
  const auto found = std::find_if(recuts.begin(), recuts.end(),
                                  [&](const SegmentTime& each) { return each.way == wanted; });
  return found == recuts.end() ? nullptr : &*found;
}

bool TimedCell::allows(const SegmentCandidate& way) const {
  if (baseline == way.candidate) {
    return true;
  }
  if (bars(way.candidate)) {
    return false;
  }
  const auto seconds = seconds_of(way);
  return !seconds || *seconds <= at_most_s;
}

std::optional<RangedTime> TimedCell::least() const {
  std::optional<RangedTime> least;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].timed() && !bars(i) && (!least || times[i].seconds < least->seconds)) {
      least = times[i].time();
    }
  }
  for (const SegmentTime& recut : recuts) {
    if (recut.state == SegmentTime::State::timed && (!least || recut.seconds < least->seconds)) {
      least = recut.time();
    }
  }
  return least;
}

}}  // namespace tutti::experiments
