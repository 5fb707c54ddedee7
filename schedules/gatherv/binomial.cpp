// Binomial gather of blocks of any sizes. No MPI library has it, since a rank of MPI_Gatherv does
// not know how much its subtree holds; it shows what that costs.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005.
#include "schedules/patterns/as_in.hpp"

namespace tutti::inline schedules {

namespace gather {
extern const Algorithm binomial;
}  // namespace gather

namespace gatherv {

extern const Algorithm binomial{
    .collective = Collective::gatherv,
    .name = "binomial",
    .idea = "blocks of whole subtrees go up the binomial tree, whatever their sizes",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta for equal blocks",
    .options = bit(Option::block_sizes),
    .layout = AsIn<gather::binomial>::layout,
    .exact_s = AsIn<gather::binomial>::exact_s,
    .emit = AsIn<gather::binomial>::emit,
    .one_shape = AsIn<gather::binomial>::one_shape,
};

}  // namespace gatherv

}  // namespace tutti::inline schedules
