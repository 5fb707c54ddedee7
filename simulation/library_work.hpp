// What libraries do beside the messages of each of their algorithms, as their sources have it.
#pragma once

#include <string_view>

#include "schedules/problem.hpp"
#include "sim/messages/library_work.hpp"

namespace tutti {

// Of `algorithm`, "ring". Nothing for one that no library has.
[[nodiscard]] LibraryWork library_work(const Problem& problem, std::string_view algorithm);

}  // namespace tutti
