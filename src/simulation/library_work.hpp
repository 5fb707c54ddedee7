// Work that MPI libraries do in addition to the messages of their algorithms, and differences
// between their algorithms and tutti's algorithms of the same names. Both follow the source code of
// the libraries.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schedules/algorithm.hpp"
#include "schedules/problem.hpp"
#include "sim/messages/library_work.hpp"

namespace tutti { inline namespace simulation {

// Library whose implementation of the algorithms is simulated.
enum class MpiLibrary : std::uint8_t { other, open_mpi, mpich };
// Returns the library for a name with a version: "Open MPI 4.1.6", "Cray MPICH 8.1".
[[nodiscard]] MpiLibrary mpi_library_named(std::string_view text);

// Returns the work that the library does for `algorithm`, such as "ring"; no work if no library has
// the algorithm. The work of a library other than MPICH is that of Open MPI.
[[nodiscard]] LibraryWork library_work(MpiLibrary library, const Problem& problem,
                                       std::string_view algorithm);

// The algorithm, and the problem with its options, that a library runs in place of another
// algorithm.
struct AsRun {
  const Algorithm* algorithm = nullptr;
  Problem problem;
};
// Returns what the library runs in place of `algorithm`; nothing if it runs `algorithm` itself.
[[nodiscard]] std::optional<AsRun> as_run_by(MpiLibrary library, const Algorithm& algorithm,
                                             const Problem& problem);

// Returns the barrier that the library chooses by default for `ranks` ranks, such as
// "barrier/tree".
[[nodiscard]] std::string_view barrier_of(MpiLibrary library, std::uint32_t ranks);

}}  // namespace tutti::simulation
