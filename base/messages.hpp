// Errors, warnings and notes that a command gives its user in addition to its result.  Code that
// has something to say takes a Messages&. The program prints what it is told, and the public
// library hands it to its caller.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "base/field_names.hpp"

namespace tutti { inline namespace base {

enum class MessageKind : std::uint8_t {
  error,    // the command has failed, or a check has
  warning,  // the user should know this about the result
  note,     // the user should know this about the input
  status    // what the command does or has done, such as results that it found in a database
};

struct Message {
  MessageKind kind = MessageKind::error;
  std::string text;     // one line; may name fields as "$ports" (field_names.hpp)
  std::string details;  // lines below it, such as where an error is; they name no fields
};

// Returns the text as one printable line, in which fields have the names that users know. An error
// is shortened.
[[nodiscard]] std::string line_of(const Message& message, FieldNames names);

class Messages {
 public:
  Messages() = default;
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  virtual ~Messages() = default;

  virtual void add(Message message) = 0;
  void error(std::string text, std::string details = "") {
    add({MessageKind::error, std::move(text), std::move(details)});
  }
  void warning(std::string text) { add({MessageKind::warning, std::move(text), ""}); }
  void note(std::string text) { add({MessageKind::note, std::move(text), ""}); }
  void status(std::string text) { add({MessageKind::status, std::move(text), ""}); }

  // Returns the stream for progress, which is standard error; null if no user watches.
  [[nodiscard]] virtual std::ostream* progress() { return nullptr; }
};

// Keeps messages for a caller.
class KeptMessages final : public Messages {
 public:
  void add(Message message) override { all_.push_back(std::move(message)); }
  [[nodiscard]] const std::vector<Message>& all() const { return all_; }

 private:
  std::vector<Message> all_;
};

}}  // namespace tutti::base
