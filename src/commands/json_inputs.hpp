// Inputs of `report` and `plot`: commands that these two run, and files that earlier commands
// wrote.
#pragma once

#include <string>
#include <vector>

#include "src/commands/command.hpp"
#include "src/pictures/document.hpp"

namespace tutti::inline commands {

struct Documents {
  std::vector<Document> documents;
  int failed = 0;  // exit code of the command that failed, which printed why; 0: none failed
};

// Returns the documents to show. `command` is report or plot. `words` are the words that follow it,
// without the command's own options; `--and` separates several documents. Throws UserError.
[[nodiscard]] Documents documents_of(const Command& command, const std::vector<std::string>& words,
                                     Streams streams);

// The commands whose output can be shown: simulate, explain, ...
[[nodiscard]] std::vector<std::string> shown_commands();

// "tutti 0.1.0+..."
[[nodiscard]] std::string made_by();

}  // namespace tutti::inline commands
