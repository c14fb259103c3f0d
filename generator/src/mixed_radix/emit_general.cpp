// Emission of the general family: a short list of passes, one per digit and direction.
#include "emit_general.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "assemble.hpp"
#include "dft_scale.hpp"
#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/templates/half.hpp"
#include "names.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "unit_roots.hpp"

namespace ffc {
namespace {

using Complex = std::complex<double>;

// Where the kernel finds what a digit needs: matrices in units of 16 bytes, twiddles in words.
struct DigitTables {
  int matrix = 0;
  int twiddle = 0;
};

struct GeneralTables {
  std::vector<std::uint32_t> words;
  std::vector<DigitTables> digits;
  int sweep = 0;  ///< exp(-2 pi i n / M), words
  double gain = 1;
};

// Tiles of 16 x 16 as A operands, row of tiles by row, padded with zeros.
void append_matrix(std::vector<std::uint32_t>& words, int radix, double scale) {
  const auto element = [&](int row, int column) {
    return row < radix && column < radix ? scale * unit_root(static_cast<std::int64_t>(row) * column, radix)
                                         : Complex(0);
  };
  const int tiles = (radix + 15) / 16;
  for (int tile = 0; tile < tiles * tiles; ++tile)
    for (const bool imaginary : {false, true})
      for (int lane = 0; lane < 32; ++lane)
        for (int e = 0; e < 4; ++e) {
          const int row = 16 * (tile / tiles) + lane / 4 + 8 * (e % 2);
          const int column = 16 * (tile % tiles) + 8 * (e / 2) + 2 * (lane % 4);
          const Complex low = element(row, column), high = element(row, column + 1);
          words.push_back(imaginary ? pack_halves(low.imag(), high.imag()) : pack_halves(low.real(), high.real()));
        }
}

void append_roots(std::vector<std::uint32_t>& words, std::int64_t count) {
  const UnitRoots roots(count);
  for (std::int64_t i = 0; i < count; ++i) words.push_back(pack_halves(roots[i].real(), roots[i].imag()));
  words.resize((words.size() + 3) / 4 * 4);  // matrices are read 16 bytes at a time
}

int first_digit(const Plan& plan) { return plan.sweeps > 1 ? 1 : 0; }

GeneralTables make_tables(const Plan& plan) {
  GeneralTables tables;
  double product = 1;
  for (std::size_t i = 0; i < plan.digits.size(); ++i) {
    const Digit& digit = plan.digits[i];
    DigitTables entry;
    if (static_cast<int>(i) >= first_digit(plan)) {
      const double scale = quiet_scale(digit.radix, 1 / std::sqrt(digit.radix));
      product *= scale;
      entry.matrix = static_cast<int>(tables.words.size() / 4);
      append_matrix(tables.words, digit.radix, scale);
      entry.twiddle = static_cast<int>(tables.words.size());
      if (digit.stride > 1) append_roots(tables.words, digit.radix * digit.stride);
    }
    tables.digits.push_back(entry);
  }
  tables.sweep = static_cast<int>(tables.words.size());
  if (plan.sweeps > 1) append_roots(tables.words, plan.transform_length);
  tables.gain = 1 / (static_cast<double>(plan.transform_length) * product * product);
  return tables;
}

std::vector<std::int32_t> spectrum_order(const Plan& plan) {
  std::vector<std::int32_t> order;
  for (std::int64_t p = 0; p < plan.transform_length; ++p) {
    std::int64_t frequency = 0;
    for (const Digit& digit : plan.digits) frequency += p / digit.stride % digit.radix * digit.weight;
    order.push_back(static_cast<std::int32_t>(frequency));
  }
  while (order.size() % 4 != 0) order.push_back(-1);
  return order;
}

// The twiddle between a digit that is k and the digits after it, as an expression at position `at`.
std::string twiddle(const Plan& plan, const GeneralTables& tables, int digit) {
  const Digit& d = plan.digits[static_cast<std::size_t>(digit)];
  return fmt::format("root({}, at / {} % {} * (at % {}))", tables.digits[static_cast<std::size_t>(digit)].twiddle,
                     d.stride, d.radix, d.stride);
}

std::string pass(const Plan& plan, const GeneralTables& tables, int digit, bool inverse, std::string_view finish) {
  const Digit& d = plan.digits[static_cast<std::size_t>(digit)];
  return fmt::format(
      "contract_digit<{}, {}, {}>(words, tables + {}, [&]([[maybe_unused]] int at, float2 value) {{ return {}; }});",
      d.radix, d.stride, inverse, tables.digits[static_cast<std::size_t>(digit)].matrix, finish);
}

std::string stages_block(const Plan& plan, const GeneralTables& tables) {
  TextWriter out(3);
  const int first = first_digit(plan);
  const int last = static_cast<int>(plan.digits.size()) - 1;
  for (int digit = first; digit <= last; ++digit) {
    const std::string finish =
        digit < last ? fmt::format("times(value, {})", twiddle(plan, tables, digit))
                     : std::string("times(value, to_complex(load_constant(spectrum + sweep * points + at)))");
    out.line("block_barrier();");
    out.line(fmt::format("// Forward: radix {} at stride {}, 8 columns a warp; then {}.",
                         plan.digits[static_cast<std::size_t>(digit)].radix,
                         plan.digits[static_cast<std::size_t>(digit)].stride,
                         digit < last ? "the twiddle to the digits after it" : "times the spectrum"));
    out.line(pass(plan, tables, digit, false, finish));
  }
  for (int digit = last; digit >= first; --digit) {
    const std::string finish = digit > first
                                   ? fmt::format("times(value, conjugate({}))", twiddle(plan, tables, digit - 1))
                                   : std::string("value");
    out.line("block_barrier();");
    out.line(fmt::format("// Inverse: radix {} at stride {}{}.", plan.digits[static_cast<std::size_t>(digit)].radix,
                         plan.digits[static_cast<std::size_t>(digit)].stride,
                         digit > first ? "; then the conjugate twiddle of the digit before it" : ""));
    out.line(pass(plan, tables, digit, true, finish));
  }
  return out.take();
}

std::string sample_block(const ConvConfig& config) {
  TextWriter out(2);
  const auto read = [](std::string_view tensor) {
    return fmt::format("read_pair(arguments.{0}, arguments.{0}_batch_stride, arguments.{0}_channel_stride, n)", tensor);
  };
  out.open("const auto load_sample = [&](int n) {");
  if (has_in_gate(config.gating)) out.line(fmt::format("const unsigned int gate = {};", read("w")));
  out.line(fmt::format("const unsigned int sample = {};", read("u")));
  out.line(fmt::format("return {};", packed_sample(config, "sample", "gate")));
  out.close("};");
  out.open("const auto store_sample = [&](int n, Packed value) {");
  if (has_out_gate(config.gating))
    out.line(fmt::format("write_pair(n, to_stored_gated(value, scale, {}));", read("v")));
  else
    out.line("write_pair(n, to_stored(value, scale));");
  out.close("};");
  return out.take();
}

std::string load_block(const Plan& plan) {
  TextWriter out(3);
  out.open("for (int n = threadIdx.x; n < points; n += block_threads) {");
  if (plan.sweeps == 1) {
    out.line("store_shared4(words + 4 * n, n < length ? load_sample(n) : 0);");
  } else {
    out.line("// The sweep's residue of frequencies: what lies `points` apart is added up with its roots of unity.");
    out.line("float2 sum = {0, 0};");
    out.open("for (int sample = n; sample < length; sample += points) {");
    out.line(
        "const float2 term = times(to_complex(load_sample(sample)), root(sweep_table, sweep * sample % (sweeps * "
        "points)));");
    out.line("sum.x += term.x, sum.y += term.y;");
    out.close();
    out.line("store_shared4(words + 4 * n, pack(sum.x, sum.y));");
  }
  out.close();
  return out.take();
}

std::string store_block(const Plan& plan) {
  TextWriter out(3);
  out.open("for (int n = threadIdx.x; n < points; n += block_threads) {");
  if (plan.sweeps == 1) {
    out.line("if (n < length) store_sample(n, load_shared4(words + 4 * n));");
  } else {
    out.line("// Sums over the sweeps wait in y, and each thread reads back what it wrote. They wait as unscaled fp16");
    out.line("// whatever the rows' type: bf16 would round them anew in every sweep.");
    out.open("for (int sample = n; sample < length; sample += points) {");
    out.line(
        "float2 value = times(to_complex(load_shared4(words + 4 * n)), conjugate(root(sweep_table, sweep * sample % "
        "(sweeps * "
        "points))));");
    out.open("if (sweep > 0) {");
    out.line(
        "const float2 before = to_complex(read_pair(arguments.y, arguments.y_batch_stride, "
        "arguments.y_channel_stride, sample));");
    out.line("value.x += before.x, value.y += before.y;");
    out.close();
    out.line("const Packed sum = pack(value.x, value.y);");
    out.line("if (sweep < sweeps - 1)");
    out.line("  write_pair(sample, sum);");
    out.line("else");
    out.line("  store_sample(sample, sum);");
    out.close();
  }
  out.close();
  return out.take();
}

}  // namespace

EmittedConv emit_general(const ConvConfig& config, const Plan& plan) {
  const GeneralTables tables = make_tables(plan);
  EmittedConv result;
  result.spectrum.order = spectrum_order(plan);
  result.spectrum.gain = tables.gain;
  result.spectrum.output_exponent = -config.input_exponent;
  result.spectrum.fp16_scale = config.dtype == DataType::fp16;
  result.spectrum.mask = config.mask;
  place_taps(result.spectrum, config, plan.transform_length);

  const std::string name = kernel_name(config, plan);
  const std::int64_t points = plan.transform_length / plan.sweeps;
  std::string constants = fmt::format(
      "constexpr int length = {};  // samples of a row that exist\n"
      "constexpr int sweeps = {};  // residues of the frequency that take turns in shared memory\n"
      "constexpr int spectrum_row_bytes = {};\n"
      "constexpr int blocks_per_sm = {};\n",
      plan.length, plan.sweeps, result.spectrum.row_bytes(), plan.geometry.blocks_per_sm);
  if (plan.sweeps > 1) constants += fmt::format("constexpr int sweep_table = {};\n", tables.sweep);
  if (config.input_exponent != 0)
    constants += fmt::format("constexpr float input_scale = {:.10e}f;\n", std::ldexp(1.0, config.input_exponent));
  const Blocks blocks = {
      {"header", header_comment(config, plan, name)},
      {"pass_constants", fmt::format("constexpr int points = {};  // complex words in shared memory\n"
                                     "constexpr int warps = {};\n",
                                     points, plan.geometry.warps_per_group)},
      {"constants", constants},
      {"entry", fmt::format("extern \"C\" __global__ void __launch_bounds__(block_threads, blocks_per_sm)\n"
                            "    {}(const ConvArguments arguments) {{\n",
                            name)},
      {"load_sample", sample_block(config)},
      {"load", load_block(plan)},
      {"stages", stages_block(plan, tables)},
      {"store", store_block(plan)},
  };
  Substitutes substitutes;
  if (config.dtype == DataType::bf16) substitutes["storage_fp16.cuh"] = "storage_bf16.cuh";
  GeneratedKernel& kernel = result.kernel;
  kernel.name = name;
  kernel.options = {"--fmad=false"};
  kernel.source = assemble("general_conv.cu.in", blocks, substitutes);
  kernel.tables = tables.words;
  kernel.threads = plan.geometry.threads();
  kernel.shared_bytes = plan.shared.total;
  return result;
}

}  // namespace ffc
