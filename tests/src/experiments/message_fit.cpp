// Tests fits to times that the simulator itself has computed, so that the correct parameters are
// known.
#include "src/experiments/fit/message_fit.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "src/requests/message_file.hpp"
#include "src/requests/parameters.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_message_fit {
namespace {

MessageModel true_model() {
  MessageModel model;
  model.send_overhead_s = 4e-7;
  model.receive_overhead_s = 3e-7;
  model.latency_s = 9e-7;
  model.eager_bytes = 8192;
  model.handshake_s = 1.6e-6;
  model.rank_bytes_per_s = 5e9;
  model.reduce_s_per_byte = 2e-10;
  return model;
}

MessageModel start_model() {
  MessageModel model = true_model();
  model.latency_s = 3e-6;
  model.handshake_s = 5e-7;
  model.rank_bytes_per_s = 2e10;
  model.reduce_s_per_byte = 1e-9;
  return model;
}

const std::vector<std::string> kFitted{"latency_s", "handshake_s", "rank_bytes_per_s",
                                       "reduce_s_per_byte"};

BenchmarkPoint point(const char* job, const char* algorithm, std::uint32_t ranks,
                     std::uint64_t bytes) {
  BenchmarkPoint made;
  made.algorithm = &algorithm_named(algorithm);
  made.collective = made.algorithm->collective;
  made.algorithm_text = made.algorithm->name;
  made.ranks = ranks;
  made.bytes = bytes;
  made.job = job;
  made.cell =
      std::string(job) + '/' + std::string(name(made.collective)) + '/' + std::to_string(bytes);
  made.measured_s = 1;
  return made;
}

// Points of two jobs on a crossbar. Their times are simulated with `model`, and then multiplied by
// random factors whose logarithms have the standard deviation `noise`.
class MadePoints {
 public:
  explicit MadePoints(double noise, const MessageModel& model = true_model(),
                      const std::vector<JobKind>& kinds = {}) {
    for (const auto& [job, ranks] : {std::pair{"a", 8U}, std::pair{"b", 16U}}) {
      for (const std::uint64_t bytes : {512U, 8192U, 262144U, 1048576U}) {
        for (const char* algorithm : {"allreduce/ring", "allreduce/recursive_doubling",
                                      "allgather/ring", "allgather/bruck", "bcast/binomial"}) {
          points.push_back(point(job, algorithm, ranks, bytes));
        }
      }
    }
    std::ofstream file(folder_.path / "start.json");
    MessageFile start;
    start.model = start_model();
    start.job_kinds = kinds;
    write_message_file(start, file);
    file.close();
    MachineOptions options;
    options.platform = "crossbar:16,bw=25GBps,lat=0.5us";
    options.parameters = (folder_.path / "start.json").string();
    machines_.emplace(options, messages_, std::nullopt);
    const std::vector<MessageModel> truth{model};
    const std::vector<double> seconds = fitted().seconds(truth, all(), "making").front();
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].measured_s = seconds[i] * std::exp(noise * normal(random));
    }
  }

  [[nodiscard]] std::vector<std::size_t> all() const {
    std::vector<std::size_t> places(points.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = i;
    }
    return places;
  }
  [[nodiscard]] FittedPoints fitted() { return {points, all(), *machines_, {}, 2, messages_}; }
  [[nodiscard]] MessageFitResult fit(const std::vector<std::string>& names, double prior = 0) {
    return fit_messages(fit_request(start_model(), names, prior), fitted(), all(), "fitting");
  }

  std::vector<BenchmarkPoint> points;

 private:
  ScratchFolder folder_;
  std::optional<PointMachines> machines_;
  KeptMessages messages_;
};

double true_value(const FittedFigure& figure) { return true_model().*figure.parameter->value; }

}  // namespace

TEST_CASE("a fit finds exactly the parameters that made the times") {
  MadePoints made(0);
  const MessageFitResult fit = made.fit(kFitted);
  CHECK(fit.at_rest);
  CHECK(fit.error < 1e-3);
  CHECK(fit.error_before > 0.2);
  for (const FittedFigure& figure : fit.figures) {
    INFO(figure.parameter->name);
    CHECK(figure.fitted == Approx(true_value(figure)).epsilon(5e-3));
  }
  CHECK(fit.model.send_overhead_s == start_model().send_overhead_s);
}

TEST_CASE("a fit to noisy times: the true value lies between the bounds, even with an outlier") {
  MadePoints made(0.03);
  const MessageFitResult fit = made.fit(kFitted);
  for (const FittedFigure& figure : fit.figures) {
    INFO(figure.parameter->name);
    CHECK(figure.low < true_value(figure));
    CHECK(figure.high > true_value(figure));
    CHECK(figure.high / figure.low < 2);
  }
  CHECK(fit.error == Approx(0.02).margin(0.01));
  CHECK(fit.alike.empty());
  const MessageFitResult again = made.fit(kFitted);
  CHECK(again.model == fit.model);
  CHECK(again.figures[0].low == fit.figures[0].low);

  made.points[18].measured_s *= 20;
  const MessageFitResult disturbed = made.fit(kFitted);
  for (std::size_t j = 0; j < fit.figures.size(); ++j) {
    INFO(fit.figures[j].parameter->name);
    CHECK(disturbed.figures[j].fitted > fit.figures[j].low);
    CHECK(disturbed.figures[j].fitted < fit.figures[j].high);
  }
}

TEST_CASE("a fit refuses by name parameters that the points cannot determine") {
  MadePoints made(0.03);
  // No two ranks share a host, so node_latency_s has no effect.
  MessageModel start = start_model();
  start.node_latency_s = 1e-6;
  CHECK_THROWS_WITH(fit_messages(fit_request(start, {"latency_s", "node_latency_s"}, 0),
                                 made.fitted(), made.all(), "fitting"),
                    Catch::Contains("'node_latency_s': no point depends on this parameter"));
  // The time of a step of a ring contains only the sum of the two parameters, so the fit cannot
  // separate them.
  std::vector<std::size_t> rings;
  for (std::size_t i = 0; i < made.points.size(); ++i) {
    if (made.points[i].algorithm->full_name() == "allgather/ring") {
      rings.push_back(i);
    }
  }
  const std::vector<std::string> sum{"latency_s", "receive_overhead_s"};
  CHECK_THROWS_WITH(
      fit_messages(fit_request(start_model(), sum, 0), made.fitted(), rings, "fitting"),
      Catch::Contains("latency_s,receive_overhead_s") &&
          Catch::Contains("cannot tell these parameters apart"));
  const MessageFitResult held =
      fit_messages(fit_request(start_model(), sum, 0.05), made.fitted(), rings, "fitting");
  REQUIRE(held.alike.size() == 1);
  CHECK(held.alike[0].names.size() == 2);
  CHECK(held.alike[0].correlation < -0.9);
  CHECK_THROWS_WITH(
      fit_messages(fit_request(start_model(), kFitted, 0), made.fitted(), {0, 1, 2, 3}, "fitting"),
      Catch::Contains("4 points cannot determine 4 parameters; give at least 5 points"));
}

TEST_CASE("a fit refuses a parameter that it moves to a value without effect") {
  MessageModel without = true_model();
  without.handshake_s = 0;
  MadePoints made(0.01, without);
  CHECK_THROWS_WITH(made.fit({"latency_s", "handshake_s", "rank_bytes_per_s"}),
                    Catch::Contains("--fit 'handshake_s': the fit moves this parameter to") &&
                        Catch::Contains("leave the parameter out"));
  // With a prior, a parameter without effect stays near its start value.
  CHECK_NOTHROW(made.fit({"latency_s", "handshake_s", "rank_bytes_per_s"}, 0.05));
}

TEST_CASE("parameters that cannot be fitted are refused by name") {
  const auto refused = [](std::vector<std::string> names) {
    return [names = std::move(names)] { (void)fit_request(start_model(), names, 0); };
  };
  CHECK_THROWS_WITH(refused({"latncy_s"})(), Catch::Contains("did you mean 'latency_s'?"));
  CHECK_THROWS_WITH(refused({"latency_s", "latency_s"})(), Catch::Contains("twice"));
  CHECK_THROWS_WITH(refused({"host_gap_s"})(),
                    Catch::Contains("this parameter is 0 in --parameters"));
  CHECK_THROWS_WITH(refused({"memory_bytes_per_s"})(), Catch::Contains("infinite"));
  CHECK_THROWS_WITH(refused({"eager_bytes"})(), Catch::Contains("this is a size threshold"));
}

TEST_CASE(
    "bounds of a fit with a prior to hardly more points than parameters are those of the prior") {
  MadePoints made(0.03);
  const MessageFitResult fit = fit_messages(fit_request(start_model(), kFitted, 0.2), made.fitted(),
                                            {0, 1, 10, 11, 15, 18}, "fitting");
  for (const FittedFigure& figure : fit.figures) {
    INFO(figure.parameter->name);
    CHECK(figure.low > figure.fitted / 10);
    CHECK(figure.high < figure.fitted * 10);
    CHECK(figure.low < figure.fitted);
  }
  REQUIRE(fit.uncertainty.parameters.size() == 4);
  CHECK(root_of(fit.uncertainty.covariance, 4).size() == 16);
  CHECK(fit.uncertainty.jobs == 0);
  CHECK(fit.uncertainty.job_spread == kDefaultJobSpread);
}

TEST_CASE("the uncertainty of a fit survives its file") {
  MadePoints made(0.03);
  MessageFile file;
  file.fit.emplace();
  file.fit->points = 40;
  file.fit->uncertainty = made.fit(kFitted).uncertainty;
  std::ostringstream text;
  write_message_file(file, text);
  const auto parameters = parse_parameters(text.str());
  CHECK(parameters.uncertainty == file.fit->uncertainty);
}

TEST_CASE("the kinds of jobs and the barrier survive a file") {
  MessageFile file;
  JobKind kind{.nodes_from = 65,
               .nodes_to = 256,
               .values = {{find_message_parameter("latency_s"), 2e-6}},
               .source = "a queue"};
  file.job_kinds = {kind, {.ranks_per_node_from = 1.5}};
  file.barrier = "barrier/tree";
  std::ostringstream text;
  write_message_file(file, text);
  const Parameters read = parse_parameters(text.str());
  CHECK(read.barrier == "barrier/tree");
  REQUIRE(read.job_kinds.size() == 2);
  CHECK(read.job_kinds[0].values == kind.values);
  CHECK(read.job_kinds[0].source == "a queue");
  CHECK(read.job_kinds[0].includes(256, 9));
  CHECK_FALSE(read.job_kinds[0].includes(64, 1));
  CHECK_FALSE(read.job_kinds[1].includes(64, 1));
  const auto refused = [](const std::string& kinds, const std::string& barrier = "tree") {
    return [=] {
      (void)parse_parameters(
          R"({"schema": "tutti-messages/1", "machine": "", "library": "", "parameters": {}, )" +
          (R"("barrier": ")" + barrier + R"(", "job_kinds": [)") + kinds + "]}");
    };
  };
  CHECK_NOTHROW(refused(R"({"parameters": {}})")());
  CHECK_THROWS_WITH(
      refused(R"({"nodes_from": 9, "nodes_to": 8, "parameters": {}})")(),
      Catch::Contains("/job_kinds/0/nodes_from is 9; it must be at most nodes_to, which is 8"));
  CHECK_THROWS_WITH(refused(R"({"parameters": {"latency": 1}})")(),
                    Catch::Contains("did you mean 'latency_s'"));
  CHECK_THROWS_WITH(
      refused(R"({"parameters": {"latency_s": 2}})")(),
      Catch::Contains("/job_kinds/0/parameters/latency_s is 2; it must be from 0 s to 1 s"));
  CHECK_THROWS_WITH(refused(R"({"parameters": {"under_way": 2.5}})")(),
                    Catch::Contains("must be a whole number"));
  CHECK_THROWS_WITH(refused("", "tre")(), Catch::Contains("/barrier: ") && Catch::Contains("tree"));
}

TEST_CASE("a fit keeps the values of kinds of jobs") {
  // Job b has 16 nodes, and the truth of the fit is that of job a.
  MessageModel truth = true_model();
  MadePoints made(0, truth,
                  {{.nodes_from = 9, .values = {{find_message_parameter("latency_s"), 5e-6}}}});
  const MessageFitResult fit = made.fit(kFitted);
  CHECK(fit.error < 1e-3);
  CHECK(fit.model.latency_s == Approx(truth.latency_s).epsilon(0.01));
}

TEST_CASE("jobs are left out in turn: fitted to one, scored on the other") {
  MadePoints made(0.03);
  const auto left_out = leave_jobs_out(fit_request(start_model(), kFitted, 0), made.points,
                                       made.fitted(), made.all());
  REQUIRE(left_out.size() == 2);  // with two jobs, leaving one out means fitting to the other
  CHECK(left_out[0].job == "a");
  for (const SplitFit& each : left_out) {
    CHECK(each.refused.empty());
    REQUIRE(each.off);
    // A job has four cells of allreduce and four of allgather, with two algorithms each.
    CHECK(each.off->cells == 8);
    CHECK(each.off->points == 16);
    CHECK(each.off->error < 0.05);
  }
  for (BenchmarkPoint& each : made.points) {
    each.job = "a";
  }
  CHECK_THROWS_WITH(leave_jobs_out(fit_request(start_model(), kFitted, 0), made.points,
                                   made.fitted(), made.all()),
                    Catch::Contains("the only job is 'a'"));
}

}  // namespace tutti::test_message_fit
