// Linear reduce: every rank sends its vector to the root, which combines the vectors in rank order.
// The root has a scratch slot for each message, so that it can receive while it reduces.
//
// Source: Open MPI coll/base reduce_intra_basic_linear. The root starts with its own vector and
// combines lower ranks on the left, nearest first, then higher ones on the right, so the order of
// ranks is kept for any root.
#include <algorithm>
#include <array>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

constexpr BlockSet kWhole{0, 1};

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  const double n = static_cast<double>(problem.bytes);
  const double message_s = prices.alpha_s + n * prices.beta_s_per_byte;
  const double reduction_s = n * prices.gamma_s_per_byte;
  return message_s + reduction_s + (problem.ranks - 2) * std::max(message_s, reduction_s);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const Rank root = problem.root;
  builder.reserve(2 * std::size_t{p - 1}, 2 * std::size_t{p - 1});
  // Vectors are combined in the order root-1, ..., 0, then root+1, ..., p-1.
  const auto sender = [root](std::uint32_t i) { return i < root ? root - 1 - i : i + 1; };
  std::vector<OpId> arrivals(p, kNoOp);
  for (std::uint32_t i = 0; i + 1 < p; ++i) {
    arrivals[i] = builder.comm({i}, sender(i), root, {kWhole, kWork, {Buffer::scratch, i}}, {});
  }
  OpId sum = kNoOp;
  for (std::uint32_t i = 0; i + 1 < p; ++i) {
    sum = builder.reduce({i}, root, {kWhole, {Buffer::scratch, i}, kWork},
                         i < root ? Operand::left : Operand::right, std::array{sum, arrivals[i]});
  }
}

}  // namespace

extern const Algorithm linear{
    .collective = Collective::reduce,
    .name = "linear",
    .idea = "the root receives and combines every vector",
    .source = "Open MPI coll/base reduce_intra_basic_linear",
    .cost = "A + G + (p-2) max(A, G), with A = alpha + n beta and G = n gamma",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce
