#include "src/formats/printed_messages.hpp"

#include <ostream>

namespace tutti { inline namespace formats {

void PrintedMessages::add(Message message) {
  err_ << "tutti: " << (message.kind == MessageKind::note ? "note: " : "")
       << line_of(message, FieldNames::flags) << '\n'
       << message.details;
}

}}  // namespace tutti::formats
