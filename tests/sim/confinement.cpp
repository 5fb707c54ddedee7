// What a confined process can do no more, and what it still can.
#include "sim/confinement.hpp"

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "sim/isolated_process.hpp"

namespace tutti::test_confinement {

namespace {

// A folder with a file that is dear to somebody.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tutti-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    std::ofstream(precious()) << "precious";
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string precious() const { return path_ / "precious.txt"; }
  [[nodiscard]] std::string other() const { return path_ / "other"; }
  [[nodiscard]] bool is_as_it_was() const {
    std::ifstream stream(precious());
    const auto entries = std::distance(std::filesystem::directory_iterator(path_), {});
    return entries == 1 && std::string(std::istreambuf_iterator<char>(stream), {}) == "precious";
  }

 private:
  std::filesystem::path path_;
};

int ended_with(const std::function<void()>& in_child) {
  const pid_t pid = fork();
  if (pid == 0) {
    in_child();
    _exit(1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Each is one attempt: true where it was let through.
std::vector<std::pair<std::string, std::function<bool()>>> attempts(const Folder& folder) {
  const std::string file = folder.precious();
  const std::string other = folder.other();
  const auto opens = [](const std::string& path, int flags) {
    const int opened = open(path.c_str(), flags, 0600);
    if (opened >= 0) {
      close(opened);
    }
    return opened >= 0;
  };
  // Of what is open for reading. What the file system, or an older kernel, cannot do at all was not
  // refused for that.
  const auto lets_through = [=](const std::function<long(int)>& call) {
    const int opened = open(file.c_str(), O_RDONLY);
    const bool let = call(opened) == 0 || errno != EPERM;
    close(opened);
    return let;
  };
  return {
      {"truncate on opening", [=] { return opens(file, O_WRONLY | O_TRUNC); }},
      {"append", [=] { return opens(file, O_WRONLY | O_APPEND); }},
      {"read and write", [=] { return opens(file, O_RDWR); }},
      {"truncate, reading only", [=] { return opens(file, O_RDONLY | O_TRUNC); }},
      {"make", [=] { return opens(other, O_RDONLY | O_CREAT); }},
      {"truncate", [=] { return truncate(file.c_str(), 0) == 0; }},
      {"remove", [=] { return unlink(file.c_str()) == 0; }},
      {"rename", [=] { return std::rename(file.c_str(), other.c_str()) == 0; }},
      {"link", [=] { return link(file.c_str(), other.c_str()) == 0; }},
      {"symbolic link", [=] { return symlink(file.c_str(), other.c_str()) == 0; }},
      {"folder", [=] { return mkdir(other.c_str(), 0700) == 0; }},
      {"fifo", [=] { return mkfifo(other.c_str(), 0600) == 0; }},
      {"rights", [=] { return chmod(file.c_str(), 0777) == 0; }},
      {"rights, open", [=] { return lets_through([](int f) { return fchmod(f, 0777); }); }},
      {"rights, newer call",
       [=] {
         return lets_through([=](int) {
           constexpr long kFchmodat2 = 452;
           return syscall(kFchmodat2, AT_FDCWD, file.c_str(), 0777, 0);
         });
       }},
      {"owner, open",
       [=] { return lets_through([](int f) { return fchown(f, getuid(), getgid()); }); }},
      {"attribute, open",
       [=] { return lets_through([](int f) { return fsetxattr(f, "user.tutti", "1", 1, 0); }); }},
      {"no attribute, open",
       [=] { return lets_through([](int f) { return fremovexattr(f, "user.tutti"); }); }},
      {"internet", [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
      {"datagrams", [] { return socket(AF_INET, SOCK_DGRAM, 0) >= 0; }},
      {"local sockets", [] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }},
      {"programs", [] { return ended_with([] { execl("/bin/true", "true", nullptr); }) == 0; }},
  };
}

// Names of the attempts that succeed in a child, one a line.
std::string what_succeeds(bool confined, const Folder& folder, const std::string& only = "") {
  return run_in_child([&](ParentLink&) {
           std::string names;
           if (confined) {
             (void)confine_process();
           }
           for (const auto& [name, attempt] : attempts(folder)) {
             if ((only.empty() || only == name) && attempt()) {
               names += name + '\n';
             }
           }
           return names;
         })
      .bytes;
}

bool kernel_has(bool Confinement::*means) {
  return run_in_child([means](ParentLink&) {
           return std::string(confine_process().*means ? "yes" : "no");
         }).bytes == "yes";
}

}  // namespace

TEST_CASE("a confined process writes no file, opens no socket and runs no program") {
  if (!kernel_has(&Confinement::by_seccomp)) {
    WARN("TEST SKIPPED: this kernel has no seccomp");
    return;
  }
  const Folder folder;
  for (const auto& [name, attempt] : attempts(folder)) {
    const Folder own;
    INFO(name);
    CHECK(what_succeeds(false, own, name) == name + '\n');  // an attempt that is one
  }
  CHECK(what_succeeds(true, folder).empty());
  CHECK(folder.is_as_it_was());
}

TEST_CASE("a confined process reads, has children, memory and pairs of sockets") {
  const Folder folder;
  const std::string answer =
      run_in_child([&](ParentLink&) {
        (void)confine_process();
        std::ifstream stream(folder.precious());
        std::string text(std::istreambuf_iterator<char>(stream), {});
        text += run_in_child([](ParentLink&) { return std::string(", nested"); }).bytes;
        const int memory = memfd_create("test", MFD_CLOEXEC);
        const std::string path = "/proc/self/fd/" + std::to_string(memory);
        if (write(memory, ", memory", 8) == 8) {
          std::ifstream again(path);
          text += std::string(std::istreambuf_iterator<char>(again), {});
        }
        return text;
      }).bytes;
  CHECK(answer == "precious, nested, memory");
}

}  // namespace tutti::test_confinement
