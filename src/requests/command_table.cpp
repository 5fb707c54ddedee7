#include "src/requests/command_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace requests {

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
  for (const std::string_view each : split(names, ',')) {
    names_.emplace_back(each);
  }
  name_ = names_.back();
}

bool CommandOption::takes_many() const {
  return most_ == 1 && std::holds_alternative<std::vector<std::string>*>(target_);
}

void CommandOption::store(const std::vector<std::string>& given) const {
  // Values such as H100 are stored as the words that they mean (h100).
  std::vector<std::string> values = given;
  for (std::string& value : values) {
    const auto word = std::ranges::find_if(
        words_, [&value](const std::string& each) { return same_word(each, value); });
    if (word != words_.end() && std::ranges::find(words_, value) == words_.end()) {
      value = *word;
    }
  }
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

}}  // namespace tutti::requests
