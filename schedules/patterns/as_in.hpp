// An algorithm that is another collective's, on blocks that other problems have: of any sizes, or
// of equal ones. What the other says of a problem holds for these too, but for its closed form
// where sizes are given one by one.
#pragma once

#include <optional>

#include "schedules/algorithm.hpp"

namespace tutti::inline schedules {

template <const Algorithm& kModel>
struct AsIn {
  // `own` has the words; where it has some for limits, cost or order, there is more than words.
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

}  // namespace tutti::inline schedules
