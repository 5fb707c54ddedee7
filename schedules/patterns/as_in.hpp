// Turns an algorithm into an algorithm for another collective that differs only in its block sizes:
// for instance, one for allgather into one for allgatherv. The new algorithm reuses the functions
// of the original one; it reuses the closed form only if no block sizes are given.
#pragma once

#include <optional>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules {

template <const Algorithm& kModel>
struct AsIn {
  // Fills in the functions of `own`; the caller sets the texts of `own`. `refusal`, `exact_s` and
  // `keeps_order` are set only if `own` has the text that describes them: `limits`, `cost` and
  // `order_kept`.
  static constexpr Algorithm algorithm(Algorithm own) {
    own.refusal = own.limits.empty() ? nullptr : refusal;
    own.keeps_order = own.order_kept.empty() ? nullptr : keeps_order;
    own.layout = layout;
    own.exact_s = own.cost.empty() ? nullptr : exact_s;
    own.emit = emit;
    own.one_shape = one_shape;
    return own;
  }

  static std::optional<Sentence> refusal(const Problem& problem) { return kModel.refusal(problem); }
  static bool keeps_order(const Problem& problem) { return kModel.keeps_order(problem); }
  static BlockLayout layout(const Problem& problem) { return kModel.layout(problem); }
  static std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
    return problem.block_bytes.empty() ? kModel.exact_s(problem, prices) : std::nullopt;
  }
  static RankSymmetry symmetry(const Problem& problem) { return kModel.symmetry(problem); }
  static void emit(const Problem& problem, ScheduleBuilder& builder) {
    kModel.emit(problem, builder);
  }
  static bool one_shape(const Problem& problem) {
    return kModel.one_shape != nullptr && kModel.one_shape(problem);
  }
};

}}  // namespace tutti::schedules
