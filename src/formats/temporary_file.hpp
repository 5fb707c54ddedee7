// A file that is written before it has its name.
#pragma once

#include <cstdint>
#include <memory>
#include <streambuf>
#include <string>

namespace tutti::inline formats {

// Writes to a file descriptor, which it closes, and remembers why it could not. All memory that it
// needs it has before there is a descriptor to lose.
class DescriptorBuffer : public std::streambuf {
 public:
  DescriptorBuffer();
  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;
  ~DescriptorBuffer() override;

  // In place of the one of before; -1: none.
  void take(int descriptor) noexcept;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] int error() const { return error_; }  // as errno has it; 0 while all is well

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 16U;

  int descriptor_ = -1;
  int error_ = 0;
  std::unique_ptr<char[]> bytes_;
};

// It stands in its target's folder, since a file cannot move to another file system. Where the
// system can (O_TMPFILE), it has no name at all before publish(), and goes away with the process,
// however that ends. Elsewhere it is called .NAME.PROCESS-NUMBER.part, and locked; who writes NAME
// next takes away those that nobody locks any more. All throw std::system_error.
class TemporaryFile {
 public:
  enum class Kind : std::uint8_t { nameless_if_possible, named };

  explicit TemporaryFile(std::string target, Kind kind = Kind::nameless_if_possible);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] std::streambuf& buffer() { return *buffer_; }
  [[nodiscard]] int error() const { return buffer_->error(); }
  // All of it is on the disk.
  void finish();
  // After finish(): takes the target's name, and the place of what has it.
  void publish();

 private:
  void open_named();
  void give_name();

  std::string target_;
  std::string folder_;
  std::string temporary_;  // "" while it has no name, and once it has its own
  std::unique_ptr<DescriptorBuffer> buffer_;
};

// SIGINT and SIGTERM are the caller's from now on, who calls remove_temporary_files().
void leave_interrupts_to_caller();
// What an end by a signal must take away: all temporary files of this process that have names. A
// handler may call it.
void remove_temporary_files() noexcept;

}  // namespace tutti::inline formats
