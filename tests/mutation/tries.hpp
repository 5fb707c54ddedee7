// Runs the whole program on mutated inputs, each time in a separate process.
#pragma once

#include <string>
#include <vector>

namespace mutation {

// Inputs of one kind, and command lines to try on them. The argument "@" stands for the path of a
// file with the input.
struct Kind {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::vector<std::string>> commands;
  // True if each input is the text of a database row (see row_text.hpp). The file is then a
  // database with this row.
  bool is_row = false;
  // True if the program also gets the file as standard input.
  bool is_stdin = false;
};

struct Outcome {
  // Numbers of tries that ended with the exit codes 0, 1 and 2.
  unsigned long exits[3] = {0, 0, 0};
  // One text for each try that had another exit code, was killed (for example because it took too
  // long), or printed more than two lines to standard error. The text names a file with the input.
  std::vector<std::string> faults;
};

[[nodiscard]] Outcome try_all(const std::vector<Kind>& kinds, unsigned long tries,
                              unsigned long seed);

}  // namespace mutation
