// How messages name what a user has given. Layers that know no command line write "$ports" for the
// field of that name. Users of the public library read "ports"; on the command line it is
// "--ports".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::inline base {

enum class FieldNames : std::uint8_t { plain, flags };
// For the whole process; call it before the first message. The default is plain.
void spell_fields_as(FieldNames names);

// Replaces each field, as in "take other $cuts", by the name that users know. Quoted text is the
// user's own and does not change.
[[nodiscard]] std::string with_fields(std::string_view text);

}  // namespace tutti::inline base
