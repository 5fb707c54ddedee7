// Bucket allgather: a ring in each dimension of a torus, one after the other, each with all that
// the rings before have brought.
//
// Source: see patterns/bucket.hpp.
#include "schedules/patterns/bucket.hpp"

namespace tutti::inline schedules::allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.channels > 1) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return Bucket(problem).steps() * prices.alpha_s + share * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const Bucket bucket(problem);
  builder.reserve(1 * bucket.messages(), 4 * bucket.messages());
  std::vector<Rounds> rounds = bucket.rounds(builder);
  bucket.allgather(rounds);
}

}  // namespace

extern const Algorithm bucket{
    .collective = Collective::allgather,
    .name = "bucket",
    .idea = "a ring in each dimension of $dims, one after the other, the last one first",
    .source = "Jain and Sabharwal, Optimal Bucket Algorithms, ICS 2010; Barnett et al., SHPCC 1994",
    .cost = "D alpha + (p-1)/p n beta with one channel, D the sum of all sizes of $dims less one",
    .options = bit(Option::channels) | bit(Option::dims),
    .own_numbers = {&kOneChannel, 1},
    .refusal = refuse_bucket,
    .limits = kBucketLimits,
    .layout = bucket_layout,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::allgather
