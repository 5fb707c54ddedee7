// Tests child processes: what they return, and what happens if they crash.
#include "sim/isolated_process.hpp"

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "tests/sim/simgrid_cells.hpp"

namespace tutti::test_isolated_process {
using Catch::Matchers::Contains;

namespace {

bool has_children() {
  int status = 0;
  return waitpid(-1, &status, WNOHANG) != -1;
}

}  // namespace

TEST_CASE("a child returns arbitrary bytes, and its memory use") {
  std::string bytes = std::string("a\0b\n", 4) + std::string(1'000'000, 'x');
  const ChildResult result = run_in_child([&](ParentLink&) { return bytes; });
  CHECK(result.bytes == bytes);
  CHECK(result.peak_rss_bytes > 1'000'000);
  CHECK(run_in_child([](ParentLink&) { return std::string(); }).bytes.empty());
  CHECK_FALSE(has_children());
}

TEST_CASE("an exception in a child is thrown in the parent") {
  CHECK_THROWS_AS(run_in_child([](ParentLink&) -> std::string { throw UserError("mine"); }),
                  UserError);
  CHECK_THROWS_WITH(
      run_in_child([](ParentLink&) -> std::string { throw std::runtime_error("lost"); }), "lost");
  CHECK_FALSE(has_children());
}

TEST_CASE("a crash of a child is reported with its task and its output") {
  const auto crash = [](ParentLink& parent) -> std::string {
    parent.doing("counting");
    (void)std::fputs("SimGrid:the reason\nSimGrid:Backtrace\n  -> 0\n", stderr);
    std::abort();
  };
  CHECK_THROWS_WITH(run_in_child(crash),
                    Contains("counting") && Contains("the reason") && Contains("Abort"));
  CHECK_THROWS_AS(run_in_child(crash), ChildCrash);
  CHECK_THROWS_WITH(run_in_child([](ParentLink&) -> std::string { _exit(3); }),
                    Contains("exit code 3"));
  CHECK_FALSE(has_children());
}

TEST_CASE("crashes of nested children are reported") {
  const std::string answer = run_in_child([](ParentLink&) {
                               try {
                                 return run_in_child([](ParentLink&) -> std::string {
                                          (void)std::raise(SIGKILL);
                                          return {};
                                        })
                                     .bytes;
                               } catch (const ChildCrash& crash) {
                                 return "caught: " + crash.how();
                               }
                             }).bytes;
  CHECK_THAT(answer, Contains("caught: was killed by signal 9"));
}

TEST_CASE("buffered output is not written twice, and output of a child does not get out") {
  char name[] = "stdout-XXXXXX";
  const int file = mkstemp(name);
  REQUIRE(file >= 0);
  (void)std::fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  dup2(file, STDOUT_FILENO);
  (void)std::fputs("once", stdout);
  (void)run_in_child([](ParentLink&) {
    (void)std::puts("from the child");
    return std::string();
  });
  (void)std::fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  char text[64] = {};
  CHECK(pread(file, text, sizeof text - 1, 0) == 4);
  CHECK(std::string(text) == "once");
  close(file);
  (void)unlink(name);
}

TEST_CASE("a platform process survives cells that fail") {
  PlatformProcess process(crossbar_config(2),
                          [](const std::string& request, const LoadedPlatform&) {
                            if (request == "throw") {
                              throw UserError("refused");
                            }
                            if (request == "abort") {
                              std::abort();
                            }
                            return "fine: " + request;
                          });
  CHECK_THROWS_AS(process.run("throw"), UserError);
  CHECK_THROWS_AS(process.run("abort"), InvariantError);
  CHECK(process.run("2") == "fine: 2");
}

TEST_CASE(
    "a platform process that runs cells itself survives their errors, and a crash loses only that "
    "cell") {
  // Counts cells in the process that has loaded the platform. If a cell ran in a fork, the parent
  // would not see the fork's change.
  int here = 0;
  PlatformProcess process(
      crossbar_config(2),
      [&here](const std::string& request, const LoadedPlatform&) {
        ++here;
        if (request == "throw") {
          throw UserError("refused");
        }
        if (request == "abort") {
          std::abort();
        }
        return std::to_string(here);
      },
      PlatformProcess::Cells::in_place);
  CHECK(process.run("go") == "1");
  CHECK(process.run("go") == "2");
  CHECK_THROWS_AS(process.run("throw"), UserError);
  CHECK(process.run("go") == "4");
  CHECK_THROWS_AS(process.run("abort"), InvariantError);
  CHECK(process.run("go") == "1");
  CHECK(here == 0);
}

TEST_CASE("a platform process that was killed is replaced") {
  for (const auto cells : {PlatformProcess::Cells::forked, PlatformProcess::Cells::in_place}) {
    PlatformProcess process(
        crossbar_config(2),
        [cells](const std::string&, const LoadedPlatform&) {
          return std::to_string(cells == PlatformProcess::Cells::forked ? getppid() : getpid());
        },
        cells);
    std::string last;
    for (int times = 0; times < 3; ++times) {
      const std::string now = process.run("whose?");
      CHECK(now != last);
      CHECK(now == process.run("whose?"));
      REQUIRE(kill(std::stoi(now), SIGKILL) == 0);
      // The first iteration continues at once; the later ones wait until the process has ended.
      usleep(static_cast<useconds_t>(times) * 20'000);
      last = now;
    }
  }
  CHECK_FALSE(has_children());
}

TEST_CASE("a cell whose process was killed is retried, but only once") {
  auto* const tries = static_cast<int*>(
      mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  REQUIRE(tries != MAP_FAILED);
  // The process that is killed either runs the cell itself or, if `above` is set, is the parent of
  // the fork that runs the cell.
  for (const bool above : {false, true}) {
    for (const auto cells : {PlatformProcess::Cells::forked, PlatformProcess::Cells::in_place}) {
      if (above && cells == PlatformProcess::Cells::in_place) {
        continue;
      }
      PlatformProcess process(
          crossbar_config(2),
          [tries, above](const std::string& request, const LoadedPlatform&) {
            if (++*tries <= std::stoi(request)) {
              (void)kill(above ? getppid() : getpid(), SIGKILL);
              pause();
            }
            return std::to_string(*tries);
          },
          cells);
      for (int times = 0; times < 2; ++times) {
        *tries = 0;
        CHECK(process.run("0") == "1");
        *tries = 0;
        CHECK(process.run("1") == "2");
        *tries = 0;
        try {
          (void)process.run("2");
          FAIL("a cell whose process was killed twice gave an answer");
        } catch (const ChildCrash& crash) {
          CHECK(crash.killed());
          CHECK_THAT(crash.what(), Contains("signal 9"));
        }
        CHECK(*tries == 2);
      }
    }
  }
  munmap(tries, sizeof(int));
}

TEST_CASE("a platform process reports why its platform cannot be loaded") {
  SimGridConfig config;
  config.platform.file = "nowhere.xml";
  const auto nothing = [](const std::string&, const LoadedPlatform&) { return std::string(); };
  CHECK_THROWS_AS(PlatformProcess(config, nothing), UserError);
  CHECK_FALSE(has_children());
}

}  // namespace tutti::test_isolated_process
