// A file in memory that contains the fuzz input, for functions that can only read files.
#pragma once

#include <fstream>
#include <string>
#include <unistd.h>

namespace fuzz {

class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text) { std::ofstream(path(), std::ios::binary) << text; }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    for (const char* end : {"", "-wal", "-shm", "-journal"}) {
      ::unlink((path() + end).c_str());
    }
  }
  // Path of the file. All objects in a process use the same file.
  static const std::string& path() {
    static const std::string name = "/dev/shm/tutti-fuzz-" + std::to_string(::getpid());
    return name;
  }
};

}  // namespace fuzz
