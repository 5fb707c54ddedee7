#include "src/steps/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/text_words.hpp"
#include "schedules/problem.hpp"
#include "src/steps/algorithm_rules.hpp"
#include "src/steps/expert_statements.hpp"
#include "src/steps/step_builder.hpp"
#include "src/steps/syntax.hpp"

namespace tutti { inline namespace steps {

namespace {

using program::Syntax;
using program::SyntaxNode;

// Calls of this collective cannot be written: its blocks have sizes of their own, or it is none.
bool has_own_sizes(Collective collective) {
  return takes_block_sizes(collective) && name(collective).ends_with('v');
}

// Evaluates the statements of a description, in order.
class StepReader : private ExpertStatements {
 public:
  StepReader(Scanner& scanner, std::string_view file, std::optional<std::uint32_t> ranks,
             const std::vector<LayoutAxis>& sizes)
      : ExpertStatements(scanner, ranks, sizes) {
    step_.file = file;
  }

  StepDescription read() {
    const std::vector<StepStatement> statements = parse_step(scanner_);
    note_names(statements);
    run(statements);
    if (step_.actions.empty()) {
      scanner_.fail(scanner_.at(), "nothing takes time: write compute, or a collective");
    }
    close_slowdowns();
    for (std::size_t axis = 0; axis < step_.layout.size(); ++axis) {
      if ((computing_axes_ & 1U << axis) == 0) {
        step_.not_scaled_by.push_back(step_.layout[axis].name);
      }
    }
    return std::move(step_);
  }

 private:
  // Notes which names collectives get anywhere, and which groups have collectives beside computing.
  void note_names(const std::vector<StepStatement>& statements) {
    for (const StepStatement& each : statements) {
      if (each.keyword() == "name") {
        lines_of_names_.emplace((*each.syntax)[1][0].text(), each.line);
      }
      const SyntaxNode& last = (*each.syntax)[each.syntax->size() - 1];
      if (last.kind == Syntax::use) {
        for (const auto& part : last.children) {
          if (part->kind == Syntax::on_clause) {
            called_.emplace((*part)[0].text(), each.line);
          }
        }
      }
      note_names(each.body);
    }
  }

  void run(const std::vector<StepStatement>& statements) {
    for (const StepStatement& each : statements) {
      run(each);
      if (step_.actions.size() > kMostStepActions) {
        scanner_.fail(each.syntax->begin,
                      fmt::format("more than {} statements are carried out", kMostStepActions));
      }
    }
  }

  void run(const StepStatement& each) {
    const SyntaxNode& node = *each.syntax;
    const std::string_view keyword = each.keyword();
    if (keyword == "step") {
      step_.name = node[1].text().substr(0, node[1].text().size() - 1);
    } else if (keyword == "gpus") {
      gpus(node);
    } else if (keyword == "layout") {
      layout(node);
    } else if (keyword == "group") {
      group(node);
    } else if (keyword == "let") {
      set(node[1], value(node[2]));
    } else if (keyword == "algorithm") {
      rule(node, each.line);
    } else if (keyword == "stream") {
      stream(node);
    } else if (keyword == "routing") {
      routing(node, each.line);
    } else if (keyword == "repeat") {
      repeat(each);
    } else if (keyword == "pipeline") {
      pipeline(each);
    } else if (PipelineBlocks().place_of(keyword) != nullptr) {
      fail(node, fmt::format("{} must be directly inside a pipeline", keyword));
    } else {
      act(each);
    }
  }

  void rule(const SyntaxNode& node, std::uint32_t line) {
    AlgorithmRule made;
    made.line = line;
    if (!is_all(node[1])) {
      made.collective = collective_of(node[1]);
    }
    if (node.size() > 3) {
      made.group = group_named(node[2][0]);
    }
    const SyntaxNode& choice = node[node.size() - 1];
    if (const std::string wrong = take_choice(words_in(choice.text()), made); !wrong.empty()) {
      fail(choice, wrong);
    }
    for (const AlgorithmRule& other : step_.rules) {
      if (other.collective == made.collective && other.group == made.group) {
        fail(node, fmt::format("line {} already says this", other.line));
      }
    }
    step_.rules.push_back(std::move(made));
  }

  // Makes computing slower beside the collectives of a group, or of all groups.
  void stream(const SyntaxNode& node) {
    need_layout(node);
    const double factor = number(node[2]);
    if (!(factor >= 1) || factor > 100) {
      fail(node[2], fmt::format("{:.15g}: computing takes from 1 to 100 times as long", factor));
    }
    if (node[1].text() == "net") {
      net_slowdown_ = factor;
    } else {
      slowdown_of_group_[group_named(node[1])] = factor;
    }
  }

  // Sets the factors of all groups. A group without one of its own has that of the network.
  void close_slowdowns() {
    if (net_slowdown_ || !slowdown_of_group_.empty()) {
      step_.slowdowns.assign(step_.groups.size(), net_slowdown_.value_or(1));
      for (const auto& [group, factor] : slowdown_of_group_) {
        step_.slowdowns[group] = factor;
      }
    }
  }

  Collective collective_of(const SyntaxNode& node) const {
    const Collective found = *collective_meant(node.text());
    if (has_own_sizes(found)) {
      fail(node, fmt::format("{}: the blocks of a step's collectives have equal sizes; write {}",
                             name(found), name(found).substr(0, name(found).size() - 1)));
    }
    return found;
  }

  void repeat(const StepStatement& each) {
    const SyntaxNode& node = *each.syntax;
    const SyntaxNode& count = node[node.size() - 1];
    const std::uint64_t times = whole(count, "repeat", kMostStepActions);
    const bool counts = node.size() > 2;
    const std::size_t begin = step_.actions.size();
    const std::size_t place = step_.loops.size();
    std::size_t period = 0;
    bool alike = !builder_.stage() && times > 1;
    const std::uint32_t around = std::exchange(repeat_axes_, repeat_axes_ | value(count).axes);
    for (std::uint64_t i = 0; i < times; ++i) {
      if (counts) {
        set(node[1][0], {static_cast<double>(i), Unit::none, 0});
      }
      run(each.body);
      period = i == 0 ? step_.actions.size() - begin : period;
      alike = alike && step_.actions.size() == begin + (i + 1) * period;
    }
    if (alike && period > 0) {
      step_.loops.insert(step_.loops.begin() + static_cast<std::ptrdiff_t>(place),
                         {begin, period, times, each.line});
    }
    repeat_axes_ = around;
  }

  // Carries out a pipeline in the order 1F1B.
  void pipeline(const StepStatement& each) {
    const SyntaxNode& node = *each.syntax;
    need_layout(node);
    const auto axis = std::ranges::find(step_.layout, node[1].text(), &LayoutAxis::name);
    if (axis == step_.layout.end() || builder_.stage()) {
      fail(node[1], builder_.stage() ? "a pipeline cannot be inside another one"
                                     : fmt::format("the layout has no axis '{}'", node[1].text()));
    }
    const auto number = static_cast<std::size_t>(axis - step_.layout.begin());
    if (!step_.stage_of_rank.empty() && step_.stage_of_rank != positions_on(step_.layout, number)) {
      fail(node[1], "all pipelines must have their stages on the same axis");
    }
    const std::uint32_t around = std::exchange(repeat_axes_, repeat_axes_ | value(node[2]).axes);
    const PipelineBlocks blocks = blocks_of(each);
    StepPipeline sizes;
    sizes.axis = number;
    sizes.micro_batches =
        static_cast<std::uint32_t>(whole(node[2], "a pipeline", kMostMicroBatches));
    if (sizes.micro_batches == 0) {
      fail(node[2], "a pipeline has at least one micro-batch");
    }
    sizes.line = line_of(*blocks.handover);
    sizes.handover_bytes = size_of((*blocks.handover->syntax)[1], 1);
    if (node.size() > 3) {
      sizes.chunks = static_cast<std::uint32_t>(whole(node[3], "virtual", kMostChunks));
      if (sizes.chunks == 0 || (sizes.chunks > 1 && sizes.micro_batches % axis->size != 0)) {
        fail(node[3], sizes.chunks == 0
                          ? "a stage has at least one part of the model"
                          : fmt::format("with several parts of the model at each stage, the number "
                                        "of micro-batches must be a multiple of the {} stages; it "
                                        "is {}",
                                        axis->size, sizes.micro_batches));
      }
    }
    builder_.pipeline(sizes, [&](const PipelineTurn& turn) {
      const bool first = turn.forward && turn.micro == 0 && blocks.first != nullptr;
      const bool last =
          !turn.forward && turn.micro + 1 == sizes.micro_batches && blocks.last != nullptr;
      run((first          ? blocks.first
           : last         ? blocks.last
           : turn.forward ? blocks.forward
                          : blocks.backward)
              ->body);
    });
    repeat_axes_ = around;
  }

  struct PipelineBlocks {
    const StepStatement* forward = nullptr;
    const StepStatement* backward = nullptr;
    const StepStatement* first = nullptr;  // forward pass of the first micro-batch
    const StepStatement* last = nullptr;   // backward pass of the last one
    const StepStatement* handover = nullptr;

    // Returns the member of this keyword; null if there is none.
    const StepStatement** place_of(std::string_view keyword) {
      return keyword == "forward"    ? &forward
             : keyword == "backward" ? &backward
             : keyword == "first"    ? &first
             : keyword == "last"     ? &last
             : keyword == "handover" ? &handover
                                     : nullptr;
    }
  };

  PipelineBlocks blocks_of(const StepStatement& pipeline) const {
    PipelineBlocks blocks;
    for (const StepStatement& each : pipeline.body) {
      const StepStatement** const place = blocks.place_of(each.keyword());
      if (place == nullptr || *place != nullptr) {
        fail(*each.syntax, place == nullptr
                               ? "a pipeline has only forward, backward, first, last and handover"
                               : fmt::format("the pipeline already has {}", each.keyword()));
      }
      *place = &each;
    }
    if (blocks.forward == nullptr || blocks.backward == nullptr || blocks.handover == nullptr) {
      fail(*pipeline.syntax,
           "a pipeline needs forward { ... }, backward { ... } and handover with the size of the "
           "message between two stages");
    }
    return blocks;
  }

  // Returns the index of the statement among those that take time.
  std::uint32_t line_of(const StepStatement& each) {
    const auto [found, is_new] = line_of_statement_.try_emplace(each.syntax.get(), 0);
    if (is_new) {
      found->second = builder_.add_line(each.line, each.text);
    }
    return found->second;
  }

  void act(const StepStatement& each) {
    const SyntaxNode& node = *each.syntax;
    need_layout(node);
    const std::uint32_t line = line_of(each);
    if (each.keyword() == "compute") {
      builder_.compute(line, time_of(node[1]));
    } else if (each.keyword() == "wait") {
      wait(node[1], line);
    } else {
      const SyntaxNode& call = node[node.size() - 1];
      const bool beside = std::ranges::any_of(
          node.children, [](const auto& part) { return part->text() == "beside"; });
      const std::uint32_t index = call_of(call);
      check_stage(call, step_.calls[index]);
      const std::uint32_t number = builder_.begin(line, index, beside);
      if (each.keyword() == "name") {
        named_[handle_of(node[1])] = number;
      }
    }
  }

  // Throws NotationError if only some ranks of a communicator belong to the present stage.
  void check_stage(const SyntaxNode& node, const StepCall& call) const {
    const std::vector<Rank>& members = step_.groups[call.group].members.front();
    if (builder_.stage() && std::ranges::any_of(members, [&](Rank rank) {
          return step_.stage_of_rank[rank] != step_.stage_of_rank[members.front()];
        })) {
      fail(node, fmt::format("group {} has ranks of several stages of the pipeline",
                             step_.groups[call.group].name));
    }
  }

  std::uint64_t time_of(const SyntaxNode& node) {
    const Quantity time = value(node);
    if (time.unit != Unit::seconds || !(time.value >= 0) || time.value > 1e6) {
      fail(node, time.unit != Unit::seconds
                     ? fmt::format("compute needs a time, such as 26.2ms, but this is {}",
                                   in_words(time.unit))
                     : "a time must be at least 0 and at most 1000000 s");
    }
    computing_axes_ |= time.axes | repeat_axes_;
    return *whole_number(std::round(time.value * 1e12), std::numeric_limits<std::uint64_t>::max());
  }

  std::uint32_t call_of(const SyntaxNode& node) {
    if (is_expert_call(node)) {
      return builder_.index_of_call(expert_call(node));
    }
    StepCall call;
    call.collective = collective_of(node[0]);
    const SyntaxNode* size = nullptr;
    const SyntaxNode* root = nullptr;
    for (const auto& part : node.children) {
      size = part->kind == Syntax::bytes ? part.get() : size;
      root = part->kind == Syntax::root_clause ? part.get() : root;
      call.load = part->kind == Syntax::count ? number((*part)[0]) : call.load;
      if (part->kind == Syntax::on_clause) {
        call.group = group_named((*part)[0]);
      }
    }
    const std::uint32_t ranks = step_.groups[call.group].size();
    const bool sized = call.collective != Collective::barrier;
    if (sized != (size != nullptr)) {
      fail(node, sized ? fmt::format("{} needs 'whole' or 'share' and a size", node[0].text())
                       : "a barrier has no size");
    }
    call.bytes = sized ? bytes_of(*size, call.collective, ranks) : 0;
    check_load(node, call);
    if (root != nullptr) {
      if (!has_root(call.collective)) {
        fail(*root, fmt::format("{} has no root", name(call.collective)));
      }
      call.root = static_cast<Rank>(whole((*root)[0], "the root", kMostStepRanks));
      if (call.root >= ranks) {
        fail(*root,
             fmt::format("the root must be below {}, the number of ranks of the group", ranks));
      }
    }
    return builder_.index_of_call(call);
  }

  // Returns the bytes of the full vector.
  std::uint64_t bytes_of(const SyntaxNode& node, Collective collective, std::uint32_t ranks) {
    const bool share = node[0].text() == "share";
    if (share && !owns_parts(collective)) {
      fail(node, fmt::format("every rank of {} has the whole vector; write whole and its size",
                             name(collective)));
    }
    return size_of(node[1], share ? ranks : 1);
  }

  std::string handle_of(const SyntaxNode& node) {
    return node.size() == 1 ? std::string(node[0].text())
                            : fmt::format("{}[{:.15g}]", node[0].text(), number(node[1]));
  }

  void wait(const SyntaxNode& node, std::uint32_t line) {
    const std::string handle = handle_of(node);
    if (const auto found = named_.find(handle); found != named_.end()) {
      builder_.wait_for_call(line, found->second);
      return;
    }
    const std::string_view word = node[0].text();
    if (const auto named = lines_of_names_.find(word); named != lines_of_names_.end()) {
      const bool below = named->second >= scanner_.line_of(node.begin);
      fail(node, below ? fmt::format("wait {}: the name is given only below, in line {}, so the "
                                     "wait would never end",
                                     handle, named->second)
                       : fmt::format("wait {}: no collective has this name; line {} names others "
                                     "of {}",
                                     handle, named->second, word));
    }
    const bool known = find_group(word).has_value() || word == "all";
    if (node.size() > 1 || !known) {
      fail(node,
           fmt::format("wait {}: no collective has this name; write 'name {}: beside ...', or "
                       "wait for a group ({})",
                       handle, handle, fmt::join(group_names(), ", ")));
    }
    if (!called_.contains(word)) {
      fail(node, fmt::format("wait {}: there is no collective on {}", word, word));
    }
    builder_.wait_for_group(line, group_named(node[0]));
  }

  // Names of collectives, and the groups of collectives, each with its first line in the file.
  std::map<std::string, std::uint32_t, std::less<>> lines_of_names_;
  std::map<std::string, std::uint32_t, std::less<>> called_;
  std::map<std::string, std::uint32_t, std::less<>> named_;  // the number of the collective
  std::map<const SyntaxNode*, std::uint32_t> line_of_statement_;
  std::optional<double> net_slowdown_;
  std::map<std::uint32_t, double> slowdown_of_group_;
  // Axes on whose sizes the numbers of the blocks around the present statement depend, and those on
  // which any computing depends.
  std::uint32_t repeat_axes_ = 0;
  std::uint32_t computing_axes_ = 0;
  StepBuilder builder_{step_};
};

}  // namespace

const AlgorithmRule* StepDescription::rule_for(const StepCall& call) const {
  const AlgorithmRule* best = nullptr;
  const auto weight = [](const AlgorithmRule& rule) {
    return (rule.collective ? 2 : 0) + (rule.group ? 1 : 0);
  };
  for (const AlgorithmRule& rule : rules) {
    if ((!rule.collective || *rule.collective == call.collective) &&
        (!rule.group || *rule.group == call.group) &&
        (best == nullptr || weight(rule) > weight(*best))) {
      best = &rule;
    }
  }
  return best;
}

StepDescription read_step(std::string_view text, std::string_view file,
                          std::optional<std::uint32_t> ranks,
                          const std::vector<LayoutAxis>& sizes) {
  Scanner scanner(text, file);
  return StepReader(scanner, file, ranks, sizes).read();
}

}}  // namespace tutti::steps
