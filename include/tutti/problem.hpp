// A problem: a collective with its number of ranks and bytes.
//
//     tutti::Problem problem{.collective = tutti::Collective::bcast, .ranks = 64};
//
//     problem.bytes = 1 << 20;
//
//     problem.options = {{"tree", "binary"}, {"segment", "64K"}};
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tutti/version.hpp"

TUTTI_BEGIN

// MPI's blocking collectives. All blocks have the same size unless an option of the algorithm sets
// other sizes.
enum class Collective : std::uint8_t {
  allreduce,
  bcast,
  reduce,
  reduce_scatter,
  allgather,
  alltoall,
  gather,
  scatter,
  barrier,
  allgatherv,
  gatherv,
  scatterv,
  alltoallv,
  reduce_scatter_block,
  scan,
  exscan
};

// Returns the name of a collective, such as "allreduce".
[[nodiscard]] std::string_view name(Collective collective);
// Returns the collective with this name. Throws Error, which suggests the most similar name, if the
// name is unknown.
[[nodiscard]] Collective collective_named(std::string_view name);

struct Problem {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;  // n: the size of the largest buffer that any rank sends or receives
  std::uint32_t element_bytes = 8;  // size of an element; elements are never split
  std::uint32_t root = 0;           // only for collectives that have a root
  // Options that only some algorithms accept. Each key is the name of a command-line option without
  // its dashes; each value is written as on the command line. Algorithm::options lists the accepted
  // keys, and 'tutti simulate --help' explains them. The segment size "auto" is not available here
  // (decide() searches for the best size). "cores-per-node" defaults to 1, or to
  // Machine::ranks_per_host in compare() and decide().
  std::map<std::string, std::string> options;
};

TUTTI_END
