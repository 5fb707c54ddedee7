// Runs of the whole program, each in a process of its own, on inputs that were made up.
#pragma once

#include <string>
#include <vector>

namespace mutation {

// What is tried on inputs of one kind: command lines, in which "@" is the file; the file may also
// be standard input.
struct Kind {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::vector<std::string>> commands;
  bool is_row = false;  // inputs are rows, and the file a database that holds one
  bool is_stdin = false;
};

// Counts of exit codes, and a line for each try that ended otherwise than with 0, 1 or 2, took too
// long, or said more than two lines; what it was given is kept in a file that the line names.
struct Outcome {
  unsigned long exits[3] = {0, 0, 0};
  std::vector<std::string> faults;
};

[[nodiscard]] Outcome try_all(const std::vector<Kind>& kinds, unsigned long tries,
                              unsigned long seed);

}  // namespace mutation
