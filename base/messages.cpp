#include "base/messages.hpp"

#include "base/printable.hpp"

namespace tutti { inline namespace base {

std::string line_of(const Message& message, FieldNames names) {
  const std::string text = with_fields(message.text, names);
  return printable(message.kind == MessageKind::error ? shortened(text) : text);
}

}}  // namespace tutti::base
