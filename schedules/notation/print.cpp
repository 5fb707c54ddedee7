#include "schedules/notation/print.hpp"

#include <sstream>

#include "base/error.hpp"
#include "schedules/notation/unique_labels.hpp"
#include "schedules/scaled_layout.hpp"

namespace tutti { inline namespace schedules {

namespace {

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

// The blocks that an operation reads, or those that it writes.
enum class Side : std::uint8_t { read, written };

void write_place(TextWriter& writer, Buffer buffer, std::uint32_t slot) {
  writer << buffer_name(buffer);
  if (slot > 0) {
    writer << '#' << slot;
  }
}

void write_side(TextWriter& writer, const Schedule& schedule, OpId id, Side side) {
  const Op& op = schedule.op(id);
  const Payload& payload = schedule.payload(id);
  const Buffer buffer = side == Side::read ? op.from() : op.into();
  const std::uint32_t blocks = schedule.blocks();
  if (op.pooled()) {
    const auto pairs = schedule.pool().subspan(payload.from.first, payload.from.count);
    const auto index = [side](const BlockPair& pair) {
      return side == Side::read ? pair.from : pair.into;
    };
    const std::uint32_t slot = index(pairs.front()) / blocks;
    write_place(writer, buffer, slot);
    char before = '[';
    for (const BlockPair& pair : pairs) {
      writer << before << index(pair) - slot * blocks;
      before = ',';
    }
    writer << ']';
    return;
  }
  std::uint32_t first = side == Side::read ? payload.from.first : payload.into_first;
  if (first >= blocks) {
    write_place(writer, buffer, first / blocks);
    first %= blocks;
  } else {
    write_place(writer, buffer, 0);
  }
  writer << '[' << first;
  if (payload.from.count > 1) {
    writer << ':' << payload.from.count;
    if (!payload.from.contiguous()) {
      writer << ':' << payload.from.run << '/' << payload.from.stride;
    }
  }
  writer << ']';
}

void write_blocks(TextWriter& writer, const BlockLayout& layout, const Problem& problem) {
  if (block_scale(layout, problem).kind == BlockScale::Kind::even) {
    writer << "blocks " << layout.blocks() << '\n';
    return;
  }
  writer << "block_bytes";
  char before = ' ';
  for (std::uint32_t block = 0; block < layout.blocks();) {
    const std::uint64_t bytes = layout.size_bytes(block);
    std::uint32_t count = 1;
    while (block + count < layout.blocks() && layout.size_bytes(block + count) == bytes) {
      ++count;
    }
    writer << before;
    if (count > 1) {
      writer << count << '*';
    }
    writer << bytes;
    before = ',';
    block += count;
  }
  writer << '\n';
}

// `notation` prints the blocks of all operations; `document` prints only bytes, as the schedule
// document does; `program` prints the statements of a program, which have blocks and no bytes.
enum class Form : std::uint8_t { notation, document, program };

void write_header(TextWriter& writer, const Schedule& schedule, std::string_view algorithm,
                  Form form) {
  const Problem& problem = schedule.problem();
  writer << "tutti-schedule 1\n"
         << "collective " << name(problem.collective) << '\n'
         << "algorithm " << algorithm << '\n'
         << "ranks " << problem.ranks << '\n';
  if (schedule.switches() > 0) {
    writer << "switches " << schedule.switches() << '\n';
  }
  if (problem.collective == Collective::application) {
    writer << "# The operations of a program: this schedule can be timed, but nothing is proved "
              "about it.\n\n";
    return;
  }
  writer << "bytes " << problem.bytes << '\n'
         << "element_bytes " << problem.element_bytes << '\n'
         << "root " << problem.root << '\n';
  if (form == Form::notation) {
    write_blocks(writer, schedule.layout(), problem);
  } else {
    writer
        << "# Bytes without blocks: this schedule can be timed, but nothing is proved about it.\n";
  }
  writer << '\n';
}

// Returns the value of M in a program (program/README.md).
std::uint64_t own_bytes(const Problem& problem) {
  switch (problem.collective) {
    case Collective::allgather:
    case Collective::gather:
    case Collective::alltoall:
    case Collective::scatter:
      return problem.bytes / problem.ranks;
    default:
      return problem.bytes;
  }
}

void write_program_header(TextWriter& writer, const Schedule& schedule,
                          std::string_view algorithm) {
  const Problem& problem = schedule.problem();
  const BlockLayout& layout = schedule.layout();
  writer << "tutti-program 1\n"
         << "collective " << name(problem.collective) << '\n'
         << "algorithm " << algorithm << '\n'
         << "ranks " << problem.ranks << "\n\n";
  if (has_root(problem.collective)) {
    writer << "if R != " << problem.root << '\n'
           << "  refuse \"this schedule is for root " << problem.root << "\"\n";
  }
  const BlockScale scale = block_scale(layout, problem);
  if (scale.kind == BlockScale::Kind::even) {
    writer << "blocks " << layout.blocks() << "\n\n";
    return;
  }
  const bool equal = scale.kind == BlockScale::Kind::equal;
  if (equal) {  // M divided by the number of blocks that it fills
    const std::uint64_t parts = scale.filled * own_bytes(problem) / problem.bytes;
    if (parts == 1) {
      writer << "b = M\n";
    } else {
      writer << "b = M/" << parts << "\nif b*" << parts << " != M or b mod E != 0\n"
             << "  refuse \"this schedule needs blocks of whole elements\"\n";
    }
  } else {
    writer << "if M == " << own_bytes(problem) << " and E == " << problem.element_bytes << "\n  ";
  }
  writer << "block_bytes ";
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    writer << (block == 0 ? '{' : ',');
    if (equal && layout.size_bytes(block) > 0) {
      writer << 'b';
    } else {
      writer << layout.size_bytes(block);
    }
  }
  writer << '}';
  if (!equal) {
    writer << "\nelse\n  blocks " << layout.blocks();
  }
  writer << "\n\n";
}

void write_request(TextWriter& writer, const Op& op, Form form) {
  const Label label = op.label();
  if (form != Form::document || label.segment > 0) {
    writer << "Req(<" << label.level << ',' << label.segment << ">,{" << op.src();
  } else {
    writer << "Req(" << label.level << ",{" << op.src();
  }
  if (op.kind() != OpKind::reduce) {
    writer << ',' << op.dst();
  }
  writer << "})";
}

void write_units(TextWriter& writer, std::string_view kind, std::uint32_t src, std::uint32_t dst,
                 const Op& op) {
  if (src == 0 && dst == 0) {
    return;
  }
  writer << ' ' << kind << '(' << src;
  if (op.is_comm()) {
    writer << ',' << dst;
  }
  writer << ')';
}

void write_statement(TextWriter& writer, const Schedule& schedule, OpId id, Form form) {
  const Op& op = schedule.op(id);
  write_request(writer, op, form);
  switch (op.kind()) {
    case OpKind::comm:
      writer << " = Comm(" << op.src() << ',' << op.dst();
      break;
    case OpKind::reduce:
      writer << (schedule.problem().collective == Collective::application ? " = Calc("
                                                                          : " = Reduce(")
             << op.rank();
      break;
    case OpKind::copy:
      writer << " = Copy(" << op.rank();
      break;
  }
  writer << ',';
  if (form != Form::program) {
    writer << op.bytes();
  }
  if (form != Form::document) {
    writer << (form == Form::program ? " " : ", ");
    write_payload(writer, schedule, id);
  }
  writer << ')';
  if (const Units units = schedule.units(id); units != Units()) {
    write_units(writer, "Core", units.src_core, units.dst_core, op);
    write_units(writer, "Nic", units.src_nic, units.dst_nic, op);
  }
  std::string_view before = " After(";
  for (const OpId predecessor : schedule.predecessors(id)) {
    writer << before;
    write_request(writer, schedule.op(predecessor), form);
    before = ", ";
  }
  if (!schedule.predecessors(id).empty()) {
    writer << ')';
  }
  writer << '\n';
}

void print(const Schedule& schedule, std::string_view algorithm, Form form, std::ostream& out) {
  check_unique_labels(schedule);
  TextWriter writer(out);
  if (form == Form::program) {
    write_program_header(writer, schedule, algorithm);
  } else {
    write_header(writer, schedule, algorithm, form);
  }
  for (OpId id = 0; id < schedule.size(); ++id) {
    write_statement(writer, schedule, id, form);
  }
  writer.flush();
}

}  // namespace

void write_label(TextWriter& writer, const Op& op) { write_request(writer, op, Form::notation); }

void write_payload(TextWriter& writer, const Schedule& schedule, OpId id) {
  const Op& op = schedule.op(id);
  if (op.kind() != OpKind::reduce) {
    write_side(writer, schedule, id, Side::read);
  } else {
    const bool read_is_left = op.from_is() == Operand::left;
    write_side(writer, schedule, id, read_is_left ? Side::read : Side::written);
    writer << " op ";
    write_side(writer, schedule, id, read_is_left ? Side::written : Side::read);
  }
  writer << " -> ";
  write_side(writer, schedule, id, Side::written);
}

std::string label_text(const Op& op) {
  std::ostringstream text;
  // Makes the stream throw, instead of truncating the text, if memory runs out.
  text.exceptions(std::ios_base::badbit);
  TextWriter writer(text);
  write_label(writer, op);
  writer.flush();
  return text.str();
}

void print_notation(const Schedule& schedule, std::string_view algorithm, std::ostream& out) {
  TUTTI_INVARIANT(schedule.has_payload() || schedule.bytes_only());
  print(schedule, algorithm, schedule.bytes_only() ? Form::document : Form::notation, out);
}

void print_program(const Schedule& schedule, std::string_view algorithm, std::ostream& out) {
  const Problem& problem = schedule.problem();
  TUTTI_INVARIANT(schedule.has_payload() && schedule.switches() == 0 &&
                  problem.collective != Collective::alltoallv);
  if (block_scale(schedule.layout(), problem).kind != BlockScale::Kind::even &&
      own_bytes(problem) != problem.bytes && problem.bytes % problem.ranks != 0) {
    throw UserError(
        "blocks of different sizes, which are cut further, cannot be written as a program");
  }
  print(schedule, algorithm, Form::program, out);
}

void print_document(const Schedule& schedule, std::string_view algorithm, std::ostream& out) {
  print(schedule, algorithm, Form::document, out);
}

}}  // namespace tutti::schedules
