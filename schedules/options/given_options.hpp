// The options that the user gave, and their values.
#pragma once

#include <string>
#include <string_view>

#include "schedules/options/option_type.hpp"

namespace tutti { inline namespace schedules {

class GivenOptions {
 public:
  [[nodiscard]] bool has(Option option) const { return (given_ & bit(option)) != 0; }
  // Returns a problem that has the given values, and the default of every other option.
  [[nodiscard]] const Problem& values() const { return values_; }
  // Returns the value as written on the command line; "" if the option is not given.
  [[nodiscard]] std::string text(Option option) const {
    return has(option) ? option_type(option).print(values_) : "";
  }

  // Sets the option to the value that `from` has.
  void give(Option option, const Problem& from) {
    given_ |= bit(option);
    option_type(option).copy(from, values_);
  }
  // Parses `text` and sets the option to the value. Throws UserError if the text is invalid.
  void parse(const OptionType& type, std::string_view what, std::string_view text,
             Collective collective) {
    Problem read;
    read.collective = collective;
    type.parse(what, text, read);
    give(type.option, read);
  }
  void drop(Option option) {
    given_ &= ~bit(option);
    option_type(option).copy(Problem{}, values_);
  }
  void copy_into(Problem& problem) const {
    for (const OptionType* type : option_types()) {
      if (has(type->option)) {
        type->copy(values_, problem);
      }
    }
  }

  friend bool operator==(const GivenOptions&, const GivenOptions&) = default;

 private:
  // The options that the user gave, as bits of Option.
  unsigned given_ = 0;
  Problem values_;
};

}}  // namespace tutti::schedules
