// Tests whole runs with the message model of an MPI library: a comparison with the plain flow
// engine, all algorithms, calls after a barrier, and the library's local work.
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "schedules/builder.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/library_work.hpp"
#include "src/simulation/message_changes.hpp"
#include "src/simulation/message_setup.hpp"
#include "src/simulation/run_result.hpp"
#include "tests/schedules/hand_made.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/sim/message_case.hpp"
#include "tests/sim/random_schedule.hpp"

namespace tutti::test_message_runs {
namespace {

Machine star_machine(const MessageModel& model, std::uint32_t ranks, std::uint32_t per_host = 1,
                     MpiLibrary library = MpiLibrary::mpich) {
  Machine machine;
  machine.engine = &engine_named("flow");
  machine.spec.source.crossbar = {
      .latency_s = kStarLatency, .bandwidth_bytes_per_s = kStarBandwidth, .speed_flops_per_s = 3};
  place_ranks(machine, ranks, per_host);
  use_files(machine, {.messages = std::make_shared<const MessageModel>(model), .library = library});
  return machine;
}

MessageModel plain_model() {
  MessageModel model;
  model.send_overhead_s = 1;
  model.latency_s = 3;
  model.receive_overhead_s = 2;
  model.eager_bytes = 20;
  return model;
}

// A model in which every parameter has an effect.
MessageModel full_model() {
  MessageModel model;
  model.send_overhead_s = 0.31;
  model.receive_overhead_s = 0.47;
  model.node_overhead_s = 0.4;
  model.latency_s = 1.3;
  model.node_latency_s = 0.7;
  model.wire_latency_factor = 1.1;
  model.host_gap_s = 0.13;
  model.inline_bytes = 16;
  model.buffered_s = 0.23;
  model.eager_bytes = 80;
  model.eager_s_per_byte = 0.011;
  model.handshake_s = 2.3;
  model.node_handshake_s = 1.9;
  model.peer_switch_s = 0.17;
  model.connections = 5;
  model.bulk_bytes = 160;
  model.medium_bytes_per_s = 5.3;
  model.under_way = 3;
  model.rank_bytes_per_s = 9.1;
  model.host_bytes_per_s = 15.7;
  model.long_bytes = 320;
  model.long_bytes_per_s = 14.9;
  model.node_rank_bytes_per_s = 21.7;
  model.node_bytes_per_s = 29.3;
  model.cache_bytes = 700;
  model.reduce_s_per_byte = 0.019;
  model.reduce_memory_s_per_byte = 0.037;
  model.copy_s_per_byte = 0.007;
  model.copy_memory_s_per_byte = 0.029;
  model.fresh_bytes = 400;
  model.heap_bytes = 200;
  model.fresh_s_per_byte = 0.041;
  model.register_s = 0.11;
  model.register_s_per_byte = 0.013;
  model.node_map_s_per_byte = 0.003;
  model.memory_bytes_per_s = 120;
  model.load = 0.3;
  return model;
}

// Checks that a run with `what`, whose model has no library-specific costs, has the same times as a
// run of the plain flow engine.
void check_same(const Schedule& schedule, const MessageCase& what,
                const std::function<std::unique_ptr<Network>()>& platform) {
  const FlowSetup places = what.places(schedule.ranks());
  const std::unique_ptr<Network> network = platform();
  const Timeline expected = FlowEngine(*network, places).run(schedule, what.setup());
  const Timeline timeline = what.run(schedule, platform());
  const double margin = 1e-9 * expected.total_s;
  CHECK(timeline.total_s == Approx(expected.total_s).epsilon(1e-9));
  double most_off = 0;
  for (OpId id = 0; id < schedule.size(); ++id) {
    most_off = std::max({most_off, std::abs(timeline.start_s[id] - expected.start_s[id]),
                         std::abs(timeline.end_s[id] - expected.end_s[id])});
  }
  CHECK(most_off <= margin);
}

}  // namespace

TEST_CASE("Messages without parameters take the same time as on the platform alone") {
  MessageCase plain;
  plain.model.latency_s = kStarLatency;
  plain.model.under_way = kUnlimitedPorts;
  std::mt19937_64 random(test_seed());
  // Uses only platforms with routes of equal latency: the plain engine gives shorter routes a
  // larger share of a link, whereas the message model shares links evenly.
  const std::vector<std::function<std::unique_ptr<Network>()>> platforms{
      [] { return star_of(12); }};
  for (const std::uint64_t eager_bytes : {0U, 16U, 200U}) {
    plain.model.eager_bytes = static_cast<double>(eager_bytes);
    CAPTURE(eager_bytes);
    for (const auto& platform : platforms) {
      for (std::uint32_t i = 0; i < 20; ++i) {
        CAPTURE(i);
        check_same(random_schedule(random, 2 + i % 11, 20 + 8 * i, HandMadeSchedule::kMaxBytes),
                   plain, platform);
      }
      for (const Algorithm* algorithm : host_algorithms()) {
        for (const std::uint32_t ranks : {3U, 8U, 12U}) {
          const Problem problem = problem_of(*algorithm, ranks, 10 * ranks);
          CAPTURE(algorithm->full_name(), ranks);
          if (!refuses(*algorithm, problem)) {
            check_same(make_schedule(*algorithm, problem), plain, platform);
          }
        }
      }
    }
  }
}

TEST_CASE("Every algorithm completes with all message parameters set") {
  for (const MpiLibrary library : {MpiLibrary::open_mpi, MpiLibrary::mpich}) {
    for (const Algorithm* algorithm : host_algorithms()) {
      for (std::uint32_t ranks = 1; ranks <= 9; ++ranks) {
        const Problem problem = problem_of(*algorithm, ranks, 10 * ranks);
        if (refuses(*algorithm, problem)) {
          continue;
        }
        CAPTURE(algorithm->full_name(), ranks);
        const Schedule schedule = make_schedule(*algorithm, problem, Detail::times_only);
        Machine machine = star_machine(full_model(), ranks, 2, library);
        machine.library_work = library_work(machine.files.library, problem, algorithm->name);
        const EngineRun common = run_with_flow(schedule, machine);
        machine.spec.after_barrier = true;
        const EngineRun run = run_with_flow(schedule, machine);
        CHECK_FALSE(common.call_s);
        REQUIRE(run.call_s);
        CHECK(*run.call_s >= 0);
        CHECK(*run.call_s <= run.timeline.total_s);
        CHECK(std::isfinite(run.timeline.total_s));
        for (OpId id = 0; id < schedule.size(); ++id) {
          const Op& op = schedule.op(id);
          const double least_s = op.is_comm() ? 0.31 + 0.7 + 0.4 : 0;
          CHECK(run.timeline.end_s[id] >= run.timeline.start_s[id] + least_s * (1 - 1e-9));
        }
      }
    }
  }
}

TEST_CASE("The root leaves a tree barrier first") {
  const MessageCase star{plain_model()};
  const auto run = [&](const Schedule& schedule) { return star.run(schedule); };
  // The root leaves the barrier after 12 s, rank 2 after 18 s, rank 1 after 19 s, and rank 3 after
  // 24 s, since it gets its signal from rank 2. `exits` counts from the first of these times.
  const std::vector<double> exits = barrier_exits_s("barrier/tree", 4, 20, run);
  REQUIRE(exits.size() == 4);
  CHECK(exits[0] == 0);
  CHECK(exits[1] == Approx(7));
  CHECK(exits[2] == Approx(6));
  CHECK(exits[3] == Approx(12));
  for (const double exit_s : barrier_exits_s("barrier/dissemination", 8, 20, run)) {
    CHECK(exit_s == Approx(0).margin(1e-9));
  }
  CHECK(barrier_exits_s("barrier/dissemination", 1, 20, run) == std::vector<double>{0});
}

TEST_CASE("A call is timed from a rank's own start to the end of its operations") {
  HandMadeSchedule made(3);
  made.comm(0, 1, 20);
  const Schedule schedule = made.finish();
  Timeline timeline;
  timeline.start_s = {3};
  timeline.end_s = {9};
  CHECK(slowest_call_s(schedule, timeline, -1, {1, 5, 9}) == 8);
  CHECK(slowest_call_s(schedule, timeline, 19, {1, 5, 9}) == 8);
  // With an eager limit of 20 bytes, the message is eager, so its sender is done at 3 s.
  CHECK(slowest_call_s(schedule, timeline, 20, {1, 5, 9}) == 4);
}

TEST_CASE(
    "Ranks start when they leave the library's barrier, and then do the library's local work "
    "first") {
  MessageModel model = plain_model();
  model.reduce_s_per_byte = 0.5;
  model.copy_s_per_byte = 0.25;
  HandMadeSchedule made(5);
  for (Rank rank = 0; rank < 5; ++rank) {
    made.reduce(rank, 6);
  }
  const Schedule schedule = made.finish();
  Machine machine = star_machine(model, 5, 1, MpiLibrary::open_mpi);
  machine.library_work.copied = 1;
  const double work_s = 0.25 * static_cast<double>(schedule.problem().bytes);
  const EngineRun common = run_with_flow(schedule, machine);
  for (Rank rank = 0; rank < 5; ++rank) {
    CHECK(common.timeline.start_s[rank] == Approx(work_s));
    CHECK(common.timeline.end_s[rank] == Approx(work_s + 3));
  }
  machine.spec.after_barrier = true;
  const EngineRun run = run_with_flow(schedule, machine);
  const MessageCase star{model};
  const std::vector<double> exits = barrier_exits_s(
      "barrier/linear", 5, 20, [&](const Schedule& barrier) { return star.run(barrier); });
  CHECK(*std::max_element(exits.begin(), exits.end()) > 1);
  for (Rank rank = 0; rank < 5; ++rank) {
    CAPTURE(rank);
    CHECK(run.timeline.start_s[rank] == Approx(exits[rank] + work_s));
  }
  CHECK(run.call_s.value_or(0) == Approx(work_s + 3));
}

TEST_CASE("A rank enters the barrier when its previous call ends") {
  HandMadeSchedule made(4);
  made.comm(0, 3, 0);
  const Schedule schedule = made.finish();
  MessageModel model = plain_model();
  model.receive_overhead_s = 0;
  Machine machine = star_machine(model, 4);
  machine.spec.after_barrier = true;
  machine.spec.barrier = "barrier/recursive_doubling";
  // The previous call ends after 4 s at rank 3, and at once at the others. Rank 3 already has the
  // message of rank 2 then, gets that of rank 1 after 8 s, and leaves the barrier. Rank 2 gets the
  // message of rank 3 after 8 s, and rank 0 that of rank 2 after 12 s. Rank 3 then waits 4 s until
  // rank 0 begins, and 4 s for its message.
  CHECK(run_with_flow(schedule, machine).call_s.value_or(0) == Approx(8));
  CHECK(latest_start_s(machine) == Approx(8));
  // In MPICH's barrier, rank 3 sends to rank 0 first, and both leave after 8 s.
  machine.spec.barrier = "";
  CHECK(run_with_flow(schedule, machine).call_s.value_or(0) == Approx(4));
}

TEST_CASE("Ranks on a host share its caches, depending on the size of the problem's vectors") {
  MessageModel model;
  model.reduce_s_per_byte = 1;
  model.reduce_memory_s_per_byte = 4;
  // The cache has room for the two vectors of each of two ranks, but not for those of a third rank.
  model.cache_bytes = 4 * static_cast<double>(HandMadeSchedule(2).finish().problem().bytes);
  for (const auto& [per_host, price] : {std::pair{2U, 1.0}, std::pair{3U, 4.0}}) {
    HandMadeSchedule made(6);
    made.reduce(0, 10);
    CHECK(run_with_flow(made.finish(), star_machine(model, 6, per_host)).timeline.total_s ==
          Approx(10 * price));
  }
}

TEST_CASE("A library's copies take time, as does clearing and registering new pages") {
  MessageModel model;
  model.eager_bytes = 50;
  model.fresh_bytes = 1000;
  model.fresh_s_per_byte = 10;
  model.register_s = 7;
  model.register_s_per_byte = 3;
  const LocalPrices prices{.reduce_s_per_byte = 1, .copy_s_per_byte = 2};
  const auto seconds = [&](const LibraryWork& work, double bytes, double registering_ranks = 1) {
    return work.times(model, prices, bytes, registering_ranks, false).sum_s();
  };
  CHECK(seconds({.copied = 0.5}, 1000) == Approx(1000));
  LibraryWork work{.largest_buffer = 1, .all_buffers = 1, .touched = 0.5};
  CHECK(seconds(work, 999) == 0);
  CHECK(seconds(work, 1000) == Approx(500 * 10));
  SECTION("Each part is registered, and the ranks of a host share the card") {
    work.registered = 0.25;
    work.regions = 2;
    CHECK(seconds(work, 1000) == Approx(500 * 10 + 250 * 3 + 2 * 7));
    CHECK(seconds(work, 1000, 4) == Approx(500 * 10 + 4 * (250 * 3 + 2 * 7)));
    CHECK(seconds(work, 1000, 0) == Approx(500 * 10));  // no message leaves the host
    model.eager_bytes = 125;  // the parts have 125 bytes, so their messages go through buffers
    CHECK(seconds(work, 1000) == Approx(500 * 10));
  }
  SECTION("Two buffers of the same size are given back, one is not") {
    model.heap_bytes = 200;
    CHECK(seconds(work, 500) == 0);
    work.all_buffers = 1.9;
    CHECK(seconds(work, 500) == 0);
    work.all_buffers = 2;
    CHECK(seconds(work, 99) == 0);
    CHECK(seconds(work, 100) == Approx(50 * 10));
  }
}

TEST_CASE("The ranks that receive from other hosts register their buffers") {
  MessageModel model;
  model.eager_bytes = 0;
  model.fresh_bytes = 1;
  model.register_s = 7;
  Machine machine = star_machine(model, 4, 2);
  machine.library_work = {.largest_buffer = 1, .all_buffers = 1, .registered = 1, .regions = 1};
  const auto registering = [&](const std::vector<std::uint32_t>& hosts, bool in_ring) {
    machine.mapping.host_of_rank = std::make_shared<const std::vector<std::uint32_t>>(hosts);
    machine.library_work.in_ring = in_ring;
    return run_starts_s(machine, 10) / model.register_s;
  };
  CHECK(registering({0, 0, 1, 1}, false) == 2);
  CHECK(registering({0, 0, 1, 1}, true) == 1);
  CHECK(registering({0, 1, 0, 1}, true) == 2);
  CHECK(registering({0, 0, 1, 0}, true) == 1);
  CHECK(registering({0, 0, 0, 0}, false) == 0);
  CHECK(registering({0, 0, 0, 0}, true) == 0);
}

TEST_CASE("Parts that pass through buffers are neither registered nor mapped") {
  MessageModel model;
  model.fresh_bytes = 1;
  model.register_s = 7;
  model.node_map_s_per_byte = 0.5;
  LibraryWork work{.largest_buffer = 1, .all_buffers = 1, .registered = 1, .regions = 4};
  work.direct_bytes = 25;
  work.in_ring = true;
  const auto times = [&](double bytes, bool next_on_host) {
    return work.times(model, {}, bytes, 1, next_on_host);
  };
  CHECK(times(99, true).sum_s() == 0);  // parts of less than 25 bytes
  CHECK(times(100, true).registration_s == 28);
  CHECK(times(100, true).mapping_s == 50);
  CHECK(times(100, true).sum_s() == 78);
  CHECK(times(100, false).mapping_s == 0);
  work.in_ring = false;
  CHECK(times(100, true).mapping_s == 0);
  // Open MPI over UCX sends less than 256 KiB through buffers.
  Problem problem;
  problem.collective = Collective::reduce_scatter;
  problem.ranks = 4;
  problem.bytes = 1 << 20;
  CHECK(library_work(MpiLibrary::open_mpi, problem, "ring").direct_bytes == 256 * 1024);
  // The blocks of a ring have the same size, whatever the number of ranks.
  for (const std::uint32_t ranks : {2U, 3U, 64U}) {
    problem.ranks = ranks;
    const LibraryWork ring = library_work(MpiLibrary::open_mpi, problem, "ring");
    CHECK(ring.registered / ring.regions == Approx(1.0 / ranks));
  }
  CHECK(library_work(MpiLibrary::mpich, problem, "ring").direct_bytes == 0);
}

TEST_CASE("Buffers are mapped only if a neighbour in the ring is on the same host") {
  MessageModel model;
  model.eager_bytes = 0;
  model.fresh_bytes = 1;
  model.node_map_s_per_byte = 3;
  Machine machine = star_machine(model, 4, 2);
  machine.library_work = {
      .largest_buffer = 1, .all_buffers = 1, .registered = 1, .regions = 1, .in_ring = true};
  const auto mapped = [&](const std::vector<std::uint32_t>& hosts) {
    machine.mapping.host_of_rank = std::make_shared<const std::vector<std::uint32_t>>(hosts);
    return run_starts_s(machine, 10);
  };
  CHECK(mapped({0, 0, 1, 1}) == 30);
  CHECK(mapped({0, 1, 0, 1}) == 0);
}

TEST_CASE("The ranks of a host share the rate of its ports") {
  MessageModel model = plain_model();
  model.eager_bytes = 1e6;
  // Two hosts of two ranks. Both ranks of the first host send to the other host.
  HandMadeSchedule made(4);
  made.comm(0, 2, 30);
  made.comm(1, 3, 30);
  const Schedule schedule = made.finish();
  const auto seconds = [&](double host_bytes_per_s) {
    model.host_bytes_per_s = host_bytes_per_s;
    return run_with_flow(schedule, star_machine(model, 4, 2)).timeline.total_s;
  };
  const double free_s = seconds(1e9);
  CHECK(seconds(kStarBandwidth) == free_s);
  // 60 bytes pass through ports of half the bandwidth.
  CHECK(seconds(kStarBandwidth / 2) == Approx(free_s + 60 / kStarBandwidth));
}

TEST_CASE("Jobs of a kind have values of their own") {
  Machine machine = star_machine(plain_model(), 12, 2);
  const MessageParameter* const latency = find_message_parameter("latency_s");
  const MessageParameter* const send = find_message_parameter("send_overhead_s");
  machine.files.job_kinds = {
      {.nodes_from = 4, .nodes_to = 6, .values = {{latency, 10}, {send, 4}}},
      {.nodes_to = 5, .values = {{latency, 20}}},
      {.ranks_per_node_from = 2, .ranks_per_node_to = 3, .values = {{latency, 30}}}};
  const auto latency_of = [&](std::uint32_t ranks, std::uint32_t per_host) {
    place_ranks(machine, ranks, per_host);
    return message_model(machine).latency_s;
  };
  CHECK(latency_of(6, 1) == 10);
  CHECK(latency_of(7, 1) == 3);   // none
  CHECK(latency_of(5, 1) == 20);  // the last one that includes the job
  CHECK(message_model(machine).send_overhead_s == 4);
  CHECK(latency_of(12, 2) == 30);
  CHECK(latency_of(16, 4) == 20);
  machine.spec.parameter_changes.push_back({latency, std::nullopt, 2});
  CHECK(latency_of(6, 1) == 20);
  machine.spec.parameter_changes.clear();
  // Ports and the largest eager message are those of the kind.
  machine.files.job_kinds = {{.values = {{find_message_parameter("under_way"), 2},
                                         {find_message_parameter("eager_bytes"), 50}}}};
  use_messages(machine);
  CHECK(machine.setup.ports == 2);
  CHECK(machine.setup.eager_bytes == 50);
  machine.files.job_kinds.front().values = {{find_message_parameter("inline_bytes"), 100}};
  CHECK_THROWS_WITH(use_messages(machine),
                    Catch::Contains("inline_bytes is 100; it must be at most"));
}

TEST_CASE("The barrier is that of the points, of the parameter file, or the library's own") {
  Machine machine = star_machine(plain_model(), 5, 1, MpiLibrary::open_mpi);
  CHECK(barrier_before_call(machine) == "barrier/linear");
  machine.files.barrier = barrier_named("recursive_doubling");
  CHECK(barrier_before_call(machine) == "barrier/recursive_doubling");
  machine.spec.barrier = barrier_named("barrier/tree");
  CHECK(barrier_before_call(machine) == "barrier/tree");
  CHECK(barrier_named("barrier/library") == "library");
  machine.spec.barrier = barrier_named("library");
  CHECK(barrier_before_call(machine) == "barrier/linear");
  CHECK_THROWS_WITH(barrier_named("recursive_dubling"),
                    Catch::Contains("did you mean 'recursive_doubling'"));
  for (const char* other : {"sharp", "hierarchical", "node_aware", "ring"}) {
    CHECK_THROWS_WITH(barrier_named(other), Catch::Contains("library"));
  }
}

TEST_CASE("The work of a library follows its sources") {
  Problem problem;
  problem.collective = Collective::reduce_scatter;
  problem.bytes = 6000;
  problem.ranks = 1;
  const auto work = [&](std::string_view algorithm, MpiLibrary library = MpiLibrary::open_mpi) {
    return library_work(library, problem, algorithm);
  };
  CHECK(work("recursive_halving").copied == 0);
  problem.ranks = 64;
  CHECK(work("no such algorithm").all_buffers == 0);
  CHECK(work("recursive_halving").all_buffers == 2);
  CHECK(work("recursive_halving").registered == 1.5);
  CHECK(work("recursive_halving").regions == 7);
  CHECK(work("ring").all_buffers == Approx(1 + 2.0 / 64));
  CHECK(work("ring").regions == 65);
  CHECK(work("ring").in_ring);
  problem.ranks = 60;  // some ranks first receive a whole vector
  CHECK(work("recursive_halving").touched == 2);
  CHECK(work("recursive_halving").regions == 6);
  problem.collective = Collective::allreduce;
  CHECK(work("rabenseifner").touched == 1);
  problem.ranks = 64;
  CHECK(work("rabenseifner").touched == 0.5);
  CHECK(work("rabenseifner").largest_buffer == 1);
  problem.collective = Collective::allgather;
  CHECK(work("bruck").copied == 2);
  CHECK(work("bruck", MpiLibrary::mpich).copied == 1);
  problem.collective = Collective::reduce;
  CHECK(work("binomial").all_buffers == 3);
  CHECK(work("binomial", MpiLibrary::mpich).all_buffers == 2);
  problem.segment_bytes = 600;
  CHECK(work("pipeline").all_buffers == Approx(1.2));
  problem.collective = Collective::alltoall;
  CHECK(work("bruck").copied == 7);
  CHECK(work("linear").all_at_once);
}

TEST_CASE("A library that waits for each message has one in flight at a time") {
  MessageModel model = plain_model();
  model.eager_bytes = 0;
  HandMadeSchedule made(3);
  made.comm(0, 1, 20);
  made.comm(0, 2, 20);
  const Schedule schedule = made.finish();
  Machine machine = star_machine(model, 3);
  CHECK(run_with_flow(schedule, machine).timeline.start_s[1] == 0);
  machine.library_work.under_way = 1;
  CHECK(run_with_flow(schedule, machine).timeline.start_s[1] == Approx(8));
}

TEST_CASE("Long messages that are all under way at once do not share a rate for both directions") {
  MessageModel model = plain_model();
  model.eager_bytes = 19;
  model.long_bytes = 20;
  model.long_bytes_per_s = 5;
  HandMadeSchedule made(2);
  made.comm(0, 1, 20);
  made.comm(1, 0, 20);
  const Schedule schedule = made.finish();
  Machine machine = star_machine(model, 2);
  CHECK(run_with_flow(schedule, machine).timeline.end_s[0] == Approx(6 + 8));
  machine.library_work.all_at_once = true;
  CHECK(run_with_flow(schedule, machine).timeline.end_s[0] == Approx(6 + 2));
}

TEST_CASE("Formulas use the prices of a small message") {
  MessageModel model = plain_model();
  model.handshake_s = 7;
  model.reduce_s_per_byte = 0.5;
  model.copy_s_per_byte = 0.25;
  const Machine machine = star_machine(model, 4);
  const Prices prices = describe(machine).prices;
  CHECK(prices.alpha_s == Approx(1 + 3 + 2));
  CHECK(prices.beta_s_per_byte == Approx(0.1));
  CHECK(prices.gamma_s_per_byte == 0.5);
  CHECK(prices.copy_s_per_byte == 0.25);
  model.rank_bytes_per_s = 4;
  CHECK(describe(star_machine(model, 4)).prices.beta_s_per_byte == Approx(0.25));
}

TEST_CASE("Open MPI's binomial broadcast sends to near ranks first, and to all at once") {
  const Algorithm& binomial = algorithm_named("bcast/binomial");
  const Problem problem = problem_of(binomial, 8, 80, 3);
  const auto run = as_run_by(MpiLibrary::open_mpi, binomial, problem);
  REQUIRE(run);
  CHECK(run->algorithm == &algorithm_named("bcast/pipeline"));
  CHECK(run->problem.tree == Tree::doubling);
  CHECK(run->problem.segment_bytes == problem.bytes);
  CHECK(run->problem.root == 3);
  CHECK_FALSE(as_run_by(MpiLibrary::mpich, binomial, problem));
  CHECK_FALSE(as_run_by(MpiLibrary::open_mpi, algorithm_named("bcast/linear"), problem));
  const auto time_s = [](const Algorithm& algorithm, const Problem& what, MpiLibrary library) {
    const Machine machine = star_machine(full_model(), 8, 1, library);
    return simulate(algorithm, what, machine, Detail::times_only).result.simulated_s;
  };
  CHECK(time_s(binomial, problem, MpiLibrary::open_mpi) ==
        time_s(*run->algorithm, run->problem, MpiLibrary::mpich));
  CHECK(time_s(binomial, problem, MpiLibrary::open_mpi) !=
        Approx(time_s(binomial, problem, MpiLibrary::mpich)));
}

TEST_CASE("The root of a linear scatter waits for its receivers only if blocks are large") {
  const auto under_way = [](MpiLibrary library, std::uint64_t block_bytes) {
    Problem problem;
    problem.collective = Collective::scatter;
    problem.ranks = 8;
    problem.bytes = 8 * block_bytes;
    return library_work(library, problem, "linear").under_way;
  };
  constexpr std::uint64_t kSmallestDirect = 256 * 1024;
  CHECK(under_way(MpiLibrary::open_mpi, kSmallestDirect - 1) == 0);
  CHECK(under_way(MpiLibrary::open_mpi, kSmallestDirect) == 1);
  CHECK(under_way(MpiLibrary::mpich, 4) == 1);
}

TEST_CASE("Libraries are recognised by name, and choose their barrier by the number of ranks") {
  CHECK(mpi_library_named("Open MPI 4.1.6") == MpiLibrary::open_mpi);
  CHECK(mpi_library_named("Cray MPICH 8.1") == MpiLibrary::mpich);
  CHECK(mpi_library_named("none") == MpiLibrary::other);
  // Thresholds of coll_tuned_decision_fixed.c in Open MPI 4.1. There, algorithm 1 is linear, 3 is
  // recursive doubling, 4 is Bruck's (dissemination), and 6 is a tree.
  constexpr const char* kDoubling = "barrier/recursive_doubling";
  constexpr const char* kBruck = "barrier/dissemination";
  const std::vector<std::tuple<std::uint32_t, std::uint32_t, std::string>> rows{
      {1, 3, kDoubling},
      {4, 7, "barrier/linear"},
      {8, 63, kDoubling},
      {64, 255, kBruck},
      {256, 511, "barrier/tree"},
      {512, 1023, kBruck},
      {1024, 4095, "barrier/tree"},
      {4096, 100000, kBruck}};
  for (const auto& [first, last, barrier] : rows) {
    CAPTURE(first, last);
    CHECK(barrier_of(MpiLibrary::open_mpi, first) == barrier);
    CHECK(barrier_of(MpiLibrary::open_mpi, last) == barrier);
    CHECK(barrier_of(MpiLibrary::mpich, first) == kBruck);
  }
}

}  // namespace tutti::test_message_runs
