// Compiles the statements of a program.
#pragma once

#include <cstdint>
#include <span>

#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/notation/scanner.hpp"

namespace tutti::inline schedules::program {

// `scanner` must be at the end of the header. The text is read to its end. Throws NotationError.
[[nodiscard]] CompiledCode compile(Scanner& scanner, std::uint32_t nesting,
                                   std::span<const ProgramParameter> parameters);

}  // namespace tutti::inline schedules::program
