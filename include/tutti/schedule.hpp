// A schedule: what moves where, after what. It knows no time.
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

#include "tutti/problem.hpp"

TUTTI_BEGIN

enum class OperationKind : std::uint8_t {
  comm,    // a message from src to dst
  reduce,  // src == dst combines two operands
  copy,    // src == dst
};

struct Operation {
  OperationKind kind = OperationKind::comm;
  // Ranks; from problem().ranks on, switches that take part.
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint64_t bytes = 0;
  std::uint32_t level = 0;    // the round, and
  std::uint32_t segment = 0;  // which piece of a pipeline
};

// A DAG of operations, numbered so that each comes after all that it depends on. Copies share it;
// it never changes. 48 bytes an operation and 8 a dependency; at most 2^32 operations.
class Schedule {
 public:
  // "allreduce/ring". Throws Error for a name, a size or an option that the algorithm cannot serve.
  Schedule(std::string_view algorithm, const Problem& problem);
  // Of a text in the notation: a schedule written out, as 'tutti show' prints it. Throws Error that
  // names line and column.
  [[nodiscard]] static Schedule from_notation(std::string_view text);

  [[nodiscard]] const std::string& algorithm() const;  // "allreduce/ring"
  [[nodiscard]] const Problem& problem() const;

  [[nodiscard]] std::uint32_t size() const;  // operations
  // Switches that take part, behind the ranks; 0 of what hosts do alone.
  [[nodiscard]] std::uint32_t switches() const;
  // `id` is below size(), here and below.
  [[nodiscard]] Operation operation(std::uint32_t id) const;
  // What operation `id` comes after, and what comes after it, ascending.
  [[nodiscard]] std::span<const std::uint32_t> predecessors(std::uint32_t id) const;
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t id) const;

  // Over all operations.
  [[nodiscard]] std::uint64_t messages() const;
  [[nodiscard]] std::uint64_t bytes_sent() const;
  [[nodiscard]] std::uint64_t bytes_reduced() const;
  [[nodiscard]] std::uint32_t rounds() const;  // levels that hold a message
  [[nodiscard]] std::size_t dependencies() const;

  // As from_notation() reads it.
  [[nodiscard]] std::string notation() const;

  // What it is inside; of use within the library only.
  struct Inside;
  [[nodiscard]] const Inside& inside() const { return *inside_; }

 private:
  explicit Schedule(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  std::shared_ptr<const Inside> inside_;
};

TUTTI_END
