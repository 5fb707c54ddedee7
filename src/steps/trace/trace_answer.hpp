// The answer to a trace of Chakra, in the form of the answer to a step.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/interchange/chakra_trace.hpp"
#include "src/steps/answer.hpp"

namespace tutti { inline namespace steps {

// Meaning of comm_size for an allgather and a gather. `input`: the data of one rank, as PyTorch's
// converter writes and ASTRA-sim reads it. `whole`: the data of all ranks.
enum class TraceSizes : std::uint8_t { input, whole };

// Simulates a trace. The answer has a line for each collective that differs in
// kind, bytes or group. A line's number is the position of its first node in the file.
// `rules` say which algorithms run, as in add_algorithm_rules(). Throws UserError.
[[nodiscard]] StepAnswer answer_of(const ChakraTrace& trace, TraceSizes sizes,
                                   std::string_view rules, StepMachine machine);

}}  // namespace tutti::steps
