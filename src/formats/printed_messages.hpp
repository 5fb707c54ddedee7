// Prints the messages of a command, as lines that begin with the program's name.
#pragma once

#include <iosfwd>

#include "base/messages.hpp"

namespace tutti { inline namespace formats {

class PrintedMessages final : public Messages {
 public:
  // `watched`: true if `err` is standard error, where progress is shown too.
  explicit PrintedMessages(std::ostream& err, bool watched = false)
      : err_(err), watched_(watched) {}

  void add(Message message) override;
  [[nodiscard]] std::ostream* progress() override { return watched_ ? &err_ : nullptr; }

 private:
  std::ostream& err_;
  bool watched_;
};

}}  // namespace tutti::formats
