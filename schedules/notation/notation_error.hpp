// An error in a file in the notation, with its place.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

// what() is one line: FILE:LINE:COLUMN and the error. Columns count bytes, from 1.
class NotationError : public UserError {
 public:
  NotationError(const std::string& text, std::string excerpt)
      : UserError(text), excerpt_(std::move(excerpt)) {}

  // The line of the file and, below it, a line with a caret under the column. Both end with a
  // newline. A long line is shortened to the part around the caret. Empty if this part is not text.
  [[nodiscard]] const std::string& excerpt() const { return excerpt_; }

 private:
  std::string excerpt_;
};

// Returns FILE:LINE:COLUMN of the character at `offset` in `text`.
[[nodiscard]] std::string place_in(std::string_view file, std::string_view text,
                                   std::size_t offset);

// Throws NotationError for the character at `offset` in `text`, or for the end of `text`.
[[noreturn]] void fail_notation(std::string_view file, std::string_view text, std::size_t offset,
                                std::string_view what);

}}  // namespace tutti::schedules
