#include "src/mpi/job.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <mpi.h>

#include "base/error.hpp"
#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi {

namespace {

std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string all(text.data(), static_cast<std::size_t>(length));
  // MPICH returns a long text about its configuration. The first line of the text has a tab between
  // its words.
  std::string line = all.substr(0, all.find_first_of(",\n"));
  std::replace(line.begin(), line.end(), '\t', ' ');
  while (!line.empty() && (line.back() == ' ' || line.back() == '\0')) {
    line.pop_back();
  }
  return line;
}

}  // namespace

void on_first_rank(const World& world, const std::function<void()>& what) {
  std::string complaint;
  if (world.first()) {
    try {
      what();
    } catch (const UserError& error) {
      complaint = error.what();
    }
  }
  complaint = world.broadcast(complaint);
  if (!complaint.empty()) {
    throw UserError(complaint);
  }
}

JobFiles::JobFiles(const World& world,
                   std::initializer_list<const std::optional<std::string>*> paths)
    : files_(paths.size()) {
  check_one_standard_output(paths);
  on_first_rank(world, [&] {
    std::transform(paths.begin(), paths.end(), files_.begin(),
                   [](const std::optional<std::string>* path) {
                     return *path ? std::make_unique<OutputFile>(**path, std::cout) : nullptr;
                   });
  });
}

std::ostream* JobFiles::at(std::size_t index) const {
  return files_[index] ? &files_[index]->stream() : nullptr;
}

void JobFiles::commit() const {
  std::vector<OutputFile*> files;
  for (const auto& file : files_) {
    if (file) {
      files.push_back(file.get());
    }
  }
  commit_together(files);
}

void JobFiles::commit(std::size_t index) const {
  if (files_[index]) {
    files_[index]->commit();
  }
}

JobFacts job_facts(const World& world, const Element& element) {
  JobFacts job;
  job.ranks = world.ranks();
  job.library = library_name();
  job.placement = world.description();
  job.nodes = world.nodes();
  job.oversubscribed = world.oversubscribed();
  job.element = element;
  return job;
}

}  // namespace tutti::mpi
