// Is what a run left in `work` what it must be? Compared byte for byte with what the MPI library
// made of the same input, and with a serial replay.
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

// What each of many runs has left at this rank, as far as the contract demands anything: checked
// once they are over, since the right result takes memory that shall not be there while they are
// timed. A proved schedule leaves the same bits whenever it runs, so a fingerprint of each will do,
// and a copy of one that is not like the first.
class RunResults {
 public:
  RunResults(const Schedule& schedule, Rank rank) : schedule_(schedule), rank_(rank) {}

  void add(const std::byte* work);
  [[nodiscard]] std::size_t size() const { return prints_.size(); }
  // `work` is that of the last run; "" if it is right, and all others left the same.
  [[nodiscard]] std::string wrong_here(const ByteCheck& check, const std::byte* work) const;

 private:
  const Schedule& schedule_;
  Rank rank_;
  std::vector<std::uint64_t> prints_;
  std::vector<std::byte> odd_;  // of the first that is not like the very first, if any
  std::size_t odd_run_ = 0;     // which that was
};

class ByteCheck {
 public:
  // Collective. Runs the library's collective and the replay, as `kind` says: `full` is both. The
  // replay is done by rank 0 for all.
  ByteCheck(const Schedule& schedule, const World& world, const ElementHandles& handles,
            CheckKind kind);

  // Collective. On rank 0 a line for each rank where a byte is wrong: rank, block, byte offset in
  // the block, expected, got; elsewhere nothing. With `runs`, of all of those, `work` being what
  // the last has left.
  [[nodiscard]] std::vector<std::string> wrong_bytes(const std::byte* work,
                                                     const RunResults* runs = nullptr) const;

  // The line of this rank alone; "" if all is right.
  [[nodiscard]] std::string wrong_here(const std::byte* work) const;

  // Compared by the contract's demand, so 0 where a rank gets no result.
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
  std::vector<std::byte> library_;  // empty: not compared
  std::vector<std::byte> replay_;
  const char* library_call_ = "";
};

}  // namespace tutti::mpi
