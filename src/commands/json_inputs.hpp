// Provides the documents that `report` and `plot` show. A document is the output of a command that
// is run for this purpose, or a file that an earlier command wrote.
#pragma once

#include <string>
#include <vector>

#include "src/commands/command.hpp"
#include "src/pictures/document.hpp"

namespace tutti { inline namespace commands {

struct Documents {
  std::vector<Document> documents;
  // Exit code of the command that failed; 0 if no command failed. The failed command has already
  // printed the reason.
  int failed = 0;
};

// Returns the documents to show. `command` is report or plot. `words` are the arguments of
// `command` except its own options: command lines and file names, separated by the word --and.
// Throws UserError.
[[nodiscard]] Documents documents_of(const Command& command, const std::vector<std::string>& words,
                                     Streams streams);

// Returns the names of the commands whose output `report` and `plot` can show: simulate, explain,
// ...
[[nodiscard]] std::vector<std::string> shown_commands();

// Returns the name and version of this program, to be shown on a page: "tutti 0.1.0+...".
[[nodiscard]] std::string made_by();

}}  // namespace tutti::commands
