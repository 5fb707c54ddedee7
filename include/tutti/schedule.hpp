// A schedule: the operations that move data, and their dependencies. A schedule contains no times.
//
//     const tutti::Schedule schedule("allreduce/ring", {.ranks = 4, .bytes = 64});
//     for (std::uint32_t id = 0; id < schedule.size(); ++id) {
//       const tutti::Operation operation = schedule.operation(id);
//       std::printf("%u -> %u: %ju bytes\n", operation.src, operation.dst,
//                   std::uintmax_t{operation.bytes});
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/machine.hpp"
#include "tutti/problem.hpp"

TUTTI_BEGIN

enum class OperationKind : std::uint8_t {
  comm,    // a message from src to dst
  reduce,  // a rank combines two operands; src == dst
  copy,    // a rank copies data; src == dst
};

struct Operation {
  OperationKind kind = OperationKind::comm;
  // The ranks that take part in the operation. Numbers from Schedule::problem().ranks on denote
  // switches.
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint64_t bytes = 0;
  std::uint32_t level = 0;    // the round of the operation
  std::uint32_t segment = 0;  // index of the pipeline segment
};

// A DAG of operations, numbered so that each operation has a higher number than all of its
// predecessors. A schedule is immutable; copies share its data. A schedule takes at
// most 48 bytes per operation and 8 bytes per dependency, and twice the latter once predecessors()
// or successors() was called. It has at most 2^32 operations.
class Schedule {
 public:
  // Builds the schedule of an algorithm, for example "allreduce/ring". Throws Error if the name is
  // unknown, or if the algorithm does not support the size or an option.
  Schedule(std::string_view algorithm, const Problem& problem);
  // Builds a schedule from an algorithm, or from the path of a program or a schedule in tutti's
  // notation, with the options of 'tutti simulate' under "Problem":
  // {"--ranks", "64", "--bytes", "1MiB"}. The machine matters only for options whose meaning
  // depends on it, such as --groups host.
  Schedule(const std::string& algorithm_or_file, const std::vector<std::string>& options,
           const OpenMachine& machine);
  // Parses a schedule in the notation that 'tutti show' prints. If the text is invalid, throws
  // Error, which names the line and the column of the mistake.
  [[nodiscard]] static Schedule from_notation(std::string_view text);

  [[nodiscard]] const std::string& algorithm() const;  // "allreduce/ring"
  // True if the schedule was made from one of algorithms(), with problem().
  [[nodiscard]] bool registered() const;
  [[nodiscard]] const Problem& problem() const;

  [[nodiscard]] std::uint32_t size() const;  // number of operations
  // Number of switches that take part in operations; switches are numbered after the ranks. 0 if
  // only ranks take part.
  [[nodiscard]] std::uint32_t switches() const;
  // Returns an operation. Here, and in predecessors() and successors(), `id` must be less than
  // size().
  [[nodiscard]] Operation operation(std::uint32_t id) const;
  // predecessors() returns the operations on which operation `id` depends, and successors() the
  // operations that depend on operation `id`; both are in ascending order. The results for one
  // operation after another follow one another in memory.
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::uint32_t id) const;
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t id) const;

  // Totals over all operations.
  [[nodiscard]] std::uint64_t messages() const;
  [[nodiscard]] std::uint64_t bytes_sent() const;
  [[nodiscard]] std::uint64_t bytes_reduced() const;
  [[nodiscard]] std::uint32_t rounds() const;  // number of levels with at least one message
  [[nodiscard]] std::size_t dependencies() const;

  // Returns the schedule as text that from_notation() can parse.
  [[nodiscard]] std::string notation() const;

  // Implementation; for use within the library only.
  class Inside;
  [[nodiscard]] const Inside& inside() const { return *inside_; }

 private:
  explicit Schedule(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  std::shared_ptr<const Inside> inside_;
};

TUTTI_END
