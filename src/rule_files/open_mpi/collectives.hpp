// Numbers of the collectives in Open MPI's rule files, from
// ompi/mca/coll/base/coll_base_functions.h.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tutti { inline namespace rule_files {

struct OmpiCollective {
  std::string_view name;
  bool has_rules = true;  // false if coll/tuned ignores rules for the collective
};

// The index of a collective in this array is its number in rule files.
inline constexpr std::array<OmpiCollective, 17> kOmpiCollectives{{{"allgather"},
                                                                  {"allgatherv"},
                                                                  {"allreduce"},
                                                                  {"alltoall"},
                                                                  {"alltoallv"},
                                                                  {"alltoallw", false},
                                                                  {"barrier"},
                                                                  {"bcast"},
                                                                  {"exscan"},
                                                                  {"gather"},
                                                                  {"gatherv", false},
                                                                  {"reduce"},
                                                                  {"reduce_scatter"},
                                                                  {"reduce_scatter_block"},
                                                                  {"scan"},
                                                                  {"scatter"},
                                                                  {"scatterv", false}}};
// Number of collectives, including the neighbourhood collectives, whose numbers begin at 17.
// coll/tuned ignores rules for neighbourhood collectives.
inline constexpr long kOmpiCollectiveCount = 22;

// Returns the number of a collective; nothing if the array above does not contain the name.
[[nodiscard]] constexpr std::optional<long> ompi_collective_id(std::string_view name) {
  for (std::size_t id = 0; id < kOmpiCollectives.size(); ++id) {
    if (kOmpiCollectives[id].name == name) {
      return static_cast<long>(id);
    }
  }
  return std::nullopt;
}

}}  // namespace tutti::rule_files
