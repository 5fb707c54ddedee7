#include "src/experiments/sweep/query_views.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "src/experiments/sweep/query_choices.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr const char* kSetting =
    "collective, platform, platform_id, engine, network_model, iif(ports = 0, 'unlimited', ports) "
    "AS ports, ranks_per_host, placement, prices, element_bytes, root, version, ranks, bytes";

constexpr const char* kCells = R"(
SELECT {}, algorithm, options, status, message, simulated_s, longest_path_s, exact_s, published_s,
  ties_least_s, ties_median_s, ties_most_s, build, recorded_at, bound_s,
  of_limit, figures, effort
FROM runs ORDER BY position)";

constexpr const char* kBest = R"(
WITH second AS (
  SELECT question, algorithm AS second_algorithm, options AS second_options, time_s AS second_s,
    below_s AS second_below_s, above_s AS second_above_s, min(rank)
  FROM runs WHERE slower GROUP BY question)
SELECT {}, algorithm, options,
  time_s AS simulated_s, time_s - below_s AS simulated_least_s, time_s + above_s AS simulated_most_s,
  bound_s, of_limit,
  (SELECT json_group_array(label) FROM (
    SELECT label FROM runs AS other
    WHERE other.question = runs.question AND NOT other.slower AND other.rank > 1
    ORDER BY other.rank)) AS equal,
  second_algorithm, second_options,
  second_s, second_s - second_below_s AS second_least_s, second_s + second_above_s AS second_most_s,
  loss(second_s, second_below_s, second_above_s, time_s, below_s, above_s) AS margin, contenders
FROM runs LEFT JOIN second USING (question)
WHERE rank = 1 AND contenders > 0 ORDER BY question)";

constexpr const char* kTimes = R"(
WITH
labels AS (
  SELECT DISTINCT label, instr(label, ' --segment ') AS at,
    substr(label, instr(label, ' --segment ') + length(' --segment ')) AS segment
  FROM runs),
unsegmented AS (
  SELECT label,
    iif(at, substr(label, 1, at - 1) || substr(segment, instr(segment || ' ', ' ')), label) AS rest
  FROM labels),
names AS (SELECT *, count(*) OVER (PARTITION BY rest) > 1 AS shared FROM unsegmented)
SELECT {}, iif(shared, rest, label) AS name, min(time_s) AS time_s, shared
FROM runs JOIN names USING (label) GROUP BY question, name ORDER BY question, name)";

constexpr const char* kMakeLosses = R"(
CREATE TABLE losses AS
WITH chosen AS (
  SELECT question, algorithm AS ran, options AS ran_options, time_s AS ran_s,
    below_s AS ran_below_s, above_s AS ran_above_s, message AS ran_message, min(position)
  FROM choices JOIN runs USING (question)
  WHERE algorithm = chosen AND options IN (chosen_options, other_options) GROUP BY question)
SELECT *, loss(ran_s, ran_below_s, ran_above_s, time_s, below_s, above_s) AS loss,
  ran IS NULL AND why_not = '' AS missing
FROM runs JOIN choices USING (question) LEFT JOIN chosen USING (question) WHERE rank = 1)";

constexpr const char* kLosses = R"(
SELECT {}, ifnull(ran, chosen) AS algorithm, ifnull(ran_options, chosen_options) AS options,
  ran_s AS simulated_s, ran_s - ran_below_s AS simulated_least_s,
  ran_s + ran_above_s AS simulated_most_s,
  algorithm AS best_algorithm, options AS best_options,
  time_s AS best_s, time_s - below_s AS best_least_s, time_s + above_s AS best_most_s,
  loss, ifnull(ran_message, why_not) AS message
FROM losses WHERE NOT in_between AND NOT missing AND NOT ifnull(loss <= ?1, 0) ORDER BY question)";

// One row.
constexpr const char* kTotals = R"(
WITH
judged AS (SELECT * FROM losses WHERE NOT in_between),
worst AS (
  SELECT loss AS worst, ranks AS worst_ranks, bytes AS worst_bytes
  FROM judged WHERE loss IS NOT NULL ORDER BY loss DESC, question LIMIT 1),
lacking AS (
  SELECT chosen || iif(chosen_options = '', '', ' ' || chosen_options) AS lacking,
    ranks AS lacking_ranks, bytes AS lacking_bytes
  FROM judged WHERE missing ORDER BY question LIMIT 1)
SELECT ?1 AS against, count(*) AS cells, count(loss) AS judged, total(loss) AS sum,
  count(*) FILTER (WHERE missing) AS missing,
  (SELECT count(*) FROM losses WHERE in_between) AS in_between, worst.*, lacking.*
FROM judged LEFT JOIN worst LEFT JOIN lacking)";

template <typename... Parameter>
SqlRows select(Database& runs, const char* sql, const Parameter&... parameters) {
  Statement statement(runs, fmt::format(fmt::runtime(sql), kSetting));
  (statement.bind(1, parameters), ...);
  return statement.rows();
}

}  // namespace

QueryTable cells_view(Database& runs) { return {"cells", select(runs, kCells), {}}; }

QueryTable best_view(Database& runs) { return {"best", select(runs, kBest), {}}; }

QueryTable times_view(Database& runs) { return {"times", select(runs, kTimes), {}}; }

QueryTable losses_view(Database& runs, const std::string& against,
                       std::optional<double> more_than) {
  std::string judged = against;
  std::error_code error;
  if (!has_algorithm(runs, against) && std::filesystem::is_regular_file(against, error)) {
    choose_by_file(runs, against);
  } else {
    judged = choose_algorithm(runs, against);
  }
  runs.run(kMakeLosses);
  return {"losses", select(runs, kLosses, more_than), select(runs, kTotals, judged)};
}

}}  // namespace tutti::experiments
