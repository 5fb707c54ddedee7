// Adds options to a command.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace commands {

// The options of a command that its help lists under one heading.
class OptionGroup {
 public:
  OptionGroup(Command& command, const char* heading) : command_(command), heading_(heading) {}

  // `type`: the placeholder that help shows for the value, such as COUNT.
  template <typename Target>
  CommandOption& add(const char* names, Target& target, const char* type, std::string help) const {
    return command_.add_option(names, target, std::move(help)).type_name(type).group(heading_);
  }
  CommandOption& flag(const char* names, bool& target, std::string help) const {
    return command_.add_flag(names, target, std::move(help)).group(heading_);
  }

 private:
  Command& command_;
  const char* heading_;
};

// Adds the option --sure, for which `help` says what it does.
inline void add_sure_option(const OptionGroup& group, OptionText& sure, const char* help) {
  group.add("--sure", sure, "PERCENT",
            fmt::format("{}; needs --parameters that 'tutti fit' wrote", help));
}

// Help of --sure for commands that choose an algorithm for each cell.
inline constexpr const char* kSureHelp =
    "Name the cells in which the best algorithm is not this sure to take at most 10 % more time "
    "than the fastest, and the algorithms that may be the best there";

// Adds the option --json, which writes `what` as JSON.
inline void add_json_option(Command& command, OptionText& json, const char* what) {
  OptionGroup(command, "Output")
      .add("--json", json, kWrittenFile,
           fmt::format("Write {} as JSON; - is standard output", what));
}

}}  // namespace tutti::commands
