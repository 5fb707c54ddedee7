// Exhaustive search of every order in which a schedule may really run on MPI.
//
// A message has four events: its posting and its end at the sender, its posting and its end at the
// receiver; in between, its source is read at one moment. A local operation is one event. A rank
// that shares two operations joined by a dependency starts the second (posts it) when it knows of
// the end of the first, and nothing else orders the two. Sends may be eager or wait for the
// receiver; eager allows every order that waiting allows, and more, so results are searched for
// eager ones, and waiting ones only for whether they get stuck.
//
// An execution is thus a linear extension of a fixed partial order of events. The search is over
// those, up to what cannot be told apart:
//
// A barrier moves no data. It is wrong when a rank may leave (all its events have happened) before
// another has entered (before any of its events), which the order of events alone decides.
//
// 1. Only events with an effect on memory are looked at: the read and the write of each message,
// and
//    local operations. Postings and ends change no memory, and every order of the memory events
//    that the (transitive) order of all events allows is the trace of some linear extension of all
//    events: a linear extension of an induced suborder always extends to the whole. So nothing is
//    lost, and nothing is added.
// 2. Two memory events that conflict (both touch one block, one writes) and are not ordered are a
//    race; all others commute. At each state the search takes a stubborn set: all enabled events of
//    a set T in which each enabled event has with it all events not yet taken that race with it,
//    and each event that is not enabled has with it one that must come before it. What is left out
//    commutes with all of T until T has moved, so every final state is still reached (Valmari 1991;
//    Godefroid 1996). An event that races with nothing any more is such a set by itself: without a
//    race there is one execution, whatever the number of interleavings.
// 3. States in which a choice was made are remembered, and searched once. A state is what has been
//    taken, what memory holds where somebody will yet read it or the collective demands something,
//    and what messages carry; what is left out cannot influence any result.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedules/algorithm.hpp"
#include "tests/schedules/explore/draft.hpp"
#include "tests/schedules/explore/values.hpp"

namespace tutti::explore {

struct SearchOptions {
  Sameness sameness = Sameness::ordered;
  // States with a choice; beyond that many the search gives up and says so.
  std::uint64_t max_states = 100'000;
  // Enough to know that something can go wrong.
  bool stop_at_harm = false;
  // Leave out step 2: take every enabled event at every state. What the reduction is checked
  // against on schedules that are too large for search_fully().
  bool every_order = false;
  // Fill Finding::texts. They can be long.
  bool texts = false;
};

struct Finding {
  // Every order was covered. False when a bound was met, or when the search stopped at harm.
  bool exhausted = false;
  std::uint64_t states = 0;  // with a choice between several events
  std::uint64_t ends = 0;    // complete executions that the search went through

  std::vector<std::uint32_t> stuck;  // operations that never end
  bool undefined_read = false;       // some order reads what was never written
  bool wrong = false;                // some order ends with what the collective does not want
  std::string what;                  // the first harm, for a failed test's output
  // Some order touches a block of a message that is under way, posted at both ends or at its sender
  // and over at neither, in a way that conflicts with it. MPI forbids that whatever the values.
  bool touches_pending = false;
  std::vector<std::vector<Value>> results;  // the first few that differ, at demanded places only
  std::vector<std::string> texts;           // the same results, written out
  // Conflicting operations that nothing orders, by number, each pair once, smaller first.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> races;

  // Some order gets stuck, reads what is undefined, ends wrong, or ends otherwise than another
  // order does (for a sum: with other roundings).
  [[nodiscard]] bool harmful() const {
    return !stuck.empty() || undefined_read || wrong || results.size() > 1;
  }
};

// The draft must not be malformed().
[[nodiscard]] Finding explore(const Draft& draft, const SearchOptions& options);

// How values are told apart, by what the algorithm declares.
[[nodiscard]] Sameness sameness_of(const Algorithm& algorithm, const Problem& problem);

}  // namespace tutti::explore
