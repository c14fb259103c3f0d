// Faults put into the text of columns that make all the rows of frequencies that a mask keeps in one product.
#include "split_faults.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr Fault product_faults[] = {
    {"mirrors as they are", "unload(difference_of(s_re[i], c_im[i]), mirrors",
     "unload(sum_of(s_re[i], c_im[i]), mirrors"},
    {"mirrors at rows", "sum_of(c_re[i], s_im[i])", "difference_of(c_re[i], s_im[i])"},
    {"rows at mirrors", "sum_of(s_re[i], c_im[i]), kept", "difference_of(s_re[i], c_im[i]), kept"},
    {"mirrors a place off", "last_place - place + (place", "last_place - 1 - place + (place"},
    {"row R / 2 twice", "place + (2 * place == last_place ? 16 : 0)", "place"},
    {"rows of zeros over others", "(place < spectrum_rows ? 0 : 16)", "0"},
    {"conjugates not taken back", "c[i].im[j] = sub(kept.im[j], mirrors.im[j])",
     "c[i].im[j] = add(kept.im[j], mirrors.im[j])"},
    {"mirrors' signs", "s[i].im[j] = sub(mirrors.re[j], kept.re[j])", "s[i].im[j] = sub(kept.re[j], mirrors.re[j])"},
    {"samples of the first section", "16 * (b + row / rows_of_section)", "16 * (row / rows_of_section)"},
    {"columns of others", "first = thread / 32 * own_chunks;\n  Columns", "first = 0;\n  Columns"},
    {"slots that nobody cleared", "kept < kept_rows ? 8 : 0", "8"},
    {"rows of the other part", "part * kept_rows + min(kept", "(1 - part) * kept_rows + min(kept"},
    {"stored for a row less", "if (kept >= kept_rows) break;", "if (kept >= kept_rows - 1) break;"},
};

// Of rows that have no partner: in slots by place, too.
constexpr Fault lone_faults[] = {
    {"row 0 has a mirror", "mirror_place < kept_rows ? mirror_place : row", "mirror_place"},
    {"rows apart from others", "mirror_place < kept_rows ? mirror_place : row",
     "mirror_place < kept_rows ? mirror_place - 1 : row"},
    {"row R / 2 joined to itself", "if (last_place - kept == kept || ", "if ("},
    {"rows joined to others", "const SharedAddress mirror_at = chunk_at(tile, part, last_place - kept, chunk)",
     "const SharedAddress mirror_at = chunk_at(tile, part, last_place - 1 - kept, chunk)"},
};

Generated masked(int column_length, int row_length, std::int64_t rows, bool padded = false) {
  ConvConfig config;
  config.column_length = column_length;
  config.fft_length = std::int64_t{row_length} * column_length;
  config.length = config.fft_length / (padded ? 2 : 1);
  config.padding = padded ? Padding::padded : Padding::circular;
  config.mask = keep_counts({rows, row_length}, {column_length, row_length});
  config.arch = "sm_90a";
  return generate(config);
}

}  // namespace

TEST_CASE("texts as they are emitted pass, in rings of any size and warps in any order") {
  for (const Generated& generated : {masked(64, 256, 9), masked(64, 512, 10), masked(32, 256, 7, true)}) {
    REQUIRE(generated.conv.source.find("kept_slots") != std::string::npos);
    check_passes(generated);
  }
}

TEST_CASE("every fault of the products shows") {
  for (const Fault& fault : product_faults) check_shows(masked(64, 256, 10), fault);
  check_shows(masked(32, 256, 7, true), {"a section at a time", "sections_at_once = 2", "sections_at_once = 1"});
}

TEST_CASE("every fault of rows without a partner shows") {
  for (const Fault& fault : lone_faults) check_shows(masked(64, 256, 10), fault);
}
