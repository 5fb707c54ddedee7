#include "base/file_use.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "base/error.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_file_use {
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("Different paths to one file are recognised, whether or not the file exists") {
  const fs::path folder =
      fs::temp_directory_path() / ("tutti_file_identity_" + std::to_string(::getpid()));
  fs::create_directories(folder / "sub");
  const auto at = [&](const char* name) { return (folder / name).string(); };
  std::ofstream(at("file")) << "text";
  std::ofstream(at("other")) << "text";
  fs::create_symlink("file", at("link"));
  fs::create_symlink("link", at("link_to_link"));
  fs::create_hard_link(at("file"), at("hard"));
  fs::create_symlink("sub", at("sub_link"));
  for (const char* same :
       {"file", "link", "link_to_link", "hard", "sub/../file", "sub_link/../file"}) {
    CHECK(same_file(at("file"), at(same)));
  }
  CHECK_FALSE(same_file(at("file"), at("other")));
  CHECK_FALSE(same_file(at("file"), at("none")));

  fs::create_symlink("sub/none", at("link_to_none"));
  for (const char* same :
       {"sub/none", "./sub/none", "sub/../sub/none", "sub_link/none", "link_to_none"}) {
    CHECK(same_file(at("sub/none"), at(same)));
  }
  CHECK_FALSE(same_file(at("sub/none"), at("none")));
  CHECK_FALSE(same_file("/dev/null", "/dev/null"));
  fs::current_path(folder);
  CHECK(same_file("none", at("none")));
  fs::current_path("/");
  fs::remove_all(folder);
}

TEST_CASE("An input file cannot also be an output, in either order") {
  const ScratchFolder folder;
  const std::string path = (folder.path / "file").string();
  const std::string link = (folder.path / "link").string();
  std::ofstream(path) << "text";
  fs::create_symlink("file", link);
  const auto refused = Contains("'" + link + "' would overwrite '" + path + "'");

  register_input(path);
  CHECK_THROWS_WITH(register_output(link), refused);
  forget_files();

  register_output(link);
  CHECK_THROWS_WITH(register_output(path), Contains("are the same file"));
  CHECK_THROWS_WITH(register_input(path), refused);
  forget_files();
  CHECK_NOTHROW(register_input(path));
  forget_files();
}

}  // namespace tutti::test_file_use
