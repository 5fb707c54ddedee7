// Names of fields in messages. Layers below the command line write "$ports" for the field "ports".
// Users of the public library read "ports"; users of the command line read "--ports".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti { inline namespace base {

enum class FieldNames : std::uint8_t { plain, flags };
// Sets the spelling of field names for the whole process. Must be called before the first message
// is formatted. The default is `plain`.
void spell_fields_as(FieldNames names);

// Replaces each "$field", as in "change $cuts", by the name that users know. Text in quotation
// marks comes from the user and does not change.
[[nodiscard]] std::string with_fields(std::string_view text);

}}  // namespace tutti::base
