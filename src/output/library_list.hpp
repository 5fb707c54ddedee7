// Lists the libraries' names for algorithms, and the equivalent algorithms of tutti.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <ostream>
#include <span>
#include <string>

#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/recommendations.hpp"

namespace tutti::inline output {

// Describes which libraries run an algorithm: "Open MPI 4 (ring); MPICH MPIR_Bcast_intra_tree from
// 4.1, as --tree kary --radix K". "" if there are no rows.
[[nodiscard]] std::string uses_in_words(std::span<const CatalogueRow> rows);

// Describes when to use an algorithm: "below 4 KiB (UCC's default scores); ...". "" if there are no
// recommendations.
[[nodiscard]] std::string in_words(std::span<const Recommendation> recommendations);

void print_library(const LibraryVersion& version, std::span<const CatalogueRow> rows,
                   std::ostream& out);

[[nodiscard]] nlohmann::ordered_json catalogue_json(const CatalogueRow& row);
[[nodiscard]] nlohmann::ordered_json recommendation_json(const Recommendation& recommendation);
// Returns JSON whose schema is src/formats/schemas/tutti-library-1.schema.json.
[[nodiscard]] nlohmann::ordered_json library_json(const LibraryVersion& version,
                                                  std::span<const CatalogueRow> rows);

}  // namespace tutti::inline output
