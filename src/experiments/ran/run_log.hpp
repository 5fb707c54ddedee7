// Reads what a program's run says about the choices of its library: the library's own lines, and
// the profile of the program's calls.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"

namespace tutti { inline namespace experiments {

// A component of Open MPI that a communicator uses.
struct ObservedComponent {
  std::string name;  // "tuned"
  int priority = 0;

  friend auto operator<=>(const ObservedComponent&, const ObservedComponent&) = default;
};

// A communicator of Open MPI. Processes print their lines in any order, and different communicators
// can have the same name and number, so that only the size of MPI_COMM_WORLD is certain.
struct ObservedCommunicator {
  std::string name;
  std::uint32_t ranks = 0;  // 0 if unknown
  std::uint32_t hosts = 0;
  std::uint32_t most_on_host = 0;
  bool even = true;                           // true if all hosts have the same number of ranks
  std::vector<ObservedComponent> components;  // enabled ones; a later one takes precedence
};

// Calls with the same collective, number of ranks, size and choice.
struct ObservedCalls {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 0;  // 0 if unknown
  std::uint64_t bytes = 0;  // n: the size of the largest buffer that any rank holds
  double calls = 0;         // fractional if it is a mean over ranks
  std::string algorithm;    // the algorithm that the library says it ran; empty if it says nothing
  std::string protocol;     // NCCL's protocol
  std::uint32_t nodes = 0;  // 0 if unknown
};

// ObservedCalls::algorithm if Open MPI's coll/tuned says that it looked up its rules for the calls.
inline constexpr std::string_view kLookedUp = "looked up";

// Everything that the files of --ran say.
struct RunLog {
  std::string family;  // the library whose lines were found: "Open MPI"; empty if only profiles
  std::vector<ObservedCommunicator> communicators;  // Open MPI, from coll_base_verbose
  std::map<std::string, std::string> settings;      // Open MPI, from mpi_show_mca_params
  std::map<std::string, double> counters;           // MPICH: the number of runs of each algorithm
  bool tuner_applied = false;                       // NCCL: a line of the example tuner says so
  std::vector<ObservedCalls> calls;
  std::vector<std::string> assumed;  // one sentence for each assumption
};

// Reads files in these formats, which are recognized by their content:
// - output of Open MPI 4.1 and later with --mca coll_base_verbose 10 (the components of each
//   communicator) and --mca mpi_show_mca_params all (the loaded files), of Open MPI 6 also with
//   --mca coll_tuned_verbose 25 (the calls for which coll/tuned looked up its rules);
// - output of an MPICH with MPIR_CVAR_DUMP_COLL_ALGO_COUNTERS=0 (5.1 and later);
// - output of NCCL 2.24 and later with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,TUNING;
// - a profile of the program's calls; see read_profile().
//
// Throws UserError for any other file, and for files of several libraries.
[[nodiscard]] RunLog read_run_logs(std::span<const std::string> paths);

}}  // namespace tutti::experiments
