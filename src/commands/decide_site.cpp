#include "src/commands/decide_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "src/experiments/sites/site_request.hpp"
#include "src/formats/interrupts.hpp"
#include "src/output/site_files.hpp"
#include "src/output/site_report.hpp"
#include "src/rule_files/forms/rule_form.hpp"

namespace tutti::inline commands {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAll = "all";

std::optional<std::uint64_t> messages_asked(const DecideOptions& options) {
  if (!options.messages_at_most) {
    return std::nullopt;
  }
  const std::uint64_t most = parse_count("--messages-at-most", *options.messages_at_most);
  if (most == 0) {
    throw UserError("--messages-at-most '0': at least 1");
  }
  return most;
}

// Options that say something of one collective, or of a table that there is.
void refuse_others(const DecideOptions& options) {
  const auto refuse = [](const char* what, const OptionText& text, const char* why) {
    if (text) {
      throw UserError(fmt::format("{} '{}' beside --library: {}", what, *text, why));
    }
  };
  refuse("--export", options.export_format, "the library's version says which files it reads");
  refuse("--against", options.against, "rules are held against what that version has built in");
  refuse("--profile", options.profile, "rules of a site are for all sizes alike");
  refuse("--placements", options.placements, "rules of a site are for ranks in blocks");
  refuse("--hosts", options.machine.hosts, "it knows several numbers of ranks on a host");
  if (options.machine.placement == "cyclic") {
    refuse("--placement", options.machine.placement,
           "what a library has built in is known for ranks in blocks");
  }
  if (const std::string flag = options.nccl.given(); !flag.empty()) {
    throw UserError(
        fmt::format("{} beside --library: it is of the machine of --against {}, and of "
                    "--export nccl",
                    flag, kAgainstNccl));
  }
  if (options.everything) {
    throw UserError("--all beside --library: gains.csv of -o FOLDER has every cell");
  }
  if (options.results.json || options.results.csv) {
    throw UserError(
        "decide --library writes no page, JSON or CSV; the folder of -o has README.md and "
        "gains.csv "
        "with every cell");
  }
  if (!options.contenders.with.empty()) {
    throw UserError(fmt::format("--with '{}' beside --library: no library has a program of yours",
                                options.contenders.with.front()));
  }
  if (!options.by.empty() && options.by.front() == "measured") {
    throw UserError(
        "--by 'measured' beside --library: measured times are of one collective; "
        "leave one of them out");
  }
  if (!options.by.empty() && options.by.front() == "exact" && options.messages_at_most) {
    throw UserError(
        fmt::format("--messages-at-most '{}': closed forms, of --by exact, need no "
                    "schedule",
                    *options.messages_at_most));
  }
}

std::vector<Collective> collectives_asked(const DecideOptions& options,
                                          const SiteRequest& request) {
  std::vector<Collective> known = site_collectives(request.form);
  if (options.collective == kAll) {
    return known;
  }
  const Collective asked = parse_collective(options.collective);
  if (std::ranges::find(known, asked) == known.end()) {
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const Collective each : known) {
      names.push_back(name(each));
    }
    throw UserError(
        fmt::format("--library '{}': tutti has none of its algorithms for {}; it has "
                    "some for {}",
                    request.release.name, name(asked), fmt::join(names, ", ")));
  }
  return {asked};
}

std::vector<std::uint32_t> per_host_asked(const DecideOptions& options) {
  std::vector<std::uint32_t> counts =
      parse_counts("--ranks-per-host", options.problem.ranks_per_host.value_or("1"));
  if (std::ranges::find(counts, 0U) != counts.end()) {
    throw UserError("--ranks-per-host '0': a host holds at least 1 rank");
  }
  std::ranges::sort(counts);
  const auto [first, last] = std::ranges::unique(counts);
  counts.erase(first, last);
  return counts;
}

// Throws UserError unless the folder is empty or can be made.
void check_folder(const OptionText& output) {
  if (!output) {
    throw UserError(
        "-o/--output is missing: name a new folder for the rules and what they gain, such as "
        "-o rules");
  }
  const std::string& folder = *output;
  if (folder == "-") {
    throw UserError("-o/--output '-': there are several files; name a folder");
  }
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::is_directory(status) && !fs::is_empty(folder, error)) {
    throw UserError(
        fmt::format("-o/--output '{}': the folder has files in it; name a new one", folder));
  }
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UserError(fmt::format("-o/--output '{}': a file is there; name a folder", folder));
  }
  if (fs::exists(status) && fs::equivalent(folder, ".", error)) {
    throw UserError(
        fmt::format("-o/--output '{}': this is the current folder; name a new one", folder));
  }
  const fs::path parent = fs::absolute(fs::path(folder) / "..").lexically_normal();
  if (!fs::is_directory(parent, error)) {
    throw UserError(fmt::format("-o/--output '{}': there is no folder to make it in", folder));
  }
  if (::access(parent.c_str(), W_OK | X_OK) != 0) {
    throw UserError(fmt::format("-o/--output '{}': cannot write to '{}': {}", folder,
                                parent.string(), std::strerror(errno)));
  }
}

// A folder beside the one that is asked for, which takes that one's name once it is complete.
class NewFolder {
 public:
  explicit NewFolder(const std::string& asked)
      : asked_(asked), target_(fs::weakly_canonical(asked)) {
    target_ = target_.has_filename() ? target_ : target_.parent_path();
    part_ =
        target_.parent_path() / fmt::format(".{}.{}.part", target_.filename().string(), ::getpid());
    try_to([&](std::error_code& error) { fs::create_directory(part_, error); });
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code error;
    fs::remove_all(part_, error);
  }

  void write(const std::string& name, std::string_view text) const {
    const fs::path path = part_ / name;
    try_to([&](std::error_code& error) { fs::create_directories(path.parent_path(), error); });
    errno = 0;
    std::ofstream file(path, std::ios::binary);
    if (!(file << text << std::flush)) {
      refuse(std::strerror(errno));
    }
  }
  // An empty folder of that name gives way.
  void take_name() const {
    try_to([&](std::error_code& error) { fs::rename(part_, target_, error); });
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(fmt::format("-o/--output '{}': {}", asked_, why));
  }
  template <typename Work>
  void try_to(Work&& work) const {
    std::error_code error;
    work(error);
    if (error) {
      refuse(error.message());
    }
  }

  std::string asked_;
  fs::path target_;
  fs::path part_;
};

// An interrupt leaves nothing behind.
void write_folder(const Site& site, const std::string& folder) {
  const std::vector<SiteFile> files = site_files(site);
  std::ostringstream readme;
  std::ostringstream gains;
  write_site_readme(site, files, readme);
  write_site_csv(site, gains);
  const WhenInterrupted nothing_is_kept([] { return std::string(); },
                                        WhenInterrupted::End::by_itself);
  const NewFolder written(folder);
  for (const SiteFile& file : files) {
    written.write(file.name, file.text);
  }
  written.write("README.md", readme.str());
  written.write("gains.csv", gains.str());
  nothing_is_kept.stop_if_interrupted();
  written.take_name();
}

}  // namespace

int decide_site(const DecideOptions& options, Streams streams) {
  SiteRequest request;
  request.jobs = parse_jobs(options.jobs);
  refuse_others(options);
  request.most_messages = messages_asked(options);
  request.release = library_release_named("--library", *options.library);
  request.form = form_written_for(request.release);
  if (request.form == RuleFormat::nccl) {
    throw UserError(
        fmt::format("--library '{}': its rules are of one collective and of a machine; "
                    "take decide COLLECTIVE --export nccl, with --gpu",
                    *options.library));
  }
  check_folder(options.output);
  request.ranks_per_host = per_host_asked(options);
  DecideOptions on_each = options;
  on_each.problem.ranks_per_host.reset();
  const OpenedMachine machine = open_machine(options);
  for (const Collective collective : collectives_asked(options, request)) {
    request.decisions.push_back(
        asked_decision(on_each, machine, collective, request.form, request.release.release)
            .request);
  }
  bool lost = false;
  const Site site = decide_site(
      request,
      [&](const Decision& decision) {
        return runner_of(options, decision, request.jobs, streams.err);
      },
      lost);
  if (site.parts.empty()) {
    throw UserError(fmt::format("--library '{}': {}: {}", *options.library,
                                name(site.undecided.front().collective),
                                site.undecided.front().why));
  }
  write_folder(site, *options.output);
  print_site(site, *options.output, streams.out);
  return lost ? kExitCheckFailed : kExitOk;
}

}  // namespace tutti::inline commands
