// Checks the result that a run has left in the buffer `work`. Compares the result byte by byte with
// that of the MPI library for the same input, and with that of a serial replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/mpi/handles.hpp"
#include "sim/mpi/library_collective.hpp"
#include "sim/mpi/world.hpp"

namespace tutti::mpi {

enum class CheckKind : std::uint8_t { none, library, replay, full };

class ByteCheck;

// This rank's results of many runs: the bytes for which the collective's contract demands a value.
// The results are checked after all runs, because computing the expected result needs memory that
// must not be in use during timing. A proved schedule leaves the same bits in each run. So it is
// enough to store a fingerprint of each run, and a copy of the first result that differs.
class RunResults {
 public:
  RunResults(const Schedule& schedule, Rank rank) : schedule_(schedule), rank_(rank) {}

  void add(const std::byte* work);
  [[nodiscard]] std::size_t size() const { return prints_.size(); }
  // `work` is the result of the last run. Returns "" if this result is correct and equals the
  // results of all other runs. Otherwise describes the first wrong byte.
  [[nodiscard]] std::string wrong_here(const ByteCheck& check, const std::byte* work) const;

 private:
  const Schedule& schedule_;
  Rank rank_;
  std::vector<std::uint64_t> prints_;
  std::vector<std::byte> odd_;  // copy of the first result that differs from the result of run 0
  std::size_t odd_run_ = 0;     // number of the run whose result is in odd_
};

class ByteCheck {
 public:
  // All ranks must call this constructor. Runs the library's collective, the replay or both,
  // depending on `kind`; `full` means both. Rank 0 computes the replay for all ranks.
  ByteCheck(const Schedule& schedule, const World& world, const ElementHandles& handles,
            CheckKind kind);

  // All ranks must call this. On rank 0, returns a line for each rank that has a wrong byte: the
  // rank, the block, the byte's offset in the block, the expected value, and the actual value.
  // Returns nothing on other ranks. Checks all runs in `runs`, if not null; `work` must then be the
  // result of the last run.
  [[nodiscard]] std::vector<std::string> wrong_bytes(const std::byte* work,
                                                     const RunResults* runs = nullptr) const;

  // Returns the line of this rank; "" if all bytes are correct.
  [[nodiscard]] std::string wrong_here(const std::byte* work) const;

  // Number of bytes for which the contract demands a value; 0 on a rank without a result.
  [[nodiscard]] std::uint64_t bytes_compared() const { return bytes_compared_; }

 private:
  [[nodiscard]] std::string first_wrong(const std::vector<std::byte>& expected,
                                        const std::byte* work, double relative,
                                        const char* source) const;
  void replay();

  const Schedule& schedule_;
  const World& world_;
  const ElementHandles& handles_;
  std::uint64_t bytes_compared_ = 0;
  std::vector<std::byte> library_;  // the library's result; empty: not compared
  std::vector<std::byte> replay_;
  const char* library_call_ = "";
};

}  // namespace tutti::mpi
