// Owners of MPI datatypes and operators.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <span>
#include <utility>

#include "sim/mpi/plan/byte_runs.hpp"
#include "sim/mpi/plan/element.hpp"

namespace tutti::mpi {

class Datatype {
 public:
  Datatype() = default;
  explicit Datatype(MPI_Datatype owned) : type_(owned) {}
  Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  Datatype& operator=(Datatype&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  ~Datatype();

  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// MPI handles of an element type and its operator. The handles are MPI's predefined ones if there
// are any.
class ElementHandles {
 public:
  explicit ElementHandles(const Element& element);
  ElementHandles(const ElementHandles&) = delete;
  ElementHandles& operator=(const ElementHandles&) = delete;
  ~ElementHandles();

  [[nodiscard]] const Element& element() const { return element_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] MPI_Op op() const { return op_; }

 private:
  Element element_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
};

// The unit in which the counts of a message are given.
struct Unit {
  MPI_Datatype type = MPI_BYTE;
  std::uint64_t bytes = 1;
};

// Returns a datatype that describes all `runs` of a buffer as one item. Long runs are split, so
// that all counts fit into an int.
[[nodiscard]] Datatype type_of_runs(std::span<const ByteRun> runs, const Unit& unit);

}  // namespace tutti::mpi
