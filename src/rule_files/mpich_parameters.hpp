// What rules of MPICH 4.1 and later give an algorithm beside its name, as children of the leaf:
// {"algorithm=MPIR_Bcast_intra_tree": {"tree_type=kary": {}, "k=4": {}, "is_non_blocking=1": {}}}.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "src/formats/json_lines.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

struct MpichParameters {
  std::int64_t k = 0;
  std::uint64_t chunk_bytes = 0;
  std::string tree;  // "" where there is none
};

// Those of a leaf, as a release reads them (403: 4.3). What MPICH passes over, or would have to
// make up, is said to `file`.
[[nodiscard]] MpichParameters read_mpich_parameters(const JsonLine& leaf,
                                                    std::string_view algorithm, int release,
                                                    RuleFile& file);

// All that the algorithm needs to be the choice, for that release.
[[nodiscard]] nlohmann::ordered_json mpich_leaf_for(const LibraryAlgorithm& algorithm,
                                                    const Choice& choice, int release);

}  // namespace tutti::inline rule_files
