// Faults put into the text of rows one by one past one block: each must show in the result, or stop the launch.
#include <doctest/doctest.h>

#include "split_faults.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// Of rows one by one: where they part from pairs.
constexpr Fault faults[] = {
    {"the later halves are the earlier ones",
     "part * columns + first_column + 8 * chunk;\n    const unsigned short* const u",
     "first_column + 8 * chunk;\n    const unsigned short* const u"},
    {"and go where those are", "part * columns + first_column + 8 * chunk;\n    unsigned short* const y",
     "first_column + 8 * chunk;\n    unsigned short* const y"},
    {"the mirror is the row itself", "frequency : column_length - frequency", "frequency : frequency"},
    {"rows as far apart as those of pairs", "frequency * half_row;", "frequency * row_length;"},
    {"the later half where it would be without a mirror", "(mirror - frequency - 1) * half_row", "0"},
    {"a row that is its own mirror taken for another", "if (is_own_mirror(frequency)) {", "if (false) {"},
    {"row 0 conjugated where the middle row is", "frequency == 0 ? conjugate(y)", "frequency != 0 ? conjugate(y)"},
    {"halves left as they are", "take_apart(x[b][a], x[b][a + 1]);", ""},
    {"and on the way back", "put_together(x[b][a], x[b][a + 1]);", ""},
    {"the later half negative", "y.re[h] = sub(x_im, y_im), y.im[h] = sub(y_re, x_re)",
     "y.re[h] = sub(y_im, x_im), y.im[h] = sub(x_re, y_re)"},
    {"the mirror put together as the row is", "y.re[h] = add(a_re, b_im), y.im[h] = sub(a_im, b_re)",
     "y.re[h] = sub(a_re, b_im), y.im[h] = add(a_im, b_re)"},
    {"both halves the row's", "(i < 2 ? u : mirror)", "u"},
    {"both halves stored where the row is", "(i < 2 ? y : mirror)", "y"},
    {"rows that are their own mirrors stored twice",
     "if (is_own_mirror(frequency) && (i < 2) != (frequency == 0)) continue;", ""},
    {"the wrong half of them stored", "(i < 2) != (frequency == 0)", "(i < 2) == (frequency == 0)"},
    {"the filter of another channel", "return {row.channel, 0,", "return {0, 0,"},
    {"no row for every other number", "(rows + rows_of_place - 1) / rows_of_place", "(rows + 1) / 2"},
    {"every row the first of its channel", "static_cast<int>(first % batch)", "0"},
    {"one row too few", "turn.place.round * spectrum_rows", "turn.place.round * (spectrum_rows - 1)"},
    {"rows of the round to come", "turn.place.round * spectrum_rows", "(turn.place.round + 1) * spectrum_rows", stuck},
    {"as many rows as of a pair", "turn.place.round * spectrum_rows", "turn.place.round * (2 * column_length)", stuck},
};

}  // namespace

TEST_CASE("texts as they are emitted pass, in rings of any size and warps in any order") {
  check_passes(example(16, 4096, 1));
}

TEST_CASE("every fault of rows one by one shows") {
  for (const Fault& fault : faults) check_shows(example(16, 4096, 1), fault);
}
