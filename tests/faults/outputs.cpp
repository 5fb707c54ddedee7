// Tests that the output files of a command are written completely or not at all: after a fault, all
// have their previous content, or all have the complete new content.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <unistd.h>

#include "base/file_use.hpp"
#include "src/formats/output_file.hpp"
#include "tests/faults/sweep.hpp"

namespace tutti::faults {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::ptrdiff_t count_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

void sweep_outputs(Share share) {
  const fs::path folder =
      fs::temp_directory_path() / ("tutti-faults-output-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string path = (folder / "out.json").string();
  const std::string second = (folder / "second.json").string();
  const std::string line = "a line of some length, of which there are many\n";
  std::string whole;
  for (int i = 0; i < 2000; ++i) {
    whole += line;
  }
  const auto prepare = [&] {
    std::ofstream(path) << "before";
    std::ofstream(second) << "before";
    forget_files();
  };
  const std::ptrdiff_t open_files = count_in("/proc/self/fd");
  const auto check = [&](bool lasting) {
    const std::string now = text_of(path);
    CHECK((now == "before" || now == whole));
    // If every call fails from the second rename on, the first name cannot be given back.
    CHECK((text_of(second) == now || (now == whole && text_of(second) == "before" && lasting)));
    CHECK(count_in(folder) == 2);
    CHECK(count_in("/proc/self/fd") == open_files);
  };
  const Operation writing{"write two files", prepare,
                          [&] {
                            OutputFile file(path, std::cout);
                            OutputFile other(second, std::cout);
                            for (int i = 0; i < 2000; ++i) {
                              file.stream() << line;
                              other.stream() << line;
                            }
                            OutputFile* const both[]{&file, &other};
                            commit_together(both);
                            return std::string("written");
                          },
                          check};
  for (const Kind kind : {Kind::io_error, Kind::no_space, Kind::short_count}) {
    sweep(writing, kind, share);
  }
  fs::remove_all(folder);
}

}  // namespace

TEST_CASE("a write that fails leaves the file unchanged") { sweep_outputs(Share::some); }
TEST_CASE("a write that fails at any point leaves the file unchanged", "[slow]") {
  sweep_outputs(Share::all);
}

}  // namespace tutti::faults
