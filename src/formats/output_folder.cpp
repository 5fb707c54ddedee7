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

[[noreturn]] void refuse_folder(const std::string& given_path, const std::string& why) {
  throw UserError(fmt::format("$output '{}': {}", given_path, why));
}

}  // namespace

void OutputFolder::check(const std::string& given_path) {
  if (given_path == "-") {
    refuse_folder(given_path, "several files are written; name a folder");
  }
  check_file_name(given_path);
  std::error_code error;
  const fs::file_status status = fs::status(given_path, error);
  if (fs::is_directory(status) && !fs::is_empty(given_path, error)) {
    refuse_folder(given_path, "the folder is not empty; name a new one");
  }
  if (fs::exists(status) && !fs::is_directory(status)) {
    refuse_folder(given_path, "this is a file; name a folder");
  }
  if (fs::exists(status) && fs::equivalent(given_path, ".", error)) {
    refuse_folder(given_path, "this is the current folder; name a new one");
  }
  const fs::path parent = fs::absolute(fs::path(given_path) / "..").lexically_normal();
  if (!fs::is_directory(parent, error)) {
    refuse_folder(given_path,
                  "the parent folder does not exist; create it, or name another folder");
  }
  if (::access(parent.c_str(), W_OK | X_OK) != 0) {
    refuse_folder(given_path,
                  fmt::format("cannot write to '{}': {}", parent.string(), std::strerror(errno)));
  }
}

OutputFolder::OutputFolder(const std::string& given_path)
    : given_path_(given_path), target_(fs::weakly_canonical(given_path)) {
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
    refuse_folder(given_path_, std::strerror(errno));
  }
}

void OutputFolder::take_name() const {
  try_to([&](std::error_code& error) { fs::rename(part_, target_, error); });
}

void OutputFolder::try_to(const std::function<void(std::error_code&)>& work) const {
  std::error_code error;
  work(error);
  if (error) {
    refuse_folder(given_path_, error.message());
  }
}

}}  // namespace tutti::formats
