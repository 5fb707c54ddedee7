// What is asked for: a collective on so many ranks, of so many bytes.
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

// As MPI defines them: the blocking forms, with equal blocks unless an algorithm takes others.
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

// "allreduce".
[[nodiscard]] std::string_view name(Collective collective);
// Throws Error that suggests the nearest name.
[[nodiscard]] Collective collective_named(std::string_view name);

struct Problem {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;          // n: what the rank has that sends or receives most
  std::uint32_t element_bytes = 8;  // what is not divided
  std::uint32_t root = 0;           // of collectives that have one
  // What only some algorithms take, by its name on the command line without the dashes, and its
  // value as there: Algorithm::options says which, 'tutti simulate --help' what each means. There
  // is no segment "auto" (decide() finds the sizes), and cores-per-node is 1 where nothing is said,
  // but Machine::ranks_per_host for compare() and decide().
  std::map<std::string, std::string> options;
};

TUTTI_END
