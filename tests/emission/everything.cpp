#include "everything.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string_view>

#include "ffc/generator/error.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/host_program.hpp"
#include "ffc/generator/launch_grid.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/work.hpp"

namespace ffc::emission {
namespace {

class Text {
 public:
  void heading(std::string_view name) { fmt::format_to(std::back_inserter(text_), "==== {}\n", name); }

  template <class Value>
  void line(std::string_view name, const Value& value) {
    fmt::format_to(std::back_inserter(text_), "{}: {}\n", name, value);
  }

  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

// Sums of the same numbers in another order are the same here.
std::string rounded(double value) { return fmt::format("{:.5e}", value); }

void put(Text& text, const GeneratedKernel& kernel) {
  text.heading(kernel.name);
  text.line("options", fmt::format("{}", fmt::join(kernel.options, " ")));
  text.line("threads", kernel.threads);
  text.line("shared bytes", kernel.shared_bytes);
  text.line("cluster", kernel.cluster);
  text.line("overlaps", kernel.overlaps);
  text.line("source", kernel.source);
  text.line("tables", fmt::format("{:x}", fmt::join(kernel.tables, " ")));
}

void put(Text& text, const Windows& windows) {
  text.line("windows", fmt::format("{} {} {} {} {} {} {}", windows.length, windows.step, windows.gap, windows.reach,
                                   windows.count, windows.history, are_alone(windows.packing)));
}

void put(Text& text, const SplitLaunch& split) {
  text.line("split", fmt::format("{} {} {} {} {} {}", split.column_length, split.spectrum_rows, split.place_rows,
                                 split.row_length, are_alone(split.packing), rounded(split.busy_places)));
}

void put(Text& text, const BackwardLaunch& backward) {
  text.line("backward", fmt::format("{} {} {} {} {} {} {} {} {} {} {}", backward.sums_bytes, backward.parked_bytes,
                                    backward.inverse_bytes, backward.inverse_blocks, backward.inverse_steps,
                                    backward.inverse_shares, backward.overlaps, backward.least_pairs,
                                    backward.pairs_at_once, backward.resident_slices, backward.tensors));
  if (backward.windows) put(text, *backward.windows);
  for (const int batch : {1, 2, 7, 64, 1000})
    text.line("slices", fmt::format("{} {}", backward.pairs_per_slice(batch, 768), backward.slices(batch, 768)));
  if (backward.filter_gradient) put(text, *backward.filter_gradient);
}

void put(Text& text, const Generated& generated) {
  text.line("config", to_string(generated.config));
  text.line("name", generated.name);
  text.line("spectrum",
            fmt::format("{} {} {} {} {} {} {}", generated.transform_length, generated.spectrum_row_bytes,
                        generated.filter_steps, generated.filter_shares, generated.filter_workspace_bytes_per_block,
                        generated.filter_blocks, generated.spectrum_tag));
  const bool rows_alone = generated.packing == Packing::right_angle && !generated.windows && !generated.split &&
                          generated.conv.cluster == 1;
  text.line("blocks", fmt::format("{} {} {} {} {}", generated.blocks_per_sm, generated.groups_per_block, rows_alone,
                                  generated.walks_channels, static_cast<int>(generated.in_place)));
  if (generated.windows) put(text, *generated.windows);
  if (generated.split) put(text, *generated.split);
  for (const int batch : {1, 3, 64})
    for (const int channels : {1, 768}) {
      const LaunchGrid grid = launch_grid(generated, batch, channels, 132 * generated.blocks_per_sm);
      text.line("grid", fmt::format("{} {} {}", grid.x, grid.y, grid.z));
    }
  for (const GeneratedKernel* kernel : {&generated.conv, &generated.filter}) put(text, *kernel);
  if (generated.apart) put(text, *generated.apart);
  if (generated.backward) put(text, *generated.backward);
  if (generated.magnitudes) put(text, *generated.magnitudes);
  if (generated.scaling) put(text, *generated.scaling);
}

void put(Text& text, const std::vector<Plan>& plans, const ConvConfig& config) {
  text.heading("plans");
  for (const Plan& plan : plans)
    text.line(factorisation_name(*plan),
              fmt::format("{} {} {} {} {}", rounded(plan->cost.memory), rounded(plan->cost.matrix),
                          rounded(plan->cost.general), rounded(plan->cost.exchange), rounded(plan->cost.total)));
  for (const Step& step : plans.front()->steps) text.line("step", describe(*plans.front(), step));
  const Work work = predict_work(plans.front(), config);
  text.line("work", fmt::format("{} {} {} {} {}", rounded(work.matrix_products), rounded(work.wavefronts),
                                rounded(work.bytes_read), rounded(work.bytes_written), rounded(work.barrier_arrivals)));
}

}  // namespace

std::string everything_of(const ConvConfig& config) {
  Text text;
  try {
    const ConvConfig checked = normalised(config);
    const std::vector<Plan> plans = make_plans(checked);
    put(text, plans, checked);
    put(text, generate(checked, plans.front()));
  } catch (const ConfigError& error) {
    text.line("refused", error.what());
  }
  return std::move(text).take();
}

std::string host_twins() {
  GeneratedKernel kernel;
  kernel.name = "empty";
  return host_program(kernel);
}

}  // namespace ffc::emission
