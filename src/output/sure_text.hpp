// Says which choices are sure, as text and as JSON.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>

#include "src/experiments/compare/sure_cells.hpp"
#include "src/formats/fields.hpp"

namespace tutti { inline namespace output {

using LabelOf = std::function<std::string(std::size_t contender)>;

// "in 3 of 4 cells, the best has a probability of at least 80 % to ..."
[[nodiscard]] std::string sure_in_words(const SureChoices& sure);

// Prints the cells in which the choice is not sure, under a heading, if there are any. `ranks`: the
// numbers of ranks, by SureCell::rank_index.
void print_unsure_cells(const SureChoices& sure, Collective collective,
                        std::span<const std::uint32_t> ranks, const LabelOf& label_of,
                        std::ostream& out);

// The same for documents.
struct SureAnswer {
  const SureChoices& sure;
  std::span<const std::uint32_t> ranks;
  LabelOf label_of;
};
[[nodiscard]] FieldView sure_fields();
inline constexpr FieldsOf<SureAnswer> kSureFields{sure_fields};

}}  // namespace tutti::output
