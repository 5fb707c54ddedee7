#include "src/formats/output_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_use.hpp"

namespace tutti { inline namespace formats {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_folder(const std::string& asked, const std::string& why) {
  throw UserError(fmt::format("-o/--output '{}': {}", asked, why));
}

}  // namespace

void OutputFolder::check(const std::string& asked) {
  if (asked == "-") {
    refuse_folder(asked, "several files are written; name a folder");
  }
  check_file_name(asked);
  std::error_code error;
  const fs::file_status status = fs::status(asked, error);
  if (fs::is_directory(status) && !fs::is_empty(asked, error)) {
    refuse_folder(asked, "the folder is not empty; name a new one");
  }
  if (fs::exists(status) && !fs::is_directory(status)) {
    refuse_folder(asked, "this is a file; name a folder");
  }
  if (fs::exists(status) && fs::equivalent(asked, ".", error)) {
    refuse_folder(asked, "this is the current folder; name a new one");
  }
  const fs::path parent = fs::absolute(fs::path(asked) / "..").lexically_normal();
  if (!fs::is_directory(parent, error)) {
    refuse_folder(asked, "the parent folder does not exist; create it, or name another folder");
  }
  if (::access(parent.c_str(), W_OK | X_OK) != 0) {
    refuse_folder(asked,
                  fmt::format("cannot write to '{}': {}", parent.string(), std::strerror(errno)));
  }
}

OutputFolder::OutputFolder(const std::string& asked)
    : asked_(asked), target_(fs::weakly_canonical(asked)) {
  target_ = target_.has_filename() ? target_ : target_.parent_path();
  part_ =
      target_.parent_path() / fmt::format(".{}.{}.part", target_.filename().string(), ::getpid());
  try_to([&](std::error_code& error) { fs::create_directory(part_, error); });
}

OutputFolder::~OutputFolder() {
  std::error_code error;
  fs::remove_all(part_, error);
}

void OutputFolder::write(const std::string& name, std::string_view text) const {
  const fs::path path = part_ / name;
  try_to([&](std::error_code& error) { fs::create_directories(path.parent_path(), error); });
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  if (!(file << text << std::flush)) {
    refuse_folder(asked_, std::strerror(errno));
  }
}

void OutputFolder::take_name() const {
  try_to([&](std::error_code& error) { fs::rename(part_, target_, error); });
}

void OutputFolder::try_to(const std::function<void(std::error_code&)>& work) const {
  std::error_code error;
  work(error);
  if (error) {
    refuse_folder(asked_, error.message());
  }
}

}}  // namespace tutti::formats
