#include "src/formats/output_file.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "base/error.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/src/formats/system_calls.hpp"

namespace tutti::test_output_file {
namespace fs = std::filesystem;

TEST_CASE("A file appears when outputs are published, and not before") {
  const ScratchFolder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  {
    OutputFile file(path.string(), standard);
    file.stream() << "text";
    CHECK_FALSE(fs::exists(path));
    file.commit();
    CHECK(folder.entries() == 0);
  }
  CHECK(folder.entries() == 0);
  publish_outputs();
  CHECK(contents(path) == "text");
  CHECK(folder.entries() == 1);
  CHECK(standard.str().empty());
}

TEST_CASE("Without commit nothing is left, and an old file stays") {
  const ScratchFolder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  { OutputFile(path.string(), standard).stream() << "half"; }
  CHECK(folder.entries() == 0);
  std::ofstream(path) << "old";
  { OutputFile(path.string(), standard).stream() << "half"; }
  CHECK(contents(path) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("Of outputs that are given up nothing is left, and an old file stays") {
  const ScratchFolder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  std::ofstream(path) << "old";
  for (const char* name : {"out.txt", "new.txt"}) {
    OutputFile file((folder.path / name).string(), standard);
    file.stream() << "text";
    file.commit();
  }
  discard_outputs();
  publish_outputs();
  CHECK(contents(path) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("A file that is replaced keeps its permissions") {
  const ScratchFolder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  OutputFile file(path.string(), standard);
  file.stream() << "new";
  file.commit();
  publish_outputs();
  CHECK(contents(path) == "new");
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("A dash is standard output") {
  std::ostringstream standard;
  OutputFile file("-", standard);
  file.stream() << "text";
  file.commit();
  CHECK(standard.str() == "text");
}

TEST_CASE("Two outputs cannot go to one file, however it is written") {
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
    CHECK_THROWS_AS(OutputFile(path.string(), standard), UserError);
  }
  publish_outputs();
  OutputFile(path.string(), standard).commit();  // one after the other they can
  discard_outputs();
  { const OutputFile given_up(path.string(), standard); }
  OutputFile(path.string(), standard).commit();
  publish_outputs();
  const OutputFile null("/dev/null", standard);
  CHECK_NOTHROW(OutputFile("/dev/null", standard));
}

TEST_CASE("A pipe is written to by the name that the system gives it") {
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

TEST_CASE("A file that takes the place of a pipe is not written into") {
  const ScratchFolder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  before_open = [&] {
    fs::remove(path);
    std::ofstream(path) << "precious";
  };
  {
    OutputFile file(path.string(), standard);
    file.stream() << "text";
    file.commit();
    CHECK(contents(path) == "precious");
  }
  publish_outputs();
  CHECK(contents(path) == "text");
  CHECK(folder.entries() == 1);
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
