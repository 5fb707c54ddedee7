// What is refused before anything is sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schedules/schedule.hpp"
#include "sim/mpi/plan/element.hpp"

namespace tutti::mpi {

enum class RefusalKind : std::uint8_t {
  problem,  // the algorithm does not serve it; known before there is a schedule
  proof,    // a dependency that shares no rank (nobody could wait for it), a race, a wrong result
  order,    // the operator does not commute, and the schedule does not combine in rank order
};

struct Refusal {
  RefusalKind kind = RefusalKind::problem;
  std::string text;  // one line
};

// Why this schedule cannot run; nothing if it can.
[[nodiscard]] std::optional<Refusal> refusal(const Schedule& schedule, const Element& element);

}  // namespace tutti::mpi
