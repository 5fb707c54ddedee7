#include "src/formats/output_file.hpp"

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "base/error.hpp"
#include "base/file_use.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_output_file {
namespace fs = std::filesystem;

TEST_CASE("A file appears when it is committed, and not before") {
  const ScratchFolder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  OutputFile file(path.string(), standard);
  file.stream() << "text";
  CHECK_FALSE(fs::exists(path));
  file.commit();
  CHECK(contents(path) == "text");
  CHECK(folder.entries() == 1);
  CHECK(standard.str().empty());
  forget_files();
}

TEST_CASE("Without a commit no file is left, and an old file stays") {
  const ScratchFolder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  { OutputFile(path.string(), standard).stream() << "half"; }
  CHECK(folder.entries() == 0);
  forget_files();
  std::ofstream(path) << "old";
  { OutputFile(path.string(), standard).stream() << "half"; }
  CHECK(contents(path) == "old");
  CHECK(folder.entries() == 1);
  forget_files();
}

TEST_CASE("Replacing a file keeps its permissions") {
  const ScratchFolder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  OutputFile file(path.string(), standard);
  file.stream() << "new";
  file.commit();
  CHECK(contents(path) == "new");
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  forget_files();
}

TEST_CASE("A dash means standard output") {
  std::ostringstream standard;
  OutputFile file("-", standard);
  file.stream() << "text";
  file.commit();
  CHECK(standard.str() == "text");
}

TEST_CASE("Two outputs cannot go to one file, however its path is written") {
  const ScratchFolder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  fs::create_symlink("out.txt", folder.path / "link.txt");
  {
    OutputFile first(path.string(), standard);
    CHECK_THROWS_AS(OutputFile(path.string(), standard), UserError);
    CHECK_THROWS_AS(OutputFile((folder.path / "." / "out.txt").string(), standard), UserError);
    CHECK_THROWS_AS(OutputFile((folder.path / "link.txt").string(), standard), UserError);
    OutputFile(path.string() + "2", standard).commit();
    first.commit();
  }
  forget_files();
  const OutputFile null("/dev/null", standard);
  CHECK_NOTHROW(OutputFile("/dev/null", standard));
}

TEST_CASE("A pipe can be written by the name that the system gives it") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  std::ostringstream standard;
  OutputFile file("/dev/fd/" + std::to_string(ends[1]), standard);
  file.stream() << "text";
  file.commit();
  std::array<char, 8> read{};
  CHECK(::read(ends[0], read.data(), read.size()) == 4);
  CHECK(std::string(read.data()) == "text");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("A file that cannot grow is refused, and leaves nothing") {
  const ScratchFolder folder;
  std::ostringstream standard;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  rlimit little = before;
  little.rlim_cur = 4096;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
  {
    OutputFile file((folder.path / "out.txt").string(), standard);
    file.stream() << std::string(100'000, 'x');
    CHECK_THROWS_WITH(file.commit(), Catch::Contains("give a path with enough free space"));
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, old);
  CHECK(folder.entries() == 0);
  forget_files();
}

TEST_CASE("Paths that cannot be written are refused at once") {
  const ScratchFolder folder;
  std::ostringstream standard;
  for (const std::string& path :
       {std::string(), folder.path.string(), (folder.path / "no" / "such").string(),
        folder.path.string() + "/"}) {
    CHECK_THROWS_AS(OutputFile(path, standard), UserError);
  }
  CHECK(folder.entries() == 0);
}

}  // namespace tutti::test_output_file
