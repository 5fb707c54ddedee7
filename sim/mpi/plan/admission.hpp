// Refuses schedules that cannot run, before any message is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schedules/schedule.hpp"
#include "sim/mpi/plan/element.hpp"

namespace tutti::mpi {

enum class RefusalKind : std::uint8_t {
  // The algorithm does not support the problem. This is known before a schedule is built.
  problem,
  // The schedule has a dependency for which no rank can wait, a race, or a wrong result.
  proof,
  // The operator is not commutative, and the schedule does not combine contributions in rank order.
  order,
};

struct Refusal {
  RefusalKind kind = RefusalKind::problem;
  std::string text;  // one line
};

// Returns the reason why this schedule cannot run; nothing if it can.
[[nodiscard]] std::optional<Refusal> refusal(const Schedule& schedule, const Element& element);

}  // namespace tutti::mpi
