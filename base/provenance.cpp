#include "base/provenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "base/hash.hpp"
#include "base/printable.hpp"
#include "base/shell_word.hpp"

namespace tutti { inline namespace base {

namespace {

struct CurrentCommand {
  std::mutex mutex;
  std::string temporary;
  std::string made_by;
  std::string command;
  std::map<std::string, std::string> hashes;  // by path
};

CurrentCommand& current_command() {
  static CurrentCommand current;
  return current;
}

bool is_of_folder(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/';
}

// Returns the text without the folders of paths that begin with `temporary`.
std::string without_folders(std::string text, std::string_view temporary) {
  std::size_t at = 0;
  while (!temporary.empty() && (at = text.find(temporary, at)) != std::string::npos) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = std::find_if_not(begin + static_cast<std::ptrdiff_t>(temporary.size()),
                                      text.end(), is_of_folder);
    const std::size_t slash = std::string_view(begin, end).rfind('/');
    text.erase(at, slash == std::string_view::npos ? temporary.size() : slash + 1);
  }
  return text;
}

}  // namespace

std::string Provenance::in_words(const Input& input) {
  return fmt::format("{} ({} {})", input.path, kHashName, input.hash);
}

void begin_provenance(std::string_view made_by, const std::vector<std::string>& words,
                      std::string_view temporary) {
  CurrentCommand& current = current_command();
  const std::lock_guard lock(current.mutex);
  current.made_by = made_by;
  current.temporary = temporary;
  current.command = "tutti";
  for (const std::string& word : words) {
    current.command += " " + printable(shell_word(without_folders(word, temporary)));
  }
  current.hashes.clear();
}

void end_provenance() {
  CurrentCommand& current = current_command();
  const std::lock_guard lock(current.mutex);
  current.temporary.clear();
  current.made_by.clear();
  current.command.clear();
  current.hashes.clear();
}

void add_provenance(const std::string& path, std::string_view contents) {
  CurrentCommand& current = current_command();
  {
    const std::lock_guard lock(current.mutex);
    if (current.command.empty()) {
      return;
    }
  }
  std::string hash = hash_of(contents);
  const std::lock_guard lock(current.mutex);
  current.hashes.insert_or_assign(printable(without_folders(path, current.temporary)),
                                  std::move(hash));
}

std::string without_temporary_folders(std::string text) {
  CurrentCommand& current = current_command();
  const std::lock_guard lock(current.mutex);
  return without_folders(std::move(text), current.temporary);
}

Provenance provenance() {
  CurrentCommand& current = current_command();
  const std::lock_guard lock(current.mutex);
  Provenance found{current.made_by, current.command, {}};
  for (const auto& [path, hash] : current.hashes) {
    found.inputs.push_back({path, hash});
  }
  return found;
}

}}  // namespace tutti::base
