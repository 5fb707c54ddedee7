// The exception that the functions of the library throw.
//
//     try {
//       tutti::Schedule schedule("allreduce/rng", problem);
//     } catch (const tutti::Error& error) {
//       std::puts(error.what());  // unknown algorithm 'allreduce/rng': did you mean ...
//     }
#pragma once

#include <stdexcept>

#include "tutti/version.hpp"

TUTTI_BEGIN

// Invalid input. The message is a single line that names the invalid value and says what is
// accepted. Other failures throw other types: std::bad_alloc if memory runs out, and another class
// derived from std::exception for a bug in tutti or a failure of the process in which tutti runs
// SimGrid.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown by a function that interrupt() has ended.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

// Ends all functions of the library that run in this process: they throw Interrupted, usually
// within a tenth of a second. A signal handler may call this function. It has no effect on later
// calls.
void interrupt() noexcept;

TUTTI_END
