#include "sim/mpi/handles.hpp"

#include <algorithm>
#include <vector>

#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi {

namespace {

MPI_Datatype number_type(NumberType type) {
  switch (type) {
    case NumberType::int32:
      return MPI_INT32_T;
    case NumberType::int64:
      return MPI_INT64_T;
    case NumberType::float32:
      return MPI_FLOAT;
    case NumberType::float64:
      break;
  }
  return MPI_DOUBLE;
}

MPI_Op builtin_op(Operator op) {
  switch (op) {
    case Operator::sum:
      return MPI_SUM;
    case Operator::prod:
      return MPI_PROD;
    case Operator::max:
      return MPI_MAX;
    case Operator::min:
      return MPI_MIN;
    case Operator::band:
      return MPI_BAND;
    case Operator::bor:
      return MPI_BOR;
    case Operator::bxor:
      return MPI_BXOR;
    case Operator::matrix:
      break;
  }
  return MPI_OP_NULL;
}

// The user function of the MPI operator for matrices. Computes inout = in * inout for `count`
// matrices.
template <NumberType kType>
void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  combine({kType, Operator::matrix}, static_cast<const std::byte*>(in),
          static_cast<const std::byte*>(inout), static_cast<std::byte*>(inout),
          static_cast<std::uint64_t>(*count));
}

bool alive() {
  int finalized = 0;
  return MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0;
}

}  // namespace

Datatype::~Datatype() {
  if (type_ != MPI_DATATYPE_NULL && alive()) {
    MPI_Type_free(&type_);
  }
}

ElementHandles::ElementHandles(const Element& element)
    : element_(element), type_(number_type(element.type)), op_(builtin_op(element.op)) {
  if (element.op == Operator::matrix) {
    check(MPI_Type_contiguous(4, number_type(element.type), &type_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
    check(MPI_Op_create(element.type == NumberType::int32 ? multiply<NumberType::int32>
                                                          : multiply<NumberType::int64>,
                        0, &op_),
          "MPI_Op_create");
  }
}

ElementHandles::~ElementHandles() {
  if (element_.op == Operator::matrix && alive()) {
    MPI_Op_free(&op_);
    MPI_Type_free(&type_);
  }
}

Datatype type_of_runs(std::span<const ByteRun> runs, const Unit& unit) {
  constexpr std::uint64_t kLargestPart = std::uint64_t{1} << 30U;
  std::vector<int> counts;
  std::vector<MPI_Aint> displacements;
  for (const ByteRun& run : runs) {
    for (std::uint64_t done = 0; done < run.bytes;) {
      const std::uint64_t count = std::min((run.bytes - done) / unit.bytes, kLargestPart);
      counts.push_back(static_cast<int>(count));
      displacements.push_back(static_cast<MPI_Aint>(run.offset + done));
      done += count * unit.bytes;
    }
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_hindexed(static_cast<int>(counts.size()), counts.data(),
                                 displacements.data(), unit.type, &type),
        "MPI_Type_create_hindexed");
  Datatype owned(type);
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  return owned;
}

}  // namespace tutti::mpi
