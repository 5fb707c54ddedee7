// Refuses schedules that cannot run, before anything is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schedules/schedule.hpp"
#include "sim/mpi/plan/element.hpp"

namespace tutti::mpi {

enum class RefusalKind : std::uint8_t {
  problem,  // the algorithm does not support it; known before there is a schedule
  proof,    // a dependency that no rank could wait for, a race, or a wrong result
  order,    // the operator is not commutative, and the schedule does not combine in rank order
};

struct Refusal {
  RefusalKind kind = RefusalKind::problem;
  std::string text;  // one line
};

// Returns why this schedule cannot run; nothing if it can.
[[nodiscard]] std::optional<Refusal> refusal(const Schedule& schedule, const Element& element);

}  // namespace tutti::mpi
