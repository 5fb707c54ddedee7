// A step with other sizes of the axes of its layout, and on other machines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/steps/account.hpp"
#include "src/steps/answer.hpp"
#include "src/steps/description.hpp"

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

// A step to simulate: one layout on one machine.
struct StepCase {
  std::vector<LayoutAxis> given;  // the compared axes
  std::uint32_t machine = 0;      // 0: the given one
  std::string options;            // of the machine, in place of those given; "" if there are none
  std::function<StepAnswer()> simulate;
};

// The time of a step with one layout, on one machine.
struct ComparedLayout {
  std::uint32_t machine = 0;  // as in StepCase
  std::string options;
  std::vector<LayoutAxis> given;   // the compared axes
  std::vector<LayoutAxis> layout;  // all axes; empty if refused
  std::string platform;
  double total_s = 0;
  SpentTime of_last;                // at the rank that ends last
  std::vector<std::string> groups;  // that communicate
  std::vector<double> exposed_s;    // by group, at the rank that ends last
  std::uint32_t ranks = 0;
  std::string refusal;  // why the layout cannot run; "" if it can
};

struct LayoutComparison {
  std::string name;  // of the step
  // Layouts that run, the fastest first, and then those that cannot run.
  std::vector<ComparedLayout> layouts;
  // Compared axes on whose size no computing depends.
  std::vector<std::string> not_scaled;
};

// Simulates all cases. Throws UserError if none can run.
[[nodiscard]] LayoutComparison compare_layouts(const std::vector<StepCase>& cases);

}}  // namespace tutti::steps
