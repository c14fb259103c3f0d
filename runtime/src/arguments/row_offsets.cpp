// Addresses and strides modulo lines.
#include "row_offsets.hpp"

#include <cstdint>

namespace ffc {
namespace {

constexpr std::uintptr_t line_bytes = 16;
constexpr std::int64_t line_samples = 8;

// Rows of `one`, which is there, and those of another tensor. The stride of an axis of one element is never used.
template <class View>
bool are_alike(const TensorView& one, const View& other, int batch, int channels) {
  if (other.data == nullptr) return true;
  const std::uintptr_t apart =
      reinterpret_cast<std::uintptr_t>(one.data) - reinterpret_cast<std::uintptr_t>(other.data);
  const std::int64_t rows = batch > 1 ? one.batch_stride - other.batch_stride : 0;
  const std::int64_t planes = channels > 1 ? one.channel_stride - other.channel_stride : 0;
  return apart % line_bytes == 0 && rows % line_samples == 0 && planes % line_samples == 0;
}

}  // namespace

bool lie_alike(const LaunchArguments& arguments) {
  const auto as_u = [&](const auto& other) {
    return are_alike(arguments.u, other, arguments.batch, arguments.channels);
  };
  return as_u(arguments.w) && as_u(arguments.v) && as_u(arguments.y);
}

bool lie_alike(const BackwardArguments& arguments) {
  const auto as_dy = [&](const auto& other) {
    return are_alike(arguments.dy, other, arguments.batch, arguments.channels);
  };
  return as_dy(arguments.u) && as_dy(arguments.w) && as_dy(arguments.v) && as_dy(arguments.du) && as_dy(arguments.dw) &&
         as_dy(arguments.dv);
}

}  // namespace ffc
