// Names of fields in messages and results. The library writes "$ports" for the field "ports". A
// user of the command line reads "--ports"; a program that calls the library, "ports".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti { inline namespace base {

enum class FieldNames : std::uint8_t {
  flags,     // "--ranks-per-host", as on the command line
  arguments  // "ranks_per_host", and "with_" for a keyword of Python
};

// Replaces each "$field", as in "change $cuts", by the name that users know. Text in quotation
// marks comes from the user and does not change. "$ranks=64" is an example of a value: "-p 64" on
// the command line, and "ranks=64" as an argument. A flag in quotation marks is what a user typed,
// or an option that the command has; as an argument, it has the argument's name.
[[nodiscard]] std::string with_fields(std::string_view text, FieldNames names = FieldNames::flags);

// Returns a user's text, such as the name of a file, for a message in which it has no quotation
// marks. Adds them if with_fields() would take a part of the text for a field.
[[nodiscard]] std::string user_text(std::string_view text);
// Returns "FILE:LINE" for a message.
[[nodiscard]] std::string place_in_file(std::string_view file, std::uint64_t line);

// Returns the flag of a field: "--ranks-per-host" for "ranks_per_host".
[[nodiscard]] std::string flag_of(std::string_view field);
// Returns the name of the field that has the flag, for a message: "$ranks_per_host".
[[nodiscard]] std::string field_of(std::string_view flag);
// Returns a command line in quotation marks: "'tutti compare --db'" for "tutti compare $db". A
// command line has flags, whatever the spelling of fields.
[[nodiscard]] std::string shell_command(std::string_view command);

}}  // namespace tutti::base
