// What an MPI library really sends in one collective call: to be had from each library in a way of
// its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::traffic {

struct Sent {
  std::uint64_t messages = 0;  // those of zero bytes, too
  std::uint64_t bytes = 0;
};

// By destination rank, since the start of the program; of this rank alone. Valid after learn().
[[nodiscard]] const std::vector<Sent>& sent();

// To be called once, by all ranks, after MPI_Init.
void learn();

// From now on calls of `collective` run `algorithm`, a name or number of the library's; "": what
// the library chooses itself. To be called by all ranks alike. False where it has no such one.
[[nodiscard]] bool force(const std::string& collective, const std::string& algorithm);

}  // namespace tutti::traffic
