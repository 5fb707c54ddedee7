#include "src/commands/cli.hpp"

#include <catch2/catch.hpp>

#include <sstream>

#include "src/formats/printed_messages.hpp"

namespace tutti::test_cli {
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome tutti_run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  PrintedMessages messages(err);
  const int code = run(arguments, {out, messages});
  return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("Help and version are not errors") {
  CHECK(tutti_run({"--help"}).code == kExitOk);
  CHECK_THAT(tutti_run({"--help"}).out, Contains("simulate"));
  CHECK_THAT(tutti_run({"simulate", "--help"}).out, Contains("--platform"));
  CHECK_THAT(tutti_run({"--version"}).out, StartsWith("tutti "));
}

TEST_CASE("The short help of a command has the usual options, and says how to see all") {
  const std::string usual = tutti_run({"compare", "--help"}).out;
  const std::string all = tutti_run({"compare", "--help", "all"}).out;
  CHECK_THAT(usual, Contains("more options: tutti compare --help all") && !Contains("--jitter"));
  CHECK_THAT(all, Contains("--jitter") && !Contains("more options"));
  CHECK(tutti_run({"help", "compare", "--all"}).out == all);
  // Few options are all usual.
  CHECK(tutti_run({"lint", "--help"}).out == tutti_run({"lint", "--help", "all"}).out);
}

TEST_CASE("Errors are one line, with exit code 2 and no output") {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"simulat"},
                                             {"simulate"},
                                             {"--nothing"},
                                             {"list", "x"},
                                             {"list", "bcast", "x"},
                                             {"simulate", "allreduce/ring", "-p", "0", "-n", "1K"},
                                             {"show", "allreduce/ring", "-p", "3", "-n", "2"}}) {
    const Outcome outcome = tutti_run(arguments);
    CHECK(outcome.code == kExitBadInput);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, StartsWith("tutti: "));
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

// A command line that begins with a command sets up only the commands that it mentions, and one
// that begins with an option sets up all of them.
TEST_CASE("Commands that are not mentioned change neither help nor errors") {
  std::istringstream names(tutti_run({"__complete", ""}).out);
  int commands = 0;
  for (std::string name; std::getline(names, name); ++commands) {
    for (const std::vector<std::string>& more :
         std::vector<std::vector<std::string>>{{"--help"},
                                               {"--helf"},
                                               {"--json"},
                                               {"-p", "list"},
                                               {"verify", "--help"},
                                               {"x", "--helf"},
                                               {"lists", "show"},
                                               {"list", "show", "-o"},
                                               {"-h=verify"}}) {
      std::vector<std::string> arguments{name};
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Outcome some = tutti_run(arguments);
      arguments.insert(arguments.begin(), {"--color", "never"});
      const Outcome all = tutti_run(arguments);
      CHECK(some.code == all.code);
      CHECK(some.out == all.out);
      CHECK(some.err == all.err);
    }
  }
  CHECK(commands > 0);
}

TEST_CASE("Commands run in the same process as their caller") {
  const Outcome outcome =
      tutti_run({"simulate", "allreduce/ring", "-p", "4", "-n", "1K", "--engine", "critical-path"});
  CHECK(outcome.code == kExitOk);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, Contains("exact cost") && Contains("equal to simulated"));
}

TEST_CASE("The output names the reason for a difference") {
  const auto report = [](std::vector<std::string> more) {
    std::vector<std::string> arguments{"simulate", "allreduce/ring", "-p", "4"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tutti_run(arguments).out;
  };
  CHECK_THAT(report({"-n", "1000", "--engine", "critical-path"}), Contains("blocks are uneven"));
  CHECK_THAT(report({"-n", "1K", "--gamma", "0", "--engine", "critical-path", "--misprints"}),
             Contains("published, wrong") && Contains("50.0 % below simulated"));
}

}  // namespace tutti::test_cli
