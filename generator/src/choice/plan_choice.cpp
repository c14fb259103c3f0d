// Which plans come into question for a config, cheapest first.
#include "ffc/generator/plan_choice.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "backward_plan.hpp"
#include "choices.hpp"
#include "cluster_plan.hpp"
#include "cost_model.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/plan.hpp"
#include "forced_radices.hpp"
#include "general_plan.hpp"
#include "leave_out.hpp"
#include "outer_digits.hpp"
#include "plan_limits.hpp"
#include "split_plan.hpp"
#include "tiled_plan.hpp"
#include "window_plan.hpp"

namespace ffc {
namespace {

constexpr std::int64_t row = 256;
constexpr std::int64_t split_multiple = 4096;  // R is a multiple of 16, M of 256

class Chooser {
 public:
  explicit Chooser(ConvConfig config) : config_(std::move(config)), arch_(find_arch(config_.arch)) {
    if (!config_.mask.empty()) kept_ = kept_frequencies(config_.mask);
  }

  std::vector<Plan> choose() {
    if (!config_.radices.empty())
      forced();
    else if (config_.column_length != 0)
      add_split(config_.fft_length);
    else if (!config_.mask.empty())
      itself();
    else if (config_.padding == Padding::causal)
      causal();
    else
      exact();
    leave_out();
    for (Plan& plan : plans_) plan->cost = predict_cost(plan, config_);
    std::stable_sort(plans_.begin(), plans_.end(),
                     [](const Plan& a, const Plan& b) { return a->cost.total < b->cost.total; });
    return std::move(plans_);
  }

 private:
  template <class FamilyPlan>
  bool add(std::optional<FamilyPlan> plan) {
    const bool found = plan.has_value();
    if (found) plans_.push_back(*std::move(plan));
    return found;
  }

  void add_tiled(std::int64_t transform_length) {
    for (const OuterDigits& outer : outer_digits(transform_length)) add(tiled_plan(config_, outer, arch_));
  }

  // Rows alone, as they are.
  void add_real_rows(std::int64_t transform_length) {
    for (const OuterDigits& outer : outer_digits(transform_length)) add(tiled_real_row_plan(config_, outer, arch_));
  }

  void add_general(std::int64_t transform_length) {
    const std::vector<int> digits = general_digits(transform_length, arch_);
    if (!digits.empty()) plans_.emplace_back(general_plan(config_, digits, transform_length, arch_));
  }

  void add_split(std::int64_t transform_length) {
    const std::size_t before = plans_.size();
    if (splits_right_angle(transform_length)) add_split_right_angle(transform_length / 2);
    if (config_.column_length != 0 && plans_.size() > before) return;
    for (ColumnShape shape : column_shapes(transform_length)) {
      if (config_.column_length != 0 && config_.column_length != shape.length()) continue;
      if (!takes_radices(shape.radices())) continue;
      if (!kept_.empty()) {
        const auto [share, few] = rows_left(kept_, shape.length());
        shape.rows_share = share, shape.few_rows = few;
      }
      const bool half_length = splits_half_length(transform_length);
      if (half_length && add(split_plan(config_, transform_length, shape, arch_, Packing::half_length))) continue;
      add(split_plan(config_, transform_length, shape, arch_, Packing::two_rows));
    }
    add_clusters(transform_length);
  }

  // Whether forced radices begin with those of the columns; the others are the rows'.
  [[nodiscard]] bool takes_radices(const std::vector<int>& columns) const {
    return config_.radices.empty() || (config_.radices.size() >= columns.size() &&
                                       std::equal(columns.begin(), columns.end(), config_.radices.begin()));
  }

  // Rows go one by one where pairs are too long, and where columns are forced for a batch that has none. Gates are work
  // for the columns, which are busy enough.
  [[nodiscard]] bool splits_half_length(std::int64_t transform_length) const {
    if (!config_.mask.empty()) return false;
    if (config_.column_length != 0 && config_.batch == 1) return true;
    return config_.gating == Gating::none && config_.length >= measured::least_half_length &&
           transform_length <= measured::longest_half_length;
  }

  // Rows alone, which half of the transform holds; with forced columns, for a batch that has no pairs.
  [[nodiscard]] bool splits_right_angle(std::int64_t transform_length) const {
    return transform_length % 2 == 0 && (config_.column_length == 0 || config_.batch == 1);
  }

  void add_split_right_angle(std::int64_t points) {
    for (const ColumnShape& shape : column_shapes(points))
      if ((config_.column_length == 0 || config_.column_length == shape.length()) && takes_radices(shape.radices()))
        add(split_right_angle_plan(config_, points, shape, arch_));
  }

  // Of N points, or of half as many where rows are half as long.
  void add_clusters(std::int64_t transform_length) {
    // Where both cost as much, rows alone need no partner.
    if (transform_length % 2 == 0) add_clusters(transform_length / 2, cluster_right_angle_plan);
    add_clusters(transform_length, [](const auto&... of) { return cluster_plan(of...); });
  }

  template <class MakePlan>
  void add_clusters(std::int64_t points, const MakePlan& make_plan) {
    for (const ClusterShape& shape : cluster_shapes(points)) {
      const bool gains =
          shape.length() >= measured::least_cluster && points / shape.length() >= measured::least_cluster_row;
      const bool wanted = config_.column_length == 0 ? gains : config_.column_length == shape.length();
      if (wanted && takes_radices(shape.radices())) add(make_plan(config_, points, shape, arch_));
    }
  }

  // Rows of at most as many samples, or windows of twice as many, alone.
  void add_right_angle(std::int64_t points) {
    for (const OuterDigits& outer : outer_digits(points)) add(tiled_right_angle_plan(config_, outer, arch_));
  }

  // Of radices that were asked for: the lists that come closest to them. Whole rows go digit by digit only where
  // nothing else computes their factors.
  void forced() {
    const std::vector<int> asked = config_.radices;
    const bool alone = spells_right_angle(config_);
    for (const auto& lists : lists_for_radices(config_)) {
      for (const std::vector<int>& list : lists) {
        std::vector<Plan> found = std::exchange(plans_, {});
        config_.radices = list;
        alone ? add_list_alone(config_.fft_length / 2) : add_list();
        leave_out_other_digits(plans_, config_);
        std::move(found.begin(), found.end(), std::back_inserter(plans_));
      }
      config_.radices = asked;
      if (!plans_.empty()) return;
    }
    if (!alone && config_.column_length == 0 && !goes_in_windows())
      plans_.emplace_back(general_plan(config_, general_digits_of(asked), config_.fft_length, arch_));
  }

  // Those of the list that is tried; an empty one is any.
  [[nodiscard]] std::vector<OuterDigits> outer_digits_of(std::int64_t points) const {
    return config_.radices.empty() ? outer_digits(points) : outer_digits(config_.radices);
  }

  void add_list() {
    if (config_.column_length == 0)
      for (const OuterDigits& outer : outer_digits_of(config_.fft_length)) add(tiled_plan(config_, outer, arch_));
    if (config_.column_length != 0 || (!goes_in_windows() && config_.fft_length > longest_tiled))
      add_split(config_.fft_length);
    // Rows alone are of half as many points.
    std::erase_if(plans_, [&](const Plan& plan) { return plan->transform_length != config_.fft_length; });
  }

  void add_list_alone(std::int64_t points) {
    if (points > longest_tiled) {
      add_split_right_angle(points);
      add_clusters(points, cluster_right_angle_plan);
      return;
    }
    for (const OuterDigits& outer : outer_digits_of(points)) add(tiled_right_angle_plan(config_, outer, arch_));
  }

  [[nodiscard]] bool goes_in_windows() const {
    return config_.padding == Padding::causal && !fits_whole(config_, config_.fft_length);
  }

  // The whole row at once, or in windows: in those that are forced, or in whichever are cheapest where the filter is
  // shorter than the row.
  void causal() {
    const std::int64_t needed = config_.length + reached_taps(config_) - 1;
    const bool whole =
        config_.fft_length == 0 ? !config_.history && needed <= longest_split : fits_whole(config_, config_.fft_length);
    if (config_.fft_length != 0 && !whole) {
      add_tiled(config_.fft_length);
      if (config_.fft_length % 2 == 0) add_right_angle(config_.fft_length / 2);
    }
    if (whole) at_least(needed), right_angle_rows();
    if (config_.fft_length == 0 && (config_.history || config_.filter_length < config_.length)) windows();
  }

  void windows() {
    const std::int64_t halo = halo_of(reached_taps(config_));
    for (std::int64_t length = halo / row * row + row; length <= longest_window; length += row)
      if (!fits_whole(config_, length)) add_tiled(length);
    for (std::int64_t points = std::max((halo + row - 1) / row, std::int64_t{1}) * row; points <= longest_tiled;
         points += row)
      if (!fits_whole(config_, 2 * points) || config_.length > points) add_right_angle(points);
  }

  // Rows alone, which half of a transform that is long enough holds.
  void right_angle_rows() {
    if (config_.history) return;
    const std::int64_t first = (config_.length + row - 1) / row * row;
    for (std::int64_t points = first; points <= std::min(2 * first, longest_tiled); points += row)
      add_right_angle(points);
  }

  // Any transform that is long enough will do.
  void at_least(std::int64_t needed) {
    const std::int64_t first = (needed + row - 1) / row * row;
    for (std::int64_t length = first; length <= std::min(2 * first, longest_tiled); length += row) add_tiled(length);
    if (config_.fft_length >= needed && config_.fft_length <= longest_tiled) add_general(config_.fft_length);
    // Circular rows that one block could hold keep its accuracy, at any price.
    const bool one_block = config_.padding != Padding::causal && config_.fft_length <= longest_tiled;
    const std::int64_t longest_general = one_block ? 2 * longest_tiled : longest_tiled;
    for (std::int64_t length = needed; plans_.empty() && length <= longest_general; ++length) add_general(length);
    if (plans_.empty()) split_at_least(needed);
  }

  // Past one block lengths are many: those up to a quarter longer, and the next power of two.
  void split_at_least(std::int64_t needed) {
    const std::int64_t first = (needed + split_multiple - 1) / split_multiple * split_multiple;
    const std::int64_t last = std::min(first + first / 4, longest_split);
    for (std::int64_t length = first; length <= last; length += split_multiple) add_split(length);
    const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(first)));
    if (power > last && power <= longest_split) add_split(power);
  }

  // N itself where it is a good length; else N in single digits, or folded into a good length.
  void exact() {
    add_tiled(config_.fft_length);
    add_real_rows(config_.fft_length);
    if (plans_.empty() && config_.fft_length > longest_tiled) add_split(config_.fft_length);
    const bool good = !plans_.empty();
    if (!good && config_.fft_length <= longest_tiled) add_general(config_.fft_length);
    if (!good) at_least(2 * config_.length - 1);
    // A period of a good length that its rows fill has no use for them.
    if (!good || config_.padding != Padding::circular) right_angle_rows();
  }

  // N alone, whose frequencies a mask names.
  void itself() {
    add_tiled(config_.fft_length);
    if (config_.fft_length > longest_tiled) add_split(config_.fft_length);
    if (plans_.empty() && config_.fft_length <= longest_tiled) add_general(config_.fft_length);
  }

  void leave_out() {
    if (kept_.empty()) return;
    for (Plan& plan : plans_) leave_out_dropped(plan, config_, kept_);
  }

  ConvConfig config_;  // with the radices that are tried
  const Arch& arch_;
  std::vector<std::uint8_t> kept_;  // frequencies; empty without a mask
  std::vector<Plan> plans_;
};

}  // namespace

std::vector<Plan> find_plans(const ConvConfig& config) {
  return config.pass == Pass::backward ? backward_plans(config) : Chooser(config).choose();
}

}  // namespace ffc
