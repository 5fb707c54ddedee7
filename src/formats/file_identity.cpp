#include "src/formats/file_identity.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

namespace tutti {

std::string follow_links(const std::string& path) {
  std::error_code error;
  std::filesystem::path target = path;
  constexpr int kMostLinks = 40;  // as many as Linux follows
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(target, error); ++links) {
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) {
      break;
    }
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

std::string unique_name(const std::string& path) {
  std::error_code error;
  const std::filesystem::path name = std::filesystem::weakly_canonical(
      std::filesystem::absolute(follow_links(path), error), error);
  return error ? path : name.string();
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat of_a {};
  struct stat of_b {};
  const bool a_exists = ::stat(a.c_str(), &of_a) == 0;
  const bool b_exists = ::stat(b.c_str(), &of_b) == 0;
  if (a_exists && b_exists) {
    return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
  }
  return !a_exists && !b_exists && unique_name(a) == unique_name(b);
}

}  // namespace tutti
