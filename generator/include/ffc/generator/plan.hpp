// How to compute: the digits of the transform, the list of steps over them, and the threads and memory that run it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/block_shape.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/packing.hpp"
#include "ffc/generator/plan_language.hpp"
#include "ffc/generator/windows.hpp"

namespace ffc {

/// The ways a list of steps becomes kernels. `tiled`: 16 x 16 tiles in registers, at most one exchange each way.
/// `general`: any digits, one pass over memory per digit. `split`: N = R x M, columns of R and rows of M with
/// a workspace between them, by different warps of one kernel (generator/README.md, "Past one block").
/// `cluster`: the same with a butterfly of R = 2, 4 or 8 for columns, and the rows in the shared memories of as many
/// blocks, which are a cluster.
enum class Family { tiled, general, split, cluster };

/// What the cost model expects of one pair of rows, in nanoseconds of a whole device (generator/README.md, "The cost
/// model").
struct Cost {
  double memory = 0;    ///< global traffic at copy bandwidth
  double matrix = 0;    ///< tensor core time
  double general = 0;   ///< issue slots of everything else
  double exchange = 0;  ///< shared-memory wavefronts
  double total = 0;
};

/// Of delayed rows: how those of a kernel's tensors lie. `alike`: as far behind lines of 16 bytes as each other, as
/// they do where tensors are laid out alike. A kernel for those is half as long as one for both.
enum class Offsets { alike, apart };

/// What plans of all families have: the transform, and how rows become it.
struct Transform {
  std::int64_t transform_length = 0;  ///< M
  /// L: where samples of a row may lie; of windows, their step: samples of y, and the gap behind them, where a part of
  /// du comes out; of a window alone, those of either half.
  std::int64_t length = 0;
  /// By how many samples, at most, a row is delayed, for it to begin on a line of `delay_line` bytes, 16, 8 or 4:
  /// `length` counts them. 0: rows are taken from their first sample on.
  int most_delay = 0;
  int delay_line = 0;
  Offsets offsets = Offsets::alike;  ///< that the kernel takes
  /// How many of its samples a delay moves behind the last point, at most; `length` does not count them. Of rows at a
  /// right angle they come round to the imaginary parts of the first ones; of pairs, whose last point is that of half a
  /// transform, they are in its other half (generator/README.md, "Rows at any address").
  int most_wrapped = 0;
  std::optional<Windows> windows;  ///< rows are taken in windows of the transform (in one block)
  std::vector<Digit> digits;
  std::vector<Step> steps;
  Accumulation accumulation = Accumulation::fp16;
  BackwardWork backward;
  double sparsity = 0;  ///< part of all frequencies that a mask drops: the spectrum is zero there
  Cost cost;

  /// How real rows become complex ones; of a part, those of the whole. Right-angle rows are transformed modulo
  /// x^transform_length = -i, where the real part is the convolution of rows padded to twice that length. Windows of
  /// twice that length have their later half as real part and the earlier one as imaginary part: that is i times the
  /// polynomial. Of half-length rows column m of samples and column m + M / 2 are the parts of a complex one.
  Packing packing = Packing::two_rows;
  int column_length = 0;  ///< R where these are the rows of columns and rows: complex, with complex filters; else 0

  [[nodiscard]] bool is_backward() const { return backward.tensors() > 0; }
  [[nodiscard]] bool real_filter() const { return column_length == 0; }
  /// The transform's frequencies are k + 1/4. Those of rows of a longer transform follow from the columns'.
  [[nodiscard]] bool right_angle() const { return packing == Packing::right_angle && real_filter(); }
  /// In how many parts of a frequency those of the filter are counted: the transform's own are every fourth of them.
  [[nodiscard]] int frequency_parts() const { return right_angle() ? 4 : 1; }
  /// Samples that a row has, which is not taken in windows.
  [[nodiscard]] std::int64_t row_length() const { return length - most_delay + most_wrapped; }
  /// Samples of a row or window that a load may find: all of a window's.
  [[nodiscard]] std::int64_t loaded_length() const { return windows ? transform_length : length; }
};

/// A transform in one block: rows of 256 = 16 x 16 in registers, the last two digits, and outer digits around them that
/// make rows() of them. Also the rows of columns and rows.
struct InBlockPlan : Transform {
  int outer_butterfly = 1;  ///< radix of the digit in the register index, 1 where there is none
  int outer_tile = 1;       ///< radix of the digit contracted down the columns, 1 where there is none
  /// How many of a row's four products apply the factor behind them in fp32 before they round, in the order of what
  /// that saves: inner twiddle inverse, inner twiddle forward, spectrum, outer twiddle inverse.
  int fused_factors = 0;
  /// The first stage's products and butterfly stay in fp32 until they are stored (tile digit first).
  bool wide_columns = false;
  /// The first product of a row's 16 x 16 is at frequencies between, so that no twiddle comes before it, and all four
  /// are products of 8 and butterflies (at a right angle).
  bool fractional_rows = false;
  RowSums row_sums = RowSums::rounded;  ///< of fractional rows
  /// Of gradients: the filter's spectrum is that of a convolution with fractional rows, in its order and of its scale.
  bool spectrum_of_fractional = false;
  /// What is read of the spectrum is multiplied by a power of two that stands behind it: filters past one block are
  /// stored before their largest magnitude is known. Set where the filter kernel is chosen, behind the plan.
  bool spectrum_lacks_power = false;
  /// Of a split plan's rows: products are brought back to the rows as they came before they join sums, for each pair
  /// has a power of two of its own.
  bool scales_row_sums = false;
  /// Of a split plan's rows: each tile of columns has a power of two of its own, which their first stage makes one.
  bool takes_tile_powers = false;
  /// A channel's spectrum is more than the L2 cache keeps from row to row, so what is read of it is the first to leave.
  /// Set there too.
  bool spectrum_leaves_cache = false;
  /// Of rows of columns and rows: through what both exchange. In a cluster the columns put rows where they stay.
  Level columns_level = Level::block;
  Geometry geometry;
  SharedMap shared;

  // What a mask of frequencies leaves to do (ConvConfig::mask).
  /// Outer frequencies of the rows that are transformed; of a real filter those whose factors are kept, up to rows() /
  /// 2. Empty: all.
  std::vector<int> kept_rows;
  /// 8 of the 16 values of the second last digit and of the last that hold all that is kept, so that their products
  /// halve; empty: no such.
  std::vector<int> kept_inner, kept_last;

  [[nodiscard]] bool in_cluster() const { return columns_level == Level::cluster; }
  /// Tensors of a pair that are in shared memory at a time.
  [[nodiscard]] int resident_tensors() const { return !is_backward() || geometry.in_turn ? 1 : backward.tensors(); }
  /// What comes in for the later half of the butterfly's values are the conjugates of the mirrors of the earlier half's
  /// frequencies, from which sums and differences make the row.
  [[nodiscard]] bool untangles() const { return packing == Packing::half_length && !real_filter(); }
  /// Row -f has the conjugate of row f's twiddles and spectrum. At frequencies k + 1/4 none has.
  [[nodiscard]] bool mirrors_rows() const { return real_filter() && packing != Packing::right_angle; }
  /// Of a real row, rows() samples of which stand where complex rows will: row -f of frequencies is not there, for it
  /// is the conjugate of row f. Rows 0 and rows() / 2 are real and share a place, as its real and imaginary parts.
  [[nodiscard]] bool half_spectrum() const { return packing == Packing::real_row; }
  [[nodiscard]] int rows() const { return outer_butterfly * outer_tile; }
  /// Of frequencies that are there, where rows 0 and rows() / 2 of a real row, which are real, count as one.
  [[nodiscard]] int frequency_rows() const { return half_spectrum() ? rows() / 2 : rows(); }
  /// A twiddle comes between a row's samples and its first product: that of the outer digits, of a split plan, or of
  /// the part of a frequency that there is at a right angle.
  [[nodiscard]] bool has_outer_twiddle() const { return rows() > 1 || !real_filter() || right_angle(); }
  /// A warp holds a row alone, whose butterfly takes real samples and has its roots at frequencies k + 1/4. In a
  /// convolution's shared memory there are its samples, and no frequencies.
  [[nodiscard]] bool holds_row_alone() const { return right_angle() && outer_tile == 1 && !windows; }
  /// Rows, by the outer part of their frequency, whose twiddles and spectrum are kept: of a real filter, the
  /// conjugate of row -f takes those of row f.
  [[nodiscard]] int factor_rows() const {
    return !kept_rows.empty() ? static_cast<int>(kept_rows.size()) : mirrors_rows() ? rows() / 2 + 1 : rows();
  }
  /// Of a split plan's rows: how many a group convolves between two counts. What it costs to wait and to be waited for
  /// is shared by a short row and its mirror.
  [[nodiscard]] int rows_at_once() const { return rows() <= 2 ? 2 : 1; }
  /// Couples of a row and its mirror -f; rows 0 and rows / 2, their own mirrors, make one together. Where rows have no
  /// mirrors each is a couple of its own. Without those that a mask drops.
  [[nodiscard]] int couples() const;
  [[nodiscard]] int couples_per_warp() const {
    return (couples() + geometry.warps_per_group - 1) / geometry.warps_per_group;
  }
  /// The tile digit is the outermost one: padding then shrinks its products. Radix 8 does complex numbers in one
  /// product, which padding cannot shrink, so there the butterfly comes first, as it does where it is of real numbers.
  [[nodiscard]] bool tile_first() const { return outer_tile > 8 && !half_spectrum(); }
  /// Rows of shared memory from one value of the butterfly digit to the next: whole 8-row blocks.
  [[nodiscard]] int slot_stride() const { return outer_tile == 1 ? 1 : outer_tile <= 8 ? 8 : 16; }
  /// Rows of shared memory in a plane, of which there are two. Real rows of samples go on from one to the other.
  [[nodiscard]] int slots() const {
    const int slots = outer_butterfly * slot_stride();
    return half_spectrum() || (holds_row_alone() && !is_backward()) ? (slots + 1) / 2 : slots;
  }
  /// Values of the butterfly digit whose frequencies are there.
  [[nodiscard]] int frequency_butterflies() const {
    return half_spectrum() && outer_butterfly > 1 ? outer_butterfly / 2 : outer_butterfly;
  }
  /// Values of the butterfly digit whose samples exist; the others are padding (all exist where the tile comes first).
  [[nodiscard]] int live_butterflies() const;
  /// Those whose results are wanted: fewer than live_butterflies() of windows, whose halos are not.
  [[nodiscard]] int stored_butterflies() const;
  /// Rows of 256 samples that are copied in: those that exist and, zeroed, those a product reads beside them.
  [[nodiscard]] int loaded_rows() const;
};

/// Any digits, one pass over memory for each: the block's shared memory, or, of leading digits of rows that this does
/// not hold, a place of the block's in the workspace.
struct MixedRadixPlan : Transform {
  int outer_digits = 0;   ///< leading digits whose passes are over the workspace; the rest are rows in shared memory
  int pairs_at_once = 1;  ///< of a channel, that a block takes together
  int padding = 0;        ///< words behind each column of the last digit in shared memory: even strides share banks
  int warps = 8;          ///< of a block
  int blocks_per_sm = 1;
  int shared_bytes = 0;  ///< of a block

  [[nodiscard]] int threads() const { return 32 * warps; }
  /// Complex words of a row in shared memory.
  [[nodiscard]] std::int64_t points() const {
    return outer_digits == 0 ? transform_length : digits[static_cast<std::size_t>(outer_digits) - 1].stride;
  }
  /// Such rows of a transform.
  [[nodiscard]] std::int64_t rows() const { return transform_length / points(); }
};

/// N = R x M: columns of R and rows of M, whatever lies between them. Digits and steps are those of the whole.
struct ColumnsAndRowsPlan : Transform {
  InBlockPlan row_plan;  ///< of the M points of a row

  /// R
  [[nodiscard]] int row_count() const { return static_cast<int>(transform_length / row_plan.transform_length); }
  /// How many of the digits are the columns'.
  [[nodiscard]] std::size_t column_digits() const { return digits.size() - row_plan.digits.size(); }
};

/// A workspace between columns and rows.
struct FourStepPlan : ColumnsAndRowsPlan {
  ColumnShape columns;
  std::vector<int> kept_columns;  ///< frequencies of the columns, of R, that a mask keeps; empty: all
};

/// A butterfly for columns, and the rows in the shared memories of a cluster of R blocks.
struct ClusterPlan : ColumnsAndRowsPlan {
  ClusterShape columns;
};

/// A plan of one of the families. What all have is behind `->`.
class Plan {
 public:
  Plan() = default;
  Plan(InBlockPlan plan) : plan_(std::move(plan)) {}     // NOLINT(google-explicit-constructor): a plan is a plan
  Plan(MixedRadixPlan plan) : plan_(std::move(plan)) {}  // NOLINT(google-explicit-constructor)
  Plan(FourStepPlan plan) : plan_(std::move(plan)) {}    // NOLINT(google-explicit-constructor)
  Plan(ClusterPlan plan) : plan_(std::move(plan)) {}     // NOLINT(google-explicit-constructor)

  [[nodiscard]] Family family() const { return static_cast<Family>(plan_.index()); }
  [[nodiscard]] const Transform* operator->() const {
    return std::visit([](const Transform& plan) { return &plan; }, plan_);
  }
  [[nodiscard]] Transform* operator->() {
    return std::visit([](Transform& plan) { return &plan; }, plan_);
  }
  [[nodiscard]] const Transform& operator*() const { return *operator->(); }

  /// The plan as one of its family; null where it is of another.
  template <class Family>
  [[nodiscard]] const Family* as() const {
    return std::get_if<Family>(&plan_);
  }
  template <class Family>
  [[nodiscard]] Family* as() {
    return std::get_if<Family>(&plan_);
  }
  /// Columns and rows, of a ring or of a cluster; null where it is in one block.
  [[nodiscard]] const ColumnsAndRowsPlan* columns_and_rows() const {
    if (const auto* const cluster = as<ClusterPlan>()) return cluster;
    return as<FourStepPlan>();
  }
  /// `visitor(plan)` with the plan as one of its family.
  template <class Visitor>
  [[nodiscard]] decltype(auto) visit(Visitor&& visitor) const {
    return std::visit(std::forward<Visitor>(visitor), plan_);
  }

 private:
  std::variant<InBlockPlan, MixedRadixPlan, FourStepPlan, ClusterPlan> plan_;
};

/// With Scaling::found: whether the plan's own kernel finds how large its rows are. It does where a block holds them as
/// 16 x 16 tiles, in bf16, and past one block of most rows alone, whose tiles of columns have powers of two of their
/// own. Of gradients each pair of rows has its own powers of two, except where gated rows of 32768 points would be read
/// twice, one tensor after the other.
[[nodiscard]] bool finds_magnitudes(const ConvConfig& config, const Plan& plan);

/// Whether the plan's kernel takes magnitudes of each batch row: that of columns and rows does.
[[nodiscard]] inline bool takes_magnitudes_of_rows(const Plan& plan) { return plan.columns_and_rows() != nullptr; }

/// `config` with magnitudes of rows that are given.
[[nodiscard]] ConvConfig as_given(ConvConfig config);

/// What the plan's kernel is made from: magnitudes that it does not find are given to it, by another kernel.
[[nodiscard]] ConvConfig kernel_config(const ConvConfig& config, const Plan& plan);

/// "16x16x16": radices, outermost first.
[[nodiscard]] std::string factorisation_name(const Transform& plan);

/// The list of steps for digits that are contracted in order, and back in the opposite order.
[[nodiscard]] std::vector<Digit> make_digits(const std::vector<int>& radices);

/// One line per step, in words.
[[nodiscard]] std::string describe(const Transform& plan, const Step& step);

}  // namespace ffc
