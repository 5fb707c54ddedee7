// Counts the messages that an MPI library really sends in a collective call. Each MPI library needs
// its own implementation of these functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::traffic {

struct Traffic {
  std::uint64_t messages = 0;  // includes empty messages
  std::uint64_t bytes = 0;
};

// Messages that this rank has sent since the start of the program, by destination. Valid only after
// learn().
[[nodiscard]] const std::vector<Traffic>& sent();

// Prepares counting. All ranks must call it once, after MPI_Init.
void learn();

// Makes calls of `collective` run `algorithm`, a name or number of the library; "" leaves the
// choice to the library. All ranks must pass the same arguments. Returns false if the library has
// no such algorithm.
[[nodiscard]] bool force(const std::string& collective, const std::string& algorithm);

}  // namespace tutti::traffic
