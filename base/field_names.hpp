// How messages name what a user has given. A layer that knows no command line writes "$ports": the
// field of that name, which is "ports" to whoever fills in a structure, and "--ports" on the command
// line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::inline base {

enum class FieldNames : std::uint8_t { plain, flags };
// For the whole process, before any message is made; plain where nobody says.
void spell_fields_as(FieldNames names);

// "take other $cuts" as users read it.
[[nodiscard]] std::string with_fields(std::string_view text);

}  // namespace tutti::inline base
