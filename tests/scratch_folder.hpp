// A temporary folder for one test case, and a function that reads a file.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace tutti {

// An empty folder; the destructor removes it.
struct ScratchFolder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tutti_test_" + std::to_string(::getpid()));

  ScratchFolder() { std::filesystem::create_directory(path); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path); }

  [[nodiscard]] auto entries() const {
    using std::filesystem::directory_iterator;
    return std::distance(directory_iterator(path), directory_iterator());
  }
};

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace tutti
