// Linear scan: rank r receives the sum of the contributions of ranks 0 to r-1 from rank r-1, adds
// its own contribution, and sends the sum on to rank r+1.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_scan.c (ompi_coll_base_scan_intra_linear).
#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace scan {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double n = static_cast<double>(problem.bytes);
  return (p - 1) * (prices.alpha_s + n * prices.beta_s_per_byte + n * prices.gamma_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  builder.reserve(2 * std::size_t{p - 1}, 2 * std::size_t{p});
  OpId sum = kNoOp;
  for (Rank rank = 1; rank < p; ++rank) {
    const OpId received =
        builder.comm({rank - 1}, rank - 1, rank, {{0, 1}, kWork, kScratch}, std::array{sum});
    sum = builder.reduce({rank - 1}, rank, {{0, 1}, kScratch, kWork}, Operand::left,
                         std::array{received});
  }
}

}  // namespace

extern const Algorithm linear{
    .collective = Collective::scan,
    .name = "linear",
    .idea =
        "every rank waits for the sum of the ranks before it, adds its own vector, and passes it "
        "on",
    .source = "Open MPI coll/base scan_intra_linear",
    .cost = "(p-1)(alpha + n beta + n gamma)",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::scan
