// A step as the user describes it: groups of ranks, and what every rank does, in order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/experts/routing.hpp"
#include "schedules/experts/token_exchange.hpp"
#include "src/steps/layout.hpp"

namespace tutti { inline namespace steps {

// A statement of the description that takes time.
struct StepLine {
  std::uint32_t number = 0;  // line in the file
  std::string text;
};

// How the tokens of a mixture of experts go to their experts. It is the same in each layer, and in
// each communicator of a group.
struct StepRouting {
  std::string name;
  ExpertRouting experts;
  std::uint32_t line = 0;  // line in the file
};

// Tokens go to their experts, or come back.
struct ExpertCall {
  std::uint32_t routing = 0;  // index into StepDescription::routings
  TokenPhase phase = TokenPhase::dispatch;
  std::uint64_t token_bytes = 0;
  // Number of pieces (see TokenExchange) if a token crosses the network once per node. Otherwise,
  // each copy is sent by itself.
  std::optional<std::uint32_t> pieces;

  friend bool operator==(const ExpertCall&, const ExpertCall&) = default;
};

// A collective of a group.
struct StepCall {
  // `application` for a message: between stages of a pipeline, or of a trace.
  Collective collective = Collective::allreduce;
  std::uint64_t bytes = 0;  // of the full vector, or of the message
  Rank root = 0;
  std::uint32_t group = 0;
  // The busiest rank of an alltoall receives this many times the mean.
  double load = 1;
  // Set for an alltoall that is a dispatch or a combine. `bytes` are then those of the copies of a
  // rank's tokens.
  std::optional<ExpertCall> experts = std::nullopt;
  // Set for messages of a trace: sender and receiver of the first one.
  std::optional<std::array<Rank, 2>> message = std::nullopt;

  [[nodiscard]] bool is_handover() const { return collective == Collective::application; }

  friend bool operator==(const StepCall&, const StepCall&) = default;
};

struct StepAction {
  enum class Kind : std::uint8_t {
    compute,
    collective,  // the rank goes on when it is over
    beside,      // a collective; the rank goes on at once
    handover,    // each rank of a stage sends a message to that of another stage, and goes on
    wait_call,
    wait_group,
  };
  Kind kind = Kind::compute;
  std::uint32_t line = 0;  // index into StepDescription::lines
  // Collectives: index into StepDescription::calls. wait_call: the number of a collective, in the
  // order in which they begin. wait_group: index into StepDescription::groups.
  std::uint32_t what = 0;
  std::uint64_t picoseconds = 0;  // of computing

  // The stage of a pipeline that takes part, and for a handover the stage that receives;
  // nothing: all ranks take part.
  std::optional<std::uint32_t> stage;
  std::uint32_t to_stage = 0;

  [[nodiscard]] bool calls() const {
    return kind == Kind::collective || kind == Kind::beside || kind == Kind::handover;
  }
};

// Actions that are carried out several times in a row, by all ranks: the iterations of a repeat, or
// the rounds of a pipeline.
struct StepLoop {
  std::size_t begin = 0;   // index of the first action
  std::size_t period = 0;  // actions of each iteration
  std::size_t times = 0;
  std::uint32_t line = 0;  // line in the file, the same for all loops of a statement
  // Number of iterations that may be under way at the same time, and after how many iterations the
  // step is likely to repeat itself.
  std::uint32_t overlap = 1;
  std::uint32_t cycle = 1;
};

// How an algorithm is chosen for some calls.
struct AlgorithmRule {
  enum class By : std::uint8_t { name, nccl, best };
  std::optional<Collective> collective;  // nothing: all
  std::optional<std::uint32_t> group;    // nothing: all
  By by = By::best;
  std::vector<std::string> words;  // name: the algorithm and its options; nccl: the release, if any
  std::uint32_t line = 0;          // line in the file; 0 for a default
};

struct StepDescription {
  std::string file;
  std::string name;
  std::uint32_t ranks = 1;
  std::vector<LayoutAxis> layout;
  std::vector<StepGroup> groups;  // first one for each axis
  std::vector<AlgorithmRule> rules;
  // By group: by how much the time of computing grows while one of the group's collectives runs
  // beside it, at least 1; empty if computing is never slower.
  std::vector<double> slowdowns;
  std::vector<StepRouting> routings;
  std::vector<StepLine> lines;
  std::vector<StepCall> calls;  // all that differ
  std::vector<StepAction> actions;
  std::vector<StepLoop> loops;               // a loop comes before those in it
  std::vector<std::uint32_t> stage_of_rank;  // empty without a pipeline
  std::vector<std::string> notes;            // sentences for the user, without a full stop
  std::vector<std::string> not_scaled_by;    // axes on whose size no computing depends

  [[nodiscard]] bool takes_part(const StepAction& action, Rank rank) const {
    return !action.stage || stage_of_rank[rank] == *action.stage;
  }
  // Returns the rule for a call; null if there is none. A rule for a collective and a group comes
  // before one for a collective, this before one for a group, and this before one for everything.
  [[nodiscard]] const AlgorithmRule* rule_for(const StepCall& call) const;
};

// Reads a description. `ranks` is the number of ranks that the command line gives, if any, and
// `sizes` has axes that get other sizes than in the description. Throws NotationError, which names
// the line.
[[nodiscard]] StepDescription read_step(std::string_view text, std::string_view file,
                                        std::optional<std::uint32_t> ranks,
                                        const std::vector<LayoutAxis>& sizes = {});

}}  // namespace tutti::steps
