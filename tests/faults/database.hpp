// Provides a folder for databases of results, and rows to write into these databases.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unistd.h>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti::faults {

// A temporary folder of one test; the destructor removes it.
class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(where() / ("tutti-faults-" + name + "-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
  // Removes the database `name` and the files that SQLite keeps beside it.
  void remove(const char* name) const {
    for (const char* end : {"", "-wal", "-shm", "-journal"}) {
      std::filesystem::remove(file(name) + end);
    }
  }

 private:
  // Returns the parent folder. It is in memory if possible, because the tests do not need a disk.
  static std::filesystem::path where() {
    std::error_code error;
    const bool memory =
        std::filesystem::is_directory("/dev/shm", error) && ::access("/dev/shm", W_OK) == 0;
    return memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
  }

  std::filesystem::path path_;
};

// Returns a row that a database accepts. `status` must not be `done`, since such a row needs
// results.
inline CellRow row_of(std::int64_t bytes, CellStatus status) {
  CellRow row;
  row.key.version = "0.1.0+test";
  row.key.collective = "allreduce";
  row.key.algorithm = "ring";
  row.key.ranks = 8;
  row.key.bytes = bytes;
  row.key.element_bytes = 8;
  row.key.platform_id = "crossbar:8";
  row.key.engine = "flow";
  row.key.ranks_per_host = 1;
  row.platform = "a crossbar";
  row.answer.status = status;
  row.answer.message = "a message of " + std::to_string(bytes);
  return row;
}

}  // namespace tutti::faults
