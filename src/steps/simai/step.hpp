// Makes a step from a SimAI workload.
//
// The order is that of SimAI's iterate_hybrid_parallel_Transformer_fwd_in_bckwd() (Workload.cc):
// forward passes of all layers, and then backward passes from the last layer to the first. A layer
// computes before it communicates. Computing waits for the collectives of forward passes and of
// gradients of inputs, while those of gradients of weights run beside it.
//
// The layers of a micro-batch are the passes of a pipeline, in the order 1F1B. The file has the
// layers of one stage, and all stages carry them out, except embedding_layer: only the first stage
// does, as in SimAI's formula for the bubble.
//
// The layout is tp, ep, dp_ep, pp, and dp is ep and dp_ep together, as SimAI numbers its groups.
#pragma once

#include "src/steps/description.hpp"
#include "src/steps/simai/workload.hpp"

namespace tutti { inline namespace steps {

// Throws UserError, which names the file, if the micro-batches cannot be found.
[[nodiscard]] StepDescription step_of(const SimaiWorkload& workload);

}}  // namespace tutti::steps
