// The scale that a DFT matrix carries in fp16.
#pragma once

namespace ffc {

/// The fp16 value within 12% of `around` by which the radix-point DFT matrix rounds to fp16 with the least rms relative
/// error. Any factor serves, since the spectrum's gain makes up for all of them; a radix-16 matrix has four distinct
/// magnitudes only, which a good factor places next to fp16 values.
[[nodiscard]] double quiet_scale(int radix, double around);

/// The same, around 1, of a butterfly of `rows` at frequencies k + 1/4: exp(-2 pi i a (4 k + 1) / (4 rows)). Of an even
/// number 1, for samples whose root that is need no product then, which gains as much.
[[nodiscard]] double quiet_turns_scale(int rows);

/// The same of a radix-16 matrix in halves: exp(-2 pi i n k / 8) and exp(-2 pi i (n + 1/2) (k + 1/2) / 8).
[[nodiscard]] double quiet_halved_scale(double around);

}  // namespace ffc
