#include "src/steps/step_file.hpp"

#include "src/steps/simai/step.hpp"

namespace tutti { inline namespace steps {

StepDescription read_step_file(const std::string& path, std::optional<std::uint32_t> ranks) {
  const std::string text = read_file(path, kStepFile);
  return is_simai_workload(text) ? step_of(parse_simai_workload(text, path, ranks))
                                 : read_step(text, path, ranks);
}

}}  // namespace tutti::steps
