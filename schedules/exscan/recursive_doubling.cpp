// Exclusive scan by recursive doubling: partners at distance 1, 2, 4, ... exchange the sums of
// their groups; the higher partner combines the received sum with its result.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_exscan.c
// (ompi_coll_base_exscan_intra_recursivedoubling); MPICH 4.0,
// src/mpi/coll/exscan/exscan_intra_recursive_doubling.c.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/doubling_scan.hpp"

namespace tutti { inline namespace schedules { namespace exscan {

namespace {

// The last rank is always the higher partner. It combines twice per level, but on the first level
// only once: there it copies the received sum to its result.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks != power_of_two_below(problem.ranks)) {
    return std::nullopt;
  }
  const double n = static_cast<double>(problem.bytes);
  const double levels = floor_log2(problem.ranks);
  if (problem.ranks == 1) {
    return 0;
  }
  return levels * (prices.alpha_s + n * prices.beta_s_per_byte) +
         (2 * levels - 1) * n * prices.gamma_s_per_byte + 2 * n * prices.copy_s_per_byte;
}

void emit(const Problem&, ScheduleBuilder& builder) { emit_doubling_scan(builder, Own::left_out); }

}  // namespace

extern const Algorithm recursive_doubling{
    .collective = Collective::exscan,
    .name = "recursive_doubling",
    .idea = "partners at distance 1, 2, 4, ... exchange sums of their groups of ranks",
    .source =
        "Open MPI coll/base exscan_intra_recursivedoubling; MPICH exscan_intra_recursive_doubling",
    .cost = "lg p (alpha + n beta) + (2 lg p - 1) n gamma for p = p'",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::exscan
