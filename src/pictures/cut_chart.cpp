// Draws the network of a lower bound, with the hosts and the links of its certificate.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/human.hpp"
#include "src/formats/csv.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/legend.hpp"
#include "src/pictures/network_layout.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

struct Marks {
  std::set<std::uint32_t> hosts;
  std::string hosts_are;                // for the legend: "hosts that must send"
  std::map<std::string, double> links;  // by name: 1, or a link's length relative to the longest
  std::set<std::uint32_t> ports;        // hosts whose ports are limits
};

// Returns the part that decides a bound; null if no limit is known.
const Json* deciding_part(const Json& bound) {
  for (const Json& part : bound.at("parts")) {
    if (part.at("kind") == bound.at("decided_by")) {
      return &part;
    }
  }
  return nullptr;
}

Marks marks_of(const Json& certificate, const Json& network) {
  Marks marks;
  const auto form = certificate.at("form").get<std::string>();
  for (const Json& host : certificate.value("hosts", Json::array())) {
    marks.hosts.insert(host.get<std::uint32_t>());
  }
  if (form == "rank") {
    marks.hosts.insert(network.at("host_of_rank")
                           .at(certificate.at("rank").get<std::size_t>())
                           .get<std::uint32_t>());
    marks.hosts_are = fmt::format("host of rank {}", certificate.at("rank").get<std::uint32_t>());
  } else if (form == "route") {
    marks.hosts_are = "ends of the route";
  } else if (form == "cut") {
    marks.hosts_are = "hosts inside the cut";
  } else if (form == "host") {
    marks.hosts_are = "the host";
  } else if (form == "rounds" || form == "postal" || form == "ranks" || form == "work") {
    for (const Json& host : network.at("host_of_rank")) {
      marks.hosts.insert(host.get<std::uint32_t>());
    }
    marks.hosts_are = "hosts with ranks";
  }
  double longest = 0;
  for (const Json& limit : certificate.value("limits", Json::array())) {
    const double length = limit.value("length", 1.0);
    if (const auto link = limit.find("link"); link != limit.end()) {
      marks.links[link->get<std::string>()] = length;
      longest = std::max(longest, length);
    }
    for (const char* const key : {"send_ports_of_host", "receive_ports_of_host"}) {
      if (const auto host = limit.find(key); host != limit.end()) {
        marks.ports.insert(host->get<std::uint32_t>());
      }
    }
  }
  for (auto& [name, length] : marks.links) {
    length /= longest;
  }
  return marks;
}

// The links of a line: their number, how many of them are marked, and how strongly.
struct LineMarks {
  std::size_t marked = 0;
  double most = 0;
  std::string tip;
};

LineMarks marks_on(const NetworkLine& line, const Json& network, const Marks& marks) {
  LineMarks found;
  double sum = 0;
  std::string name;
  for (const std::uint32_t link : line.links) {
    const Json& json = network.at("links").at(link);
    name = json.at("name").get<std::string>();
    sum += json.at("bytes_per_s").get<double>();
    if (const auto mark = marks.links.find(name); mark != marks.links.end()) {
      ++found.marked;
      found.most = std::max(found.most, mark->second);
    }
  }
  found.tip =
      line.links.size() == 1
          ? fmt::format("{}\n{}", name, human_rate(sum))
          : fmt::format("{} with {} in all", counted(line.links.size(), "link"), human_rate(sum));
  if (found.marked > 0 && found.marked < line.links.size()) {
    found.tip += fmt::format("\n{} of them in the certificate", found.marked);
  }
  return found;
}

// Returns the points of a line between two boxes. The line runs to the right of the direct line, as
// seen from its start, so that both directions of a link lie side by side. Lines within a level are
// arcs.
std::vector<Point> points_of(const NetworkLayout& layout, const NetworkLine& line, bool grid) {
  constexpr double kAside = 2.2;
  const Point from = layout.boxes[line.from].at;
  const Point to =
      line.stub ? Point{from.x + line.stub->x, from.y + line.stub->y} : layout.boxes[line.to].at;
  const Point step{to.x - from.x, to.y - from.y};
  const double length = std::max(std::hypot(step.x, step.y), 1e-9);
  const Point aside{-step.y / length * kAside, step.x / length * kAside};
  if (grid || std::abs(step.y) > 1) {
    return {{from.x + aside.x, from.y + aside.y}, {to.x + aside.x, to.y + aside.y}};
  }
  constexpr int kPieces = 12;
  const double high = std::min(66.0, 8 + 0.25 * length) + (step.x > 0 ? 0 : 2 * kAside);
  std::vector<Point> points;
  for (int i = 0; i <= kPieces; ++i) {
    const double part = static_cast<double>(i) / kPieces;
    points.push_back({from.x + part * step.x, from.y - 4 * part * (1 - part) * high});
  }
  return points;
}

// Draws an arrow head in the middle of a line, which tells the direction of the link.
void draw_head(Svg& svg, Point from, Point to) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < 14) {
    return;
  }
  const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
  const Point tip{from.x + 0.58 * (to.x - from.x), from.y + 0.58 * (to.y - from.y)};
  const auto corner = [&](double side) {
    return Point{tip.x - 8 * along.x - side * along.y, tip.y - 8 * along.y + side * along.x};
  };
  svg.polygon({tip, corner(3.6), corner(-3.6)}, "bad");
}

void draw_lines(Svg& svg, const NetworkLayout& layout, const Json& network, const Marks& marks) {
  const bool grid = !network.at("dimensions").empty();
  std::vector<LineMarks> found;
  for (const NetworkLine& line : layout.lines) {
    found.push_back(marks_on(line, network, marks));
  }
  // So many marked lines are thin, and have no arrow heads.
  constexpr std::ptrdiff_t kMostHeads = 100;
  const bool many = std::ranges::count_if(
                        found, [](const LineMarks& line) { return line.marked > 0; }) > kMostHeads;
  for (const bool marked : {false, true}) {
    for (std::size_t i = 0; i < layout.lines.size(); ++i) {
      const NetworkLine& line = layout.lines[i];
      if (line.from == line.to || (found[i].marked > 0) != marked) {
        continue;
      }
      const std::vector<Point> points = points_of(layout, line, grid);
      const std::string classes = !marked ? "muted thin faint"
                                          : fmt::format("bad{}{}", many ? " thin" : "",
                                                        found[i].most > 0.5 ? "" : " faint");
      for (std::size_t j = 1; j < points.size(); ++j) {
        svg.line(points[j - 1], points[j], classes, found[i].tip);
      }
      if (marked && !many) {
        const std::size_t middle = points.size() / 2;
        draw_head(svg, points[middle - 1], points[middle]);
      }
    }
  }
}

// A box that shares its nodes with both kinds of hosts is half shaded.
void draw_boxes(Svg& svg, const NetworkLayout& layout, const Json& network, const Marks& marks,
                double width) {
  std::set<std::uint32_t> used;
  for (const Json& host : network.at("host_of_rank")) {
    used.insert(host.get<std::uint32_t>());
  }
  for (const NetworkBox& box : layout.boxes) {
    std::size_t inside = 0;
    bool in_use = false;
    bool ports = false;
    for (const std::uint32_t node : box.nodes) {
      const auto host = network.at("nodes").at(node).at("host").get<std::int64_t>();
      const auto number = static_cast<std::uint32_t>(std::max<std::int64_t>(host, 0));
      inside += host >= 0 && marks.hosts.contains(number) ? 1 : 0;
      in_use = in_use || (host >= 0 && used.contains(number));
      ports = ports || (host >= 0 && marks.ports.contains(number));
    }
    std::string tip = box.name;
    if (inside > 0 && inside < box.nodes.size()) {
      tip += fmt::format("\n{} of {} {}", inside, box.nodes.size(), marks.hosts_are);
    } else if (inside > 0) {
      tip += '\n' + marks.hosts_are;
    }
    const Point corner{box.at.x - box.width / 2, box.at.y - box.height / 2};
    const std::string_view classes = box.is_switch               ? "f9"
                                     : inside == 0               ? (in_use ? "q2" : "q0")
                                     : inside < box.nodes.size() ? "q4"
                                                                 : "q7";
    svg.rectangle(corner, box.width, box.height, classes, tip);
    if (ports) {
      svg.rectangle({corner.x, corner.y - 4}, box.width, 3, "bad", tip + "\nits ports are a limit");
    }
    if (!box.label.empty()) {
      constexpr double kSize = 10;
      const double half = text_width(box.label, kSize) / 2;
      const double below = box.label_inside ? 3.5 : box.height / 2 + 12;
      const bool dark = inside > 0 || box.is_switch;
      svg.text({std::clamp(box.at.x, half + 2, width - half - 2), box.at.y + below}, box.label,
               Anchor::middle,
               box.label_inside && dark         ? "inverse"
               : box.label_inside || inside > 0 ? "ink"
                                                : "muted",
               kSize);
    }
  }
}

std::string csv_of(const Json& network, const Marks& marks) {
  const auto node = [&](const Json& index) {
    return csv_field(
        network.at("nodes").at(index.get<std::size_t>()).at("name").get<std::string>());
  };
  std::string csv = "link,from,to,bytes_per_s,in_certificate\n";
  for (const Json& link : network.at("links")) {
    const auto name = link.at("name").get<std::string>();
    csv += fmt::format("{},{},{},{},{}\n", csv_field(name), node(link.at("from")),
                       node(link.at("to")), link.at("bytes_per_s").get<double>(),
                       marks.links.contains(name) ? "yes" : "no");
  }
  return csv;
}

}  // namespace

std::string bound_subject(const Json& bound) {
  const auto bytes = bound.at("bytes").get<std::uint64_t>();
  return fmt::format("{} on {}{}", bound.at("collective").get<std::string>(),
                     counted(bound.at("ranks").get<std::uint32_t>(), "rank"),
                     bytes == 0 ? "" : ", " + human_bytes(bytes));
}

std::string what_if_of(const Json& bound) {
  const auto changes = bound.value("what_if", std::vector<std::string>());
  return changes.empty() ? "" : fmt::format(", what if {}", fmt::join(changes, "; "));
}

Picture cut_chart(const Json& bound, const Json& network, double width) {
  const auto name = bound.at("collective").get<std::string>();
  const auto ranks = bound.at("ranks").get<std::uint32_t>();
  const Json* const part = deciding_part(bound);
  const std::string time = human_time(bound.at("bound_s").get<double>());
  Picture picture = begun(
      "bound", fmt::format("cut {} {} {}", name, ranks, bound.at("platform").get<std::string>()),
      fmt::format("{}: at least {} on {}{}", bound_subject(bound), time,
                  bound.at("platform").get<std::string>(), what_if_of(bound)),
      width);
  picture.only_in_files = true;
  Marks marks;
  std::string caption = "nothing limits the time";
  if (part != nullptr && part->at("certificate").is_object()) {
    const Json& certificate = part->at("certificate");
    marks = marks_of(certificate, network);
    const bool some_hosts = std::ranges::any_of(network.at("host_of_rank"), [&](const Json& host) {
      return !marks.hosts.contains(host.get<std::uint32_t>());
    });
    picture.only_in_files = !certificate.contains("limits") && (marks.hosts.empty() || !some_hosts);
    caption = fmt::format(
        "{}: {}{}", part->at("kind").get<std::string>(), certificate.at("words").get<std::string>(),
        certificate.contains("limits") ? "" : " (no link is part of this certificate)");
  }
  std::vector<bool> marked;
  for (const Json& node : network.at("nodes")) {
    const auto host = node.at("host").get<std::int64_t>();
    marked.push_back(host >= 0 && marks.hosts.contains(static_cast<std::uint32_t>(host)));
  }
  Svg svg;
  constexpr std::size_t kMostLines = 6;
  const double top = svg.lines(
      {16, 48}, wrapped(kept_together(caption), width - 32, kTextSize, kMostLines), 17, "ink");
  const NetworkLayout layout = layout_of(network, marked, top, width);
  draw_lines(svg, layout, network, marks);
  draw_boxes(svg, layout, network, marks, width);
  Legend legend(svg, {16, layout.bottom + 18}, width - 8, 11);
  if (!marks.hosts.empty()) {
    legend.box("q7", marks.hosts_are);
  }
  if (std::ranges::any_of(network.at("host_of_rank"), [&](const Json& host) {
        return !marks.hosts.contains(host.get<std::uint32_t>());
      })) {
    legend.box("q2", marks.hosts.empty() ? "hosts" : "other hosts");
  }
  if (std::ranges::any_of(layout.boxes, &NetworkBox::is_switch)) {
    legend.box("f9", "switches");
  }
  if (!marks.links.empty()) {
    legend.line("bad", "links of the certificate");
  }
  if (std::ranges::any_of(marks.links, [](const auto& link) { return link.second <= 0.5; })) {
    legend.line("bad faint", "of at most half the greatest length");
  }
  if (!marks.ports.empty()) {
    legend.line("bad", "ports of the certificate");
  }
  picture.height = legend.bottom() + 14;
  picture.body = svg.body();
  picture.csv = csv_of(network, marks);
  picture.alt = fmt::format("Network with the limit of {}. {}", bound_subject(bound), caption);
  return picture;
}

}}  // namespace tutti::pictures
