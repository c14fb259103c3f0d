// Fields of one tensor, or of either.
#include "stage_report.hpp"

#include "ffc/generator/plan.hpp"
#include "report_text.hpp"
#include "text.hpp"

namespace ffc {

std::string_view stage_field(std::string_view rows, Tensor tensor) {
  return rows == of_either_tensor ? "either" : samples_field(tensor);
}

void emit_stage_report(TextWriter& out, std::string_view rows, Tensor tensor) {
  if (rows == of_either_tensor)
    out.line("report_largest(&arguments.report[channel].input + tensor, met_either.bits());");
  else
    emit_report(out, samples_field(tensor), "channel");
}

}  // namespace ffc
