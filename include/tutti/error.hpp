// What these functions throw.
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

// Something that was given cannot be served. The text is one line for a person: it names the value
// and says what would do. Memory that runs out is std::bad_alloc, as everywhere. What is tutti's
// own fault, or that of a process in which it runs SimGrid, is another std::exception.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

TUTTI_END
