// Reads a file that describes a step, in tutti's own form or that of another tool.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file_text.hpp"
#include "src/steps/description.hpp"

namespace tutti { inline namespace steps {

inline constexpr InputKind kStepFile{"a description of a step", std::uint64_t{2} << 30U, true};

// `ranks` is the number of ranks, if the file does not decide it alone. Throws UserError.
[[nodiscard]] StepDescription read_step_file(const std::string& path,
                                             std::optional<std::uint32_t> ranks);

}}  // namespace tutti::steps
