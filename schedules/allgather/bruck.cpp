// Bruck's allgather: at level l rank r sends min(2^l, p - 2^l) blocks, all that it has or all that
// is missing, to rank r + 2^l; for any p.
//
// Source: Bruck et al., "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", IEEE TPDS 8(11), 1997; [schedule document] ("Bruck"), whose direction
// this is: from n to n + 2^l. MPI libraries take the other one: allgather/bruck_mirrored.
#include "schedules/patterns/bruck_allgather.hpp"

namespace tutti::allgather {

namespace {

void emit(const Problem&, ScheduleBuilder& builder) {
  emit_bruck_allgather(builder, Towards::higher);
}

}  // namespace

extern const Algorithm bruck{
    .collective = Collective::allgather,
    .name = "bruck",
    .idea = "at level l rank r sends all that it has, 2^l blocks, to rank r + 2^l",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; [schedule document]",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta",
    .keeps_order = nullptr,
    .options = 0,
    .refusal = nullptr,
    .layout = block_per_rank,
    .exact_s = bruck_allgather_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::allgather
