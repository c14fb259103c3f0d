// The access map: where rows of each kind are, which samples of a chunk exist, and what they are multiplied by.
#include "row_access.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "column_access.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "text.hpp"

using namespace ffc;

namespace {

ConvConfig causal(std::int64_t length, std::int64_t filter_length) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = length, config.filter_length = filter_length;
  config.arch = "sm_90a";
  return config;
}

ConvConfig circular(std::int64_t fft_length) {
  ConvConfig config;
  config.fft_length = fft_length;
  config.arch = "sm_90a";
  return config;
}

template <class Family>
Family plan_of(const ConvConfig& config) {
  for (const Plan& plan : make_plans(normalised(config)))
    if (const Family* const found = plan.as<Family>()) return *found;
  FAIL("there is no such plan");
  return {};
}

RowAccess in_block(const ConvConfig& config, Tensor tensor = Tensor::input) {
  const ConvConfig checked = normalised(config);
  return row_access(checked, plan_of<InBlockPlan>(checked), tensor);
}

RowAccess of_columns(const ConvConfig& config, Tensor tensor = Tensor::input) {
  const ConvConfig checked = normalised(config);
  return column_access(checked, plan_of<FourStepPlan>(checked), tensor);
}

std::string pointer(const RowAccess& access, std::string_view name) {
  TextWriter out(0);
  emit_row_pointer(out, access, name, "const ");
  return out.take();
}

}  // namespace

TEST_CASE("of a pair the second row may be missing") {
  ConvConfig config = circular(4096);
  config.gating = Gating::both;
  const RowAccess access = in_block(config);
  CHECK(access.planes);
  CHECK(access.loaded.live == "exists ? 8 : 0");
  CHECK(access.stored.live == "8");
  CHECK(access.absent == "!exists");
  CHECK(access.source.gate == "w");
  CHECK(access.results.gate == "v");
  CHECK(pointer(access, "u") ==
        "const unsigned short* const u = static_cast<const unsigned short*>(arguments.u) +\n"
        "    (2 * pair + (exists ? part : 0)) * arguments.u_batch_stride + channel * arguments.u_channel_stride;\n");
}

TEST_CASE("a row alone is one plane, which always exists") {
  const RowAccess access = in_block(causal(4000, 0));
  CHECK_FALSE(access.planes);
  CHECK(access.declared.empty());
  CHECK(access.absent.empty());
  CHECK(access.row == "pair");
  CHECK(access.loaded.live == "(i < 3 ? 8 : sample < length ? 8 : 0)");
  CHECK(plane_at(access, "plane_bytes").empty());
}

TEST_CASE("windows say where a chunk is; before their row a stream has a history") {
  ConvConfig config = causal(1 << 20, 257);
  CHECK(in_block(config).history.empty());
  config.history = true;
  const RowAccess access = in_block(config);
  CHECK(access.row == "window.row");
  CHECK(access.loaded.position == "position");
  CHECK_FALSE(access.loaded.declared.empty());
  CHECK_FALSE(access.history.empty());
}

TEST_CASE("a window that has all of its samples is not asked") {
  const RowAccess access = of_whole_window(in_block(causal(1 << 20, 4097)));
  CHECK(access.loaded.whole);
  CHECK(access.loaded.live == "8");
  CHECK(access.ends.empty());
}

TEST_CASE("gradients have windows of u that look back, for dv, and windows of dy that look ahead") {
  ConvConfig config = causal(1 << 20, 257);
  config.pass = Pass::backward;
  config.gating = Gating::both;
  const RowAccess u = in_block(config, Tensor::input), dy = in_block(config, Tensor::gradient);
  CHECK(u.source.rows == "u");
  CHECK(dy.source.rows == "dy");
  CHECK(u.loaded.live == "sample >= window.begin && sample < window.end ? 8 : 0");
  CHECK(dy.loaded.bounds == "const int ahead = end_ahead(window);");
}

TEST_CASE("rows of a longer transform are in the workspace") {
  const ConvConfig config = normalised(circular(262144));
  const InBlockPlan rows = plan_of<FourStepPlan>(config).row_plan;
  const RowAccess access = row_access(ConvConfig{}, rows);
  CHECK(access.in_workspace());
  CHECK(guarded(access, "8") == "part == 1 && of.real ? 0 : 8");
  CHECK(pointer(access, "y").find("split.workspace") != std::string::npos);
}

TEST_CASE("columns of the ring: each row of a pair has a channel of its own, gradients one") {
  const RowAccess pair = of_columns(circular(262144));
  CHECK(pair.channel == "channel_of(arguments, at, part)");
  CHECK(pair.loaded.live == "exists ? 8 : 0");
  ConvConfig config = circular(262144);
  config.pass = Pass::backward;
  config.gradients = {.u = true, .k = true};
  const RowAccess dy = of_columns(config, Tensor::gradient);
  CHECK(dy.channel == "at.channel");
  CHECK(dy.loaded.position == "first_sample + sample");
  CHECK(dy.stored.position == "sample");
}

TEST_CASE("a cluster takes words of both rows of a pair, or of a row alone") {
  ConvConfig config = circular(65536);
  config.gating = Gating::in;
  config.column_length = 4;
  const ConvConfig checked = normalised(config);
  const RowAccess pairs = column_access(checked, plan_of<ClusterPlan>(checked));
  CHECK(pairs.planes);
  CHECK(pairs.row == "2LL * item.index");
  CHECK(guarded(pairs, "live") == "lone ? 0 : live");
  CHECK(pairs.source.gate == "w");
  CHECK(pairs.results.gate.empty());
  const ConvConfig alone = normalised(causal(65536, 0));
  const RowAccess rows = column_access(alone, plan_of<ClusterPlan>(alone));
  CHECK_FALSE(rows.planes);
  CHECK(rows.row == "item.index");
  CHECK(rows.declared.empty());
}

TEST_CASE("digit by digit the rows of a pair are side by side, a sample at a time") {
  ConvConfig config = circular(47);
  config.gating = Gating::both;
  const ConvConfig checked = normalised(config);
  const RowAccess access = row_access(checked, plan_of<MixedRadixPlan>(checked));
  CHECK(access.row == "2 * pair");
  CHECK(access.loaded.live == "n < length");
  CHECK(guarded(access, "second") == "both ? second : 0u");
  CHECK(access.source.gate == "w");
  CHECK(access.results.gate == "v");
}
