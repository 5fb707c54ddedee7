// Binomial gather of blocks of any sizes. No MPI library has this algorithm, because a rank of
// MPI_Gatherv does not know how much its subtree holds. tutti has it to show what this restriction
// costs.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace gather {
extern const Algorithm binomial;
}  // namespace gather

namespace gatherv {

extern constinit const Algorithm binomial = AsIn<gather::binomial>::algorithm({
    .collective = Collective::gatherv,
    .name = "binomial",
    .idea = "blocks of whole subtrees go up the binomial tree, whatever their sizes",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta for equal blocks",
    .options = bit(Option::block_sizes),
});

}  // namespace gatherv

}}  // namespace tutti::schedules
