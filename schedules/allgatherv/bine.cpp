// Bine allgather of blocks of any sizes.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_allgather.c, allgather_bine_block_by_block_any_even.
#include "schedules/patterns/bine.hpp"

#include "schedules/patterns/as_in.hpp"

namespace tutti::inline schedules {

namespace allgather {
extern const Algorithm bine;
}  // namespace allgather

namespace allgatherv {

extern const Algorithm bine{
    .collective = Collective::allgatherv,
    .name = "bine",
    .idea =
        "the Bine reduce-scatter run backwards: partners ..., 5, 3, 1, 1 apart exchange all that "
        "they have",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta, for equal blocks",
    .options = bit(Option::block_sizes),
    .refusal = AsIn<allgather::bine>::refusal,
    .limits = kOddRanksLimits,
    .layout = AsIn<allgather::bine>::layout,
    .exact_s = AsIn<allgather::bine>::exact_s,
    .emit = AsIn<allgather::bine>::emit,
    .one_shape = AsIn<allgather::bine>::one_shape,
};

}  // namespace allgatherv

}  // namespace tutti::inline schedules
