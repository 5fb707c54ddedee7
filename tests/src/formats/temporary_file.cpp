#include "src/formats/temporary_file.hpp"

#include <catch2/catch.hpp>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <system_error>
#include <unistd.h>

#include "tests/scratch_folder.hpp"
#include "tests/src/formats/system_calls.hpp"

namespace tutti::test_temporary_file {
namespace fs = std::filesystem;
using Kind = TemporaryFile::Kind;

namespace {

void write(TemporaryFile& file, const std::string& text) {
  std::ostream(&file.buffer()) << text;
  file.finish();
}

}  // namespace

TEST_CASE("Both kinds of temporary file take the place of what is there") {
  const ScratchFolder folder;
  const fs::path path = folder.path / "out";
  std::size_t before = 0;
  for (const Kind kind : {Kind::nameless_if_possible, Kind::named}) {
    for (const std::string text : {"first", "second"}) {
      TemporaryFile file(path.string(), kind);
      write(file, text);
      CHECK(folder.entries() ==
            static_cast<std::ptrdiff_t>(before) + (kind == Kind::named ? 1 : 0));
      file.publish();
      CHECK(contents(path) == text);
      CHECK(folder.entries() == 1);
      before = 1;
    }
  }
  { TemporaryFile(path.string(), Kind::named).finish(); }
  CHECK(contents(path) == "second");
  CHECK(folder.entries() == 1);
}

TEST_CASE("What a killed process has begun is taken away, and what a living one writes is not") {
  const ScratchFolder folder;
  const fs::path path = folder.path / "out";
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    TemporaryFile file(path.string(), Kind::named);
    std::raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(folder.entries() == 1);
  // Names that others may have given.
  for (const char* name : {".out.part", ".out.1-x.part", ".outer.1-0.part"}) {
    std::ofstream(folder.path / name) << "text";
  }
  CHECK(folder.entries() == 4);
  TemporaryFile living(path.string(), Kind::named);
  CHECK(folder.entries() == 4);
  const TemporaryFile another(path.string(), Kind::named);
  CHECK(folder.entries() == 5);
  write(living, "text");
  living.publish();
  CHECK(contents(path) == "text");
}

TEST_CASE("A file that takes the name of one that is left over stays") {
  const ScratchFolder folder;
  const fs::path path = folder.path / "out";
  const fs::path left_over = folder.path / ".out.1-0.part";
  std::ofstream(left_over) << "dead";
  int living = -1;
  // Somebody else has taken it away, and has begun another one under its name.
  before_flock = [&] {
    fs::remove(left_over);
    living = ::open(left_over.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    REQUIRE(::flock(living, LOCK_EX | LOCK_NB) == 0);
  };
  { const TemporaryFile file(path.string(), Kind::named); }
  REQUIRE(living >= 0);
  CHECK(fs::exists(left_over));
  ::close(living);
  { const TemporaryFile file(path.string(), Kind::named); }
  CHECK(folder.entries() == 0);
}

TEST_CASE("An interrupt takes away a file with a temporary name") {
  const ScratchFolder folder;
  const fs::path path = folder.path / "out";
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    TemporaryFile file(path.string(), Kind::named);
    std::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WTERMSIG(status) == SIGTERM);
  CHECK(folder.entries() == 0);
}

TEST_CASE("A file that may grow no longer says why") {
  const ScratchFolder folder;
  const fs::path path = folder.path / "out";
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  for (const Kind kind : {Kind::nameless_if_possible, Kind::named}) {
    TemporaryFile file(path.string(), kind);
    rlimit little = before;
    little.rlim_cur = 4096;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &little) == 0);
    int error = 0;
    try {
      write(file, std::string(100'000, 'x'));
    } catch (const std::system_error& thrown) {
      error = thrown.code().value();
    }
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(error == EFBIG);
  }
  std::signal(SIGXFSZ, old);
  CHECK(folder.entries() == 0);
}

}  // namespace tutti::test_temporary_file
