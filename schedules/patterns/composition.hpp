// Algorithms that are two collectives, one after the other, each by an algorithm of its own: a
// reduction and a broadcast, a gather and a broadcast, a reduction and a scatter; all with root 0.
// A rank begins the second when it is done with the first, as a rank does that makes two blocking
// calls.
//
// --parts says which: "binary tree reduction, then linear broadcast" is
// `pipeline:binary+linear`. Each is NAME[:TREE][:SEGMENT], with the algorithm's name, its --tree,
// and its --segment in bytes; --cuts holds for those that take it, one at least. `open_mpi` stands
// for what Open MPI 4.1 decides by itself for these ranks and bytes (open_mpi_decision.hpp).
#pragma once

#include <array>
#include <optional>
#include <string>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/group_calls.hpp"

namespace tutti::inline schedules {

// Whether one of the two takes --cuts. Of `open_mpi`, which depends on ranks and bytes, and of
// parts that `whole` cannot have, which are refused for that: true.
[[nodiscard]] bool parts_take_cuts(const TwoParts& parts, Collective whole);

class Composition {
 public:
  // Composes `problem`; its parts are binomial trees where it names none. Throws UserError for
  // parts that are another collective's, or that cannot run.
  explicit Composition(const Problem& problem);

  // Says why the constructor would throw, for Algorithm::refusal.
  static std::optional<Sentence> refusal(const Problem& problem);

  // It in words, for Algorithm::limits.
  static constexpr std::array<std::string_view, 2> kLimits{"$parts of which one cannot run",
                                                           "$cuts that neither of $parts takes"};

  // Cut where either part cuts, and, where ranks own parts of the result, into as many blocks for
  // each of them.
  [[nodiscard]] BlockLayout layout() const { return calls().layout(); }
  void emit(ScheduleBuilder& builder) const { calls().emit(builder); }
  // The sum of both: at the root all of the first is over before the second begins, and no rank is
  // still busy with the first then.
  [[nodiscard]] std::optional<double> exact_s(const Prices& prices) const;
  [[nodiscard]] bool keeps_order() const;

 private:
  struct Part {
    const Algorithm* algorithm = nullptr;
    Problem problem;
  };
  // Both, one after the other, among all ranks.
  [[nodiscard]] GroupCalls calls() const;

  Problem problem_;
  std::array<Part, 2> parts_;
};

// The members of an Algorithm that is a composition of the parts that it is asked for.
struct ComposedAlgorithm {
  static std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
    return Composition(problem).exact_s(prices);
  }
  static constexpr Algorithm algorithm(Algorithm own) {
    own.options |= bit(Option::parts) | bit(Option::cuts);
    own.refusal = Composition::refusal;
    own.limits = Composition::kLimits;
    own.layout = [](const Problem& problem) { return Composition(problem).layout(); };
    own.exact_s = own.exact_s != nullptr ? own.exact_s : exact_s;
    own.emit = [](const Problem& problem, ScheduleBuilder& builder) {
      Composition(problem).emit(builder);
    };
    if (!own.order_kept.empty()) {
      own.keeps_order = [](const Problem& problem) { return Composition(problem).keeps_order(); };
    }
    return own;
  }
};

}  // namespace tutti::inline schedules
