#include "src/requests/what_if_options.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/machine_options.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/message_changes.hpp"

namespace tutti { inline namespace requests {

namespace {

constexpr InputKind kLateRanksFile{"a late-ranks file", std::uint64_t{256} << 20U, true};
constexpr double kMostFactor = 1e9;
constexpr std::uint32_t kMostRepeats = 100'000;
constexpr const char* kAccepted =
    "bw*2, lat*0.5, bw(leaf up-links)*2, gamma*2, copy*2, ports=2, placement=cyclic, sharing=off, "
    "or, with a message model in $parameters, NAME*2 or NAME=VALUE for a parameter of the model";

std::string trimmed_text(std::string_view text) { return std::string(trimmed(text)); }

double parse_factor(const std::string& from, const std::string& text) {
  double factor = 0;
  try {
    factor = parse_number("", text);
  } catch (const UserError&) {
    factor = -1;
  }
  if (!(factor > 0 && factor <= kMostFactor)) {
    throw UserError(fmt::format(
        "{}: the factor '{}' must be a number above 0 and at most {:g}, without an exponent, such "
        "as 2 or 0.5",
        from, text, kMostFactor));
  }
  return factor;
}

// Parses the value of --slow-link or --slow-host.
SlowedPart parse_slowed(std::string_view field, const std::string& text) {
  const std::string from = fmt::format("{} '{}'", field, text);
  const std::size_t star = text.rfind('*');
  if (star == std::string::npos || trimmed_text(text.substr(0, star)).empty()) {
    throw UserError(
        fmt::format("{}: write a name and a factor, such as NAME*0.5 for half the speed", from));
  }
  SlowedPart slowed{trimmed_text(text.substr(0, star)),
                    parse_factor(from, trimmed_text(text.substr(star + 1)))};
  if (slowed.factor > 1) {
    throw UserError(fmt::format(
        "{}: the factor '{}' must be at most 1; it multiplies the speed: 0.5 is half as fast", from,
        trimmed_text(text.substr(star + 1))));
  }
  return slowed;
}

Placement parse_placement_of(const std::string& from, const std::string& text) {
  if (const auto placement = placement_named(text)) {
    return *placement;
  }
  throw UserError(fmt::format(
      "{}: unknown placement; write placement=block, placement=cyclic or placement=switch", from));
}

// One of the changes that --what-if lists: WHAT*FACTOR, WHAT(LINKS)*FACTOR or WHAT=VALUE.
class Change {
 public:
  Change(std::string text, OpenedMachine& opened)
      : text_(std::move(text)), from_(fmt::format("$what_if '{}'", text_)), machine_(opened.spec) {
    if (opened.files.messages) {
      models_.push_back(*opened.files.messages);
      for (const JobKind& kind : opened.files.job_kinds) {
        models_.push_back(with_values_of(kind, models_.front()));
      }
    }
  }

  void apply() {
    const std::size_t equals = text_.find('=');
    // In WHAT=VALUE, no bracket precedes the equals sign. An equals sign after a bracket is part of
    // a link's name.
    if (equals != std::string::npos && text_.find('(') > equals) {
      set(trimmed_text(text_.substr(0, equals)), trimmed_text(text_.substr(equals + 1)));
      return;
    }
    const std::size_t star = text_.rfind('*');
    if (star == std::string::npos) {
      refuse();
    }
    std::string what = trimmed_text(text_.substr(0, star));
    const double factor = parse_factor(from_, trimmed_text(text_.substr(star + 1)));
    std::optional<std::string> links;
    if (const std::size_t open = what.find('('); open != std::string::npos) {
      if (what.back() != ')') {
        refuse();
      }
      links = trimmed_text(what.substr(open + 1, what.size() - open - 2));
      if (links->empty()) {
        refuse();
      }
      what = trimmed_text(what.substr(0, open));
    }
    multiply(what, links, factor);
  }

 private:
  // Throws UserError. `what` is the unknown word, or empty if the form of the text is wrong.
  [[noreturn]] void refuse(const std::string& what = {}) const {
    std::vector<std::string> names{"bw", "lat", "gamma", "copy", "ports", "placement", "sharing"};
    std::string parameters;
    if (!models_.empty()) {
      for (const MessageParameter& each : message_parameters()) {
        names.emplace_back(each.name);
        parameters += fmt::format("{}{}", parameters.empty() ? " (" : ", ", each.name);
      }
      parameters += ')';
    }
    const std::string best = what.starts_with("band")    ? "bw"
                             : what.starts_with("laten") ? "lat"
                                                         : nearest(what, names);
    std::string meant = text_;
    if (const std::size_t at = meant.find(what); !best.empty() && at != meant.npos) {
      meant.replace(at, what.size(), best);
    }
    throw UserError(fmt::format(
        "{}: {}write changes, separated by ';', each in one of these forms: {}{}", from_,
        best.empty() || best == what
            ? ""
            : fmt::format("'{}' is unknown; did you mean '{}'? ", what, meant),
        kAccepted, parameters));
  }

  // Adds a change of a parameter of the message model, which must have an effect and a valid
  // result.
  void change_parameter(const MessageParameter& parameter, std::optional<double> value,
                        double factor) {
    if (models_.empty()) {
      throw UserError(
          fmt::format("{}: {} is a parameter of message models; name a file with such a model, as "
                      "'tutti fit' writes it, with $parameters",
                      from_, parameter.name));
    }
    const auto values = [&] {
      std::vector<double> found;
      for (const MessageModel& model : models_) {
        found.push_back(message_model(model, machine_).*parameter.value);
      }
      return found;
    };
    const std::vector<double> before = values();
    machine_.parameter_changes.push_back({&parameter, value, factor});
    const std::vector<double> after = values();
    if (!value && factor != 1 && after == before) {
      throw UserError(
          fmt::format("{}: {} is {} in $parameters '{}', so a factor has no effect; write {}=VALUE",
                      from_, parameter.name, parameter_in_words(parameter, before.front()),
                      printable(machine_.parameters), parameter.name));
    }
    // Which kinds include the job is not known yet, so the values of all of them must be valid.
    for (const double each : after) {
      check_changed(parameter, each);
    }
  }

  void check_changed(const MessageParameter& parameter, double after) const {
    if (!(after >= parameter.least && after <= parameter.most) ||
        (parameter.unit == "count" && after != std::floor(after))) {
      throw UserError(fmt::format(
          "{}: {} would be {:g}; it must be {}from {:g} to {:g}{}{}", from_, parameter.name, after,
          parameter.unit == "count" ? "a whole number " : "", parameter.least, parameter.most,
          parameter.unit.empty() || parameter.unit == "count" ? "" : " ",
          parameter.unit == "count" ? "" : parameter.unit));
    }
  }

  [[nodiscard]] double parse_value(const MessageParameter& parameter,
                                   const std::string& value) const {
    return parameter.unit == "s"     ? parse_time_s(from_, value)
           : parameter.unit == "B"   ? static_cast<double>(parse_bytes(from_, value))
           : parameter.unit == "B/s" ? parse_rate(from_, value)
           : parameter.unit == "s/B" ? parse_s_per_byte(from_, value)
                                     : parse_number(from_, value);
  }

  void multiply(const std::string& what, const std::optional<std::string>& links, double factor) {
    if (what == "bw" || what == "lat") {
      LinkChange change{.which = links.value_or(""), .from = from_};
      (what == "bw" ? change.bandwidth : change.latency) = factor;
      machine_.changes.links.push_back(std::move(change));
    } else if (what == "gamma" && !links) {
      machine_.changes.gamma *= factor;
    } else if (what == "copy" && !links) {
      if (machine_.copy.s_per_byte == 0 && !machine_.copy.as_gamma && !copies_in_model()) {
        throw UserError(
            fmt::format("{}: copies cost nothing here; give them a price with {}", from_,
                        !models_.empty() ? "$what_if copy_s_per_byte=PRICE" : "$copy_cost"));
      }
      machine_.copy.times *= factor;
    } else if (const MessageParameter* const parameter = find_message_parameter(what);
               parameter != nullptr && !links) {
      change_parameter(*parameter, std::nullopt, factor);
    } else {
      refuse(what);
    }
  }

  void set(const std::string& what, const std::string& value) {
    if (what == "ports") {
      machine_.ports = parse_ports(from_, value);
    } else if (what == "placement") {
      set_placement(value);
    } else if (what == "sharing") {
      if (value != "off") {
        throw UserError(fmt::format(
            "{}: write sharing=off, which gives each message the whole bandwidth of each link",
            from_));
      }
      machine_.changes.unshared = true;
    } else if (const MessageParameter* const parameter = find_message_parameter(what)) {
      change_parameter(*parameter, parse_value(*parameter, value), 1);
    } else {
      refuse(what);
    }
  }

  void set_placement(const std::string& value) {
    if (machine_.hosts || machine_.placement_seed) {
      throw UserError(
          fmt::format("{}: {} already determines the host of each rank; leave one of them out",
                      from_, machine_.hosts ? "$hosts" : "$placement random"));
    }
    machine_.placement = parse_placement_of(from_, value);
    machine_.placement_given = from_;
  }

  [[nodiscard]] bool copies_in_model() const {
    return std::ranges::any_of(models_, [](const MessageModel& model) {
      return model.copy_s_per_byte > 0 || model.copy_memory_s_per_byte > 0;
    });
  }

  std::string text_;
  std::string from_;
  MachineSpec& machine_;
  // The message model in the file of --parameters, and that of each kind of jobs; empty without
  // one.
  std::vector<MessageModel> models_;
};

void apply_what_if(const std::string& text, OpenedMachine& opened) {
  MachineSpec& machine = opened.spec;
  std::vector<std::string_view> parts = split(text, ';');
  if (parts.size() > 1 && trimmed(parts.back()).empty()) {
    parts.pop_back();  // the text ends with ';'
  }
  for (const std::string_view part : parts) {
    machine.what_ifs.push_back(trimmed_text(part));
    Change(machine.what_ifs.back(), opened).apply();
  }
}

// Parses a range of times such as "0..50us", and returns its bounds in seconds. If the first time
// has no unit, the unit of the second time applies to both.
LateRanks parse_time_range(std::string_view field, const std::string& option,
                           const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    throw UserError(fmt::format("{}: write uniform:0..50us, or a file", option));
  }
  std::string first = trimmed_text(text.substr(0, dots));
  const std::string last = trimmed_text(text.substr(dots + 2));
  if (first.find_first_not_of("0123456789.") == std::string::npos) {
    const std::size_t unit = last.find_first_not_of("0123456789.");
    first += unit == std::string::npos ? "" : last.substr(unit);
  }
  const double from_s = parse_time_s(field, first);
  const double to_s = parse_time_s(field, last);
  if (to_s < from_s) {
    throw UserError(
        fmt::format("{}: {} is more than {}; write the smaller time first", option, first, last));
  }
  return {from_s, to_s, ""};
}

LateRanks parse_late_ranks(std::string_view from, const std::string& text) {
  constexpr std::string_view kUniform = "uniform:";
  if (text.empty()) {
    throw UserError(fmt::format(
        "{} '': write uniform:FROM..TO, such as uniform:0..50us, or the name of a file", from));
  }
  return text.starts_with(kUniform) ? parse_time_range(from, fmt::format("{} '{}'", from, text),
                                                       text.substr(kUniform.size()))
                                    : LateRanks{.file = text};
}

double parse_jitter(std::string_view from, const std::string& text) {
  double percent = -1;
  if (text.ends_with('%')) {
    percent = parse_number(from, text.substr(0, text.size() - 1));
  }
  if (!(percent >= 0 && percent < 100)) {
    throw UserError(fmt::format("{} '{}': must be a percentage from 0% to below 100%, such as 10%",
                                from, text));
  }
  return percent / 100;
}

// Throws UserError if the file of --parameters contains measured costs and the options change
// links, hosts or gamma: measured costs hold only for the unchanged machine.
void check_measured(const OpenedMachine& machine) {
  const PlatformChanges& changes = machine.spec.changes;
  if (machine.files.curves &&
      (!changes.links.empty() || !changes.hosts.empty() || changes.gamma != 1)) {
    throw UserError(fmt::format(
        "$parameters '{}': the costs of messages and reductions were measured, so changes of "
        "links, hosts or gamma have no effect; leave out $parameters or the changes",
        machine.spec.parameters));
  }
}

}  // namespace

std::vector<double> read_late_ranks(const std::string& path) {
  const std::string text = read_file(path, kLateRanksFile);
  std::vector<double> late_s;
  std::size_t number = 0;
  std::string_view rest = text;
  std::string_view line;
  while (next_line(rest, line)) {
    ++number;
    if (const std::string time = trimmed_text(line.substr(0, line.find('#'))); !time.empty()) {
      late_s.push_back(parse_time_s(place_in_file(path, number), time));
    }
  }
  return late_s;
}

void WhatIfOptions::add_to(Command& app, bool of_ties) {
  const OptionGroup group(app, "What if");
  seed_of_ties = of_ties;
  group
      .add("--what-if", what_if, "CHANGES",
           "Changes to the machine, separated by ';': bw(LINKS)*2 and lat(LINKS)*0.5 multiply the "
           "bandwidth and the latency of the links whose class or name is LINKS [all links]; "
           "gamma*2 and copy*2 multiply these prices; ports=2, placement=switch and sharing=off "
           "(messages do not share links) replace a setting; with a message model in "
           "--parameters, these also change the parameters for the same thing, and NAME*2 and "
           "NAME=VALUE change any parameter, such as rank_bytes_per_s*2 or eager_bytes=64K")
      .separated_by(';');
  group
      .add("--slow-link", slow_links, "NAME*FACTOR",
           "Multiply the bandwidth of links by a factor: NAME*0.5, where NAME is a class or a name "
           "(a * within NAME matches anything; the last * precedes the factor)",
           parse_slowed)
      .one_at_a_time();
  group
      .add("--slow-host", slow_hosts, "HOST*FACTOR",
           "Multiply the speed of a host and the bandwidth of its links by a factor: HOST*0.5, "
           "where HOST is the host's number in the platform or its name",
           parse_slowed)
      .one_at_a_time();
  group.add("--late-ranks", late_ranks, "RANGE|FILE",
            "Delay of each rank's start: uniform:0..50us (drawn at random), or a file with a time "
            "for each rank, one per line [no delay]",
            parse_late_ranks);
  group.add("--jitter", jitter, "SHARE",
            "Vary the time of each message, reduction and copy at random by up to this share, such "
            "as 10% [0%]",
            parse_jitter);
  group.add("--seed", seed, "NUMBER",
            of_ties ? "Seed of the random draws of --jitter, --late-ranks and --ties [1]"
                    : "Seed of the random draws of --jitter and --late-ranks [1]",
            AsCount<std::numeric_limits<std::uint32_t>::max()>());
  group.add("--repeat", repeat, "COUNT",
            "Number of runs, whose seeds count up from the value of --seed; reports the median, "
            "minimum and maximum of the times [1]",
            AsPositiveCount<kMostRepeats>());
}

bool WhatIfOptions::any() const {
  return what_if || !slow_links.empty() || !slow_hosts.empty() || late_ranks || jitter;
}

void WhatIfOptions::apply(OpenedMachine& opened) const {
  MachineSpec& machine = opened.spec;
  if (what_if) {
    apply_what_if(*what_if, opened);
  }
  const auto from = [](std::string_view field, const ValueWithText<SlowedPart>& slowed) {
    return fmt::format("{} '{}'", field, slowed.text);
  };
  for (const ValueWithText<SlowedPart>& slowed : slow_links) {
    machine.changes.links.push_back({.which = slowed.value.name,
                                     .bandwidth = slowed.value.factor,
                                     .latency = 1,
                                     .from = from("$slow_link", slowed)});
    machine.what_ifs.push_back("slow link " + slowed.text);
  }
  for (const ValueWithText<SlowedPart>& slowed : slow_hosts) {
    machine.changes.hosts.push_back(
        {slowed.value.name, slowed.value.factor, from("$slow_host", slowed)});
    machine.what_ifs.push_back("slow host " + slowed.text);
  }
  check_measured(opened);
  apply_disturbance(machine);
}

void WhatIfOptions::apply_disturbance(MachineSpec& machine) const {
  Disturbance& disturbance = machine.disturbance;
  disturbance.seed = seed_or(1);
  if (late_ranks) {
    disturbance.late_from_s = late_ranks->value.from_s;
    disturbance.late_to_s = late_ranks->value.to_s;
    if (const std::string& file = late_ranks->value.file; !file.empty()) {
      disturbance.late_s = std::make_shared<const std::vector<double>>(read_late_ranks(file));
      machine.late_ranks = file;
    }
    machine.what_ifs.push_back("late ranks " + late_ranks->text);
  }
  if (jitter) {
    disturbance.jitter = jitter->value;
    machine.what_ifs.push_back("jitter " + jitter->text);
  }
  const bool is_random = disturbance.jitter != 0 || disturbance.late_to_s != 0;
  if (seed && !seed_of_ties && !is_random) {
    throw UserError(
        fmt::format("$seed '{}': has no effect, because nothing is random; add $jitter or "
                    "$late_ranks uniform:FROM..TO, or leave $seed out",
                    seed->text));
  }
  if (repeat) {
    disturbance.repeat = repeat->value;
    if (disturbance.repeat > 1 && !is_random) {
      throw UserError(
          fmt::format("$repeat '{}': every run would be the same; add $jitter or $late_ranks "
                      "uniform:FROM..TO",
                      repeat->text));
    }
  }
}

}}  // namespace tutti::requests
