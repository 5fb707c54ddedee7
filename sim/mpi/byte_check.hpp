// Checks the result of a run in `work`. Compares it byte for byte with the MPI library's result for
// the same input, and with a serial replay.
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

// The results of many runs at this rank, as far as the contract demands any. They are checked after
// all runs, because computing the expected result needs memory that must not be in use during
// timing. A proved schedule leaves the same bits in each run. So a fingerprint of each run is
// enough, together with a copy of the first result that differs.
class RunResults {
 public:
  RunResults(const Schedule& schedule, Rank rank) : schedule_(schedule), rank_(rank) {}

  void add(const std::byte* work);
  [[nodiscard]] std::size_t size() const { return prints_.size(); }
  // `work` is the result of the last run. Returns "" if it is right and all other runs left the
  // same.
  [[nodiscard]] std::string wrong_here(const ByteCheck& check, const std::byte* work) const;

 private:
  const Schedule& schedule_;
  Rank rank_;
  std::vector<std::uint64_t> prints_;
  std::vector<std::byte> odd_;  // copy of the first result that differs from that of run 0, if any
  std::size_t odd_run_ = 0;     // the run that left odd_
};

class ByteCheck {
 public:
  // Collective. Runs the library's collective and the replay, depending on `kind`; `full` means
  // both. Rank 0 computes the replay for all ranks.
  ByteCheck(const Schedule& schedule, const World& world, const ElementHandles& handles,
            CheckKind kind);

  // Collective. Returns, on rank 0, a line for each rank where a byte is wrong: rank, block, byte
  // offset in the block, expected, got. Returns nothing on other ranks. With `runs`, checks all of
  // those runs; `work` is then the result of the last one.
  [[nodiscard]] std::vector<std::string> wrong_bytes(const std::byte* work,
                                                     const RunResults* runs = nullptr) const;

  // Returns the line of this rank alone; "" if all is right.
  [[nodiscard]] std::string wrong_here(const std::byte* work) const;

  // Number of bytes that the contract demands, and so 0 on a rank without a result.
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
  std::vector<std::byte> library_;  // empty: no comparison
  std::vector<std::byte> replay_;
  const char* library_call_ = "";
};

}  // namespace tutti::mpi
