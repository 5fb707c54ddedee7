// Binomial scatter of blocks of any sizes. No MPI library has this algorithm, because a rank of
// MPI_Scatterv does not know how much its subtree gets. tutti has it to show what this restriction
// costs.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace scatter {
extern const Algorithm binomial;
}  // namespace scatter

namespace scatterv {

extern constinit const Algorithm binomial = AsIn<scatter::binomial>::algorithm({
    .collective = Collective::scatterv,
    .name = "binomial",
    .idea = "blocks of whole subtrees go down the binomial tree, whatever their sizes",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta for equal blocks",
    .options = bit(Option::block_sizes),
});

}  // namespace scatterv

}}  // namespace tutti::schedules
