// Numbers of the collectives in Open MPI's rule files, from
// ompi/mca/coll/base/coll_base_functions.h.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tutti::inline rule_files {

// Command line that makes coll/tuned read a file.
inline constexpr std::string_view kLoadTuned =
    "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {}";

struct OmpiCollective {
  std::string_view name;
  bool has_rules = true;  // false: tuned never looks at rules for this collective
};

// The index of a collective is its number.
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
// Includes the neighbourhood collectives, which follow the ones above and have no rules in tuned.
inline constexpr long kOmpiCollectiveCount = 22;

[[nodiscard]] constexpr std::optional<long> ompi_collective_id(std::string_view name) {
  for (std::size_t id = 0; id < kOmpiCollectives.size(); ++id) {
    if (kOmpiCollectives[id].name == name) {
      return static_cast<long>(id);
    }
  }
  return std::nullopt;
}

}  // namespace tutti::inline rule_files
