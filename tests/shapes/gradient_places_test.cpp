// Gradients drawn at random, of up to thousands of channels: what their launches write lies in the workspace, and no
// part of it in another. Nothing runs, so that channels cost nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "backward_launches.hpp"
#include "config_text.hpp"
#include "random_config.hpp"
#include "split_backward_launches.hpp"

using namespace ffc;

namespace {

constexpr std::uintptr_t workspace_start = std::uintptr_t{1} << 44, dk_start = std::uintptr_t{1} << 45;

void* at(std::uintptr_t address) { return reinterpret_cast<void*>(address); }
std::uintptr_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

// A launch, and what has been seen of its entries.
class Drawn {
 public:
  Drawn(Generated generated, std::mt19937_64& random) : generated_(std::move(generated)) {
    constexpr int batches[] = {1, 2, 3, 8, 64, 200}, channels[] = {1, 7, 300, 768, 2048, 5000};
    arguments_.batch = batches[random() % std::size(batches)];
    arguments_.channels = channels[random() % std::size(channels)];
    if (generated_.config.gradients.k) arguments_.dk = static_cast<float*>(at(dk_start));
    least_ = random() % 4 == 0;
  }

  void launch() {
    CAPTURE(shapes::short_text(generated_.config));
    CAPTURE(arguments_.batch);
    CAPTURE(arguments_.channels);
    CAPTURE(least_);
    if (generated_.split)
      launch_split();
    else
      launch_rows();
    CHECK(made_ == (generated_.backward->filter_gradient && has_filter_ ? arguments_.channels : 0));
  }

 private:
  void launch_rows() {
    constexpr int resident = 264;
    const BackwardSizes sizes(generated_, arguments_.batch, arguments_.channels, resident);
    const int at_once = chunk_of(generated_, arguments_.batch, arguments_.channels, resident);
    BackwardPlace place;
    place.resident_blocks = resident;
    place.workspace = {at(workspace_start), sizes.bytes(least_ ? 1 : at_once)};
    bytes_ = place.workspace.bytes;
    has_filter_ = !sizes.makes_taps();
    for_each_backward_chunk(generated_, arguments_, place, at_once, [&](const BackwardChunk& chunk) {
      if (!chunk.filter) return;
      for_each_filter_gradient_launch(
          *generated_.backward, *chunk.filter, [&](const auto& filter, const LaunchGrid& grid) {
            check(filter, generated_.backward->inverse_steps > 1 ? filter.channels : static_cast<int>(grid.x));
          });
    });
  }

  void launch_split() {
    const SplitBackwardSizes sizes(generated_, arguments_.batch);
    SplitBackwardPlace place;
    place.ring_bytes = 24 << 20;
    place.blocks = 132;
    place.workspace = {at(workspace_start), least_ ? sizes.least()
                                                   : split_backward_bytes(generated_, arguments_.batch,
                                                                          arguments_.channels, place.ring_bytes)};
    bytes_ = place.workspace.bytes;
    for_each_split_backward_launch(
        generated_, arguments_, place, [](void*, std::size_t) {}, [](const SplitGradientArguments&, ChannelReport*) {},
        [&](const LongFilterGradientArguments& step, const LaunchGrid& grid) {
          CHECK(static_cast<int>(grid.y) == step.channels);
          check(step, step.channels);
        });
  }

  // Of so many places behind the sums.
  template <class Arguments>
  void check(const Arguments& filter, int places) {
    const BackwardLaunch& launch = *generated_.backward;
    const auto sums = static_cast<std::uintptr_t>(launch.sums_bytes) * static_cast<std::uintptr_t>(filter.slices) *
                      static_cast<std::uintptr_t>(filter.channels);
    const std::uintptr_t end = workspace_start + bytes_, begin = address_of(filter.sums);
    const auto place_bytes = static_cast<std::uintptr_t>(launch.inverse_bytes) * static_cast<std::uintptr_t>(places);
    CHECK(begin >= workspace_start);
    CHECK(begin + sums <= end);
    if (place_bytes > 0) {
      CHECK(address_of(filter.workspace) >= begin + sums);
      CHECK(address_of(filter.workspace) + place_bytes <= end);
    }
    if constexpr (requires { filter.step; })
      if (filter.step > 0) return;
    if (filter.dk != nullptr)
      CHECK(filter.dk == static_cast<const float*>(at(dk_start)) + made_ * generated_.config.filter_length);
    made_ += filter.channels;
  }

  Generated generated_;
  BackwardArguments arguments_;
  bool least_ = false, has_filter_ = true;
  std::size_t bytes_ = 0;
  std::int64_t made_ = 0;
};

}  // namespace

TEST_CASE("what makes taps of sums has its places in the workspace, whatever the channels") {
  std::mt19937_64 random(1);
  int with_steps = 0, in_block_with_places = 0, split = 0;
  for (int i = 0; i < 600; ++i) {
    Generated generated = shapes::draw_kernel(random);
    if (!generated.backward || !generated.backward->filter_gradient) continue;
    const BackwardLaunch& launch = *generated.backward;
    with_steps += launch.inverse_steps > 1 ? 1 : 0;
    in_block_with_places += !generated.split && launch.inverse_steps > 1 && launch.inverse_bytes > 0 ? 1 : 0;
    split += generated.split ? 1 : 0;
    Drawn(std::move(generated), random).launch();
  }
  CHECK(with_steps >= 30);
  CHECK(in_block_with_places >= 3);
  CHECK(split >= 20);
}
