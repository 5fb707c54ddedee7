// Source: Open MPI v4.1.4, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c. The same steps are in
// examples/decisions/open_mpi_4.1.json; a test checks that both agree.
#include "schedules/patterns/open_mpi_decision.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

// Open MPI selects the algorithm of the first step for which the ranks and bytes are below both
// bounds.
struct Step {
  std::uint64_t ranks_below;
  std::uint64_t bytes_below;
  std::string_view part;
  std::optional<Tree> tree{};
};

// In kReduce and kBcast, bytes_below refers to the bytes of the vector; in kGather and kScatter, to
// the bytes of a rank's block.
constexpr std::array kReduce{
    Step{4, 8, "rabenseifner"},
    Step{4, 16, "pipeline", Tree::binary},
    Step{4, 32, "pipeline"},
    Step{4, 262144, "linear"},
    Step{4, 524288, "pipeline"},
    Step{4, 1048576, "pipeline"},
    Step{4, kAny, "pipeline"},
    Step{8, 4096, "pipeline", Tree::binary},
    Step{8, 65536, "pipeline"},
    Step{8, 262144, "pipeline", Tree::binomial},
    Step{8, 524288, "linear"},
    Step{8, 1048576, "pipeline", Tree::binomial},
    Step{8, kAny, "linear"},
    Step{16, 8192, "pipeline", Tree::binary},
    Step{16, kAny, "pipeline", Tree::binomial},
    Step{32, 4096, "pipeline", Tree::binary},
    Step{32, kAny, "pipeline", Tree::binomial},
    Step{256, kAny, "pipeline", Tree::binomial},
    Step{512, 8192, "pipeline", Tree::binomial},
    Step{512, 16384, "in_order_binary"},
    Step{512, kAny, "pipeline", Tree::binomial},
    Step{2048, kAny, "pipeline", Tree::binomial},
    Step{4096, 512, "pipeline", Tree::binomial},
    Step{4096, 1024, "in_order_binary"},
    Step{4096, 8192, "pipeline", Tree::binomial},
    Step{4096, 16384, "in_order_binary"},
    Step{4096, kAny, "pipeline", Tree::binomial},
    Step{kAny, 16, "pipeline", Tree::binomial},
    Step{kAny, 32, "in_order_binary"},
    Step{kAny, 1024, "pipeline", Tree::binomial},
    Step{kAny, 2048, "in_order_binary"},
    Step{kAny, 8192, "pipeline", Tree::binomial},
    Step{kAny, 16384, "in_order_binary"},
    Step{kAny, kAny, "pipeline", Tree::binomial},
};
constexpr std::array kBcast{
    Step{4, 32, "pipeline"},
    Step{4, 256, "pipeline", Tree::binary},
    Step{4, 512, "pipeline"},
    Step{4, 1024, "pipeline", Tree::knomial},
    Step{4, 32768, "linear"},
    Step{4, 131072, "pipeline", Tree::binary},
    Step{4, 262144, "pipeline"},
    Step{4, 524288, "linear"},
    Step{4, 1048576, "pipeline", Tree::doubling},
    Step{4, kAny, "pipeline", Tree::binary},
    Step{8, 64, "pipeline", Tree::binary},
    Step{8, 128, "pipeline", Tree::doubling},
    Step{8, 2048, "pipeline", Tree::binary},
    Step{8, 8192, "pipeline", Tree::doubling},
    Step{8, 1048576, "linear"},
    Step{8, kAny, "pipeline"},
    Step{16, 8, "pipeline", Tree::knomial},
    Step{16, 64, "pipeline", Tree::binary},
    Step{16, 4096, "pipeline", Tree::knomial},
    Step{16, 16384, "pipeline", Tree::binary},
    Step{16, 32768, "pipeline", Tree::doubling},
    Step{16, kAny, "linear"},
    Step{32, 4096, "pipeline", Tree::knomial},
    Step{32, 1048576, "pipeline", Tree::doubling},
    Step{32, kAny, "scatter_doubling"},
    Step{64, 2048, "pipeline", Tree::doubling},
    Step{64, kAny, "pipeline", Tree::knomial},
    Step{128, kAny, "pipeline", Tree::knomial},
    Step{256, 2, "pipeline", Tree::doubling},
    Step{256, 16384, "pipeline", Tree::binary},
    Step{256, 32768, "linear"},
    Step{256, 65536, "pipeline", Tree::binary},
    Step{256, kAny, "pipeline", Tree::knomial},
    Step{1024, 16384, "pipeline", Tree::knomial},
    Step{1024, 32768, "split_binary_tree"},
    Step{1024, kAny, "pipeline", Tree::knomial},
    Step{2048, 524288, "pipeline", Tree::knomial},
    Step{2048, kAny, "scatter_doubling"},
    Step{4096, 262144, "pipeline", Tree::knomial},
    Step{4096, kAny, "scatter_doubling"},
    Step{kAny, 8192, "pipeline", Tree::knomial},
    Step{kAny, 16384, "pipeline", Tree::binary},
    Step{kAny, 262144, "pipeline", Tree::knomial},
    Step{kAny, kAny, "scatter_doubling"},
};
constexpr std::array kGather{
    Step{4, 2, "linear_sync"},    Step{4, 4, "linear"},         Step{4, 32768, "binomial"},
    Step{4, 65536, "linear"},     Step{4, 131072, "binomial"},  Step{4, kAny, "linear_sync"},
    Step{8, 1024, "binomial"},    Step{8, 8192, "linear"},      Step{8, 32768, "binomial"},
    Step{8, 262144, "linear"},    Step{8, kAny, "linear_sync"}, Step{256, kAny, "binomial"},
    Step{512, 2048, "binomial"},  Step{512, 8192, "linear"},    Step{512, kAny, "binomial"},
    Step{kAny, kAny, "binomial"},
};

// Open MPI's basic_linear and linear_nb send the same messages, so both are "linear" here.
constexpr std::array kScatter{
    Step{4, kAny, "linear"},     Step{8, 2048, "binomial"}, Step{8, 4096, "linear"},
    Step{8, 8192, "binomial"},   Step{8, kAny, "linear"},   Step{32, 16384, "binomial"},
    Step{32, kAny, "linear"},    Step{64, 512, "binomial"}, Step{64, 8192, "linear"},
    Step{64, 16384, "binomial"}, Step{64, kAny, "linear"},  Step{kAny, 512, "binomial"},
    Step{kAny, kAny, "linear"},
};
// The algorithm of MPI_Gatherv and MPI_Scatterv, which coll/tuned leaves to coll/basic.
constexpr Step kLinear{kAny, kAny, "linear"};

const Step& decided(std::span<const Step> steps, std::uint32_t ranks, std::uint64_t bytes) {
  return *std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
    return ranks < step.ranks_below && bytes < step.bytes_below;
  });
}

const Step& decided(Collective collective, Collective whole, std::uint32_t ranks,
                    std::uint64_t bytes) {
  if (whole == Collective::reduce_scatter_block && collective == Collective::scatter) {
    return decided(kScatter, ranks, bytes / ranks);
  }
  switch (collective) {
    case Collective::reduce:
      return decided(kReduce, ranks, bytes);
    case Collective::bcast:
      return decided(kBcast, ranks, bytes);
    case Collective::gather:
      return decided(kGather, ranks, bytes / ranks);
    default:
      TUTTI_INVARIANT(collective == Collective::scatter || collective == Collective::gatherv);
      return kLinear;
  }
}

}  // namespace

std::array<OnePart, 2> open_mpi_parts(const Problem& problem,
                                      const std::array<Collective, 2>& collectives) {
  std::array<OnePart, 2> parts;
  for (const std::size_t at : {0U, 1U}) {
    const Step& step = decided(collectives[at], problem.collective, problem.ranks, problem.bytes);
    std::string_view part = step.part;
    // In place of rabenseifner, Open MPI runs linear if there are fewer elements than blocks.
    if (part == "rabenseifner" && problem.elements() < std::bit_floor(problem.ranks)) {
      part = "linear";
    }
    parts[at] = {std::string(part), step.tree, 0};
  }
  return parts;
}

}}  // namespace tutti::schedules
