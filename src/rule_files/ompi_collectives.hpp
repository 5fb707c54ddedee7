// Open MPI's collectives in rule files: numbers of ompi/mca/coll/base/coll_base_functions.h.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tutti {

struct OmpiCollective {
  std::string_view name;
  // The largest algorithm number, of those that tutti does not have; 0 where tuned never looks at
  // rules for this collective.
  long algorithms = 0;
  long algorithms_from_5 = algorithms;  // Open MPI 5.0 has more of some

  [[nodiscard]] constexpr long most(int major_version) const {
    return major_version < 5 ? algorithms : algorithms_from_5;
  }
};

inline constexpr std::array<OmpiCollective, 17> kOmpiCollectives{{{"allgather"},
                                                                  {"allgatherv", 5, 6},
                                                                  {"allreduce"},
                                                                  {"alltoall"},
                                                                  {"alltoallv", 2},
                                                                  {"alltoallw", 0},
                                                                  {"barrier"},
                                                                  {"bcast"},
                                                                  {"exscan", 2},
                                                                  {"gather"},
                                                                  {"gatherv", 0},
                                                                  {"reduce"},
                                                                  {"reduce_scatter"},
                                                                  {"reduce_scatter_block", 4},
                                                                  {"scan", 2},
                                                                  {"scatter"},
                                                                  {"scatterv", 0}}};
// Those of neighbourhoods follow, for which tuned has no rules.
inline constexpr long kOmpiCollectiveCount = 22;

[[nodiscard]] constexpr std::optional<long> ompi_collective_id(std::string_view name) {
  for (std::size_t id = 0; id < kOmpiCollectives.size(); ++id) {
    if (kOmpiCollectives[id].name == name) {
      return static_cast<long>(id);
    }
  }
  return std::nullopt;
}

}  // namespace tutti
