// tutti decide --library: writes a folder with all rules that a site needs to configure a library.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "src/built_in/built_in.hpp"
#include "src/commands/decide_request.hpp"
#include "src/experiments/profiles/profile_decision.hpp"
#include "src/experiments/sites/site_files.hpp"
#include "src/experiments/sites/site_request.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/output_folder.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/site_report.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace commands {

namespace {

constexpr std::string_view kAll = "all";

// Throws UserError for options that cannot be combined with --library.
void refuse_others(const DecideOptions& options) {
  const auto refuse = [](bool given, const std::string& what, const std::string& why) {
    if (given) {
      throw UserError(fmt::format("{} with $library: {}", what, why));
    }
  };
  const auto refuse_text = [&](const char* field, const std::optional<std::string>& text,
                               const char* why) {
    refuse(text.has_value(), fmt::format("{} '{}'", field, text.value_or("")), why);
  };
  const TimedBy by = options.times.by;
  const std::string nccl = options.nccl.given();
  refuse(options.export_format.has_value(),
         fmt::format("$export '{}'", options.export_format ? options.export_format->text : ""),
         "the library's version determines the format; leave the option out");
  refuse_text("$against", options.against,
              "rules are compared with that version's built-in decisions; leave the option out");
  refuse(options.placements.has_value(),
         fmt::format("$placements '{}'", options.placements.value_or(0)),
         "rules for a site need ranks placed in blocks; leave the option out");
  refuse_text("$hosts", options.machine.hosts,
              "rules for a site cover several numbers of ranks per host; use $ranks_per_host in "
              "its place");
  refuse(
      options.machine.placement && options.machine.placement->value.placement == Placement::cyclic,
      "$placement 'cyclic'",
      "built-in decisions are known only for ranks placed in blocks; leave the option out");
  refuse(!nccl.empty(), nccl,
         fmt::format("this is only for $against={} or $export=nccl; leave the option out",
                     kAgainstNccl));
  refuse(options.everything, "$all",
         "leave $all out; gains.csv in the folder of $output always has every number of ranks and "
         "size");
  refuse_text("$csv", options.results.csv,
              "gains.csv in the folder of $output has all results; leave the option out");
  refuse(!options.contenders.with.empty(),
         fmt::format("$with '{}'", fmt::join(options.contenders.with, " ")),
         "libraries do not have your program; leave $with out");
  refuse(by == TimedBy::measured, "$by 'measured'",
         "measured times are for one collective; leave out one of the two");
  if (by == TimedBy::exact && options.messages_at_most) {
    throw UserError(
        fmt::format("$messages_at_most '{}': has no effect with $by=exact, which needs no "
                    "schedules; leave the option out",
                    *options.messages_at_most));
  }
}

// Returns the collectives of the profile for which rules for the library can be written.
std::vector<Collective> requested_collectives(const DecideOptions& options, const Profile& profile,
                                              const std::vector<Collective>& known) {
  std::vector<Collective> wanted = collectives_of(options, profile);
  std::erase_if(wanted,
                [&](Collective each) { return std::ranges::find(known, each) == known.end(); });
  if (wanted.empty()) {
    throw UserError(
        fmt::format("$profile '{}': rules for {} cannot choose an algorithm for any of its calls",
                    *options.profile, options.library->text));
  }
  return wanted;
}

std::vector<Collective> requested_collectives(const DecideOptions& options,
                                              const SiteRequest& request) {
  std::vector<Collective> known = site_collectives(request.form);
  if (request.profile) {
    return requested_collectives(options, *request.profile, known);
  }
  if (options.collective == kAll) {
    return known;
  }
  const Collective wanted = parse_collective(options.collective);
  if (std::ranges::find(known, wanted) == known.end()) {
    std::vector<std::string_view> names;
    names.reserve(known.size());
    for (const Collective each : known) {
      names.push_back(name(each));
    }
    throw UserError(
        fmt::format("$library '{}': tutti has none of this library's algorithms for {}, only "
                    "algorithms for {}",
                    request.release.name, name(wanted), fmt::join(names, ", ")));
  }
  return {wanted};
}

// Writes the rule files, README.md, gains.csv and site.json, which 'tutti report' shows, to
// `folder`, and `json` together with it. If the user interrupts tutti, tutti leaves no files
// behind.
void write_folder(const Site& site, const std::vector<SiteFile>& files, const std::string& folder,
                  const std::string& parameters, const OutputToWrite& json) {
  std::ostringstream readme;
  std::ostringstream gains;
  std::ostringstream document;
  mark_as_named_file(document);
  write_document(kSiteReportDocument, SiteAnswer{site, files, "", parameters}, 1, document);
  write_site_readme(site, files, parameters, readme);
  write_site_csv(site, gains);
  const InterruptMessage nothing_is_kept([] { return std::string(); },
                                         InterruptMessage::End::by_itself);
  const OutputFolder written(folder);
  for (const SiteFile& file : files) {
    written.write(file.name, file.text);
  }
  written.write("README.md", readme.str());
  written.write("gains.csv", gains.str());
  written.write(std::string(kSiteDocument), document.str());
  nothing_is_kept.stop_if_interrupted();
  write_together({json}, &written);
}

}  // namespace

int decide_site(const DecideOptions& options, Streams streams) {
  SiteRequest request;
  request.jobs = options.jobs;
  request.one_runner = !options.sweep.database;
  refuse_others(options);
  request.most_messages = options.messages_at_most;
  const auto with_decisions = versions_with_decisions();
  request.release = options.library->value;
  request.form = form_written_for(request.release);
  if (std::ranges::find(with_decisions, request.release.line->name) == with_decisions.end()) {
    throw UserError(
        fmt::format("$library '{}': tutti does not know this release's own choices for all "
                    "collectives; use 'tutti decide COLLECTIVE --export {}'{}",
                    options.library->text, name(request.form),
                    request.form == RuleFormat::nccl ? " with $gpu" : ""));
  }
  if (!options.output && !options.results.json) {
    throw UserError(
        "$output is missing: name a new folder for the rules and their gains, such as $output "
        "rules, or print the gains alone with $json -");
  }
  const std::string folder = options.output.value_or("");
  if (options.output) {
    OutputFolder::check(folder);
  }
  OptionalOutput json_file("$json", options.results.json, kJsonFile, streams.out);
  request.ranks_per_host = options.problem.ranks_per_host ? options.problem.ranks_per_host->value
                                                          : std::vector<std::uint32_t>{1};
  if (options.profile) {
    refuse_what_profile_says(options);
    need_ranks_per_host(options, options.library->text);
    if (request.ranks_per_host.size() > 1) {
      throw UserError(
          fmt::format("$ranks_per_host '{}': the program of $profile ran with one "
                      "number of ranks per host; give this number",
                      options.problem.ranks_per_host->text));
    }
    request.profile = read_profile(*options.profile);
  }
  DecideOptions on_each = options;
  on_each.problem.ranks_per_host.reset();
  const OpenedMachine machine = open_machine(options, streams.messages);
  for (const Collective collective : requested_collectives(options, request)) {
    DecisionRequest& decision = request.decisions.emplace_back(
        decision_task(on_each, machine, collective, request.form, request.release.release, streams)
            .request);
    if (request.profile) {
      take_calls(calls_of(*request.profile, collective), options.problem.element_bytes.has_value(),
                 decision);
    }
  }
  bool lost = false;
  const Site site = decide_site(
      request,
      [&](const Decision& decision) {
        return runner_of(options, decision, request.jobs, streams.messages);
      },
      lost);
  if (site.parts.empty()) {
    throw UserError(fmt::format("$library '{}': {}: {}", options.library->text,
                                name(site.undecided.front().collective),
                                site.undecided.front().why));
  }
  const std::string parameters = printable(options.machine.parameters.value_or(""));
  const std::vector<SiteFile> files = site_files(site, lead_in_words);
  const OutputToWrite json{
      json_file, [&](std::ostream& out) {
        write_document(kSiteReportDocument, SiteAnswer{site, files, folder, parameters}, 1, out);
      }};
  if (options.output) {
    write_folder(site, files, folder, parameters, json);
  } else {
    write_together({json});
  }
  if (options.results.json != "-") {
    if (site.profile) {
      print_savings(site, streams.out);
      streams.out << '\n';
    }
    print_site(site, files, folder, parameters, streams.out);
  }
  return lost ? kExitCheckFailed : kExitOk;
}

}}  // namespace tutti::commands
