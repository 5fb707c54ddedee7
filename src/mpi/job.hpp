// What the commands of tutti-mpi have in common: the files of rank 0, and what there is to say of
// the job itself.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <vector>

#include "sim/mpi/world.hpp"
#include "src/formats/output_file.hpp"
#include "src/mpi/run_report.hpp"
#include "src/requests/common_options.hpp"

namespace tutti::mpi {

// Opened by rank 0 before anything is run. Collective; throws UserError on every rank.
class JobFiles {
 public:
  JobFiles(const World& world, std::initializer_list<const OptionText*> paths);

  // In the order of the paths; null where none was given, and elsewhere than on rank 0.
  [[nodiscard]] std::ostream* at(std::size_t index) const;
  [[nodiscard]] std::ostream& operator[](std::size_t index) const { return *at(index); }
  void commit() const;
  // One of them; what is not committed is left as it was.
  void commit(std::size_t index) const;

 private:
  std::vector<std::unique_ptr<OutputFile>> files_;
};

}  // namespace tutti::mpi
