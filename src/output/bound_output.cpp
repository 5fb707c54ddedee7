#include "src/output/bound_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <ostream>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "cost_models/lower_bounds.hpp"
#include "platforms/link_place.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/simulation/message_changes.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kMostNames = 2;

std::string bytes_in_words(double bytes) {
  // Bytes of a bound may be a fraction of a byte only if lengths weigh them.
  return bytes < 1e18 ? human_bytes(static_cast<std::uint64_t>(std::llround(bytes)))
                      : fmt::format("{:.4g} bytes", bytes);
}

std::string links_in_words(const BoundPart& part, const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  double sum = 0;
  double least = 1e300;
  double most = 0;
  std::size_t links = 0;
  for (std::size_t i = 0; i < part.limits.size(); ++i) {
    const BoundLimit& limit = part.limits[i];
    if (limit.kind != BoundLimit::Kind::link) {
      continue;
    }
    ++links;
    sum += limit.capacity_bytes_per_s;
    least = std::min(least, limit.capacity_bytes_per_s);
    most = std::max(most, limit.capacity_bytes_per_s);
    if (shown.size() < kMostNames) {
      shown.push_back(names[i]);
    }
  }
  if (links == 0) {
    return "";
  }
  std::string text =
      links == 1      ? fmt::format("1 link of {}", human_rate(sum))
      : least == most ? fmt::format("{} links of {}", human_count(links), human_rate(most))
                      : fmt::format("{} links with {} in all", human_count(links), human_rate(sum));
  text += fmt::format(" ({}", fmt::join(shown, "; "));
  if (links > shown.size()) {
    text += fmt::format("; {} more", human_count(links - shown.size()));
  }
  return text + ")";
}

std::string ports_in_words(const BoundPart& part, bool of_messages) {
  std::string text;
  for (const auto kind : {BoundLimit::Kind::send_ports, BoundLimit::Kind::receive_ports}) {
    std::set<std::uint32_t> hosts;
    double sum = 0;
    for (const BoundLimit& limit : part.limits) {
      if (limit.kind == kind) {
        hosts.insert(limit.of);
        sum += limit.capacity_bytes_per_s;
      }
    }
    if (hosts.empty()) {
      continue;
    }
    const std::vector<std::uint32_t> ascending(hosts.begin(), hosts.end());
    const bool sends = kind == BoundLimit::Kind::send_ports;
    text += text.empty() ? "" : " and ";
    text += of_messages ? fmt::format("the rate at which ranks on {} {} ({}, rank_bytes_per_s)",
                                      hosts_in_words(ascending), sends ? "send" : "receive",
                                      human_rate(sum))
                        : fmt::format("the {} ports on {} ({})", sends ? "sending" : "receiving",
                                      hosts_in_words(ascending), human_rate(sum));
  }
  return text;
}

std::string limits_in_words(const BoundPart& part, const std::vector<std::string>& names,
                            bool of_messages) {
  const std::string links = links_in_words(part, names);
  const std::string ports = ports_in_words(part, of_messages);
  return links.empty() ? ports : ports.empty() ? links : links + " and " + ports;
}

std::string groups_in_words(const BoundPart& part, const std::vector<std::string>& names,
                            bool of_messages) {
  std::string text =
      fmt::format("{} groups of hosts must send each other {} over their ways {}: {}", part.groups,
                  bytes_in_words(part.amount), part.hosts_send ? "out" : "in",
                  limits_in_words(part, names, of_messages));
  TUTTI_INVARIANT(!part.limits.empty());
  // Links of different rates are described with their sum.
  const auto [least, most] =
      std::ranges::minmax(part.limits, {}, &BoundLimit::capacity_bytes_per_s);
  const bool with_sum = ports_in_words(part, of_messages).empty() &&
                        least.capacity_bytes_per_s < most.capacity_bytes_per_s;
  return with_sum ? text : text + fmt::format("; together these carry {}", human_rate(part.rate));
}

std::string with_startup(const BoundPart& part, const std::string& text) {
  if (part.messages > 1) {
    return fmt::format("{}; besides, {} latencies one after another, {}", text,
                       human_count(part.messages), human_time(part.startup_s));
  }
  return part.startup_s > 0
             ? fmt::format("{}; before that, the latency of {}", text, human_time(part.startup_s))
             : text;
}

// Describes how far each byte must go, in place of the lengths of all links. Weighted by capacity,
// the mean length is 1.
std::string lengths_in_words(const BoundPart& part) {
  double capacity = 0;
  bool equal = true;
  for (const BoundLimit& limit : part.limits) {
    capacity += limit.capacity_bytes_per_s;
    equal = equal && std::abs(limit.length - 1) < 1e-9;
  }
  const std::string limits = fmt::format(
      "{} {}", human_count(part.limits.size()),
      std::ranges::all_of(
          part.limits, [](const BoundLimit& limit) { return limit.kind == BoundLimit::Kind::link; })
          ? "links"
          : "links and ports");
  const double each = part.amount / part.bytes * capacity / part.rate;
  std::string text = fmt::format("the hosts must send each other {}, and each byte must cross ",
                                 bytes_in_words(part.bytes));
  text += equal ? fmt::format("{:.4g} of the {} on average", each, limits)
                : fmt::format(
                      "links with a length of at least {:.4g} on average over the {}, whose "
                      "own lengths have a mean of 1",
                      each, limits);
  text += fmt::format("; together these carry {}", human_rate(capacity));
  if (part.open_share > 0.01 && std::isfinite(part.open_share)) {
    text += fmt::format("; better lengths may raise this bound by up to {:.0f} %",
                        std::ceil(100 * part.open_share));
  }
  return text;
}

std::string messages_in_words(const BoundPart& part, const Problem& problem) {
  const std::string amount = bytes_in_words(part.amount);
  std::string text =
      problem.collective == Collective::allreduce
          ? fmt::format("each byte needs {}, {} in all", counted(part.messages, "message"), amount)
          : fmt::format(
                "the cheapest mix of direct and combined messages has {}, and sends at least {}",
                part.messages > 0 ? counted(part.messages, "direct message") : "no direct message",
                amount);
  text += fmt::format("; all ports together carry {}", human_rate(part.rate));
  if (part.messages > 0) {
    text += fmt::format(", and are busy with latencies for {}", human_time(part.startup_s));
  }
  return text;
}

std::string others_in_words(std::size_t hosts, std::uint32_t of) {
  return of - hosts == 1 ? (hosts == 1 ? "the other host" : "the other")
         : hosts == 1    ? "the other hosts"
                         : "the others";
}

std::string certificate_in_words(const BoundPart& part, const std::vector<std::string>& names,
                                 const Problem& problem, std::uint32_t hosts, bool of_messages) {
  const char* const moves = part.hosts_send ? "send" : "receive";
  const std::string amount = bytes_in_words(part.amount);
  switch (part.form) {
    case Certificate::none:
      return "no limit";
    case Certificate::rounds:
      return fmt::format("{} of at least {}",
                         counted(static_cast<std::uint64_t>(part.amount), "round"),
                         human_time(part.startup_s));
    case Certificate::postal:
      return fmt::format(
          "data must reach {}, or come together from them; each message takes at least {}, and {} "
          "at most one every {}",
          counted(static_cast<std::uint64_t>(part.amount), part.of_hosts ? "host" : "rank"),
          human_time(part.startup_s),
          part.of_hosts ? "the ranks of a host handle" : "a rank handles",
          human_time(1 / part.rate));
    case Certificate::route:
      return fmt::format("no way from host {} to host {} is faster", part.hosts[0], part.hosts[1]);
    case Certificate::cut:
      return with_startup(
          part,
          fmt::format("{} must {} {} {} {} over {}", hosts_in_words(part.hosts), moves, amount,
                      part.hosts_send ? "to" : "from", others_in_words(part.hosts.size(), hosts),
                      limits_in_words(part, names, of_messages)));
    case Certificate::groups:
      return with_startup(part, groups_in_words(part, names, of_messages));
    case Certificate::ranks:
      return with_startup(
          part, fmt::format("all ranks must {} {}, at {} over all hosts and the links around them",
                            moves, amount, human_rate(part.rate)));
    case Certificate::host:
      // With several latencies, only what leaves or enters the host counts.
      return with_startup(
          part, part.messages > 1
                    ? fmt::format("host {} must {} {}, at {} over the links around it",
                                  part.hosts[0], moves, amount, human_rate(part.rate))
                    : fmt::format("the ranks of host {} must {} {}, at {} within the host and over "
                                  "the links around it",
                                  part.hosts[0], moves, amount, human_rate(part.rate)));
    case Certificate::rank:
      return with_startup(part, fmt::format("rank {} must {} {}, at {}", part.rank, moves, amount,
                                            human_rate(part.rate)));
    case Certificate::lengths:
      return with_startup(part, lengths_in_words(part));
    case Certificate::doubling:
      return fmt::format(
          "the port of one rank carries {}, at {}, and {} one after another, since a message at "
          "most doubles what a rank has; that adds latencies of {}",
          amount, human_rate(part.rate), counted(part.messages, "message"),
          human_time(part.startup_s));
    case Certificate::messages:
      return messages_in_words(part, problem);
    case Certificate::work:
      return with_startup(
          part, fmt::format("{} flop must be done, and all cores together do {:.4g} Gflop/s",
                            human_count(static_cast<std::uint64_t>(std::llround(part.amount))),
                            part.rate / 1e9));
  }
  return "";
}

std::string subject_in_words(const BoundAnswer& answer) {
  const Problem& problem = answer.problem;
  const std::vector<std::uint64_t> blocks = !problem.block_bytes.empty() ? problem.block_bytes
                                            : owns_parts(problem.collective)
                                                ? part_bytes(problem)
                                                : std::vector<std::uint64_t>();
  const bool unequal = std::ranges::adjacent_find(blocks, std::not_equal_to()) != blocks.end();
  return fmt::format(
      "{}, {}{}", name(problem.collective),
      unequal ? fmt::format("p = {}, n = {}", problem.ranks, size_in_blocks(problem.bytes, blocks))
              : ranks_and_size(problem.collective, problem.bytes, problem.ranks),
      has_root(problem.collective) ? fmt::format(", root {}", problem.root) : "");
}

std::string what_if_in_words(const BoundAnswer& answer) {
  const std::string what_ifs = what_ifs_in_words(answer.machine);
  return what_ifs.empty() ? "" : ", what if " + what_ifs;
}

}  // namespace

BoundAnswer bound_answer(const Problem& problem, const Machine& machine, NetworkBound bound,
                         Network& network) {
  BoundAnswer answer{problem, machine, std::move(bound), {}, {}};
  for (std::size_t kind = 0; kind < kBoundKinds.size(); ++kind) {
    const BoundPart& part = answer.bound.parts[kind];
    for (const BoundLimit& limit : part.limits) {
      answer.limit_names[kind].push_back(
          limit.kind == BoundLimit::Kind::link ? network.link_place(limit.of).name : "");
    }
    answer.words[kind] =
        certificate_in_words(part, answer.limit_names[kind], problem, answer.bound.hosts,
                             machine.files.messages != nullptr);
  }
  return answer;
}

void print_bound(const BoundAnswer& answer, std::ostream& out) {
  constexpr std::size_t kKey = 12;
  const double seconds = answer.bound.seconds();
  print_heading(
      out, fmt::format("{}: at least {} on {}{}", subject_in_words(answer), human_time(seconds),
                       platform_name(answer.machine), what_if_in_words(answer)));
  const BoundPart& deciding = answer.bound.deciding();
  for (std::size_t kind = 0; kind < kBoundKinds.size(); ++kind) {
    const BoundPart& part = answer.bound.parts[kind];
    if (part.form == Certificate::none) {
      print_field(out, 2, kKey, kBoundKinds[kind], "no limit");
      continue;
    }
    const auto same = static_cast<std::size_t>(std::ranges::find(answer.words, answer.words[kind]) -
                                               answer.words.begin());
    print_field(
        out, 2, kKey, kBoundKinds[kind],
        fmt::format("{}{}: {}", human_time(part.seconds),
                    &part == &deciding ? ", which decides" : "",
                    same < kind ? fmt::format("as {}", kBoundKinds[same]) : answer.words[kind]));
  }
}

namespace {

std::string deciding_words(const BoundAnswer& answer) {
  return answer.words[static_cast<std::size_t>(answer.bound.deciding().kind)];
}

// True if the collective is a variant of another one, such as allgatherv of allgather, and has the
// same bounds for each number of ranks and each size.
bool has_bounds_of_another(const std::vector<BoundAnswer>& answers, Collective variant) {
  const std::string full(name(variant));
  const std::string plain = full.ends_with("_block") ? full.substr(0, full.size() - 6)
                            : full.ends_with('v')    ? full.substr(0, full.size() - 1)
                                                     : "";
  return !plain.empty() && std::ranges::all_of(answers, [&](const BoundAnswer& own) {
    return own.problem.collective != variant ||
           std::ranges::any_of(answers, [&](const BoundAnswer& answer) {
             return name(answer.problem.collective) == plain &&
                    answer.problem.ranks == own.problem.ranks &&
                    answer.problem.bytes == own.problem.bytes &&
                    answer.bound.seconds() == own.bound.seconds() &&
                    deciding_words(answer) == deciding_words(own);
           });
  });
}

}  // namespace

void print_bounds(const std::vector<BoundAnswer>& answers, std::ostream& out) {
  const std::string platform = platform_name(answers.front().machine);
  const bool one = std::ranges::all_of(answers, [&](const BoundAnswer& answer) {
    return platform_name(answer.machine) == platform;
  });
  print_heading(out, fmt::format("lower bounds on {}{}",
                                 one ? platform : "crossbars with as many hosts as needed",
                                 what_if_in_words(answers.front())));
  Table table({{"collective"},
               {"p", true},
               {"n", true},
               {"at least", true},
               {"decided by"},
               {"because", false, 1}});
  std::vector<std::string_view> left_out;
  for (const Collective collective : kCollectives) {
    const bool bounded = std::ranges::any_of(answers, [&](const BoundAnswer& answer) {
      return answer.problem.collective == collective;
    });
    if (bounded && has_bounds_of_another(answers, collective)) {
      left_out.push_back(name(collective));
    }
  }
  for (const BoundAnswer& answer : answers) {
    if (std::ranges::find(left_out, name(answer.problem.collective)) != left_out.end()) {
      continue;
    }
    const BoundPart& deciding = answer.bound.deciding();
    const bool limited = deciding.form != Certificate::none;
    const std::string root =
        answer.problem.root > 0 ? fmt::format(" {} {}", flag_of("root"), answer.problem.root) : "";
    table.add(
        {std::string(name(answer.problem.collective)) + root, human_count(answer.problem.ranks),
         answer.problem.collective == Collective::barrier ? "" : human_bytes(answer.problem.bytes),
         human_time(answer.bound.seconds()), limited ? std::string(name(deciding.kind)) : "",
         deciding_words(answer)});
  }
  table.print(out, 2);
  if (!left_out.empty()) {
    print_field(
        out, 2, 0, "",
        fmt::format("With equal blocks, the same bounds hold for {}.", fmt::join(left_out, ", ")));
  }
}

}}  // namespace tutti::output
