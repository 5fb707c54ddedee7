#include "src/interchange/msccl_file.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace interchange {

namespace {

// The executor has 16 bits for the numbers of GPUs and chunks.
constexpr std::uint32_t kMostGpus = 1U << 15U;
constexpr std::uint32_t kMostChunks = 1U << 15U;
// On all GPUs together, so that a small file cannot ask for any amount of memory.
constexpr std::uint64_t kMostScratch = std::uint64_t{1} << 26U;
constexpr std::uint64_t kMostMoved = std::uint64_t{1} << 25U;
constexpr std::size_t kMostNotes = 5;

// The name of a collective in a file, and the collective.
struct MscclCollective {
  std::string_view name;
  Collective collective;
};
constexpr std::array<MscclCollective, 8> kMscclCollectives{
    {{"allreduce", Collective::allreduce},
     {"reduce", Collective::reduce},
     {"broadcast", Collective::bcast},
     {"allgather", Collective::allgather},
     {"reducescatter", Collective::reduce_scatter},
     {"alltoall", Collective::alltoall},
     {"gather", Collective::gather},
     {"scatter", Collective::scatter}}};

class MscclParser {
 public:
  MscclParser(std::string_view text, std::string_view file, std::optional<Collective> collective)
      : text_(text), file_(file), collective_(collective) {}

  MscclFile parse() {
    const pugi::xml_parse_result parsed =
        document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_auto);
    if (!parsed) {
      fail_at(parsed.offset, fmt::format("not well-formed XML: {}", parsed.description()));
    }
    if (trimmed(text_.substr(0, text_.find('>'))).starts_with("<?")) {
      note("its reader takes <?xml ...?> for an element that never ends; leave this line out");
    }
    const pugi::xml_node algo = document_.document_element();
    read_algorithm(algo);
    for (const pugi::xml_node gpu : algo.children("gpu")) {
      read_gpu(gpu);
    }
    for (std::size_t id = 0; id < gpus_seen_.size(); ++id) {
      if (!gpus_seen_[id]) {
        fail(algo, fmt::format("gpu {} is missing; ngpus is {}", id, gpus_seen_.size()));
      }
    }
    return std::move(read_);
  }

 private:
  [[noreturn]] void fail_at(std::ptrdiff_t offset, const std::string& what) const {
    const auto before =
        text_.substr(0, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
    throw UserError(fmt::format("'{}', line {}: {}", printable(file_),
                                1 + std::ranges::count(before, '\n'), printable(what)));
  }
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& what) const {
    fail_at(node.offset_debug(), what);
  }

  void note(const std::string& text) {
    if (read_.notes.size() < kMostNotes) {
      read_.notes.push_back("the executor would not load the file: " + text);
    }
  }

  [[nodiscard]] std::string_view text(const pugi::xml_node& node, const char* name) const {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) {
      fail(node, fmt::format("<{}> has no {}", node.name(), name));
    }
    return attribute.value();
  }

  std::int64_t number(const pugi::xml_node& node, const char* name, std::int64_t least,
                      std::int64_t most) const {
    const std::string_view given = text(node, name);
    const auto value = parsed_number<std::int64_t>(given);
    if (!value || *value < least || *value > most) {
      fail(node, fmt::format("{} '{}': expected a whole number from {} to {}", name,
                             shortened(std::string(given)), least, most));
    }
    return *value;
  }
  std::uint32_t count(const pugi::xml_node& node, const char* name, std::uint32_t most) const {
    return static_cast<std::uint32_t>(number(node, name, 0, most));
  }
  // Reads an attribute that msccl-tools does not write, but the executor needs.
  std::uint64_t needed(const pugi::xml_node& node, const char* name, std::int64_t most,
                       std::uint64_t otherwise) {
    if (!node.attribute(name)) {
      note(fmt::format("<algo> has no {}; add {}=\"{}\"", name, name, otherwise));
      return otherwise;
    }
    return static_cast<std::uint64_t>(number(node, name, 0, most));
  }

  void read_algorithm(const pugi::xml_node& algo) {
    read_.name = algo.attribute("name").value();
    read_.collective = collective(algo);
    const std::string_view protocol = text(algo, "proto");
    const auto known = std::ranges::find(kMscclProtocols, protocol);
    if (known == kMscclProtocols.end()) {
      fail(algo, fmt::format("proto '{}': expected {}", protocol, alternatives(kMscclProtocols)));
    }
    read_.protocol = static_cast<MscclProtocol>(known - kMscclProtocols.begin());
    if (!algo.attribute("nchunksperloop") && algo.child("gpu").child("tb").child("op")) {
      fail(algo,
           "this is the form with <op>, which no executor reads; let msccl-tools write the "
           "form with <step> (old_format=True)");
    }
    read_.channels = count(algo, "nchannels", kMostChunks);
    if (read_.channels > kMostMscclChannels) {
      note(fmt::format("nchannels {}: the maximum is {}", read_.channels, kMostMscclChannels));
    }
    read_.chunks = static_cast<std::uint32_t>(number(algo, "nchunksperloop", 1, kMostChunks));
    const auto gpus = static_cast<std::uint32_t>(number(algo, "ngpus", 1, kMostGpus));
    if (has_parts(read_) && read_.chunks % gpus != 0) {
      fail(algo, fmt::format("nchunksperloop {}: in {}, every GPU owns the same number of chunks, "
                             "so it must be a multiple of ngpus, {}",
                             read_.chunks, msccl_name(read_.collective), gpus));
    }
    read_.gpus.resize(gpus);
    gpus_seen_.resize(gpus);
    read_.in_place = number(algo, "inplace", 0, 1) == 1;
    read_.out_of_place = needed(algo, "outofplace", 1, read_.in_place ? 0 : 1) == 1;
    constexpr auto kMost = static_cast<std::int64_t>(kMaxMessageBytes);
    read_.least_bytes = needed(algo, "minBytes", kMost, 0);
    read_.most_bytes = needed(algo, "maxBytes", kMost, 0);
    if (!read_.in_place && !read_.out_of_place) {
      fail(algo, "inplace and outofplace are both 0, so the file serves no call");
    }
  }

  [[nodiscard]] Collective collective(const pugi::xml_node& algo) {
    std::vector<std::string> names;
    std::vector<std::string_view> ours;
    for (const MscclCollective& each : kMscclCollectives) {
      names.emplace_back(each.name);
      ours.push_back(tutti::name(each.collective));
    }
    if (!algo.attribute("coll")) {
      if (!collective_) {
        fail(algo,
             fmt::format("<algo> has no coll, so the file does not name its collective, which "
                         "is {}; give $collective, or, where algorithms are compared, write "
                         "the collective first and the file as $with",
                         alternatives(ours)));
      }
      const std::string_view in_file = msccl_name(*collective_);
      if (in_file.empty()) {
        throw UserError(fmt::format("$collective '{}': expected a collective of MSCCL files: {}",
                                    tutti::name(*collective_), alternatives(ours)));
      }
      note(fmt::format("<algo> has no coll; add coll=\"{}\"", in_file));
      return *collective_;
    }
    const std::string_view given = text(algo, "coll");
    const auto known = std::ranges::find(kMscclCollectives, given, &MscclCollective::name);
    if (known != kMscclCollectives.end()) {
      return known->collective;
    }
    fail(algo, fmt::format("coll '{}': {}", shortened(std::string(given)),
                           accepted_words(std::string(given), names)));
  }

  void read_gpu(const pugi::xml_node& node) {
    const auto gpus = static_cast<std::uint32_t>(gpus_seen_.size());
    const std::uint32_t id = count(node, "id", gpus - 1);
    if (gpus_seen_[id]) {
      fail(node, fmt::format("a second gpu {}", id));
    }
    gpus_seen_[id] = true;
    gpu_ = id;
    MscclGpu& gpu = read_.gpus[id];
    gpu.input_chunks = count(node, "i_chunks", kMostChunks);
    gpu.output_chunks = count(node, "o_chunks", kMostChunks);
    gpu.scratch_chunks = count(node, "s_chunks", kMostChunks);
    scratch_ += gpu.scratch_chunks;
    if (scratch_ > kMostScratch) {
      fail(node,
           fmt::format("up to here, the GPUs have more than {} chunks of scratch", kMostScratch));
    }
    for (const pugi::xml_node block : node.children("tb")) {
      read_block(block, gpu);
    }
    std::size_t elements = 2 + gpu.blocks.size();  // <algo>, <gpu>, <tb>, <step>
    for (const MscclBlock& block : gpu.blocks) {
      elements += block.steps.size();
    }
    if (elements > kMostMscclElements) {
      note(fmt::format("gpu {} and what it contains are {} elements; the maximum is {}", id,
                       elements, kMostMscclElements));
    }
    std::ranges::sort(gpu.blocks, {}, &MscclBlock::id);
    for (std::size_t i = 0; i < gpu.blocks.size(); ++i) {
      if (gpu.blocks[i].id != i) {
        fail(node, gpu.blocks[i].id < i
                       ? fmt::format("gpu {} has two thread blocks {}", id, gpu.blocks[i].id)
                       : fmt::format("gpu {} has no thread block {}, but has a thread block {}", id,
                                     i, gpu.blocks[i].id));
      }
    }
    check_connections(node, gpu);
  }

  // The executor connects a thread block to its peers by the channel, so that two thread blocks
  // with the same peer need different channels.
  void check_connections(const pugi::xml_node& node, const MscclGpu& gpu) {
    for (const auto peer : {&MscclBlock::send_peer, &MscclBlock::receive_peer}) {
      std::map<std::uint32_t, std::uint32_t> peers;  // of each channel
      for (const MscclBlock& block : gpu.blocks) {
        if (block.*peer >= 0 && ++peers[block.channel] == kMostMscclBlocksPerChannel + 1) {
          note(fmt::format("gpu {} has more than {} peers on channel {}", gpu_,
                           kMostMscclBlocksPerChannel, block.channel));
        }
      }
    }
    for (std::size_t i = 0; i < gpu.blocks.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const MscclBlock& a = gpu.blocks[j];
        const MscclBlock& b = gpu.blocks[i];
        const bool send = a.send_peer >= 0 && a.send_peer == b.send_peer;
        const bool receive = a.receive_peer >= 0 && a.receive_peer == b.receive_peer;
        if (a.channel == b.channel && (send || receive)) {
          fail(node, fmt::format("gpu {}: thread blocks {} and {} both {} gpu {} on channel {}",
                                 gpu_, a.id, b.id, send ? "send to" : "receive from",
                                 send ? a.send_peer : a.receive_peer, a.channel));
        }
      }
    }
  }

  void read_block(const pugi::xml_node& node, MscclGpu& gpu) {
    const auto last_gpu = static_cast<std::int64_t>(gpus_seen_.size()) - 1;
    MscclBlock block;
    block.id = count(node, "id", kMostMscclChannels * kMostMscclBlocksPerChannel - 1);
    block.send_peer = static_cast<std::int32_t>(number(node, "send", -1, last_gpu));
    block.receive_peer = static_cast<std::int32_t>(number(node, "recv", -1, last_gpu));
    for (const std::int32_t peer : {block.send_peer, block.receive_peer}) {
      if (peer == static_cast<std::int32_t>(gpu_)) {
        fail(node, fmt::format("gpu {} is its own peer", gpu_));
      }
    }
    // msccl-tools writes -1 for a thread block that only copies.
    const std::int64_t channel = number(node, "chan", -1, kMostMscclChannels);
    if (channel < 0) {
      note(fmt::format("thread block {} of gpu {} has channel -1", block.id, gpu_));
    }
    block.channel = static_cast<std::uint32_t>(std::max<std::int64_t>(channel, 0));
    if (block.channel >= read_.channels && (block.send_peer >= 0 || block.receive_peer >= 0)) {
      fail(node,
           fmt::format("chan {}: nchannels is {}, and the executor connects no other channels",
                       block.channel, read_.channels));
    }
    bool waits = false;  // a nop waits on behalf of the next step
    std::optional<MscclStep> joined;
    for (const pugi::xml_node step : node.children("step")) {
      block.steps.push_back(read_step(step, gpu, block));
      check_joined(step, block.steps.back(), joined);
      const MscclStep& last = block.steps.back();
      const bool nop = last.type == MscclType::nothing;
      const std::string name = name_of_step(gpu_, block.id, last.number);
      if (nop && last.waits_for_block < 0) {
        fail(step,
             fmt::format("{} is a nop that waits for nothing, which shifts the numbers of the "
                         "steps in the executor",
                         name));
      }
      if (waits && last.waits_for_block < 0) {
        note(name + " waits for nothing itself, but follows a nop that waits");
      }
      waits = nop && last.waits_for_block >= 0;
    }
    if (block.steps.size() > kMostMscclSteps) {
      note(fmt::format("thread block {} of gpu {} has {} steps; the maximum is {}", block.id, gpu_,
                       block.steps.size(), kMostMscclSteps));
    }
    gpu.blocks.push_back(std::move(block));
  }

  // The executor joins reductions that follow one another and have the same destination, if only
  // the first one waits and none before the last signals. It then uses the last one's number of
  // chunks for all of them, and reads the destination only once. `joined` is the reduction before.
  void check_joined(const pugi::xml_node& node, const MscclStep& step,
                    std::optional<MscclStep>& joined) const {
    if (step.type == MscclType::nothing) {
      return;
    }
    const auto same = [](const MscclRegion& a, const MscclRegion& b) {
      return a.buffer == b.buffer && a.first == b.first;
    };
    if (step.type == MscclType::reduce && joined && step.waits_for_block < 0 &&
        same(step.destination, joined->destination) &&
        step.source.buffer == joined->source.buffer &&
        (step.count != joined->count || same(step.source, step.destination))) {
      fail(node, fmt::format("the executor joins this reduction with step {}, which has the same "
                             "destination, but another number of chunks or the destination as "
                             "source; let a step between them signal",
                             joined->number));
    }
    joined = step.type == MscclType::reduce && !step.signals ? std::optional(step) : std::nullopt;
  }

  MscclStep read_step(const pugi::xml_node& node, const MscclGpu& gpu, const MscclBlock& block) {
    if (const std::uint32_t declared = count(node, "s", kMostChunks);
        declared != block.steps.size()) {
      fail(node, fmt::format("step {}: expected step {}, because the steps of a thread block are "
                             "numbered 0, 1, 2, ...",
                             declared, block.steps.size()));
    }
    const std::string_view type = text(node, "type");
    const auto known = std::ranges::find(kMscclTypes, type);
    if (known == kMscclTypes.end()) {
      fail(node, fmt::format("type '{}': expected {}", shortened(std::string(type)),
                             alternatives(kMscclTypes)));
    }
    MscclStep step;
    step.number = static_cast<std::uint32_t>(block.steps.size());
    step.type = static_cast<MscclType>(known - kMscclTypes.begin());
    step.waits_for_block = static_cast<std::int32_t>(number(node, "depid", -1, kMostChunks));
    if (step.waits_for_block > static_cast<std::int32_t>(kMostMscclWaited)) {
      fail(node, fmt::format("depid {}: the executor can wait for thread blocks 0 to {}",
                             step.waits_for_block, kMostMscclWaited));
    }
    step.waits_for_step = static_cast<std::int32_t>(number(node, "deps", -1, kMostChunks));
    step.signals = number(node, "hasdep", 0, 1) == 1;
    if (step.type == MscclType::nothing) {
      return step;
    }
    step.count = count(node, "cnt", kMostChunks);
    moved_ += step.count;
    if (moved_ > kMostMoved) {
      fail(node, fmt::format("up to here, the steps move more than {} chunks", kMostMoved));
    }
    if (step.count == 0) {
      fail(node, "cnt 0: a step must have chunks; for a step that only waits, write type=\"nop\"");
    }
    if (step.count > kMostMscclCount) {
      note(fmt::format("{} has {} chunks; the maximum is {}",
                       name_of_step(gpu_, block.id, block.steps.size()), step.count,
                       kMostMscclCount));
    }
    if (sends(step.type) && block.send_peer < 0) {
      fail(node, fmt::format("'{}' sends, but thread block {} has no send peer", type, block.id));
    }
    if (receives(step.type) && block.receive_peer < 0) {
      fail(node,
           fmt::format("'{}' receives, but thread block {} has no recv peer", type, block.id));
    }
    const bool reads = step.type != MscclType::receive && step.type != MscclType::receive_copy_send;
    const bool writes = step.type != MscclType::send && step.type != MscclType::receive_reduce_send;
    if (reads) {
      step.source = region(node, "srcbuf", "srcoff", step.count, gpu);
    }
    if (writes) {
      step.destination = region(node, "dstbuf", "dstoff", step.count, gpu);
    }
    if (reads && writes && overlap(step)) {
      fail(node, fmt::format("{}: its source and its destination overlap, so the result depends on "
                             "the order in which the threads of the GPU copy",
                             name_of_step(gpu_, block.id, step.number)));
    }
    return step;
  }

  // True if source and destination have a part in common, but are not the same. In place, input and
  // output are the same memory; if every GPU owns a part, msccl_reader.cpp compares them.
  [[nodiscard]] bool overlap(const MscclStep& step) const {
    const auto buffer = [&](const MscclRegion& at) {
      const bool alias = read_.in_place && !has_parts(read_);
      return alias && at.buffer == MscclBuffer::input ? MscclBuffer::output : at.buffer;
    };
    const std::uint32_t first = std::min(step.source.first, step.destination.first);
    const std::uint32_t last = std::max(step.source.first, step.destination.first);
    return buffer(step.source) == buffer(step.destination) && first != last &&
           last - first < step.count;
  }

  [[nodiscard]] MscclRegion region(const pugi::xml_node& node, const char* buffer_name,
                                   const char* offset_name, std::uint32_t chunks,
                                   const MscclGpu& gpu) const {
    const std::string_view name = text(node, buffer_name);
    MscclRegion found;
    std::uint32_t size = 0;
    if (name == "i") {
      found.buffer = MscclBuffer::input;
      size = gpu.input_chunks;
    } else if (name == "o") {
      found.buffer = MscclBuffer::output;
      size = gpu.output_chunks;
    } else if (name == "s") {
      found.buffer = MscclBuffer::scratch;
      size = gpu.scratch_chunks;
    } else {
      fail(node,
           fmt::format("{} '{}': expected i, o or s", buffer_name, shortened(std::string(name))));
    }
    found.first = count(node, offset_name, kMostChunks);
    if (found.first + chunks > size) {
      fail(node, fmt::format("{} {} and {} chunks: {} has {} chunks", offset_name, found.first,
                             chunks, name, size));
    }
    return found;
  }

  std::string_view text_;
  std::string_view file_;
  std::optional<Collective> collective_;
  pugi::xml_document document_;
  MscclFile read_;
  std::vector<bool> gpus_seen_;
  std::uint32_t gpu_ = 0;
  std::uint64_t scratch_ = 0;
  std::uint64_t moved_ = 0;
};

}  // namespace

std::string_view msccl_name(Collective collective) {
  if (collective == Collective::reduce_scatter_block) {
    collective = Collective::reduce_scatter;
  }
  const auto found = std::ranges::find(kMscclCollectives, collective, &MscclCollective::collective);
  return found == kMscclCollectives.end() ? "" : found->name;
}

MscclFile parse_msccl(std::string_view text, std::string_view file,
                      std::optional<Collective> collective) {
  return MscclParser(text, file, collective).parse();
}

std::string name_of_step(std::uint32_t gpu, std::uint32_t block, std::size_t step) {
  return fmt::format("gpu {}, thread block {}, step {}", gpu, block, step);
}

}}  // namespace tutti::interchange
