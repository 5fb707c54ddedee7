#include "base/machine_memory.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

using namespace tutti;

namespace {

// A folder with the files of control groups.
class Groups {
 public:
  Groups() {
    std::string name = std::filesystem::temp_directory_path() / "groups_XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~Groups() { std::filesystem::remove_all(root_); }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  [[nodiscard]] std::uint64_t bytes(const std::string& groups) const {
    return control_group_bytes(groups, root_.string());
  }

 private:
  std::filesystem::path root_;
};

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_CASE("the least limit of a control group and those above it counts, in both versions") {
  const Groups groups;
  CHECK(groups.bytes("0::/job/step\n") == kUnknown);
  groups.write("memory.max", "9000\n");
  groups.write("job/memory.max", "5000\n");
  groups.write("job/step/memory.max", "max\n");
  CHECK(groups.bytes("0::/job/step\n") == 5000);
  CHECK(groups.bytes("0::/job\n") == 5000);
  CHECK(groups.bytes("0::/other\n") == 9000);
  CHECK(groups.bytes("0::/\n") == 9000);
  groups.write("memory/slurm/memory.limit_in_bytes", "700\n");
  CHECK(groups.bytes("5:cpuset:/slurm\n4:memory:/slurm/job\n") == 700);
  CHECK(groups.bytes("4:memory,hugetlb:/slurm\n0::/job\n") == 700);
  CHECK(groups.bytes("4:cpu:/slurm\n") == kUnknown);
  CHECK(groups.bytes("no group") == kUnknown);
  CHECK(groups.bytes("") == kUnknown);
}

TEST_CASE("some memory may be used") { CHECK(usable_memory_bytes() > 100'000'000); }
