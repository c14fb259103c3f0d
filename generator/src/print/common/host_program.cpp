// An emitted text and the host twins of its primitives as one program.
#include "ffc/generator/host_program.hpp"

#include <fmt/format.h>

#include "assemble.hpp"
#include "ffc/generator/generated_kernel.hpp"

namespace ffc {

std::string host_program(const GeneratedKernel& kernel) {
  return fmt::format(
      "{}\n"
      "#line 1 \"{}.cu\"\n"
      "{}\n"
      "#line 1 \"the end of {}\"\n"
      "template <class Arguments>\n"
      "static void ffc_host_call(void (*entry)(Arguments), const void* arguments) {{\n"
      "  entry(*static_cast<const Arguments*>(arguments));\n"
      "}}\n"
      "extern \"C\" void ffc_host_run(const void* arguments) {{ ffc_host_call({}, arguments); }}\n",
      inlined("cluster.hpp"), kernel.name, kernel.source, kernel.name, kernel.name);
}

}  // namespace ffc
