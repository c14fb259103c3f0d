// Faults put into the text of rows one by one past one block: each must show in the result, or stop the launch.
#include <doctest/doctest.h>

#include <utility>

#include "split_faults.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// Of rows one by one: where they part from pairs.
constexpr Fault faults[] = {
    {"the later halves are the earlier ones", "part * columns + first_column + 8 * chunk;\n      const int live",
     "first_column + 8 * chunk;\n      const int live"},
    {"and go where those are", "part * columns + first_column + 8 * chunk;\n      const SharedAddress from",
     "first_column + 8 * chunk;\n      const SharedAddress from"},
    {"the later half's parts as they are in the tile", "(1 - part) * plane_length", "part * plane_length"},
    {"both halves of a row in one", "+ row * row_length + columns}", "+ row * row_length}"},
    {"row 0 where the middle row is", "real + plane_length", "real"},
    {"the middle row's later half a conjugate on the way in",
     "} else if (part == 1) {\n        change_sign(second);\n      }\n      const HalfRows to",
     "}\n      const HalfRows to"},
    {"and not on the way back", "} else if (part == 1) {\n        change_sign(second);\n      }\n      store_shared",
     "}\n      store_shared"},
    {"the later half negative on one side", "part == 0 ? difference_of(b, a) : difference_of(a, b)",
     "part == 0 ? difference_of(a, b) : difference_of(b, a)"},
    {"sums and differences joined the other way", "first = part == 0 ? difference : sum, second = part == 0 ? sum",
     "first = part == 1 ? difference : sum, second = part == 1 ? sum"},
    {"halved on neither side", "a = halved(first), b = halved(second)", "a = first, b = second"},
    {"row 0 joined as others are", "if (row > 0) {\n        const uint4 sum", "if (true) {\n        const uint4 sum"},
    {"halves sent out apart", "if (turn.out.exists) join_halves(tile, unit, thread);", ""},
    {"no barrier behind halves put together", "store_shared(second_at, second);\n    }\n  unit_barrier(unit);",
     "store_shared(second_at, second);\n    }"},
    {"the middle row where row 0 is", "? plane_length : frequency * row_length", "? 0 : frequency * row_length"},
    {"the middle row with imaginary parts", "2 * frequency % column_length == 0", "frequency == 0"},
    {"imaginary parts of real rows read", "part == 1 && real ? 0 : 8", "8"},
    {"and stored", "if (part == 1 && mine.real) break;", ""},
    {"the filter of another channel", "return {row.channel, 0,", "return {0, 0,"},
    {"no row for every other number", "(rows + rows_of_place - 1) / rows_of_place", "(rows + 1) / 2"},
    {"every row the first of its channel", "static_cast<int>(first % batch)", "0"},
    {"one row too few", "turn.place.round * spectrum_rows", "turn.place.round * (spectrum_rows - 1)"},
    {"rows of the round to come", "turn.place.round * spectrum_rows", "(turn.place.round + 1) * spectrum_rows", stuck},
    {"as many rows as of a pair", "turn.place.round * spectrum_rows", "turn.place.round * (2 * column_length)", stuck},
};

}  // namespace

TEST_CASE("texts as they are emitted pass, in rings of any size and warps in any order") {
  for (const auto& [column_length, row_length] : {std::pair{48, 512}, std::pair{16, 2048}})
    check_passes(example(column_length, row_length, 1));
}

TEST_CASE("every fault of rows one by one shows") {
  for (const Fault& fault : faults) check_shows(example(48, 512, 1), fault);
}
