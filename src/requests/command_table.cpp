#include "src/requests/command_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tutti::inline requests {

namespace {

template <typename List>
auto named(List& list, std::string_view name) {
  return std::find_if(list.begin(), list.end(), [name](const CommandOption& option) {
    return option.name() == name || std::ranges::find(option.names(), name) != option.names().end();
  });
}

}  // namespace

CommandOption::CommandOption(const std::string& names, Target target, std::string description)
    : target_(target), description_(std::move(description)) {
  if (is_flag()) {
    type_name_.clear();
  }
  if (!names.starts_with('-')) {
    name_ = names;
    return;
  }
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t comma = std::min(names.find(',', at), names.size());
    names_.push_back(names.substr(at, comma - at));
    at = comma + 1;
  }
  name_ = names_.back();
}

CommandOption& CommandOption::type_name(std::string text) {
  type_name_ = std::move(text);
  return *this;
}

CommandOption& CommandOption::group(std::string heading) {
  group_ = std::move(heading);
  return *this;
}

CommandOption& CommandOption::description(std::string text) {
  description_ = std::move(text);
  return *this;
}

CommandOption& CommandOption::required() {
  required_ = true;
  return *this;
}

CommandOption& CommandOption::words(std::vector<std::string> offered) {
  words_ = std::move(offered);
  return *this;
}

CommandOption& CommandOption::delimiter(char separator) {
  delimiter_ = separator;
  return *this;
}

CommandOption& CommandOption::one_at_a_time() {
  one_at_a_time_ = true;
  return *this;
}

CommandOption& CommandOption::at_most(int most) {
  most_ = most;
  return *this;
}

CommandOption& CommandOption::joined_by(char separator) {
  joined_by_ = separator;
  return *this;
}

bool CommandOption::takes_many() const {
  return most_ == 1 && std::holds_alternative<std::vector<std::string>*>(target_);
}

void CommandOption::store(const std::vector<std::string>& values) const {
  if (bool* const* flag = std::get_if<bool*>(&target_)) {
    if (*flag != nullptr) {  // null for --help and --version
      **flag = true;
    }
  } else if (std::vector<std::string>* const* list =
                 std::get_if<std::vector<std::string>*>(&target_)) {
    **list = values;
  } else if (std::string* const* text = std::get_if<std::string*>(&target_)) {
    **text = values.front();
  } else {
    *std::get<std::optional<std::string>*>(target_) = values.front();
  }
}

Command::Command(std::string name, std::string description)
    : name_(std::move(name)), description_(std::move(description)) {
  options_.emplace_back("-h,--help", static_cast<bool*>(nullptr),
                        "Print this help message and exit");
}

Command& Command::add_command(std::string name, std::string description) {
  Command& added = commands_.emplace_back(std::move(name), std::move(description));
  added.parent_ = this;
  return added;
}

CommandOption& Command::option(std::string_view name) {
  const auto found = named(options_, name);
  TUTTI_INVARIANT(found != options_.end());
  return *found;
}

void Command::remove_option(std::string_view name) {
  const auto found = named(options_, name);
  TUTTI_INVARIANT(found != options_.end());
  options_.erase(found);
}

void Command::add_version(const std::string& names, std::string text) {
  options_.emplace_back(names, static_cast<bool*>(nullptr),
                        "Display program version information and exit");
  version_ = std::move(text);
}

std::string Command::full_name() const {
  return parent_ == nullptr ? name_ : fmt::format("{} {}", parent_->full_name(), name_);
}

const Command* Command::command(std::string_view name) const {
  const auto found = std::ranges::find_if(commands_, [name](const Command& command) {
    return command.name_ == name && !command.hidden_;
  });
  return found == commands_.end() ? nullptr : &*found;
}

const CommandOption* Command::find_option(std::string_view name) const {
  const auto found = named(options_, name);
  return found == options_.end() ? nullptr : &*found;
}

void Command::choose(std::vector<std::string> rest) {
  chosen_ = true;
  rest_ = std::move(rest);
}

const Command& Command::deepest_chosen() const {
  const auto found = std::ranges::find_if(commands_, &Command::chosen_);
  return found == commands_.end() ? *this : found->deepest_chosen();
}

}  // namespace tutti::inline requests
