// Common parts of the commands of tutti-mpi: output files of rank 0, and facts about the job.
#pragma once

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <vector>

#include "sim/mpi/world.hpp"
#include "src/formats/output_file.hpp"
#include "src/mpi/run_report.hpp"
#include "src/requests/common_options.hpp"

namespace tutti::mpi {

// Output files, opened by rank 0 before anything runs. All ranks must call the constructor. If a
// file cannot be opened, the constructor throws UserError on every rank.
class JobFiles {
 public:
  JobFiles(const World& world, std::initializer_list<const std::optional<std::string>*> paths);

  // Returns the stream for the path at `index`. Null if the user gave no such path, and on all
  // ranks except rank 0.
  [[nodiscard]] std::ostream* at(std::size_t index) const;
  [[nodiscard]] std::ostream& operator[](std::size_t index) const { return *at(index); }
  void commit() const;
  // Commits one file. A file that is not committed keeps its old content.
  void commit(std::size_t index) const;

 private:
  std::vector<std::unique_ptr<OutputFile>> files_;
};

// Calls what() on rank 0. If this throws UserError, all ranks throw UserError with its text. All
// ranks must call this function.
void on_first_rank(const World& world, const std::function<void()>& what);

}  // namespace tutti::mpi
