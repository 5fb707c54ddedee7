#include "src/commands/json_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/shell_word.hpp"
#include "src/commands/cli.hpp"
#include "src/experiments/sites/site_files.hpp"
#include "src/requests/command_table.hpp"
#include "src/workers/build_id.hpp"

namespace tutti { inline namespace commands {

namespace {

// A command whose output `report` and `plot` can show.
struct Shower {
  std::string_view command;
  std::vector<std::string> options;  // options that make the command print JSON
};

const std::vector<Shower>& showers() {
  static const std::vector<Shower> kShowers{
      {"simulate", {"--record", "-"}}, {"explain", {"--json", "-"}},
      {"compare", {"--json", "-"}},    {"decide", {"--json", "-"}},
      {"validate", {"--json", "-"}},   {"query", {"--json", "-"}},
      {"bound", {"--json", "-"}},      {"nccl", {"--json", "-"}},
      {"doctor", {"--json", "-"}},     {"step", {"--json", "-", "--streams"}},
      {"show", {"--format", "json"}}};
  return kShowers;
}

// Returns the path of the document to show for a path that the user gave: for a folder of rules,
// the document in it. Throws UserError for folders without one, and for the other files of such a
// folder.
std::string document_at(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const fs::path inside = fs::path(path) / kSiteDocument;
    if (!fs::exists(inside, error)) {
      throw UserError(
          fmt::format("'{}': the folder has no {}; name a file, or a folder that 'tutti decide "
                      "--library NAME -o {}' wrote",
                      path, kSiteDocument, shell_word(path)));
    }
    return inside.string();
  }
  const fs::path folder = fs::path(path).parent_path();
  const fs::path name = fs::path(path).filename();
  if ((name == "gains.csv" || name == "README.md" ||
       std::ranges::find(kSiteFileNames, name.string()) != kSiteFileNames.end()) &&
      fs::exists(folder / kSiteDocument, error)) {
    throw UserError(fmt::format("'{}': give the folder, '{}', which is shown as a whole", path,
                                folder.empty() ? "." : folder.string()));
  }
  return path;
}

bool ends_with_db(const std::string& word) {
  return word.size() > 3 && word.compare(word.size() - 3, 3, ".db") == 0;
}

// Returns the words as a command line for a shell, with quotes where they are needed.
std::string in_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : " ") + shell_word(word);
  }
  return text;
}

// Throws UserError if `word` abbreviates an option of `command` (report or plot), such as --out for
// --output. Without this check, `word` would be passed on to the command that `command` runs, which
// does not have this option.
void check_own_option(const Command& command, const std::string& word) {
  for (const CommandOption& option : command.options()) {
    for (const std::string& name : option.names()) {
      if (word.size() > 3 && name != word && name.starts_with(word)) {
        throw UserError(fmt::format("unknown option '{}': did you mean '{}'?", word, name));
      }
    }
  }
}

// Throws UserError for a file that another command must turn into something to show.
void refuse_other_content(const Command& command, const std::string& path) {
  const FileContent content = content_of_file(path);
  const std::string file = shell_path(path);
  const std::string remedy =
      content == FileContent::schedule
          ? fmt::format("write '{0} show {1}' or '{0} simulate {1}', with -p and -n for a program",
                        command.full_name(), file)
      : content == FileContent::benchmark ? "'tutti score' compares measured times with predictions"
      : content == FileContent::platform
          ? fmt::format("write '{} bound COLLECTIVE --platform {}'", command.full_name(), file)
          : "";
  if (!remedy.empty()) {
    throw UserError(
        fmt::format("'{}': {}, not the output of a command; {}", path, in_words(content), remedy));
  }
}

// Runs the command line `words`, and returns the JSON that the command prints. Sets `failed` to the
// exit code. Returns nothing if the exit code is not 0.
std::optional<Document> run_for_document(const Shower& shower, std::vector<std::string> words,
                                         Streams streams, int& failed) {
  for (const std::string& option : shower.options) {
    if (option.starts_with("--") && std::ranges::find(words, option) != words.end()) {
      throw UserError(
          fmt::format("{} {}: the output already goes to the page or picture; leave the option out",
                      shower.command, field_of(option)));
    }
  }
  std::string source = in_words(words);
  // The explanation of a single run is shown together with all operations of the run. Therefore,
  // 'simulate --record' is run instead of 'explain', because its output contains both.
  const bool alone = std::ranges::find(words, "--against") == words.end();
  if (shower.command == "explain" && alone) {
    words.front() = "simulate";
    words.insert(words.end(), {"--record", "-"});
  } else {
    words.insert(words.end(), shower.options.begin(), shower.options.end());
  }
  std::ostringstream out;
  failed = run_command(words, {out, streams.messages});
  if (failed != 0) {
    return std::nullopt;
  }
  return parse_document(std::move(out).str(), std::move(source));
}

}  // namespace

Documents documents_of(const Command& command, const std::vector<std::string>& words,
                       Streams streams) {
  for (const std::string& word : words) {
    check_own_option(command, word);
  }
  std::vector<std::vector<std::string>> apart(1);
  for (const std::string& word : words) {
    if (word == "--and") {
      apart.emplace_back();
    } else {
      apart.back().push_back(word);
    }
  }
  Documents found;
  for (std::vector<std::string>& some : apart) {
    if (some.empty()) {
      throw UserError(
          fmt::format("'tutti {}' needs something to show: a command with its options ({}), a file "
                      "that such a command wrote (simulate --record, or --json), a folder of rules "
                      "(decide --library), or a database",
                      command.name(), fmt::join(shown_commands(), ", ")));
    }
    const auto shower = std::ranges::find_if(
        showers(), [&](const Shower& one) { return one.command == some.front(); });
    std::optional<Document> document;
    if (shower != showers().end()) {
      document = run_for_document(*shower, std::move(some), streams, found.failed);
    } else if (ends_with_db(some.front())) {
      const Shower query{"query", {"--json", "-"}};
      some.insert(some.begin(), "query");
      document = run_for_document(query, std::move(some), streams, found.failed);
    } else if (some.size() > 1) {
      refuse_other_content(command, some.front());
      throw UserError(fmt::format(
          "'{}' is neither a command that can be shown ({}) nor a single file; separate "
          "commands and files by $and",
          some.front(), alternatives(shown_commands())));
    } else {
      const std::string path = document_at(some.front());
      refuse_other_content(command, path);
      document = read_document(path);
    }
    if (found.failed != 0) {
      return found;
    }
    found.documents.push_back(std::move(*document));
  }
  return found;
}

std::vector<std::string> shown_commands() {
  std::vector<std::string> names;
  for (const Shower& shower : showers()) {
    names.emplace_back(shower.command);
  }
  return names;
}

std::string made_by() { return fmt::format("tutti {}", version_and_build()); }

}}  // namespace tutti::commands
