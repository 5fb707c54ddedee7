#include "src/output/schedule_export.hpp"

#include <boost/graph/graphml.hpp>
#include <boost/property_map/function_property_map.hpp>

#include <sstream>
#include <string>

#include "schedules/boost_graph.hpp"
#include "schedules/bytes_only.hpp"
#include "schedules/edge_kind.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/notation/text_writer.hpp"
#include "src/formats/made_by.hpp"

namespace tutti { inline namespace output {

namespace {

// Calls functions that write to a TextWriter, and returns what they write as strings. All calls
// share one TextWriter.
class Texts {
 public:
  template <typename Write>
  std::string operator()(Write&& write) {
    text_.str({});
    write(writer_);
    writer_.flush();
    return text_.str();
  }

 private:
  std::ostringstream text_;
  TextWriter writer_{text_};
};

std::string_view kind_name(const Schedule& schedule, const Op& op) {
  switch (op.kind()) {
    case OpKind::comm:
      return "comm";
    case OpKind::reduce:
      return calculates(schedule, op) ? "calc" : "reduce";
    case OpKind::copy:
      return "copy";
  }
  return "";
}

std::string_view buffer_name(Buffer buffer) {
  switch (buffer) {
    case Buffer::input:
      return "input";
    case Buffer::work:
      return "work";
    case Buffer::scratch:
      return "scratch";
  }
  return "";
}

std::string_view dot_style(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::data:
      return "";
    case EdgeKind::buffer:
      return " [style=dashed]";
    case EdgeKind::pace:
      return " [style=dotted, color=gray50]";
  }
  return "";
}

// Writes the place from which an operation reads (if `read` is true) or to which it writes, such as
// {"buffer":"scratch","slot":0,"blocks":[3,4]}. Lists every block by number, so that a reader need
// not interpret runs and strides.
void write_place_json(TextWriter& writer, const Schedule& schedule, OpId id, bool read) {
  const std::uint32_t blocks = schedule.blocks();
  std::uint32_t slot = 0;
  bool first = true;
  const Op& op = schedule.op(id);
  for_each_block_pair(schedule, id, [&](std::uint32_t from, std::uint32_t into) {
    const std::uint32_t index = read ? from : into;
    if (first) {
      slot = index / blocks;
      writer << "{\"buffer\":\"" << buffer_name(read ? op.from() : op.into())
             << "\",\"slot\":" << slot << ",\"blocks\":[";
    } else {
      writer << ',';
    }
    first = false;
    writer << index - slot * blocks;
  });
  writer << "]}";
}

void write_amount_json(TextWriter& writer, const Schedule& schedule, const Op& op) {
  if (calculates(schedule, op)) {
    writer << ",\"bytes\":0,\"ns\":" << op.bytes();
  } else {
    writer << ",\"bytes\":" << op.bytes();
  }
}

void write_blocks_json(TextWriter& writer, const Schedule& schedule, OpId id) {
  writer << ",\"from\":";
  write_place_json(writer, schedule, id, true);
  writer << ",\"into\":";
  write_place_json(writer, schedule, id, false);
  const Op& op = schedule.op(id);
  if (op.kind() == OpKind::reduce) {
    writer << ",\"from_is\":\"" << (op.from_is() == Operand::left ? "left" : "right") << '"';
  }
}

}  // namespace

void write_dot(const Schedule& schedule, std::string_view full_name, std::ostream& out) {
  TextWriter writer(out);
  const bool bare = schedule.bytes_only().has_value();
  writer
      << "// " << full_name << ", " << schedule.ranks() << " ranks, " << schedule.problem().bytes
      << " bytes. Render: dot -Tsvg\n"
      << (bare ? "// Without blocks, the purpose of a dependency is unknown.\n"
               : "// Solid: the data are needed. Dashed: a buffer is reused. Dotted: order only.\n")
      << "digraph schedule {\n"
      << "  rankdir=TB;\n";
  if (bare) {
    writer << "  label=\"unproved: " << bytes_only_text(schedule) << "\";\n";
  }
  writer << "  node [shape=box, fontname=\"monospace\", fontsize=10];\n";
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    writer << "  n" << id << " [label=\"";
    write_label(writer, op);
    writer << "\\n"
           << kind_name(schedule, op) << ' ' << op.bytes()
           << (calculates(schedule, op) ? " ns" : " bytes");
    if (calculates(schedule, op) && schedule.cores() > 1) {
      writer << ", core " << std::uint32_t{schedule.units(id).dst_core};
    }
    if (!bare) {
      writer << "\\n";
      write_payload(writer, schedule, id);
    }
    writer << '"' << (op.is_comm() ? "" : ", style=rounded") << "];\n";
  }
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const OpId before : schedule.predecessors(id)) {
      writer << "  n" << before << " -> n" << id
             << (bare ? "" : dot_style(edge_kind(schedule, before, id))) << ";\n";
    }
  }
  writer << "}\n";
  writer.flush();
}

void write_schedule_json(const Schedule& schedule, std::string_view algorithm, std::ostream& out,
                         std::optional<std::uint32_t> ports) {
  const Problem& problem = schedule.problem();
  const bool bare = schedule.bytes_only().has_value();
  TextWriter writer(out);
  writer << "{\"schema\":\"tutti-schedule/1\",\"collective\":\"" << name(problem.collective)
         << "\",\"algorithm\":\"" << algorithm << "\",\"ranks\":" << problem.ranks;
  if (schedule.switches() > 0) {
    writer << ",\"switches\":" << schedule.switches();
  }
  writer << ",\"bytes\":" << problem.bytes << ",\"element_bytes\":" << problem.element_bytes
         << ",\"root\":" << problem.root << made_by_member(out);
  if (ports) {
    writer << ",\"ports\":" << *ports;
  }
  if (bare) {
    writer << ",\"unproved\":\"" << bytes_only_text(schedule) << '"';
  } else {
    writer << ",\"block_bytes\":[";
    for (std::uint32_t block = 0; block < schedule.blocks(); ++block) {
      writer << (block > 0 ? "," : "") << schedule.layout().size_bytes(block);
    }
    writer << "],\"scratch_slots\":" << schedule.scratch_slots();
  }
  writer << ",\"ops\":[";
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    writer << (id > 0 ? ",\n" : "\n") << "{\"id\":" << id << ",\"label\":\"";
    write_label(writer, op);
    writer << "\",\"kind\":\"" << kind_name(schedule, op) << "\",\"level\":" << op.label().level
           << ",\"segment\":" << op.label().segment << ",\"src\":" << op.src()
           << ",\"dst\":" << op.dst();
    write_amount_json(writer, schedule, op);
    if (const Units units = schedule.units(id); schedule.has_units()) {
      writer << ",\"src_core\":" << std::uint32_t{units.src_core}
             << ",\"dst_core\":" << std::uint32_t{units.dst_core}
             << ",\"src_nic\":" << std::uint32_t{units.src_nic}
             << ",\"dst_nic\":" << std::uint32_t{units.dst_nic};
    }
    if (!bare) {
      write_blocks_json(writer, schedule, id);
    }
    writer << ",\"after\":[";
    bool first = true;
    for (const OpId before : schedule.predecessors(id)) {
      writer << (first ? "" : ",") << "{\"op\":" << before;
      if (!bare) {
        writer << ",\"kind\":\"" << name(edge_kind(schedule, before, id)) << '"';
      }
      writer << '}';
      first = false;
    }
    writer << "]}";
  }
  writer << "\n]}\n";
  writer.flush();
}

void write_graphml(const Schedule& schedule, std::ostream& out) {
  Texts text_of;
  boost::dynamic_properties properties;
  const auto of_operations = [&]<typename Value>(const char* name, Value (*value)(const Op&)) {
    properties.property(name, boost::make_function_property_map<OpId, Value>(
                                  [&schedule, value](OpId id) { return value(schedule.op(id)); }));
  };
  const auto texts = [&](const char* name, auto write) {
    properties.property(
        name, boost::make_function_property_map<OpId, std::string>([&text_of, write](OpId id) {
          return text_of([&](TextWriter& writer) { write(writer, id); });
        }));
  };
  texts("label",
        [&schedule](TextWriter& writer, OpId id) { write_label(writer, schedule.op(id)); });
  const bool bare = schedule.bytes_only().has_value();
  if (!bare) {
    texts("payload",
          [&schedule](TextWriter& writer, OpId id) { write_payload(writer, schedule, id); });
  }
  properties.property("kind", boost::make_function_property_map<OpId, std::string>([&](OpId id) {
                        return std::string(kind_name(schedule, schedule.op(id)));
                      }));
  of_operations(
      "src", +[](const Op& op) { return std::int64_t{op.src()}; });
  of_operations(
      "dst", +[](const Op& op) { return std::int64_t{op.dst()}; });
  const auto amounts = [&](const char* name, bool of_calculations) {
    properties.property(
        name, boost::make_function_property_map<OpId, std::int64_t>([&, of_calculations](OpId id) {
          const Op& op = schedule.op(id);
          return calculates(schedule, op) == of_calculations ? std::int64_t(op.bytes()) : 0;
        }));
  };
  amounts("bytes", false);
  if (schedule.problem().collective == Collective::application) {
    amounts("ns", true);
  }
  of_operations(
      "level", +[](const Op& op) { return std::int64_t{op.label().level}; });
  of_operations(
      "segment", +[](const Op& op) { return std::int64_t{op.label().segment}; });
  std::string unproved;
  if (bare) {
    unproved = bytes_only_text(schedule);
    properties.property("unproved", boost::make_function_property_map<Schedule*, std::string>(
                                        [&unproved](Schedule*) { return unproved; }));
  } else {
    properties.property(
        "kind", boost::make_function_property_map<DependencyEdge, std::string>(
                    [&schedule](const DependencyEdge& edge) {
                      return std::string(name(edge_kind(schedule, edge.before, edge.after)));
                    }));
  }
  boost::write_graphml(out, schedule, properties, true);
}

}}  // namespace tutti::output
