// What libraries do beside the messages of each of their algorithms, and where they do otherwise
// than the algorithm that bears its name here, as their sources have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schedules/algorithm.hpp"
#include "schedules/problem.hpp"
#include "sim/messages/library_work.hpp"

namespace tutti::inline simulation {

// Of `algorithm`, "ring". Nothing for one that no library has.
[[nodiscard]] LibraryWork library_work(const Problem& problem, std::string_view algorithm);

// Whose way of running algorithms is simulated.
enum class MpiLibrary : std::uint8_t { other, open_mpi, mpich };
// By a name with a version: "Open MPI 4.1.6", "Cray MPICH 8.1".
[[nodiscard]] MpiLibrary mpi_library_named(std::string_view text);

// An algorithm and a problem with the options that a library has in its place.
struct AsRun {
  const Algorithm* algorithm = nullptr;
  Problem problem;
};
// Nothing where they are the same.
[[nodiscard]] std::optional<AsRun> as_run_by(MpiLibrary library, const Algorithm& algorithm,
                                             const Problem& problem);

// "barrier/tree": the barrier that it takes by itself for so many ranks.
[[nodiscard]] std::string_view barrier_of(MpiLibrary library, std::uint32_t ranks);

}  // namespace tutti::inline simulation
