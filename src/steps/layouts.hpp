// A step with other sizes of the axes of its layout.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/steps/account.hpp"
#include "src/steps/description.hpp"
#include "src/steps/machine.hpp"

namespace tutti { inline namespace steps {

// The sizes to compare of one axis.
struct AxisSizes {
  std::string axis;
  std::vector<std::uint32_t> sizes;
};

// Parses the sizes of axes, such as tp=1..8*2,pp=2,4. `from` names the option in messages. Throws
// UserError.
[[nodiscard]] std::vector<AxisSizes> parse_axis_sizes(std::string_view from,
                                                      const std::string& text);

// Returns all combinations of the sizes; the last axis changes fastest. Throws UserError if there
// are too many, or if the description has no such axis.
[[nodiscard]] std::vector<std::vector<LayoutAxis>> combinations_of(
    const std::vector<AxisSizes>& sizes, std::string_view text, std::string_view file);

// The time of a step with one layout.
struct ComparedLayout {
  std::vector<LayoutAxis> given;   // the compared axes
  std::vector<LayoutAxis> layout;  // all axes; empty if refused
  std::string platform;
  double total_s = 0;
  SpentTime of_last;                // at the rank that ends last
  std::vector<std::string> groups;  // that communicate
  std::vector<double> exposed_s;    // by group, at the rank that ends last
  std::string refusal;              // why the layout cannot run; "" if it can

  [[nodiscard]] std::uint32_t ranks() const;
};

struct LayoutComparison {
  std::string name;  // of the step
  // Layouts that run, the fastest first, and then those that cannot run.
  std::vector<ComparedLayout> layouts;
  // Compared axes on whose size no computing depends.
  std::vector<std::string> not_scaled;
};

// Simulates the step with each of the layouts. `ranks` is the number of ranks that the command line
// gives, if any, and `machine_for` returns the machine for a number of ranks. Throws UserError if
// no layout can run.
[[nodiscard]] LayoutComparison compare_layouts(
    std::string_view text, std::string_view file, std::optional<std::uint32_t> ranks,
    const std::vector<std::vector<LayoutAxis>>& layouts,
    const std::function<StepMachine(std::uint32_t ranks)>& machine_for);

}}  // namespace tutti::steps
