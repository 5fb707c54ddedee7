// Parses the operations of a file in the notation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/assemble.hpp"
#include "schedules/notation/additions.hpp"
#include "schedules/notation/blocks.hpp"
#include "schedules/notation/label_index.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/scanner.hpp"

namespace tutti { inline namespace schedules {

class StatementsParser {
 public:
  // Adds operations to `parts`, whose problem and layout must be set. All arguments must outlive
  // the parser. `has_blocks` is true if the header says how the vector is split into blocks.
  StatementsParser(Scanner& scanner, const ParseLimits& limits, bool has_blocks,
                   ScheduleParts& parts);

  // Parses up to the end of the file.
  void parse();

  // True if every operation depends only on operations above it, so that the parts are in
  // topological order.
  [[nodiscard]] bool in_order() const {
    return later_.empty() && groups_.empty() && additions_.empty();
  }
  [[nodiscard]] std::uint32_t scratch_slots() const {
    return bytes_only_ == kNoOp ? blocks_.scratch_slots() : 0;
  }
  // Returns the place of the first name in an After(...) that makes an operation of `cycle` depend
  // on an operation further below, or on several operations. Returns nullptr if there is none.
  [[nodiscard]] const char* place_of_cycle(const std::vector<OpId>& cycle) const;

 private:
  static constexpr std::uint32_t kAnySegment = 0xffffffffU;

  // The name of a request. It names an operation of one rank or of two ranks, all operations of a
  // rank at a level, or all operations at a level.
  struct Name {
    enum class Kind : std::uint8_t { one, two, group, index };
    const char* place = nullptr;
    Kind kind = Kind::two;
    // The segment is kAnySegment if the name includes all segments.
    Label label;
    Rank src = 0;
    Rank dst = 0;

    [[nodiscard]] LabelKey key() const { return {label, src, dst, kind == Kind::one}; }
  };
  // A name in After(...) that is resolved later, because it refers to an operation further below,
  // or to several operations.
  struct Reference {
    OpId op;
    // Position of the dependency in ScheduleParts::dependencies. Not used if the name is in
    // groups_.
    std::uint32_t position;
    Name name;
  };

  void parse_statement();
  // Takes a word, which may be on one of the next lines.
  template <typename Word>
  bool take_next(const Word& word) {
    const char* const before = scanner_.at();
    const bool takes = scanner_.take(word);
    if (!takes) {
      scanner_.go_back_to(before);
    }
    return takes;
  }
  void parse_units(const Op& op, std::uint8_t Units::*src, std::uint8_t Units::*dst);
  void add_to_request(Name& name, OpId begun, OpId id);
  // Drops the blocks of all operations if one operation has none.
  void settle_bare();
  [[nodiscard]] bool is_application() const {
    return parts_.problem.collective == Collective::application;
  }
  [[nodiscard]] Name parse_name();
  [[nodiscard]] Rank parse_rank();
  [[nodiscard]] Op parse_operation(const Name& name, bool adds, Payload& payload);
  [[nodiscard]] ParsedPayload parse_blocks(OpKind kind, std::uint64_t bytes,
                                           const char* bytes_place);
  void check_label(const Name& name, bool adds, OpKind kind, Rank src, Rank dst) const;
  void parse_after(OpId id);
  void tidy_row();
  void reserve_after(const char* first_statement);
  void resolve_later();
  void resolve_groups();
  void resolve_additions();
  void add_dependency(OpId dependency, const char* place);
  [[nodiscard]] static std::string text_of(const Name& name);
  [[nodiscard]] std::string describe_missing(const Name& name) const;

  Scanner& scanner_;
  const ParseLimits& limits_;
  bool has_blocks_;
  ScheduleParts& parts_;
  Rank places_;  // number of ranks and switches
  BlocksParser blocks_;
  LabelIndex labels_;
  Additions additions_;
  // Place of the last `+=`.
  const char* additions_place_ = nullptr;
  // Place and id of the first message without blocks; if there is none, of the first other
  // operation without blocks.
  const char* bare_place_ = nullptr;
  OpId bytes_only_ = kNoOp;
  std::vector<Reference> later_;
  std::vector<Reference> groups_;
};

}}  // namespace tutti::schedules
