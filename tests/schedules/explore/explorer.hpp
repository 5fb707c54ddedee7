// Exhaustive search of every order in which a schedule may really run on MPI.
//
// A message has two events at its sender, posting and end, and two at its receiver. In between, its
// source is read at one moment. A local operation is one event. If a rank takes part in two
// operations joined by a dependency, it starts (posts) the second only when it knows that the first
// has ended. Nothing else orders the two. A send may be eager or wait for its receiver. Eager sends
// allow every order that waiting sends allow, and more. Results are therefore searched for with
// eager sends; waiting sends are only checked for getting stuck.
//
// An execution is thus a linear extension of a fixed partial order of events. The search covers all
// linear extensions, but skips those that cannot be told apart from others:
//
// 1. Only events with an effect on memory are searched: the read and the write of each message, and
// local operations. Postings and ends do not change memory. Every order of the memory events that
// the transitive order of all events allows can be completed to a linear extension of all events.
// So this step neither loses nor adds results.
//
// 2. Two memory events conflict if both touch one block and at least one writes it. Two conflicting
// events that are not ordered are a race; all other pairs commute. At each state the search takes a
// stubborn set, that is, the enabled events of a set T with two properties. With each enabled
// event, T contains all untaken events that race with it. With each event that is not enabled, T
// contains one event that must come before it. Events outside T commute with all of T until an
// event of T is taken, so every final state is still reached (Valmari 1991; Godefroid 1996). An
// event that races with no untaken event is a stubborn set by itself: without a race there is one
// execution, whatever the number of interleavings.
//
// 3. States in which a choice was made are remembered and searched once. A state consists of the
// events taken, the memory that is still to be read or that the collective makes a demand on, and
// the contents of messages. The rest cannot influence any result.
//
// A barrier moves no data, so only the order of events matters. It is wrong if a rank may leave
// (all its events have happened) before another rank has entered (none of its events has happened).
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
  // Largest number of states with a choice. If there are more, the search gives up and `exhausted`
  // is false.
  std::uint64_t max_states = 100'000;
  // Stops the search at the first order that does harm.
  bool stop_at_harm = false;
  // Leaves out step 2: takes every enabled event at every state. Tests compare the reduction with
  // this search on schedules that are too large for search_fully().
  bool every_order = false;
  // Fills Finding::texts, which can be long.
  bool texts = false;
};

struct Finding {
  // True if every order was covered. False if a bound was reached or the search stopped at harm.
  bool exhausted = false;
  std::uint64_t states = 0;  // states with a choice between several events
  std::uint64_t ends = 0;    // complete executions that the search went through

  std::vector<std::uint32_t> stuck;  // operations that never end
  bool undefined_read = false;       // some order reads what was never written
  bool wrong = false;                // some order ends with a result that the collective does not
                                     // allow
  std::string what;                  // the first harm, for a failed test's output
  // True if some order has a conflicting access to a block of a pending message, that is, one
  // posted at both ends or at its sender, and ended at neither. MPI forbids such an access,
  // whatever the values.
  bool touches_pending = false;
  std::vector<std::vector<Value>> results;  // the first few different ones, at demanded places only
  std::vector<std::string> texts;           // the same results, written out
  // Conflicting operations that nothing orders, by number. Each pair appears once, the smaller
  // number first.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> races;

  // True if some order gets stuck, reads an undefined value or ends with a wrong result, or if two
  // orders have different results (for a sum: different rounding).
  [[nodiscard]] bool harmful() const {
    return !stuck.empty() || undefined_read || wrong || results.size() > 1;
  }
};

// The draft must not be malformed().
[[nodiscard]] Finding explore(const Draft& draft, const SearchOptions& options);

// Returns `ordered` if the algorithm declares that it keeps the order of operands.
[[nodiscard]] Sameness sameness_of(const Algorithm& algorithm, const Problem& problem);

}  // namespace tutti::explore
