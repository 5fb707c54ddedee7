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

}  // namespace tutti::test_steps_pipeline
