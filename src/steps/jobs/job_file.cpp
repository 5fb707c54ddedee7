#include "src/steps/jobs/job_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "src/steps/jobs/grammar.hpp"
#include "src/steps/parse_rule.hpp"
#include "src/steps/quantity.hpp"

namespace tutti { inline namespace steps {

namespace {

constexpr double kLatestStart_s = 1e6;
constexpr std::size_t kMostJobs = 1000;

class JobReader {
 public:
  JobReader(std::string_view text, const std::string& path) : scanner_(text, path) {
    file_.path = path;
  }

  JobFile read() {
    const char* const end = scanner_.at() + scanner_.size();
    for (const char* at = scanner_.at(); at != end;) {
      const char* const line_end = std::find(at, end, '\n');
      read_line(at, line_end);
      at = line_end == end ? end : line_end + 1;
    }
    if (file_.jobs.empty()) {
      scanner_.fail(end, "there is no job; write lines such as: job a = a.step on hosts 0..7");
    }
    for (std::size_t i = 0; i < file_.jobs.size(); ++i) {
      if (ends_[i] != nullptr) {
        file_.jobs[i].until = job_named(*ends_[i], i);
      }
    }
    check_order();
    return std::move(file_);
  }

 private:
  void read_line(const char* begin, const char* end) {
    bool quoted = false;
    end = std::find_if(begin, end, [&](char c) {
      quoted ^= c == '"';
      return c == '#' && !quoted;
    });
    if (std::all_of(begin, end, jobs_grammar::is_blank_in_line)) {
      return;
    }
    lines_.push_back(parse_rule<jobs_grammar::line_of_jobs>(scanner_, begin, end));
    const program::SyntaxNode& node = *lines_.back();
    JobRequest job;
    job.line = static_cast<std::uint32_t>(scanner_.line_of(node.begin));
    job.name = node[0].text();
    const auto same = std::ranges::find(file_.jobs, job.name, &JobRequest::name);
    if (same != file_.jobs.end()) {
      fail(node[0], fmt::format("line {} already has a job {}", same->line, job.name));
    }
    if (file_.jobs.size() == kMostJobs) {
      fail(node, fmt::format("there are more than {} jobs", kMostJobs));
    }
    job.path = path_of(node[1].text());
    job.on_nodes = node[2][0].text() == "nodes";
    job.places = places_of(node[2]);
    ends_.push_back(nullptr);
    for (std::size_t i = 3; i < node.size(); ++i) {
      read_setting(node, i, job);
    }
    file_.jobs.push_back(std::move(job));
  }

  void read_setting(const program::SyntaxNode& line, std::size_t which, JobRequest& job) {
    const program::SyntaxNode& node = line[which];
    for (std::size_t i = 3; i < which; ++i) {
      if (line[i][0].text() == node[0].text()) {
        fail(node, fmt::format("the line already has '{}'", node[0].text()));
      }
    }
    const program::SyntaxNode& value = node[1];
    if (value.kind == program::Syntax::name) {
      ends_.back() = &value;
      return;
    }
    const Quantity number = quantity(value);
    if (node[0].text() == "start") {
      if (number.unit != Unit::seconds || number.value > kLatestStart_s) {
        fail(value,
             fmt::format("a job starts at a time from 0s to {:.0f}s, such as 5ms", kLatestStart_s));
      }
      job.start_ps = static_cast<std::uint64_t>(std::round(number.value * 1e12));
      return;
    }
    const auto runs = whole_number(number.value, kMostRunsOfJob);
    if (number.unit != Unit::none || !runs || *runs == 0) {
      fail(value, fmt::format("a job repeats its step from 1 to {} times, or 'until' another job "
                              "ends",
                              kMostRunsOfJob));
    }
    job.runs = static_cast<std::uint32_t>(*runs);
  }

  [[nodiscard]] std::string path_of(std::string_view word) const {
    if (word.starts_with('"')) {
      word = word.substr(1, word.size() - 2);
    }
    const std::filesystem::path folder = std::filesystem::path(file_.path).parent_path();
    return (folder / std::filesystem::path(word)).lexically_normal().string();
  }

  [[nodiscard]] std::vector<std::uint32_t> places_of(const program::SyntaxNode& node) const {
    std::vector<std::uint32_t> places;
    try {
      places = parse_counts(node[0].text(), node[1].text());
    } catch (const UserError& error) {
      fail(node[1], error.what());
    }
    std::vector<std::uint32_t> sorted = places;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
      fail(node[1], fmt::format("{} {} is there twice", node[0].text() == "nodes" ? "node" : "host",
                                *twice));
    }
    return places;
  }

  [[nodiscard]] Quantity quantity(const program::SyntaxNode& node) const {
    try {
      return parse_quantity(node.text());
    } catch (const UserError& error) {
      fail(node, error.what());
    }
  }

  [[nodiscard]] std::size_t job_named(const program::SyntaxNode& node, std::size_t self) const {
    const auto found = std::ranges::find(file_.jobs, node.text(), &JobRequest::name);
    const auto index = static_cast<std::size_t>(found - file_.jobs.begin());
    if (found == file_.jobs.end() || index == self) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < file_.jobs.size(); ++i) {
        if (i != self) {
          names.push_back(file_.jobs[i].name);
        }
      }
      fail(node, index == self   ? "a job cannot repeat until it ends itself"
                 : names.empty() ? std::string("there is no other job")
                                 : fmt::format("there is no job '{}'; {}", node.text(),
                                               accepted_words(node.text(), names)));
    }
    return index;
  }

  // Throws if jobs wait for each other's end.
  void check_order() const {
    for (std::size_t i = 0; i < file_.jobs.size(); ++i) {
      std::optional<std::size_t> at = file_.jobs[i].until;
      for (std::size_t steps = 0; at && steps < file_.jobs.size(); ++steps) {
        if (at == i) {
          fail(*ends_[i],
               fmt::format("{} and {} repeat until each other's end, directly or through other "
                           "jobs, and would never end",
                           file_.jobs[i].name, file_.jobs[*file_.jobs[i].until].name));
        }
        at = file_.jobs[*at].until;
      }
    }
  }

  [[noreturn]] void fail(const program::SyntaxNode& node, const std::string& what) const {
    scanner_.fail(node.begin, what);
  }

  Scanner scanner_;
  JobFile file_;
  std::vector<std::unique_ptr<program::SyntaxNode>> lines_;
  std::vector<const program::SyntaxNode*> ends_;  // by job: the name after 'until'; or null
};

}  // namespace

JobFile parse_jobs(std::string_view text, const std::string& path) {
  return JobReader(text, path).read();
}

}}  // namespace tutti::steps
