// Compiles the statements of a program.
#pragma once

#include <cstdint>
#include <span>

#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/notation/scanner.hpp"

namespace tutti { inline namespace schedules { namespace program {

// Compiles the text from the scanner's place, which must be the end of the header, to the end of
// the text. Throws NotationError if the text is invalid.
[[nodiscard]] CompiledCode compile(Scanner& scanner, std::uint32_t nesting,
                                   std::span<const ProgramParameter> parameters);

}}}  // namespace tutti::schedules::program
