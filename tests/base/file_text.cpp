#include "base/file_text.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_file_text {
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMebi = std::size_t{1} << 20U;
constexpr InputKind kSmall{"a test", kMebi, true};

std::string error_of(const std::string& path, const InputKind& kind = kSmall) {
  try {
    return "read: " + read_file(path, kind);
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
}

}  // namespace

TEST_CASE("small and large files are read completely") {
  const ScratchFolder folder;
  const std::string path = (folder.path / "text").string();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, std::size_t{5} << 20U}) {
    const std::string text(size, 'x');
    std::ofstream(path) << text;
    const FileText read(path, kPlatformFile);
    CHECK(read.view() == text);
    CHECK(*(read.view().data() + read.view().size()) == '\0');
  }
}

TEST_CASE("a file that is too large is refused before it is read") {
  const ScratchFolder folder;
  const std::string path = (folder.path / "text").string();
  std::ofstream(path) << std::string(kMebi + 1, 'x');
  CHECK_THAT(error_of(path), Contains("has 1048577 bytes; a test may have at most 1 MiB"));
  fs::resize_file(path, std::uintmax_t{1} << 40U);  // a sparse file
  CHECK_THAT(error_of(path, kPlatformFile), Contains("has 1099511627776 bytes; a platform"));
}

TEST_CASE("special files are refused without waiting for data") {
  const ScratchFolder folder;
  const std::string pipe = (folder.path / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(error_of(pipe),
             Contains("is a pipe; a test must be a regular file or an anonymous pipe"));
  CHECK_THAT(error_of("/dev/zero"), Contains("'/dev/zero' is a device"));
  CHECK_THAT(error_of("/"), Contains("'/' is a folder; a test must be a regular file"));
  CHECK_THAT(error_of("/proc/self/mem"), Contains("cannot be read: Input/output error"));
  CHECK_THAT(error_of((folder.path / "none").string()), Contains("No such file"));
  CHECK(special_file(pipe) == "a pipe");
  CHECK_FALSE(special_file((folder.path / "none").string()));
}

TEST_CASE("an anonymous pipe is read up to a size limit") {
  for (const std::size_t size : {kMebi, kMebi + 1}) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const std::string text(size, 'x');
    std::thread writer([&] {
      CHECK(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(size));
      ::close(ends[1]);
    });
    const std::string path = "/dev/fd/" + std::to_string(ends[0]);
    if (size == kMebi) {
      CHECK(error_of(path) == "read: " + text);
    } else {
      CHECK_THAT(error_of(path), Contains("contains more than 1 MiB"));
    }
    writer.join();
    ::close(ends[0]);
  }
}

TEST_CASE("input that is read more than once cannot come from a pipe") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  CHECK_THAT(
      error_of("/dev/fd/" + std::to_string(ends[0]), kPlatformFile),
      Contains("is a pipe; a platform must be a regular file") && !Contains("anonymous pipe"));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace tutti::test_file_text
