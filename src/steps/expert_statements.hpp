// Reads the statements of a mixture of experts: routing, dispatch and combine.
#pragma once

#include <cstdint>

#include "src/steps/groups.hpp"

namespace tutti { inline namespace steps {

// Number of pieces if the description gives none. More pieces mean more operations, fewer mean
// that a node waits longer before it passes tokens on.
inline constexpr std::uint32_t kDefaultTokenPieces = 4;

class ExpertStatements : protected StepGroups {
 protected:
  using StepGroups::StepGroups;

  // Carries out `routing`.
  void routing(const program::SyntaxNode& node, std::uint32_t line);
  // True for the call of a dispatch or a combine.
  [[nodiscard]] static bool is_expert_call(const program::SyntaxNode& node);
  [[nodiscard]] StepCall expert_call(const program::SyntaxNode& node);
  // Throws NotationError if the call has a load that cannot be.
  void check_load(const program::SyntaxNode& node, const StepCall& call) const;

 private:
  void set_value(const program::SyntaxNode& setting, ExpertRouting& experts) const;
};

}}  // namespace tutti::steps
