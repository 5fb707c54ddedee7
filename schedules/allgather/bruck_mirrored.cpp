// Bruck's allgather as MPI libraries run it: at level l rank r sends min(2^l, p - 2^l) blocks, all
// that it has or all that is missing, to rank r - 2^l; for any p. The mirror image of
// allgather/bruck: the same times where all ranks are alike, but other pairs, which matters where
// some ranks share a node or a link.
//
// Source: Bruck et al., "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", IEEE TPDS 8(11), 1997; MPICH 4.0,
// src/mpi/coll/allgather/allgather_intra_brucks.c; Open MPI 4.1,
// ompi/mca/coll/base/coll_base_allgather.c (ompi_coll_base_allgather_intra_bruck).
#include "schedules/patterns/bruck_allgather.hpp"

namespace tutti::allgather {

namespace {

void emit(const Problem&, ScheduleBuilder& builder) {
  emit_bruck_allgather(builder, Towards::lower);
}

}  // namespace

extern const Algorithm bruck_mirrored{
    .collective = Collective::allgather,
    .name = "bruck_mirrored",
    .idea = "at level l rank r sends all that it has, 2^l blocks, to rank r - 2^l",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; MPICH 4.0 and Open MPI 4.1",
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
