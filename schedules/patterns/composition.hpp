// Algorithms that consist of two collectives, one after the other, each with its own algorithm: a
// reduction and a broadcast, a gather and a broadcast, or a reduction and a scatter, all with root
// 0. A rank begins the second collective after finishing the first, as with two blocking calls.
//
// --parts selects the two algorithms: `pipeline:binary+linear` is a binary tree reduction, then a
// linear broadcast. Each part is NAME[:TREE][:SEGMENT]: the algorithm's name, its --tree, and its
// --segment in bytes. --cuts applies to the parts whose algorithms have this option; at least one
// part must have it. `open_mpi` selects the algorithms that Open MPI 4.1 uses for the number of
// ranks and bytes (see open_mpi_decision.hpp).
#pragma once

#include <array>
#include <optional>
#include <string>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/group_calls.hpp"

namespace tutti { inline namespace schedules {

// True if --cuts applies to one of the two parts. Also true for `open_mpi`, whose parts depend on
// the number of ranks and bytes, and for parts that are invalid for `whole`, because invalid parts
// are refused for another reason.
[[nodiscard]] bool parts_take_cuts(const TwoParts& parts, Collective whole);

class Composition {
 public:
  // Composes `problem`. The default parts are binomial trees. Throws UserError if a part belongs to
  // another collective or cannot run.
  explicit Composition(const Problem& problem);

  // Returns the reason why the constructor would throw, for Algorithm::refusal.
  static std::optional<Sentence> refusal(const Problem& problem);

  // The cases of refusal() in words, for Algorithm::limits.
  static constexpr std::array<std::string_view, 2> kLimits{
      "$parts with an algorithm that cannot run", "$cuts that apply to neither of $parts"};

  // Returns a layout that cuts the vector wherever either part cuts it. If ranks own parts of the
  // result, all ranks have the same number of blocks.
  [[nodiscard]] BlockLayout layout() const { return calls().layout(); }
  void emit(ScheduleBuilder& builder) const { calls().emit(builder); }
  // Sum of the times of both parts. The sum is exact: when the root begins the second part, no rank
  // is still busy with the first part.
  [[nodiscard]] std::optional<double> exact_s(const Prices& prices) const;
  [[nodiscard]] bool keeps_order() const;

 private:
  struct Part {
    const Algorithm* algorithm = nullptr;
    Problem problem;
  };
  // Returns both parts as calls among all ranks, one after the other.
  [[nodiscard]] GroupCalls calls() const;

  Problem problem_;
  std::array<Part, 2> parts_;
};

// Provides the functions of an Algorithm that is composed of the parts given by --parts.
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

}}  // namespace tutti::schedules
