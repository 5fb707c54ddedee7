#include "src/interchange/msccl.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "src/interchange/msccl_file.hpp"
#include "tests/schedules/problems.hpp"

using namespace tutti;

namespace {

constexpr std::string_view kHead =
    R"(<algo name="a" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" )"
    R"(inplace="1" outofplace="0" minBytes="0" maxBytes="0">)";

std::string gpu(int id, const std::string& blocks, int scratch = 2) {
  return fmt::format(R"(<gpu id="{}" i_chunks="2" o_chunks="2" s_chunks="{}">{}</gpu>)", id,
                     scratch, blocks);
}
std::string block(int id, int send, int receive, const std::string& steps, int channel = 0) {
  return fmt::format(R"(<tb id="{}" send="{}" recv="{}" chan="{}">{}</tb>)", id, send, receive,
                     channel, steps);
}
std::string step(int s, const std::string& type, const std::string& source,
                 const std::string& destination, int count, int depid = -1, int deps = -1,
                 int hasdep = 0) {
  return fmt::format(
      R"(<step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="{}" dstoff="{}" cnt="{}" )"
      R"(depid="{}" deps="{}" hasdep="{}"/>)",
      s, type, source.substr(0, 1), source.substr(1), destination.substr(0, 1),
      destination.substr(1), count, depid, deps, hasdep);
}

std::string with_head(const std::string& gpus, std::string_view head = kHead) {
  return fmt::format("{}{}</algo>", head, gpus);
}

// An allreduce: each GPU sends both chunks to the other one, which adds them. GPU 0 has the steps
// `first`.
std::string exchange(const std::string& first_steps) {
  const auto steps = [](int) {
    return step(0, "s", "i0", "o0", 2) + step(1, "rrc", "i0", "i0", 2);
  };
  return with_head(gpu(0, block(0, 1, 1, first_steps.empty() ? steps(0) : first_steps)) +
                   gpu(1, block(0, 0, 0, steps(1))));
}

std::string message_of(const std::string& text, const MscclCall& call = {}) {
  try {
    static_cast<void>(read_msccl(text, "f.xml", call));
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "accepted";
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("MSCCL is recognised by its element") {
  CHECK(is_msccl("<algo name=\"a\">"));
  CHECK(is_msccl("<!-- a -->\n <?xml version=\"1.0\"?>\n<algo\nname=\"a\">"));
  CHECK_FALSE(is_msccl("<algorithm>"));
  CHECK_FALSE(is_msccl("<!-- <algo "));
  CHECK_FALSE(is_msccl(""));
}

TEST_CASE("an exchange of MSCCL is an allreduce, although both GPUs send first") {
  const MscclAlgorithm read = read_msccl(exchange(""), "f", {});
  CHECK(read.notes.empty());
  CHECK_FALSE(read.out_of_place.has_value());
  REQUIRE(read.in_place.has_value());
  const Schedule& schedule = *read.in_place;
  CHECK(verify(schedule).proved());
  CHECK(schedule.problem().bytes == 16);
  CHECK(schedule.messages() == 2);
  CHECK(schedule.bytes_reduced() == 32);
}

TEST_CASE("a message of more chunks than the connection holds needs a waiting receiver") {
  // Both GPUs send before they receive. With Simple, the buffer of a connection holds two
  // transfers, each of which moves several chunks if they are small.
  const auto with_chunks = [](int chunks, std::string_view protocol) {
    const std::string steps = step(0, "s", "i0", "o0", chunks) + step(1, "rrc", "i0", "i0", chunks);
    const auto own_gpu = [&](int id) {
      return fmt::format(R"(<gpu id="{0}" i_chunks="{1}" o_chunks="{1}" s_chunks="0">{2}</gpu>)",
                         id, chunks, block(0, 1 - id, 1 - id, steps));
    };
    const std::string head =
        replaced(replaced(std::string(kHead), "Simple", protocol), "nchunksperloop=\"2\"",
                 fmt::format("nchunksperloop=\"{}\"", chunks));
    return with_head(own_gpu(0) + own_gpu(1), head);
  };
  CHECK(message_of(with_chunks(3, "Simple"), {.bytes = 24}) == "accepted");
  const std::uint64_t large = std::uint64_t{3} << 22U;  // 4 MiB for each chunk
  CHECK_THAT(message_of(with_chunks(3, "Simple"), {.bytes = large}),
             Catch::Contains("a deadlock at n = 12 MiB: gpu 0, thread block 0, step 0 waits for"));
  // Two chunks of any size fit.
  CHECK(message_of(with_chunks(2, "Simple"), {.bytes = std::uint64_t{2} << 30U}) == "accepted");
  // With LL, eight transfers fit.
  CHECK(message_of(with_chunks(8, "LL"), {.bytes = std::uint64_t{8} << 20U}) == "accepted");
  CHECK_THAT(message_of(with_chunks(9, "LL"), {.bytes = std::uint64_t{9} << 20U}),
             Catch::Contains("a deadlock"));
}

TEST_CASE("a wrong MSCCL file is not proved") {
  const auto findings = [](const std::string& text) {
    const MscclAlgorithm read = read_msccl(text, "f", {});
    return verify(read.in_place ? *read.in_place : *read.out_of_place,
                  {.claims = {},
                   .findings_per_kind = 3,
                   .search_budget = 1'000'000,
                   .work_starts_undefined = read.out_of_place.has_value()});
  };
  // A block is lost.
  CHECK(findings(exchange(step(0, "s", "i0", "o0", 2) + step(1, "r", "i0", "s0", 2)))
            .count(FindingKind::result) == 2);
  // A block is counted twice.
  CHECK(findings(exchange(step(0, "s", "i0", "o0", 2) + step(1, "rrc", "i0", "i0", 2) +
                          step(2, "re", "i1", "i1", 1)))
            .count(FindingKind::result) == 1);
  // The data are overwritten before they are sent, by another thread block.
  const std::string blocks =
      block(0, 1, -1, step(0, "s", "i0", "o0", 2)) + block(1, -1, 1, step(0, "rrc", "i0", "i0", 2));
  const std::string race = with_head(
      gpu(0, blocks) +
      gpu(1, block(0, 0, 0, step(0, "s", "i0", "o0", 2) + step(1, "rrc", "i0", "i0", 2))));
  CHECK(findings(race).count(FindingKind::race) > 0);
  // With a dependency, they are not.
  const std::string signal = block(0, 1, -1, step(0, "s", "i0", "o0", 2, -1, -1, 1)) +
                             block(1, -1, 1, step(0, "rrc", "i0", "i0", 2, 0, 0));
  const std::string ordered = with_head(
      gpu(0, signal) +
      gpu(1, block(0, 0, 0, step(0, "s", "i0", "o0", 2) + step(1, "rrc", "i0", "i0", 2))));
  CHECK(findings(ordered).proved());
  // Out of place, the output starts undefined.
  const std::string out_of_place =
      replaced(replaced(exchange(step(0, "s", "o0", "o0", 2) + step(1, "rrc", "o0", "o0", 2)),
                        "inplace=\"1\"", "inplace=\"0\""),
               "outofplace=\"0\"", "outofplace=\"1\"");
  CHECK_THAT(message_of(out_of_place), Catch::Contains("gpu 1, thread block 0, step 1: writes to "
                                                       "the input, which belongs to the caller"));
  const std::string only_outputs = [&] {
    std::string text = out_of_place;
    while (text.find("buf=\"i\"") != std::string::npos) {
      text = replaced(text, "buf=\"i\"", "buf=\"o\"");
    }
    return text;
  }();
  CHECK(findings(only_outputs).count(FindingKind::undefined_read) > 0);
}

namespace {

constexpr int kGpus = 4;

// A file for four GPUs with both forms, whose thread blocks are `blocks(gpu)`.
template <typename Blocks>
std::string both_forms(std::string_view collective, int chunks, int inputs, const Blocks& blocks) {
  std::string text = fmt::format(
      R"(<algo name="a" proto="Simple" nchannels="1" nchunksperloop="{}" ngpus="{}" coll="{}" )"
      R"(inplace="1" outofplace="1" minBytes="0" maxBytes="0">)",
      chunks, kGpus, collective);
  for (int id = 0; id < kGpus; ++id) {
    text += fmt::format(R"(<gpu id="{}" i_chunks="{}" o_chunks="{}" s_chunks="0">{}</gpu>)", id,
                        inputs, chunks, blocks(id));
  }
  return text + "</algo>";
}

// A ring in which each GPU copies its chunk to the output in one thread block, and sends it from
// the input in another.
std::string ring_allgather() {
  return both_forms("allgather", kGpus, 1, [](int id) {
    const auto output = [&](int distance) {
      return fmt::format("o{}", (id + kGpus - distance) % kGpus);
    };
    std::string ring = step(0, "s", "i0", "o0", 1);
    for (int distance = 1; distance < kGpus; ++distance) {
      const std::string type = distance < kGpus - 1 ? "rcs" : "r";
      ring += step(distance, type, output(distance), output(distance), 1);
    }
    return block(0, -1, -1, step(0, "cpy", "i0", output(0), 1)) +
           block(1, (id + 1) % kGpus, (id + kGpus - 1) % kGpus, ring);
  });
}

// A chain in which the root copies its chunks to the output while it sends them.
std::string chain_bcast() {
  return both_forms("broadcast", 2, 2, [](int id) {
    const int next = id + 1 < kGpus ? id + 1 : -1;
    const std::string type = id == 0 ? "s" : next < 0 ? "r" : "rcs";
    const std::string buffer = id == 0 ? "i" : "o";
    std::string steps;
    for (int chunk = 0; chunk < 2; ++chunk) {
      steps += step(chunk, type, fmt::format("{}{}", buffer, chunk), fmt::format("o{}", chunk), 1);
    }
    return block(0, next, id - 1, steps) +
           (id == 0 ? block(1, -1, -1, step(0, "cpy", "i0", "o0", 2)) : "");
  });
}

}  // namespace

TEST_CASE("in place, a copy of chunks onto themselves does not race with steps that read them") {
  for (const std::string& text : {ring_allgather(), chain_bcast()}) {
    const MscclAlgorithm read = read_msccl(text, "f", {});
    REQUIRE((read.in_place && read.out_of_place));
    CHECK(verify(*read.in_place).proved());
    VerifyOptions options;
    options.work_starts_undefined = true;
    CHECK(verify(*read.out_of_place, options).proved());
  }
}

TEST_CASE("rounds follow the data, not the order inside a thread block") {
  const MscclAlgorithm read = read_msccl(chain_bcast(), "t", {.bytes = 16});
  std::set<std::uint32_t> rounds;
  for (const Op& op : read.out_of_place.value().ops()) {
    if (op.is_comm()) {
      rounds.insert(op.label().level);
    }
  }
  // Each of the two chunks goes over three messages; the second one waits for the first.
  CHECK(rounds == std::set<std::uint32_t>{0, 1, 2});
}

TEST_CASE("in place, a copy of chunks onto themselves is a race with a step that writes them") {
  // The copy may read a chunk before the sum is written, and write it afterwards.
  const std::string text = with_head(
      gpu(0, block(0, 1, 1, step(0, "s", "i0", "o0", 2) + step(1, "rrc", "i0", "i0", 2)) +
                 block(1, -1, -1, step(0, "cpy", "i0", "o0", 2))) +
      gpu(1, block(0, 0, 0, step(0, "s", "i0", "o0", 2) + step(1, "rrc", "i0", "i0", 2))));
  CHECK(verify(*read_msccl(text, "f", {}).in_place).count(FindingKind::race) > 0);
}

TEST_CASE("each fault of an MSCCL file is named") {
  const std::string good = exchange("");
  const std::string send = step(0, "s", "i0", "o0", 2);
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {replaced(good, "</algo>", ""), "not well-formed XML"},
           {replaced(good, "coll=\"allreduce\"", "coll=\"allredce\""),
            "coll 'allredce': expected allreduce, reduce"},
           {replaced(good, "coll=\"allreduce\"", "coll=\"custom\""), "coll 'custom': expected"},
           {replaced(good, "Simple", "simple"), "proto 'simple': expected Simple, LL or LL128"},
           {replaced(good, " ngpus=\"2\"", ""), "<algo> has no ngpus"},
           {replaced(good, "ngpus=\"2\"", "ngpus=\"3\""), "gpu 2 is missing; ngpus is 3"},
           {replaced(good, "gpu id=\"1\"", "gpu id=\"0\""), "a second gpu 0"},
           {replaced(good, "inplace=\"1\"", "inplace=\"0\""), "inplace and outofplace are both 0"},
           {replaced(good, "coll=\"allreduce\"", "coll=\"allgather\""), "chunk 1 of the input"},
           {replaced(good, "send=\"1\"", "send=\"0\""), "gpu 0 is its own peer"},
           {replaced(good, "send=\"1\"", "send=\"-1\""), "'s' sends, but thread block 0 has no"},
           {replaced(good, "recv=\"1\"", "recv=\"-1\""), "'rrc' receives, but thread block 0 has"},
           {replaced(good, "s=\"1\" type", "s=\"2\" type"), "step 2: expected step 1, because"},
           {replaced(good, "type=\"s\"", "type=\"send\""), "type 'send': expected s, r, rcs"},
           {replaced(good, "srcoff=\"0\"", "srcoff=\"1\""),
            "srcoff 1 and 2 chunks: i has 2 chunks"},
           {replaced(good, "srcbuf=\"i\"", "srcbuf=\"x\""), "srcbuf 'x': expected i, o or s"},
           {replaced(good, "cnt=\"2\"", "cnt=\"1\""),
            "gpu 1, thread block 0, step 1: receives 2 chunks, but gpu 0, thread block 0, step 0 "
            "sends 1"},
           {replaced(good, "chan=\"0\"", "chan=\"1\""), "chan 1: nchannels is 1"},
           {replaced(good, "cnt=\"2\"", "cnt=\"0\""), "cnt 0: a step must have chunks"},
           {replaced(good, "depid=\"-1\"", "depid=\"128\""), "depid 128: the executor can wait"},
           {exchange(step(0, "re", "s0", "o0", 2) + step(1, "re", "s1", "o0", 1)),
            "the executor joins this reduction with step 0"},
           {with_head(gpu(0, block(0, 1, 1, step(0, "cpy", "s0", "s1", 2)), 3) + gpu(1, "")),
            "step 0: its source and its destination overlap"},
           {with_head(gpu(0, block(0, 1, 1,
                                   step(0, "re", "i1", "o0", 1) + step(1, "re", "i0", "o1", 1))) +
                      gpu(1, "")),
            "accepted"},
           {exchange(send + step(1, "nop", "i0", "o0", 0) + step(2, "rrc", "i0", "i0", 2)),
            "step 1 is a nop that waits for nothing"},
           {exchange(send),
            "gpu 1, thread block 0, step 0: sends, but gpu 0 has no receive for it "
            "on channel 0"},
           {exchange(step(0, "rrc", "i0", "i0", 2)),
            "gpu 1, thread block 0, step 1: receives, but gpu 0 does not send it on channel 0"},
           {exchange(step(0, "rrc", "i0", "i0", 2) + step(1, "s", "i0", "o0", 2, 4, 0)),
            "waits for thread block 4, but gpu 0 has 1 thread block"},
           {exchange(send + step(1, "rrc", "i0", "i0", 2, 0, 0)),
            "waits forever for step 0 of thread block 0"},
           {replaced(
                with_head(gpu(0, block(0, 1, -1, send) + block(2, 1, -1, send, 1)) + gpu(1, "")),
                "nchannels=\"1\"", "nchannels=\"2\""),
            "gpu 0 has no thread block 1, but has a thread block 2"},
           {with_head(gpu(0, block(0, 1, -1, send) + block(1, 1, -1, send)) + gpu(1, "")),
            "gpu 0: thread blocks 0 and 1 both send to gpu 1 on channel 0"}}) {
    CAPTURE(text);
    CHECK_THAT(message_of(text), Catch::Contains(expected));
  }
  // Each GPU receives before it sends.
  const std::string steps = step(0, "rrc", "i0", "i0", 2) + step(1, "s", "i0", "o0", 2);
  CHECK_THAT(
      message_of(with_head(gpu(0, block(0, 1, 1, steps)) + gpu(1, block(0, 0, 0, steps)))),
      Catch::Contains("a deadlock at n = 16 bytes: gpu 0, thread block 0, step 0 waits for"));
  CHECK_THAT(message_of(good, {.bytes = 24}), Catch::Contains("is for multiples of 16 bytes"));
}

TEST_CASE("steps that use more scratch together than the vector has are split") {
  // GPU 0 sends its two chunks through five chunks of scratch, in steps that share some of them.
  const std::string through = step(0, "cpy", "i0", "s0", 2) + step(1, "cpy", "s0", "s2", 2) +
                              step(2, "cpy", "s1", "s3", 2) + step(3, "s", "s2", "o0", 2) +
                              step(4, "rrc", "i0", "i0", 2);
  const std::string text = with_head(
      gpu(0, block(0, 1, 1, through), 5) +
      gpu(1, block(0, 0, 0, step(0, "s", "i0", "o0", 2) + step(1, "rrc", "i0", "i0", 2))));
  const MscclAlgorithm read = read_msccl(text, "f", {});
  REQUIRE(read.in_place.has_value());
  CHECK(read.notes.size() == 1);
  CHECK(read.in_place->messages() == 4);
  CHECK(verify(*read.in_place).proved());
  // If chunk 3 comes from chunk 0, chunk 0 is added up twice.
  const std::string wrong = replaced(text, "srcbuf=\"s\" srcoff=\"1\" dstbuf=\"s\" dstoff=\"3\"",
                                     "srcbuf=\"s\" srcoff=\"0\" dstbuf=\"s\" dstoff=\"3\"");
  CHECK(verify(*read_msccl(wrong, "f", {}).in_place).count(FindingKind::result) > 0);
}

TEST_CASE("notes say why the executor would not use a file") {
  const auto first_note = [](const std::string& text, const MscclCall& call = {}) {
    const MscclAlgorithm read = read_msccl(text, "f", call);
    return read.notes.empty() ? std::string() : read.notes.front();
  };
  const std::string good = exchange("");
  CHECK(first_note(good) == "");
  CHECK_THAT(first_note(replaced(good, " minBytes=\"0\"", "")),
             Catch::Contains("<algo> has no minBytes; add minBytes=\"0\""));
  CHECK_THAT(first_note(replaced(good, " outofplace=\"0\"", "")),
             Catch::Contains("<algo> has no outofplace; add outofplace=\"0\""));
  CHECK_THAT(first_note("<?xml version=\"1.0\"?>\n" + good), Catch::Contains("never ends"));
  CHECK_THAT(first_note(replaced(good, "nchannels=\"1\"", "nchannels=\"33\"")),
             Catch::Contains("nchannels 33: the maximum is 32"));
  CHECK_THAT(first_note(replaced(good, "maxBytes=\"0\"", "maxBytes=\"8\""), {.bytes = 16}),
             Catch::Contains("would not use the file for 16 bytes: it is for 0 bytes to 8 bytes"));
  CHECK_THAT(
      first_note(exchange(step(0, "s", "i0", "o0", 2, -1, -1, 1) +
                          step(1, "nop", "i0", "o0", 0, 0, 0) + step(2, "rrc", "i0", "i0", 2))),
      Catch::Contains("step 2 waits for nothing itself, but follows a nop that waits"));
}

TEST_CASE("MSCCL files of many peers or steps get a note") {
  const auto has_note = [](int gpus, int steps, std::string_view expected) {
    std::string text;
    for (int id = 0; id < gpus; ++id) {
      std::string blocks;
      std::string local;
      for (int s = 0; s < (id == 0 ? steps : 0); ++s) {
        local += step(s, "cpy", "i0", "s0", 1);
      }
      int number = 0;
      for (int other = 0; other < gpus; ++other) {
        if (other != id && (id == 0 || other == 0)) {
          blocks += block(number++, other, other,
                          step(0, "s", "i0", "s0", 1) + step(1, "r", "s0", "s1", 1));
        }
      }
      blocks += block(number, -1, -1, local);
      text += fmt::format(R"(<gpu id="{}" i_chunks="{}" o_chunks="{}" s_chunks="2">{}</gpu>)", id,
                          gpus, gpus, blocks);
    }
    const std::string head =
        replaced(replaced(std::string(kHead), "ngpus=\"2\"", fmt::format("ngpus=\"{}\"", gpus)),
                 "nchunksperloop=\"2\"", fmt::format("nchunksperloop=\"{}\"", gpus));
    const auto notes = parse_msccl(with_head(text, head), "f").notes;
    return std::ranges::any_of(
        notes, [&](const std::string& note) { return note.find(expected) != std::string::npos; });
  };
  CHECK_FALSE(has_note(33, 1, "peers"));
  CHECK(has_note(34, 1, "gpu 0 has more than 32 peers on channel 0"));
  CHECK_FALSE(has_note(2, 4090, "elements"));  // 4096 elements
  CHECK(has_note(2, 4091, "the maximum is 4096"));
}

TEST_CASE("MSCCL cannot carry some schedules, and says why") {
  const auto message = [](std::string_view algorithm, std::uint64_t bytes) {
    const Algorithm& known = algorithm_named(std::string(algorithm));
    std::ostringstream out;
    try {
      write_msccl(make_schedule(known, problem_of(known, 4, bytes / 8)), algorithm, out);
    } catch (const UserError& error) {
      return with_fields(error.what());
    }
    return std::string("written");
  };
  CHECK(message("allreduce/ring", 64) == "written");
  CHECK(message("scan/recursive_doubling", 64) == "scan/recursive_doubling: MSCCL has no scan");
  CHECK_THAT(message("allreduce/ring", 72), Catch::Contains("the blocks differ in size"));
  CHECK_THAT(message("allreduce/nvls", 64), Catch::Contains("MSCCL has no switches"));
}
