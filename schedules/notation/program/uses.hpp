// Compiles statements of the form use COLLECTIVE/ALGORITHM among LIST.
#pragma once

#include "schedules/notation/program/operations.hpp"

namespace tutti { inline namespace schedules { namespace program {

class Uses : protected Operations {
 protected:
  using Operations::Operations;

  void use(const SyntaxNode& node);

 private:
  [[nodiscard]] const Algorithm& algorithm(const SyntaxNode& collective,
                                           const SyntaxNode& name) const;
  std::uint32_t members(const SyntaxNode& node);
  void clause(const SyntaxNode& node, UseCode& use);
  void setting(const SyntaxNode& node, UseCode& use);
};

}}}  // namespace tutti::schedules::program
