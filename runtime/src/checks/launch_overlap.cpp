// Which memory of a launch may be the same, and which must not.
#include "launch_check_parts.hpp"
#include "magnitude_launches.hpp"

namespace ffc {

void check_apart(const Generated& generated, const NamedMemory& written, const NamedMemory& other) {
  if (written.data == nullptr || other.data == nullptr || !share_memory(written.rows, other.rows)) return;
  refuse(generated, "{} is {} and {} {}: they overlap, and what is written must share no memory with another tensor",
         written.name, written.data, other.name, other.data);
}

namespace {

// y is exactly that input, where it may be, or shares no memory with it.
void check_replaced(const Generated& generated, const NamedMemory& y, const NamedMemory& input, bool allowed) {
  if (input.data == nullptr || !share_memory(y.rows, input.rows) || (allowed && are_same(y.rows, input.rows))) return;
  const std::string_view why = allowed ? "both must be the same rows, or share no memory"
                                       : "rows in windows read inputs again, which y must not overwrite";
  refuse(generated, "{} is {} and {} {}: they overlap; {}", y.name, y.data, input.name, input.data, why);
}

}  // namespace

void check_aliases(const Generated& generated, const LaunchArguments& arguments, const LaunchShape& shape) {
  const std::int64_t length = generated.config.length, reach = generated.config.filter_length - 1;
  const NamedMemory y = rows_of("y.data", arguments.y, shape, length);
  const NamedMemory u = rows_of("u.data", arguments.u, shape, length);
  const NamedMemory w = rows_of("w.data", arguments.w, shape, length);
  const NamedMemory v = rows_of("v.data", arguments.v, shape, length);
  check_replaced(generated, y, u, generated.in_place == InPlace::any);
  check_replaced(generated, y, w, generated.in_place == InPlace::any);
  check_replaced(generated, y, v, true);
  const NamedMemory spectrum = bytes_of("the spectrum", arguments.spectrum.data(), arguments.spectrum.bytes());
  check_apart(generated, y, spectrum);
  check_apart(generated, y, magnitudes_of("input_magnitudes", arguments.input_magnitudes, shape));
  if (reach > 0) check_apart(generated, y, rows_of("history.u.data", arguments.history.u, shape, reach));
  if (reach > 0) check_apart(generated, y, rows_of("history.w.data", arguments.history.w, shape, reach));
  const NamedMemory workspace = bytes_of("workspace.data", arguments.workspace.data, arguments.workspace.bytes);
  const NamedMemory report = report_memory(arguments.report, shape);
  const NamedMemory found = magnitudes_of(
      "found_magnitudes", found_magnitudes(generated, arguments.found_magnitudes, arguments.batch), shape);
  for (const NamedMemory& written : {report, found}) {
    if (written.data == nullptr) continue;
    for (const NamedMemory& other :
         {y, u, w, v, spectrum, magnitudes_of("input_magnitudes", arguments.input_magnitudes, shape), workspace,
          rows_of("history.u.data", arguments.history.u, shape, reach),
          rows_of("history.w.data", arguments.history.w, shape, reach)})
      check_apart(generated, written, other);
  }
  check_apart(generated, found, report);
  if (!generated.split && !generated.magnitudes) return;
  for (const NamedMemory& other : {y, u, w, v, spectrum}) check_apart(generated, workspace, other);
}

}  // namespace ffc
