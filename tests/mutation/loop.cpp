// Runs the whole program on mutated files. Whatever a file contains, the exit code must be 0, 1 or
// 2, and standard error must have at most two lines. The environment variables TUTTI_TEST_SEED and
// TUTTI_TEST_TRIES override the seed and the number of tries.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "src/workers/build_id.hpp"
#include "tests/mutation/tries.hpp"
#include "tests/source_dir.hpp"

namespace {

namespace fs = std::filesystem;
using mutation::Kind;

const fs::path kSource = tutti::source_dir();

// Returns the texts of the files in a folder whose names end with `end`, sorted by file name,
// without files of 100 kB or more. Inputs that a fuzzer found are in an archive beside the folder.
// They are not used here, because most of them are already invalid.
std::vector<std::string> texts_in(const fs::path& folder, const std::string& end = "") {
  constexpr std::uintmax_t kMostBytes = 100'000;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().string().ends_with(end) &&
        entry.file_size() < kMostBytes) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return texts;
}

std::vector<std::string> corpus(const std::string& name, const fs::path& more = {},
                                const std::string& end = "") {
  std::vector<std::string> texts = texts_in(kSource / "tests" / "fuzz" / "corpus" / name);
  if (!more.empty()) {
    const std::vector<std::string> others = texts_in(kSource / more, end);
    texts.insert(texts.end(), others.begin(), others.end());
  }
  return texts;
}

std::vector<Kind> schedules() {
  const std::vector<std::string> limit{"--limit", "operations=5000,steps=200000,memory=64MiB"};
  return {{"notation",
           corpus("notation"),
           {{"show", "@"},
            {"show", "@", "--format", "stats"},
            {"show", "@", "--format", "json"},
            {"verify", "@"},
            {"simulate", "@"}}},
          {"program",
           corpus("program", "examples/schedules", ".sched"),
           {{"show", "@", "-p", "4", "-n", "64", limit[0], limit[1]},
            {"verify", "@", "-p", "2..4", limit[0], limit[1]},
            {"simulate", "@", "-p", "3", "-n", "240", "--engine", "flow", limit[0], limit[1]}}}};
}

std::vector<Kind> platforms() {
  const std::vector<std::string> run{"simulate", "allreduce/ring", "-p", "4",       "-n",
                                     "64",       "--platform",     "@",  "--engine"};
  std::vector<std::vector<std::string>> commands{
      {"show", "bcast/binomial", "-p", "4", "-n", "64", "--format", "stats", "--platform", "@"},
      {"compare", "barrier", "-p", "3", "--platform", "@"}};
  for (const char* engine : {"flow", "simgrid", "auto"}) {
    commands.push_back(run);
    commands.back().emplace_back(engine);
  }
  return {{"platform", corpus("platform", "platforms", ".xml"), commands}};
}

std::vector<Kind> tables() {
  std::vector<Kind> kinds{
      {"parameters",
       corpus("parameters"),
       {{"simulate", "allreduce/ring", "-p", "2", "-n", "80", "--parameters", "@"},
        {"simulate", "allreduce/ring", "-p", "2", "-n", "80", "--parameters", "@", "--eager",
         "calibrated"},
        {"compare", "bcast", "-p", "2", "-n", "80", "--parameters", "@"}}},
      {"runs", corpus("runs"), {{"validate", "@"}, {"validate", "@", "--json", "-"}}},
      {"points",
       corpus("points"),
       {{"score", "@", "--largest", "64", "--platform", "crossbar:64"},
        {"score", "@", "--algorithm", "allgather/ring", "-p", "8", "--platform", "crossbar:8",
         "--json", "-"},
        {"score", "@", "--algorithm", "allreduce/ring", "-p", "8", "--platform", "crossbar:8",
         "--points-csv", "-"}}},
      {"decisions",
       corpus("decisions"),
       {{"decide", "allreduce", "-p", "4", "-n", "64,4096", "--by", "measured", "@"}}}};
  for (const char* form : {"tutti", "han", "ompi4", "ompi5", "ompi6", "mpich_ch4", "mpich_posix",
                           "mpich", "mpich41", "mpich43", "nccl"}) {
    kinds.push_back(
        {std::string("rules_") + form,
         corpus(std::string("rules_") + form),
         {{"lint", "@"},
          {"lint", "@", "--json", "-"},
          {"choose", "allreduce", "-p", "7", "-n", "100K", "--table", "@"},
          {"decide", "bcast", "-p", "4", "-n", "64", "--by", "exact", "--against", "@"}}});
  }
  return kinds;
}

// Returns the corpus of cells. The text of a cell contains the name of the build of tutti that
// wrote it. The corpus has "BUILD" in place of this name; this function replaces "BUILD" with the
// name of this build.
std::vector<std::string> cells() {
  constexpr std::string_view kBuild = "BUILD";
  std::vector<std::string> texts = corpus("cells");
  for (std::string& text : texts) {
    for (std::size_t at = 0; (at = text.find(kBuild, at)) != text.npos;) {
      text.replace(at, kBuild.size(), tutti::version_and_build());
    }
  }
  return texts;
}

std::vector<Kind> databases() {
  const std::vector<std::vector<std::string>> commands{
      {"query", "@"},
      {"query", "@", "--json", "-"},
      {"query", "@", "--view", "best"},
      {"query", "@", "--view", "times", "--csv", "-"},
      {"query", "@", "--against", "ring"},
      {"query", "@", "-p", "4", "--collective", "allreduce"}};
  return {{"database", corpus("database"), commands},
          {"database_rows", corpus("database_rows"), commands, true},
          {"cells", cells(), {{"worker"}}, false, true}};
}

void go(const std::vector<Kind>& kinds, unsigned long tries) {
  const char* const seed_text = std::getenv("TUTTI_TEST_SEED");
  const char* const tries_text = std::getenv("TUTTI_TEST_TRIES");
  const unsigned long seed =
      seed_text != nullptr ? std::strtoul(seed_text, nullptr, 10) : std::random_device{}();
  const mutation::Outcome outcome =
      try_all(kinds, tries_text != nullptr ? std::strtoul(tries_text, nullptr, 10) : tries, seed);
  WARN(fmt::format("TUTTI_TEST_SEED={}: exit 0 {} times, 1 {} times, 2 {} times", seed,
                   outcome.exits[0], outcome.exits[1], outcome.exits[2]));
  for (const std::string& fault : outcome.faults) {
    UNSCOPED_INFO(fault);
  }
  CHECK(outcome.faults.empty());
}

constexpr unsigned long kFew = 150;
constexpr unsigned long kMany = 5'000;

}  // namespace

TEST_CASE("damaged schedules and programs end no command abnormally") { go(schedules(), kFew); }
TEST_CASE("damaged platforms end no command abnormally") { go(platforms(), kFew); }
TEST_CASE("damaged tables and measurements end no command abnormally") { go(tables(), kFew); }
TEST_CASE("damaged databases and cells end no command abnormally") { go(databases(), kFew); }

TEST_CASE("5,000 damaged schedules and programs end no command abnormally", "[slow]") {
  go(schedules(), kMany);
}
TEST_CASE("5,000 damaged platforms end no command abnormally", "[slow]") { go(platforms(), kMany); }
TEST_CASE("5,000 damaged tables and measurements end no command abnormally", "[slow]") {
  go(tables(), kMany);
}
TEST_CASE("5,000 damaged databases and cells end no command abnormally", "[slow]") {
  go(databases(), kMany);
}
