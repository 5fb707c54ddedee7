#include <boost/graph/graphml.hpp>
#include <boost/property_map/function_property_map.hpp>

#include <sstream>
#include <string>

#include "schedules/boost_graph.hpp"
#include "schedules/bytes_only.hpp"
#include "schedules/edge_kind.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/notation/text_writer.hpp"
#include "src/output/schedule_export.hpp"

namespace tutti::inline output {

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

}  // namespace

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
  of_operations(
      "kind", +[](const Op& op) { return std::string(kind_name(op.kind())); });
  of_operations(
      "src", +[](const Op& op) { return std::int64_t{op.src()}; });
  of_operations(
      "dst", +[](const Op& op) { return std::int64_t{op.dst()}; });
  of_operations(
      "bytes", +[](const Op& op) { return static_cast<std::int64_t>(op.bytes()); });
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

}  // namespace tutti::inline output
