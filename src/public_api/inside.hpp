// Between what include/tutti promises and what the library has: values taken over, and errors.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/schedule.hpp"
#include "src/simulation/machine.hpp"
#include "tutti/error.hpp"
#include "tutti/machine.hpp"
#include "tutti/problem.hpp"
#include "tutti/schedule.hpp"

namespace tutti::v1 {

struct Schedule::Inside {
  std::string algorithm;
  // Null of a schedule that was written out: no formula is known of it.
  const tutti::Algorithm* registered = nullptr;
  v1::Problem problem;
  tutti::Schedule schedule;
};

// Throws UserError for options that the algorithm does not take, or not so.
[[nodiscard]] tutti::Problem inner(const v1::Problem& problem, const tutti::Algorithm& algorithm);
[[nodiscard]] v1::Problem outer(const tutti::Problem& problem, const tutti::Algorithm& algorithm);

// Throws UserError for what is no machine, and for a platform that cannot be read.
[[nodiscard]] OpenedMachine inner(const v1::Machine& machine);

// What `what` gives back, with errors of the kind that the public headers name.
template <typename What>
auto guarded(What&& what) {
  try {
    return std::forward<What>(what)();
  } catch (const UserError& error) {
    throw v1::Error(error.what());
  } catch (const InvariantError& error) {
    throw std::logic_error(error.what());  // a type that others know
  }
}

}  // namespace tutti::v1
