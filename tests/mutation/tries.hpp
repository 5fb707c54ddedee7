// Runs the whole program on mutated inputs, each time in a separate process.
#pragma once

#include <string>
#include <vector>

namespace mutation {

// Inputs of one kind, and command lines to try on them. An argument "@" is replaced by the path of
// a file with the input.
struct Kind {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::vector<std::string>> commands;
  // True if each input is a row as text. The file is then a database with this row.
  bool is_row = false;
  // True if the file is also standard input.
  bool is_stdin = false;
};

// Number of tries by exit code, and a line for each try whose exit code was not 0, 1 or 2, that
// took too long, or that printed more than two lines to standard error. The line names a file with
// the input.
struct Outcome {
  unsigned long exits[3] = {0, 0, 0};
  std::vector<std::string> faults;
};

[[nodiscard]] Outcome try_all(const std::vector<Kind>& kinds, unsigned long tries,
                              unsigned long seed);

}  // namespace mutation
