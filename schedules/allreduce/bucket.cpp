// Bucket allreduce: the bucket reduce-scatter over all dimensions of a torus, then the bucket
// allgather back. With two --channels for each dimension all links of the torus are in use at any
// time; with two on one dimension it is the ring in both directions.
//
// Source: see patterns/bucket.hpp.
#include "schedules/patterns/bucket.hpp"

namespace tutti::inline schedules::allreduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.channels > 1) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return 2 * Bucket(problem).steps() * prices.alpha_s +
         share * (2 * prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const Bucket bucket(problem);
  builder.reserve(3 * bucket.messages(), 9 * bucket.messages());
  std::vector<Rounds> rounds = bucket.rounds(builder);
  bucket.reduce_scatter(rounds);
  bucket.allgather(rounds);
}

}  // namespace

extern const Algorithm bucket{
    .collective = Collective::allreduce,
    .name = "bucket",
    .idea = "rings over the dimensions of $dims, there as a reduce-scatter, back as an allgather",
    .source = "Jain and Sabharwal, Optimal Bucket Algorithms, ICS 2010; Barnett et al., SHPCC 1994",
    .cost =
        "2 D alpha + 2(p-1)/p n beta + (p-1)/p n gamma with one channel, D the sum of all sizes of "
        "$dims less one",
    .options = bit(Option::channels) | bit(Option::dims),
    .own_numbers = {&kOneChannel, 1},
    .refusal = refuse_bucket,
    .limits = kBucketLimits,
    .layout = bucket_layout,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::allreduce
