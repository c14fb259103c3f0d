// Runs kernels on rows of ones: no count depends on the data.
#include "profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/work.hpp"
#include "ffc/runtime/host.hpp"
#include "json.hpp"

namespace ffc::tools {
namespace {

HostCounts counts_of(const Kernel& kernel, int pairs) {
  const ConvConfig& config = kernel.config();
  const auto length = static_cast<std::size_t>(config.length), batch = 2 * static_cast<std::size_t>(pairs);
  struct alignas(16) Chunk {
    std::uint16_t samples[8];
  };
  // Rows start at multiples of 16 bytes, whatever their length.
  const std::size_t stride = (length + 7) / 8 * 8;
  const std::vector<Chunk> ones(batch * stride / 8,
                                Chunk{{0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00}});
  std::vector<Chunk> results(ones.size());
  const std::vector<float> filter(static_cast<std::size_t>(config.filter_length), 0.001f);
  LaunchArguments arguments;
  const auto row = static_cast<std::int64_t>(stride);
  arguments.u = {ones.data(), row, row};
  if (has_in_gate(config.gating)) arguments.w = arguments.u;
  if (has_out_gate(config.gating)) arguments.v = arguments.u;
  arguments.y = {results.data(), row, row};
  arguments.batch = 2 * pairs;
  arguments.channels = 1;
  arguments.spectrum = kernel.prepare_filter({filter.data(), nullptr, config.filter_length, 1});
  ChannelReport report;
  if (config.report != Report::none) arguments.report = &report;
  HostOptions options;
  options.slices = 1;
  return profile(kernel, arguments, options);
}

// One kind of count: what a block does once, what each pair adds, and what the plan says of that.
struct Row {
  const char* name;
  std::int64_t once;
  double per_pair;
  double predicted;
};

struct Profile {
  std::string kernel;
  std::vector<Row> rows;
  HostCounts counts;  // of `pairs` pairs
  int pairs = 0;
};

// Pairs of the larger of two runs. On the host the groups of a split plan's rows make the twiddles of a frequency anew
// for each round of pairs: one round.
int pairs_to_count(const Plan& plan) {
  const ColumnsAndRowsPlan* const split = plan.columns_and_rows();
  if (split == nullptr) {
    const auto* const block = plan.as<InBlockPlan>();
    return 1 + 4 * (block != nullptr ? block->geometry.groups : 1);
  }
  // Rows of frequencies and their mirrors go together or one after the other; of rows one by one there are no mirrors.
  const int rounds_of_pair = are_alone(plan->packing) ? 2 : 2 / split->row_plan.rows_at_once();
  return std::max(2, split->row_plan.geometry.groups / rounds_of_pair);
}

Profile profile_of(const ConvConfig& config) {
  const auto kernel = get_kernel(config, Device::host());
  const Plan plan = make_plans(kernel->config()).front();
  const Work work = predict_work(plan, kernel->config());
  const int few = 1, more = pairs_to_count(plan);
  const HostCounts one = counts_of(*kernel, few);
  Profile result{kernel->name(), {}, counts_of(*kernel, more), more};
  const auto row = [&](const char* name, std::int64_t HostCounts::*member, double predicted) {
    const double per_pair = static_cast<double>(result.counts.*member - one.*member) / (more - few);
    result.rows.push_back({name, one.*member - static_cast<std::int64_t>(few * per_pair), per_pair, predicted});
  };
  row("matrix products", &HostCounts::matrix_products, work.matrix_products);
  row("bytes read", &HostCounts::bytes_read, work.bytes_read);
  row("bytes written", &HostCounts::bytes_written, work.bytes_written);
  row("shared wavefronts", &HostCounts::wavefronts, work.wavefronts);
  row("bank conflicts", &HostCounts::conflicts, 0);
  row("barrier arrivals", &HostCounts::block_barriers, work.barrier_arrivals);
  return result;
}

void print_text(const Profile& profile) {
  fmt::print("{}\n  {:<20}{:>12}{:>12}{:>12}\n", profile.kernel, "", "per pair", "predicted", "once");
  for (const Row& row : profile.rows)
    fmt::print("  {:<20}{:>12}{:>12}{:>12}\n", row.name, row.per_pair, row.predicted, row.once);
  std::string_view kernel;
  for (const HostSite& site : profile.counts.sites) {
    if (site.kernel != kernel)
      fmt::print("  shared memory of {}, {} pairs:\n  {:>6}{:>12}{:>12}{:>12}\n", site.kernel, profile.pairs, "line",
                 "accesses", "wavefronts", "conflicts");
    kernel = site.kernel;
    fmt::print("  {:>6}{:>12}{:>12}{:>12}  {}\n", site.line, site.accesses, site.wavefronts, site.conflicts, site.text);
  }
}

void write_json(JsonWriter& json, const Profile& profile) {
  json.begin_object().field("kernel", profile.kernel).field("pairs", profile.pairs);
  for (const Row& row : profile.rows)
    json.key(row.name)
        .begin_object()
        .field("per_pair", row.per_pair)
        .field("predicted", row.predicted)
        .field("once", row.once)
        .end_object();
  json.key("shared").begin_array();
  for (const HostSite& site : profile.counts.sites)
    json.begin_object()
        .field("kernel", site.kernel)
        .field("line", site.line)
        .field("text", site.text)
        .field("accesses", site.accesses)
        .field("wavefronts", site.wavefronts)
        .field("conflicts", site.conflicts)
        .end_object();
  json.end_array().end_object();
}

}  // namespace

int run_profile(const std::vector<ConvConfig>& configs, bool json) {
  int status = 0;
  JsonWriter document;
  document.begin_array();
  for (const ConvConfig& config : configs) {
    try {
      const Profile profile = profile_of(config);
      if (json)
        write_json(document, profile);
      else
        print_text(profile);
    } catch (const Error& error) {
      fmt::print(stderr, "ffc-gen: {}: {}\n", to_string(config), error.what());
      status = 1;
    }
  }
  if (json) fmt::print("{}\n", document.end_array().text());
  return status;
}

}  // namespace ffc::tools
