// Exhaustive search of all orders in which the events of a schedule can happen on MPI.
//
// A message has five events: the posting and the end of the send, the posting and the end of the
// receive, and one moment at which its source is read, after the send is posted and before either
// end. A local operation is one event. If a rank takes part in two operations joined by a
// dependency, it starts (posts) the second only when it knows that the first has ended. Nothing
// else orders the two. A send may be eager or wait for its receiver. Eager sends allow every order
// that waiting sends allow, and more. The search for results therefore uses eager sends; with
// waiting sends, only deadlocks are searched for.
//
// An execution is thus a linear extension of a fixed partial order of events. Different linear
// extensions can have the same results. The search finds the results of all linear extensions, but
// tries only some of them:
//
// 1. Only events with an effect on memory are searched: the read and the write of each message, and
// local operations. Postings and ends do not change memory. If the transitive order of all events
// allows an order of the memory events, this order can be completed to a linear extension of all
// events. So this step neither loses nor adds results.
//
// 2. Two memory events conflict if both touch one block and at least one writes it. Two conflicting
// events that are not ordered are a race; all other pairs commute. An event is taken once the
// search has made it happen, and enabled if all its predecessors are taken. At each state the
// search tries only a stubborn set, that is, the enabled events of a set T with two properties.
// With each enabled event, T contains all untaken events that race with it. With each event that is
// not enabled, T contains one event that must come before it. Events outside T commute with all of
// T until an event of T is taken, so every final state is still reached (Valmari 1991; Godefroid
// 1996). An event that races with no untaken event is a stubborn set by itself: without a race
// there is one execution, whatever the number of interleavings.
//
// 3. States with a choice between several events are remembered, and searched only once. A state
// consists of the events taken, the memory that will still be read or that the collective makes a
// demand on, and the contents of messages in flight. Nothing else can influence a result.
//
// A barrier moves no data, so only the order of events matters. A barrier is wrong if all events of
// one rank may happen before the first event of another rank, that is, if a rank may leave before
// another has entered.
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
};

struct Finding {
  // True if every order was covered. False if a bound was reached or the search stopped at harm.
  bool exhausted = false;
  std::uint64_t states = 0;  // states with a choice between several events
  std::uint64_t ends = 0;    // complete executions that the search went through

  std::vector<std::uint32_t> stuck;  // operations that never end
  bool undefined_read = false;       // true if some order reads a block that was never written
  // True if some order ends with a result that the collective does not allow.
  bool wrong = false;
  // Description of the first harm that was found, for the output of a failed test.
  std::string what;
  // The first few different results. Each consists of the values at the places for which the
  // collective demands a value.
  std::vector<std::vector<Value>> results;
  // Pairs of conflicting operations that nothing orders, by position in the draft. Each pair
  // appears once, the smaller position first.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> races;

  // True if some order gets stuck, reads an undefined value or ends with a wrong result, or if two
  // orders have different results (for a sum: different rounding).
  [[nodiscard]] bool harmful() const {
    return !stuck.empty() || undefined_read || wrong || results.size() > 1;
  }
};

// Searches the orders of the events of `draft`, which must not be malformed().
[[nodiscard]] Finding explore(const Draft& draft, const SearchOptions& options);

// Returns `ordered` if the algorithm declares that it keeps the order of operands, otherwise
// `commutative`.
[[nodiscard]] Sameness sameness_of(const Algorithm& algorithm, const Problem& problem);

}  // namespace tutti::explore
