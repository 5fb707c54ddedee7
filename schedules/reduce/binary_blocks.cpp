// Rabenseifner's reduce with binary blocks. If p is not a power of two, no ranks are folded in.
// Instead, the ranks are divided into blocks of 2^k ranks, with a different k for each block. Each
// block runs a reduce-scatter by recursive halving of the vector on its own. The results are merged
// from the smallest block to the largest. If p is a power of two, there is one block, and this is
// reduce/rabenseifner. A root outside the largest block takes the place of that block's first rank,
// which costs one more message.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 5.2; Rabenseifner,
// "Optimization of collective reduction operations", ICCS 2004. Blocks consist of consecutive ranks
// and are in order, so the order of ranks is kept for any root.
#include "schedules/patterns/binary_blocks.hpp"

#include "schedules/patterns/halving_cube.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  BinaryBlocks blocks(problem, builder, BinaryBlocks::End::at_root);
  blocks.reduce_scatter();
  blocks.merge();
  blocks.gather_to_root();
}

}  // namespace

extern const Algorithm binary_blocks{
    .collective = Collective::reduce,
    .name = "binary_blocks",
    .idea =
        "reduce-scatter in blocks of 2^k ranks, merge from the smallest block up, gather from the "
        "largest block",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; Rabenseifner, ICCS 2004",
    .cost = "",
    .keeps_order = always,
    .order_kept = "always",
    .refusal = HalvingCube::refusal,
    .limits = HalvingCube::limits(false),
    .layout = HalvingCube::layout,
    .emit = emit,
    .one_shape = always,
    .same_as = BinaryBlocks::same_as,
};

}}}  // namespace tutti::schedules::reduce
