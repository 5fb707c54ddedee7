#include "src/steps/pipeline.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace tutti::test_steps_pipeline {

TEST_CASE("1F1B: each turn is there once, behind those that it needs") {
  for (const std::uint32_t stages : {1U, 2U, 3U, 4U, 8U}) {
    for (const std::uint32_t micro_batches : {1U, 2U, 3U, 7U, 16U}) {
      const std::vector<PipelineTurn> order = one_forward_one_backward(stages, micro_batches);
      REQUIRE(order.size() == std::size_t{2} * stages * micro_batches);
      const auto place = [&](const PipelineTurn& turn) {
        return std::find(order.begin(), order.end(), turn) - order.begin();
      };
      std::vector<std::uint32_t> in_flight(stages);
      for (const PipelineTurn& turn : order) {
        INFO(stages << " stages, " << micro_batches << " micro-batches, stage " << turn.stage);
        CHECK(std::count(order.begin(), order.end(), turn) == 1);
        if (turn.forward && turn.stage > 0) {
          CHECK(place({turn.stage - 1, turn.micro, true}) < place(turn));
        } else if (!turn.forward) {
          CHECK(place({turn.stage, turn.micro, true}) < place(turn));
          CHECK((turn.stage + 1 == stages ||
                 place({turn.stage + 1, turn.micro, false}) < place(turn)));
        }
        // A stage keeps the activations of as many micro-batches as there are stages from it on.
        in_flight[turn.stage] += turn.forward ? 1U : ~0U;
        CHECK(in_flight[turn.stage] <= stages - turn.stage);
      }
    }
  }
}

TEST_CASE("1F1B with chunks: each turn is there once, behind those that it needs") {
  for (const std::uint32_t stages : {2U, 3U, 4U}) {
    for (const std::uint32_t chunks : {2U, 3U, 8U}) {
      for (const std::uint32_t rounds : {1U, 2U, 5U}) {
        const std::uint32_t micro_batches = rounds * stages;
        const std::vector<PipelineTurn> order =
            one_forward_one_backward(stages, micro_batches, chunks);
        REQUIRE(order.size() == std::size_t{2} * stages * micro_batches * chunks);
        std::vector<std::uint32_t> ahead(stages);  // forward passes before the first backward one
        std::vector<bool> is_back(stages);
        for (auto turn = order.begin(); turn != order.end(); ++turn) {
          INFO(stages << " stages, " << micro_batches << " micro-batches, " << chunks << " chunks");
          CHECK(std::count(order.begin(), order.end(), *turn) == 1);
          if (const auto next = turn_after(*turn, stages, chunks)) {
            CHECK(std::find(order.begin(), turn, *next) == turn);
            CHECK(next->chunk * stages + next->stage ==
                  turn->chunk * stages + turn->stage + (turn->forward ? 1U : ~0U));
          }
          is_back[turn->stage] = is_back[turn->stage] || !turn->forward;
          ahead[turn->stage] += is_back[turn->stage] ? 0U : 1U;
        }
        // After the passes ahead, the forward pass of the first pair.
        CHECK(ahead[stages - 1] == std::min((chunks - 1) * stages + 1, micro_batches * chunks));
      }
    }
  }
}

}  // namespace tutti::test_steps_pipeline
