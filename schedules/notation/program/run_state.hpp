// The current position of a running program, and the limits that the run must not exceed.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/fault.hpp"
#include "schedules/notation/program/program.hpp"

namespace tutti { inline namespace schedules { namespace program {

class RunState {
 public:
  RunState(const CompiledCode& code, const ProgramLimits& limits)
      : at(code.instructions.data()), code_(code), limits_(limits), steps_left_(limits.steps) {}

  // The instruction that is being executed.
  const Instruction* at;

  [[nodiscard]] std::size_t position() const {
    return static_cast<std::size_t>(at - code_.instructions.data());
  }
  [[nodiscard]] std::uint32_t place() const { return code_.places[position()]; }
  [[noreturn]] void fail(std::string what) const { fail_at(place(), std::move(what)); }

  void count_steps(std::uint64_t steps) {
    if (steps_left_ < steps) [[unlikely]] {
      fail_steps();
    }
    steps_left_ -= steps;
  }
  [[nodiscard]] const ProgramLimits& limits() const { return limits_; }

 private:
  [[noreturn, gnu::noinline]] void fail_steps() const {
    fail(fmt::format("the program takes more than {} steps; $limit steps=N allows more",
                     limits_.steps));
  }

  const CompiledCode& code_;
  const ProgramLimits& limits_;
  std::uint64_t steps_left_;
};

}}}  // namespace tutti::schedules::program
