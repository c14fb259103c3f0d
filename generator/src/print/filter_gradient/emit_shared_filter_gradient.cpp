// Emission of filter gradients whose transform fits the shared memory of a block.
#include "emit_shared_filter_gradient.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "assemble.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "filter_gradient_text.hpp"
#include "mask_text.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"
#include "unit_roots.hpp"

namespace ffc {
namespace {

// A row of sums and what lies between rows, so that equal places of 16 neighbours are in banks of their own.
int row_slots(const InBlockPlan& plan) { return 256 + std::max(1, 16 / plan.rows()); }

int array_bytes(const InBlockPlan& plan) {
  return 8 * std::max(static_cast<int>(plan.transform_length / 2), plan.factor_rows() * row_slots(plan));
}

bool has_own_butterfly(int radix) { return radix == 4 || radix == 8; }

// Roots of unity, real and imaginary parts in float32, in the order in which the passes ask for them. Computed when
// they are taken: whether a block holds them is asked more often.
class RootTable {
 public:
  // The first `count` of exp(-2 pi i k / n).
  void add(std::int64_t n, std::int64_t count) {
    runs_.push_back({n, count});
    size_ += static_cast<int>(count);
  }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] std::vector<std::uint32_t> words() const {
    std::vector<std::uint32_t> words;
    for (const Run& run : runs_) {
      const UnitRoots roots(run.n);
      for (std::int64_t k = 0; k < run.count; ++k) {
        words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(roots[k].real())));
        words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(roots[k].imag())));
      }
    }
    return words;
  }

 private:
  struct Run {
    std::int64_t n, count;
  };
  std::vector<Run> runs_;
  int size_ = 0;
};

struct Passes {
  std::vector<int> radices;
  std::string text;
  RootTable roots;
};

// As many of 8 as leave no 2, the first one first: half is a multiple of 128.
std::vector<int> shared_radices(std::int64_t half) {
  std::vector<int> radices;
  int twos = std::countr_zero(static_cast<std::uint64_t>(half));
  std::int64_t odd = half >> twos;
  for (; twos > 4 || twos == 3; twos -= 3) radices.push_back(8);
  for (; twos > 0; twos -= 2) radices.push_back(4);
  for (int radix = 3; odd > 1; radix += 2)
    for (; odd % radix == 0; odd /= radix) radices.push_back(radix);
  return radices;
}

Passes passes_of(const InBlockPlan& plan) {
  const std::int64_t half = plan.transform_length / 2;
  Passes passes;
  passes.radices = shared_radices(half);
  std::int64_t done = 1;
  for (const int radix : passes.radices) {
    const int offset = passes.roots.size();
    if (done == 1) {
      passes.text += fmt::format(
          "  // Radix {0}: from frequencies to transforms of length {0}.\n"
          "  join_frequencies(array, root_table);\n",
          radix);
      passes.roots.add(plan.transform_length, half / radix);
      passes.roots.add(2 * radix, radix);
    } else {
      passes.text += fmt::format(
          "  // Radix {0}: transforms of length {1} become transforms of length {2}.\n"
          "  join_transforms<{0}, {1}>(array, root_table + 8 * {3});\n",
          radix, done, done * radix, offset);
      passes.roots.add(done * radix, done);
      if (!has_own_butterfly(radix)) passes.roots.add(radix, radix);
    }
    done *= radix;
  }
  return passes;
}

// Of a thread 8 numbers, or 16 where that lets a multiprocessor have two blocks.
int thread_count(const InBlockPlan& plan) {
  const int eighths = static_cast<int>(plan.transform_length / 16), warps = (eighths + 31) / 32;
  return std::min(32 * warps, plan.transform_length > 16384 ? 1024 : 512);
}

// Many blocks hide the latency of few loads each.
int sums_at_once(const InBlockPlan& plan, int threads) {
  const int items = 64 * plan.factor_rows();
  return std::min((items + threads - 1) / threads, threads < 256 ? 4 : 2);
}

std::string constants_block(const SpectrumLayout& layout, const ConvConfig& config, const InBlockPlan& plan,
                            int threads, int roots) {
  std::string text;
  const auto constant = [&](std::string_view declared, const auto& value, std::string_view comment = {}) {
    text += constant_line(declared, value, comment);
  };
  constant("int length", plan.transform_length, "of the transform");
  constant("int threads", threads);
  constant("int blocks_per_sm", (threads < 256 ? 512 : 1024) / threads, "at least");
  constant("int at_once", sums_at_once(plan, threads), "of a thread: 16 bytes of sums, real and imaginary");
  constant("int rows", plan.rows(), "of 256 samples, by the outer part of their frequency");
  constant("int factor_rows", plan.factor_rows(), "whose sums are kept: those of row -f are in row f");
  constant("int row_slots", row_slots(plan), "from row to row of sums in shared memory");
  constant("int array_bytes", array_bytes(plan), "of shared memory; behind them the roots");
  constant("int root_count", roots);
  return text + tap_constants(layout, config, plan);
}

}  // namespace

bool fits_shared_memory(const InBlockPlan& plan, const Arch& arch) {
  return array_bytes(plan) + 8 * passes_of(plan).roots.size() <= arch.shared_per_block;
}

GeneratedKernel emit_shared_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                            const InBlockPlan& plan, bool overlaps) {
  const Passes passes = passes_of(plan);
  GeneratedKernel kernel;
  kernel.name = filter_gradient_name(passes.radices, layout, config, plan);
  kernel.threads = thread_count(plan);
  kernel.shared_bytes = array_bytes(plan) + 8 * passes.roots.size();
  kernel.options = {"--std=c++17", "--fmad=false"};
  const Substitutes substitutes = overlaps ? Substitutes() : Substitutes{{"next_launch.cuh", ""}};
  kernel.source =
      assemble("filter_gradient_shared.cu.in",
               {{"header", filter_gradient_header(kernel.name, config, root_tables)},
                {"constants", constants_block(layout, config, plan, kernel.threads, passes.roots.size())},
                {"entry", filter_gradient_entry(kernel.name)},
                {"kept", is_kept_function(layout.mask)},
                {"dropped", layout.mask.empty() ? "" : "    if (!is_kept(row + rows * (k + 16 * i))) return {0, 0};\n"},
                {"wait", overlaps ? std::string(wait_for_sums) : std::string()},
                {"passes", passes.text}},
               substitutes);
  kernel.tables = passes.roots.words();
  return kernel;
}

}  // namespace ffc
