// Reads the number of GPUs, the layout and the groups of a step's description.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/steps/description.hpp"
#include "src/steps/values.hpp"

namespace tutti { inline namespace steps {

inline constexpr std::uint32_t kMostStepRanks = 1U << 20U;
inline constexpr std::size_t kMostAxes = 32;  // Quantity::axes has a bit for each

// True for the word that stands for all ranks, or all collectives.
[[nodiscard]] inline bool is_all(const program::SyntaxNode& node) { return node.text() == "all"; }

class StepGroups : protected StepValues {
 protected:
  // `sizes` replace those of the layout.
  StepGroups(Scanner& scanner, std::optional<std::uint32_t> ranks,
             const std::vector<LayoutAxis>& sizes)
      : StepValues(scanner), given_ranks_(ranks), sizes_(sizes) {}

  // Carry out a statement.
  void gpus(const program::SyntaxNode& node);
  void layout(const program::SyntaxNode& node);
  void group(const program::SyntaxNode& node);

  // Throws NotationError if there is no layout yet.
  void need_layout(const program::SyntaxNode& node) const;
  [[nodiscard]] std::optional<std::uint32_t> find_group(std::string_view wanted) const;
  // Returns the index of the group. Throws NotationError if there is none.
  std::uint32_t group_named(const program::SyntaxNode& node);
  // Returns the names of all groups, for messages.
  [[nodiscard]] std::vector<std::string> group_names() const;

  StepDescription step_;

 private:
  // Gives the axis without a size the remaining ranks, and makes the group of each axis.
  void close_layout(const program::SyntaxNode& node, std::optional<std::size_t> rest,
                    std::uint32_t product);
  [[nodiscard]] AxisPart axis_part(const program::SyntaxNode& node) const;
  [[nodiscard]] std::vector<AxisPart> whole_layout() const;

  std::optional<std::uint32_t> given_ranks_;
  const std::vector<LayoutAxis>& sizes_;
};

}}  // namespace tutti::steps
