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

CommandOption::CommandOption(const std::string& names, OptionStore store, std::string description)
    : store_(store), description_(std::move(description)) {
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

void CommandOption::take(std::vector<std::string> texts) {
  is_given_ = true;
  texts_ = std::move(texts);
  for (std::string& text : texts_) {
    const auto word = std::ranges::find_if(
        words_, [&text](const std::string& each) { return same_word(each, text); });
    if (word != words_.end() && std::ranges::find(words_, text) == words_.end()) {
      text = *word;
    }
  }
}

void CommandOption::read_value() const {
  if (is_given_ && store_.store != nullptr) {  // null for --help and --version
    store_.store(store_, field(), texts_);
  }
}

std::string CommandOption::field() const {
  const auto full =
      std::ranges::find_if(names_, [](const std::string& name) { return name.starts_with("--"); });
  std::string field = full == names_.end() ? name_ : "$" + full->substr(2);
  std::ranges::replace(field, '-', '_');
  return field;
}

std::string CommandOption::given() const { return fmt::format("{} '{}'", field(), texts_.front()); }

Command::Command(std::string name, std::string description)
    : name_(std::move(name)), description_(std::move(description)) {
  options_.emplace_back("-h,--help", OptionStore{.is_flag = true},
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
  options_.emplace_back(names, OptionStore{.is_flag = true},
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

const CommandOption* Command::first_given(std::string_view heading) const {
  const auto found = std::ranges::find_if(options_, [heading](const CommandOption& option) {
    return option.group() == heading && option.is_given();
  });
  return found == options_.end() ? nullptr : &*found;
}

void Command::choose(std::vector<std::string> rest) {
  chosen_ = true;
  rest_ = std::move(rest);
}

void Command::read_values() const {
  for (const CommandOption& option : options_) {
    option.read_value();
  }
  for (const Command& command : commands_) {
    if (command.chosen_) {
      command.read_values();
    }
  }
}

const Command& Command::deepest_chosen() const {
  const auto found = std::ranges::find_if(commands_, &Command::chosen_);
  return found == commands_.end() ? *this : found->deepest_chosen();
}

}}  // namespace tutti::requests
