#include "base/provenance.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "base/hash.hpp"
#include "base/printable.hpp"
#include "base/shell_word.hpp"

namespace tutti { inline namespace base {

namespace {

struct CurrentCommand {
  std::mutex mutex;
  std::string made_by;
  std::string command;
  std::map<std::string, std::string> hashes;  // by path
};

CurrentCommand& current_command() {
  static CurrentCommand current;
  return current;
}

}  // namespace

std::string Provenance::in_words(const Input& input) {
  return fmt::format("{} ({} {})", input.path, kHashName, input.hash);
}

void begin_provenance(std::string_view made_by, const std::vector<std::string>& words) {
  CurrentCommand& current = current_command();
  const std::lock_guard lock(current.mutex);
  current.made_by = made_by;
  current.command = "tutti";
  for (const std::string& word : words) {
    current.command += " " + printable(shell_word(word));
  }
  current.hashes.clear();
}

void end_provenance() {
  CurrentCommand& current = current_command();
  const std::lock_guard lock(current.mutex);
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
  current.hashes.insert_or_assign(printable(path), std::move(hash));
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
