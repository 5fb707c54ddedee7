// What is written is there as a whole or not at all, and the file of before is as it was.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>
#include <unistd.h>

#include "base/error.hpp"
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

// As the program does it, which gives up what has no name yet, however it ends.
struct GiveUpTheRest {
  GiveUpTheRest() = default;
  GiveUpTheRest(const GiveUpTheRest&) = delete;
  GiveUpTheRest& operator=(const GiveUpTheRest&) = delete;
  ~GiveUpTheRest() { discard_outputs(); }
};

void sweep_outputs(Share share) {
  const fs::path folder =
      fs::temp_directory_path() / ("tutti-faults-output-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string path = (folder / "out.json").string();
  const std::string line = "a line of some length, of which there are many\n";
  std::string whole;
  for (int i = 0; i < 2000; ++i) {
    whole += line;
  }
  // What a process that was killed has left, and other files that have to be passed.
  const fs::path left_over = folder / ".out.json.1-0.part";
  const auto prepare = [&] {
    std::ofstream(path) << "before";
    std::ofstream(left_over) << "begun";
  };
  const auto write = [&](std::ostream& stream) {
    for (int i = 0; i < 2000; ++i) {
      stream << line;
    }
  };
  const std::ptrdiff_t open_files = count_in("/proc/self/fd");
  const auto check = [&] {
    const std::string now = text_of(path);
    CHECK((now == "before" || now == whole));
    fs::remove(left_over);
    CHECK(count_in(folder) == 1);
    CHECK(count_in("/proc/self/fd") == open_files);
  };
  const Operation writing{"a file is written", prepare,
                          [&] {
                            const GiveUpTheRest give_up_the_rest;
                            OutputFile file(path, std::cout);
                            write(file.stream());
                            file.commit();
                            publish_outputs();
                            return std::string("written");
                          },
                          check};
  // Where the system has no files without a name.
  const Operation named{"a file is written that has a name from the beginning", prepare,
                        [&] {
                          try {
                            TemporaryFile file(path, TemporaryFile::Kind::named);
                            std::ostream stream(&file.buffer());
                            write(stream);
                            file.finish();
                            file.publish();
                          } catch (const std::system_error& error) {  // of which users make one
                            throw UserError(error.what());
                          }
                          return std::string("written");
                        },
                        check};
  for (const Kind kind : {Kind::io_error, Kind::no_space, Kind::short_count}) {
    sweep(writing, kind, share);
    sweep(named, kind, share);
  }
  fs::remove_all(folder);
}

}  // namespace

TEST_CASE("a file whose writing meets a fault is as it was") { sweep_outputs(Share::some); }
TEST_CASE("a file whose writing meets any fault at all is as it was", "[slow]") {
  sweep_outputs(Share::all);
}

}  // namespace tutti::faults
