// The document tutti-bound/1.
#include <cmath>
#include <optional>
#include <vector>

#include "src/output/bound_output.hpp"
#include "src/output/common_fields.hpp"

namespace tutti { inline namespace output {

namespace { namespace bound_fields {

// A part of a bound, with its names.
struct PartOfBound {
  const BoundAnswer& answer;
  std::size_t kind;

  [[nodiscard]] const BoundPart& part() const { return answer.bound.parts[kind]; }
  [[nodiscard]] bool has_lengths() const { return part().form == Certificate::lengths; }
  [[nodiscard]] bool has_direction() const {
    const Certificate form = part().form;
    return form == Certificate::cut || form == Certificate::groups || form == Certificate::ranks ||
           form == Certificate::host || form == Certificate::rank;
  }
};

struct NamedLimit {
  const BoundLimit& limit;
  const std::string& link;
  bool has_length;
};

std::optional<std::vector<NamedLimit>> limits_of(const PartOfBound& of) {
  std::vector<NamedLimit> limits;
  for (std::size_t i = 0; i < of.part().limits.size(); ++i) {
    limits.push_back({of.part().limits[i], of.answer.limit_names[of.kind][i], of.has_lengths()});
  }
  return value_if(!limits.empty(), limits);
}

constexpr auto kLimit = fields<NamedLimit>(
    "A link, or the ports of a host. Has exactly one of link, send_ports_of_host and "
    "receive_ports_of_host.",
    {
        {"link",
         [](const NamedLimit& each) {
           return value_if(each.limit.kind == BoundLimit::Kind::link, each.link);
         },
         absent},
        {"send_ports_of_host",
         [](const NamedLimit& each) {
           return value_if(each.limit.kind == BoundLimit::Kind::send_ports, each.limit.of);
         },
         absent},
        {"receive_ports_of_host",
         [](const NamedLimit& each) {
           return value_if(each.limit.kind == BoundLimit::Kind::receive_ports, each.limit.of);
         },
         absent},
        {"bytes_per_s", [](const NamedLimit& each) { return each.limit.capacity_bytes_per_s; },
         above(0)},
        {"length",
         [](const NamedLimit& each) { return value_if(each.has_length, each.limit.length); },
         above(0) | absent, "Length of the link, in certificates of the form lengths."},
    });

constexpr std::array<std::string_view, 2> kDirections{"send", "receive"};

constexpr auto kCertificate = fields<PartOfBound>(
    "The fact from which the bound follows: startup_s + amount / per_s; in rounds, amount * "
    "startup_s; in postal, the least time in which amount ranks or hosts get data of one of them "
    "if each begins per_s messages a second and a message takes startup_s; in route, startup_s. "
    "null if there is no limit of this kind.",
    {
        {"form", [](const PartOfBound& of) { return name(of.part().form); },
         one_of(std::span(kCertificates).subspan(1))},
        {"words",
         [](const PartOfBound& of) -> const std::string& { return of.answer.words[of.kind]; }},
        {"startup_s", [](const PartOfBound& of) { return of.part().startup_s; },
         "Lowest latency of any message that moves the bytes, or what the latencies of several "
         "messages add."},
        {"amount", [](const PartOfBound& of) { return of.part().amount; },
         "Bytes; in rounds, number of rounds; in lengths, bytes times distance; in work, "
         "operations."},
        {"per_s", [](const PartOfBound& of) { return of.part().rate; },
         "Amount that the limits can carry per second."},
        {"bytes", [](const PartOfBound& of) { return value_if(of.has_lengths(), of.part().bytes); },
         absent, "In lengths: the bytes that hosts send each other, without the distances."},
        {"hosts",
         [](const PartOfBound& of) { return value_if(!of.part().hosts.empty(), of.part().hosts); },
         absent, "Numbers of the hosts in the order of the platform. In route: the two ends."},
        {"rank",
         [](const PartOfBound& of) {
           return value_if(of.part().form == Certificate::rank, of.part().rank);
         },
         absent},
        {"messages",
         [](const PartOfBound& of) {
           return value_if(of.part().messages != 1, of.part().messages);
         },
         absent,
         "Number of messages whose latencies startup_s contains: one after another, or in the form "
         "messages divided by all ports. 1 if absent."},
        {"groups",
         [](const PartOfBound& of) { return value_if(of.part().groups > 0, of.part().groups); },
         at_least(2) | absent},
        {"direction",
         [](const PartOfBound& of) {
           return value_if(of.has_direction(), kDirections[of.part().hosts_send ? 0 : 1]);
         },
         one_of(kDirections) | absent, "What the hosts, the rank or the groups do with the bytes."},
        {"open_share",
         [](const PartOfBound& of) {
           const double share = of.part().open_share;
           return value_if(of.has_lengths(), value_if(std::isfinite(share), share));
         },
         "Other lengths may give a bound that is longer by this share, but not by more. null if "
         "unknown."},
        {"limits", kLimit, from<limits_of>, absent},
    });

constexpr auto kPart = fields<PartOfBound>({
    {"kind", [](const PartOfBound& of) { return name(of.part().kind); }, one_of(kBoundKinds)},
    {"bound_s", [](const PartOfBound& of) { return of.part().seconds; }},
    {"certificate", kCertificate,
     [](const PartOfBound& of) { return of.part().form == Certificate::none ? nullptr : &of; }},
});

std::array<PartOfBound, kBoundKinds.size()> parts_of(const BoundAnswer& answer) {
  return {{{answer, 0}, {answer, 1}, {answer, 2}, {answer, 3}}};
}

constexpr auto kOverrides = fields<PriceOverrides>({
    {"alpha_s", member<&PriceOverrides::alpha_s>, absent},
    {"beta_s_per_byte", member<&PriceOverrides::beta_s_per_byte>, absent},
    {"gamma_s_per_byte", member<&PriceOverrides::gamma_s_per_byte>, absent},
});

constexpr auto kBound = fields<BoundAnswer>({
    {"collective", [](const BoundAnswer& of) { return name(of.problem.collective); }},
    {"ranks", [](const BoundAnswer& of) { return of.problem.ranks; }, at_least(1)},
    {"bytes", [](const BoundAnswer& of) { return of.problem.bytes; }},
    {"element_bytes", [](const BoundAnswer& of) { return of.problem.element_bytes; }, at_least(1)},
    {"root",
     [](const BoundAnswer& of) {
       return value_if(has_root(of.problem.collective), of.problem.root);
     }},
    {"platform", [](const BoundAnswer& of) { return platform_name(of.machine); }},
    {"ports",
     [](const BoundAnswer& of) {
       const std::uint32_t ports = of.machine.setup.ports;
       return value_if(ports != kUnlimitedPorts, ports);
     },
     at_least(1), "Ports of each rank. null: unlimited."},
    {"ranks_per_host", [](const BoundAnswer& of) { return of.machine.mapping.ranks_per_host; },
     at_least(1)},
    {"placement", [](const BoundAnswer& of) { return name(of.machine.mapping.placement); },
     one_of(words_of<kPlacements>)},
    {"eager_bytes", [](const BoundAnswer& of) { return eager_value(of.machine.setup.eager_bytes); },
     "Size of the largest eager message. null: no message is eager."},
    {"overrides", kOverrides,
     [](const BoundAnswer& of) -> const PriceOverrides& { return of.machine.spec.prices; },
     "The user's prices, which replace those of the platform."},
    {"what_if", [](const BoundAnswer& of) -> const auto& { return of.machine.spec.what_ifs; },
     "Changes to the machine, as the user wrote them."},
    {"bound_s", [](const BoundAnswer& of) { return of.bound.seconds(); },
     "No schedule takes less time. The longest of the parts."},
    {"decided_by",
     [](const BoundAnswer& of) {
       const BoundPart& deciding = of.bound.deciding();
       return value_if(deciding.form != Certificate::none, name(deciding.kind));
     },
     one_of(kBoundKinds), "Kind of the longest part. null if there is no limit."},
    {"parts", kPart, from<parts_of>},
});

constexpr auto kBounds = fields<BoundAnswers>({
    {"bounds", kBound, member<&BoundAnswers::bounds>},
    {"networks", kNetworkFields, member<&BoundAnswers::networks>,
     "The network for each number of ranks, for drawings. Networks with more than 2048 hosts in "
     "use are left out."},
});

}}  // namespace ::bound_fields

extern const DocumentOf<BoundAnswers> kBoundDocument{
    {"tutti-bound/1", "lower bounds on the time of any schedule, as written by tutti bound --json",
     bound_fields::kBounds.view()}};

}}  // namespace tutti::output
