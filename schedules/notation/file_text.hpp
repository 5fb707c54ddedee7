// The contents of a file, with a NUL behind it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti {

// A large file is mapped: most of the time to read one into memory goes into clearing that memory
// first. As with other programs that map their input, nobody may shorten the file meanwhile.
class FileText {
 public:
  // Throws UserError when the file cannot be read. Pipes can.
  explicit FileText(const std::string& path);
  FileText(const FileText&) = delete;
  FileText& operator=(const FileText&) = delete;
  ~FileText();

  // view().data()[view().size()] is a NUL.
  [[nodiscard]] std::string_view view() const {
    return mapped_ != nullptr ? std::string_view(static_cast<const char*>(mapped_), size_)
                              : std::string_view(read_);
  }

 private:
  bool map(int file, std::size_t size);
  void read(int file, const std::string& path);

  std::string read_;
  void* mapped_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace tutti
