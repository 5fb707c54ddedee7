#include "src/output/limit_gap_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>

#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/bound_output.hpp"

namespace tutti { inline namespace output {

namespace {

bool is_of_links(const BoundPart& part) {
  return std::ranges::any_of(
      part.limits, [](const BoundLimit& limit) { return limit.kind == BoundLimit::Kind::link; });
}

std::string extra_in_words(const LimitGap& gap) {
  const BoundPart& part = gap.bound.deciding();
  const double times = gap.crossed / part.amount;
  const auto amount = [](double value) { return static_cast<std::uint64_t>(std::llround(value)); };
  if (part.form == Certificate::work) {
    return fmt::format("{} flop were done where {} must: {:.3g} times",
                       human_count(amount(gap.crossed)), human_count(amount(part.amount)), times);
  }
  if (part.form == Certificate::lengths) {
    return fmt::format("bytes took ways that are {:.3g} times as long as they must be", times);
  }
  return fmt::format("{} crossed where {} must: {:.3g} times", human_bytes(amount(gap.crossed)),
                     human_bytes(amount(part.amount)), times);
}

std::string unused_in_words(const BoundPart& part) {
  return part.form == Certificate::work ? "cores were idle while others reduced"
         : is_of_links(part)            ? "links were empty while others carried messages"
                                        : "ports were free while others moved bytes";
}

std::string slow_in_words(const BoundPart& part) {
  return part.form == Certificate::work ? "cores were shared by several reductions"
         : is_of_links(part)            ? "links carried messages that something else slowed down"
         : part.limits.empty() && part.form != Certificate::rank
             ? "links or ports were empty, or carried messages that something else slowed down"
             : "ports moved messages that something else slowed down";
}

std::string latencies_in_words(const LimitGap& gap) {
  const BoundPart& part = gap.bound.deciding();
  const auto rounds = static_cast<std::uint64_t>(part.amount);
  return fmt::format("latencies: the critical chain waits for {}, one after the other{}",
                     counted(gap.chain_messages, "message"),
                     part.form == Certificate::rounds
                         ? fmt::format("; {} are enough", counted(rounds, "round"))
                         : "");
}

std::string in_words(GapPart kind, const LimitGap& gap) {
  const BoundPart& part = gap.bound.deciding();
  const bool work = part.form == Certificate::work;
  switch (kind) {
    case GapPart::limit:
      return "the limit";
    case GapPart::extra:
      return extra_in_words(gap);
    case GapPart::before:
      return work ? "before the first reduction" : "before the first byte crossed";
    case GapPart::starting:
      return fmt::format("nothing crossed in {}: latency of the next message",
                         counted(gap.pauses, "pause"));
    case GapPart::waiting:
      return work ? fmt::format("nothing was reduced in {}", counted(gap.pauses, "pause"))
                  : fmt::format("nothing crossed in {}: the next message could not start yet",
                                counted(gap.pauses, "pause"));
    case GapPart::after:
      return work ? "after the last reduction" : "after the last byte had crossed";
    case GapPart::unused:
      return unused_in_words(part);
    case GapPart::slow:
      return slow_in_words(part);
    case GapPart::latencies:
      return latencies_in_words(gap);
    case GapPart::rest:
      return "the rest of the critical chain";
    case GapPart::beyond:
      return gap.of_messages
                 ? "the rest: start-ups, rates and work that the limit does not contain"
                 : "the rest, which no single cut explains: this limit adds up latencies and bytes";
  }
  return "";
}

std::string idle_in_words(const LimitGap& gap) {
  std::string text = "in each tenth of the run:";
  for (const double share : gap.idle) {
    text += fmt::format(" {:.0f}", 100 * std::abs(share));
  }
  text += " %";
  const double least = *std::ranges::min_element(gap.idle);
  if (gap.idle[gap.most_idle] > least + 0.01) {
    text += fmt::format("; most in tenth {}, round{}", gap.most_idle + 1,
                        gap.first_round == gap.last_round
                            ? fmt::format(" {}", gap.first_round)
                            : fmt::format("s {}-{}", gap.first_round, gap.last_round));
  }
  return text;
}

// Returns the reason why no bound is known; "" if one is known.
std::string why_unknown(const LimitGap& gap) {
  return !gap.unknown.empty()       ? gap.unknown
         : gap.bound.seconds() == 0 ? "nothing limits the time of this problem"
                                    : "";
}

// Returns the certificate of the deciding bound in words.
std::string certificate_of(const Explanation& explanation) {
  const RunResult& result = explanation.run.result;
  const LimitGap& gap = *explanation.limit;
  const BoundAnswer answer = bound_answer(result.problem, result.machine, gap.bound, *gap.network);
  return answer.words[static_cast<std::size_t>(gap.bound.deciding().kind)];
}

// Says how far the run is from the limit. The parts below this sentence are those of this run. If
// ties matter, "x limit" of other outputs is that of the median.
std::string limit_in_words(const Explanation& explanation) {
  const LimitGap& gap = *explanation.limit;
  const RunResult& result = explanation.run.result;
  const double times = gap.total_s / gap.bound.seconds();
  std::string text = fmt::format(
      "The limit for any schedule is {} ('tutti bound' may find a higher one); this "
      "run {}",
      human_time(gap.bound.seconds()),
      times < 1.0005 ? std::string("reaches it")
                     : fmt::format("takes {:.3g} times as long", times));
  if (result.time().ties_matter() && result.of_limit()) {
    text += fmt::format("; the median under other orders of simultaneous messages, {:.3g} times",
                        *result.of_limit());
  }
  return text;
}

}  // namespace

void print_limit(const Explanation& explanation, std::ostream& out) {
  if (!explanation.limit) {
    return;
  }
  const LimitGap& gap = *explanation.limit;
  out << '\n';
  if (!why_unknown(gap).empty()) {
    print_field(out, 0, 0, "", "No limit is known: " + why_unknown(gap));
    return;
  }
  print_field(out, 0, 0, "", limit_in_words(explanation));
  constexpr std::size_t kIndent = 2;
  constexpr std::size_t kKey = 12;
  constexpr std::size_t kAmount = 11;
  constexpr std::size_t kShare = 7;
  print_field(out, kIndent, kKey, name(gap.bound.deciding().kind), certificate_of(explanation));
  const auto print = [&](double seconds, std::string_view text) {
    print_field(
        out, kIndent, kAmount + kShare + 4,
        fmt::format("{:>{}} {:>{}}", (seconds < 0 ? "-" : "") + human_time(std::abs(seconds)),
                    kAmount, fmt::format("{:.1f} %", 100 * seconds / gap.total_s), kShare),
        text);
  };
  for (const auto& [part, seconds] : gap.parts) {
    print(seconds, in_words(part, gap));
  }
  print(gap.sum_s(), "total");
  if (gap.has_cut()) {
    print_field(out, kIndent, kKey, "idle", idle_in_words(gap));
  }
}

namespace { namespace limit_fields_of {

using Part = PartOf<LimitGap, std::pair<GapPart, double>>;

constexpr auto kPart = fields<Part>({
    {"part", [](const Part& of) { return name(of.part.first); }, one_of(kGapParts)},
    {"in_words", [](const Part& of) { return in_words(of.part.first, of.whole); }},
    {"seconds", [](const Part& of) { return of.part.second; }, any_sign,
     "Negative only for latencies, if the critical chain has fewer than the bound, and for before, "
     "if messages that need not cross do so during the start-up time of the bound."},
});

const BoundPart& deciding(const Explanation& of) { return of.limit->bound.deciding(); }

constexpr auto kLimit = fields<Explanation>({
    {"bound_s", [](const Explanation& of) { return of.limit->bound.seconds(); }, "As above."},
    {"decided_by", [](const Explanation& of) { return name(deciding(of).kind); },
     one_of(kBoundKinds), "Kind of the bound that is longest, as in tutti-bound/1."},
    {"certificate", [](const Explanation& of) { return name(deciding(of).form); },
     one_of(std::span(kCertificates).subspan(1)), "Form of the certificate, as in tutti-bound/1."},
    {"in_words", from<certificate_of>, "The certificate in words."},
    {"sum_s", [](const Explanation& of) { return of.limit->sum_s(); },
     "Sum of the seconds of all parts. It equals total_s up to a relative 1e-9."},
    {"parts", kPart, [](const Explanation& of) { return parts_of(*of.limit, of.limit->parts); },
     "The bound, and what the run needs beyond it. A bound on bytes or work has the parts limit "
     "(the bound), extra (what crosses the cut beyond must_cross, divided by per_s), before (until "
     "the first byte crosses, without the start-up time of the bound), starting and waiting "
     "(pauses in which nothing crosses: the latency of the message that ends the pause, and the "
     "time before it), after (the last byte), unused (share of the cut without a message while the "
     "rest has messages) and slow (messages slower than the cut). A bound on latencies has the "
     "parts limit, latencies (on the critical chain, less the bound) and rest."},
    {"must_cross",
     [](const Explanation& of) { return value_if(of.limit->has_cut(), deciding(of).amount); },
     absent,
     "Bytes that must cross the cut in any schedule: the links or ports of the certificate. With "
     "the certificate lengths, bytes times lengths; with work, floating-point operations."},
    {"crossed",
     [](const Explanation& of) { return value_if(of.limit->has_cut(), of.limit->crossed); }, absent,
     "What crossed the cut in this run, counted in the same way."},
    {"per_s",
     [](const Explanation& of) { return value_if(of.limit->has_cut(), deciding(of).rate); }, absent,
     "Capacity of the cut per second."},
    {"pauses",
     [](const Explanation& of) { return value_if(of.limit->has_cut(), of.limit->pauses); }, absent,
     "Number of times that nothing crossed the cut, between the first byte and the last."},
    {"idle_by_tenth",
     [](const Explanation& of) { return value_if(of.limit->has_cut(), of.limit->idle); }, absent,
     "Share of the cut's capacity that had no message, in each tenth of the run."},
    {"chain_messages",
     [](const Explanation& of) { return value_if(!of.limit->has_cut(), of.limit->chain_messages); },
     absent, "Number of messages on the critical chain, for a bound on latencies."},
});

bool is_known(const Explanation& of) { return why_unknown(*of.limit).empty(); }

std::optional<double> bound_of(const Explanation& of) {
  return is_known(of) ? std::optional(of.limit->bound.seconds()) : std::nullopt;
}

constexpr auto kAll = fields<Explanation>({
    {"bound_s",
     [](const Explanation& of) {
       return of.limit ? std::make_optional(bound_of(of)) : std::nullopt;
     },
     "Lower bound on the time of any schedule for this problem on this machine, as tutti bound "
     "finds it. null if no bound is known."},
    {"of_limit",
     [](const Explanation& of) {
       return of.limit ? std::make_optional(of_limit(of.run.result.time(), bound_of(of)))
                       : std::nullopt;
     },
     "As in tutti-result/1. null if no bound is known."},
    {"limit", kLimit,
     [](const Explanation& of) {
       return of.limit ? std::optional(is_known(of) ? &of : nullptr) : std::nullopt;
     },
     "What separates the run from the bound. null if no bound is known."},
    {"no_limit_because",
     [](const Explanation& of) {
       return of.limit && !is_known(of) ? std::optional(why_unknown(*of.limit)) : std::nullopt;
     },
     absent, "Reason why no bound is known. Absent if one is known."},
});

}}  // namespace ::limit_fields_of

FieldView limit_fields() { return limit_fields_of::kAll.view(); }

}}  // namespace tutti::output
