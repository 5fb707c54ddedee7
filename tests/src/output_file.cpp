#include "src/output_file.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

#include "schedules/error.hpp"

using namespace tutti;
namespace fs = std::filesystem;

namespace {

// An empty folder that goes away with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("tutti_output_file_" + std::to_string(::getpid()));
  Folder() { fs::create_directory(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
  [[nodiscard]] auto entries() const {
    return std::distance(fs::directory_iterator(path), fs::directory_iterator());
  }
};

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("A file appears on commit, and not before") {
  const Folder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  {
    OutputFile file(path.string(), standard);
    file.stream() << "text";
    CHECK_FALSE(fs::exists(path));
    file.commit();
  }
  CHECK(contents(path) == "text");
  CHECK(folder.entries() == 1);
  CHECK(standard.str().empty());
}

TEST_CASE("Without commit nothing is left, and an old file stays") {
  const Folder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  { OutputFile(path.string(), standard).stream() << "half"; }
  CHECK(folder.entries() == 0);
  std::ofstream(path) << "old";
  { OutputFile(path.string(), standard).stream() << "half"; }
  CHECK(contents(path) == "old");
  CHECK(folder.entries() == 1);
}

TEST_CASE("A file that is replaced keeps its permissions") {
  const Folder folder;
  std::ostringstream standard;
  const fs::path path = folder.path / "out.txt";
  std::ofstream(path) << "old";
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  OutputFile file(path.string(), standard);
  file.stream() << "new";
  file.commit();
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

TEST_CASE("Paths that cannot be written are refused at once") {
  const Folder folder;
  std::ostringstream standard;
  for (const std::string& path :
       {std::string(), folder.path.string(), (folder.path / "no" / "such").string(),
        folder.path.string() + "/"}) {
    CHECK_THROWS_AS(OutputFile(path, standard), UserError);
  }
  CHECK(folder.entries() == 0);
}
