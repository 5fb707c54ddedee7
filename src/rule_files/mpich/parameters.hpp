// Parameters of an algorithm in rules of MPICH 4.1 and later. The algorithm's leaf contains them:
// {"algorithm=MPIR_Bcast_intra_tree": {"tree_type=kary": {}, "k=4": {}, "is_non_blocking=1": {}}}.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "src/formats/json_lines.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

struct MpichParameters {
  std::int64_t k = 0;
  std::uint64_t chunk_bytes = 0;
  std::string tree;  // type of the tree: "kary"; empty if the rule names none
};

// Reads the parameters of a leaf as the release does (403 is 4.3). Adds a finding to `file` for
// parameters that MPICH ignores, and for those that are missing.
[[nodiscard]] MpichParameters read_mpich_parameters(const JsonLine& leaf,
                                                    std::string_view algorithm, int release,
                                                    RuleFile& file);

// Returns a leaf with all parameters that the release needs to run the algorithm as `choice`
// specifies.
[[nodiscard]] nlohmann::ordered_json mpich_leaf_for(const LibraryAlgorithm& algorithm,
                                                    const Choice& choice, int release);

}}  // namespace tutti::rule_files
