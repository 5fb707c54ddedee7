// Runs the whole program on mutated inputs, each time in a separate process.
#pragma once

#include <string>
#include <vector>

namespace mutation {

// Inputs of one kind, and command lines to try on them. "@" in a command line is the file; the file
// may also be standard input.
struct Kind {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::vector<std::string>> commands;
  bool is_row = false;  // inputs are rows; the file is a database with one row
  bool is_stdin = false;
};

// Counts of exit codes, and a line for each try that did not end with 0, 1 or 2, took too long, or
// printed more than two lines to standard error. The line names a file with the input.
struct Outcome {
  unsigned long exits[3] = {0, 0, 0};
  std::vector<std::string> faults;
};

[[nodiscard]] Outcome try_all(const std::vector<Kind>& kinds, unsigned long tries,
                              unsigned long seed);

}  // namespace mutation
