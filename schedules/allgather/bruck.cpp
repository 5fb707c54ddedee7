// Bruck's allgather: at level l rank r sends what it has, K^l blocks, or what is missing of them,
// to the ranks r + K^l, r + 2 K^l, ..., r + (K - 1) K^l, all at once; for any p. K is 2 unless
// --radix says otherwise.
//
// Source: Bruck et al., "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", IEEE TPDS 8(11), 1997; [schedule document] ("Bruck"), whose direction
// this is: from n to n + 2^l. MPI libraries take the other one: allgather/bruck_mirrored.
#include "schedules/patterns/bruck_allgather.hpp"

namespace tutti::inline schedules::allgather {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  emit_bruck_allgather(problem, builder, Towards::higher);
}

}  // namespace

extern const Algorithm bruck{
    .collective = Collective::allgather,
    .name = "bruck",
    .idea = "in round l rank r sends all that it has, K^l blocks, to the ranks r + j K^l, j < K",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; [schedule document]",
    .cost =
        "ceil(lg p) alpha + (p-1)/p n beta for K = 2; m (K - 1) alpha + (p-1)/p n beta for p = K^m",
    .options = bit(Option::radix),
    .own_numbers = {&kRadix2, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = block_per_rank,
    .exact_s = bruck_allgather_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::allgather
