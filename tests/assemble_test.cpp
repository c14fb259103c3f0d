// Assembly of emitted text from the templates: includes, substitutes and blocks.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "emit.hpp"

using namespace ffc;

namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

const Blocks filter_blocks = {
    {"header", "// the header\n"}, {"constants", "// the constants\n"}, {"kept", ""}, {"dropped", ""},
    {"entry", "void entry() {\n"}, {"passes", "    // the passes\n"}};

}  // namespace

TEST_CASE("includes are inlined, each file once, before what needs it") {
  // Both include packed.cuh, butterfly6 through butterfly3 as well.
  const std::string text = assemble("butterfly6.cuh", {});
  CHECK(count(text, "using Packed =") == 1);
  CHECK(count(text, "// Radix 3 over") == 1);
  CHECK(text.find("using Packed =") < text.find("// Outputs k and 3 - k"));
  CHECK(text.find("// Radix 3 over") < text.find("// Even and odd inputs"));
  CHECK(count(text, "#include") == 0);
  CHECK(count(text, "#pragma once") == 0);
  CHECK(count(text, "#pragma unroll") > 0);
}

TEST_CASE("blocks replace their default text and nothing else") {
  const std::string text = assemble("filter.cu.in", filter_blocks);
  CHECK(text.starts_with("// the header\n"));
  CHECK(count(text, "// the constants\n") == 1);
  CHECK(count(text, "void entry() {\n") == 1);
  CHECK(count(text, "    // the passes\n") == 1);
  CHECK(count(text, "filter_template") == 0);
  CHECK(count(text, "constexpr int threads") == 0);
  CHECK(count(text, "//[[") == 0);
  CHECK(count(text, "//]]") == 0);
  CHECK(count(text, "struct FilterArguments {") == 1);
  CHECK(count(text, "atomic_max_shared(largest") == 1);
  CHECK(text.find("// the constants") > text.find("struct FilterArguments"));
  CHECK(text.find("// the passes") > text.find("void entry()"));
}

TEST_CASE("the text is tidy: no two blank lines in a row, a newline at the end") {
  const std::string text = assemble("filter.cu.in", filter_blocks);
  CHECK(count(text, "\n\n\n") == 0);
  CHECK(text.ends_with("}\n"));
}

TEST_CASE("a substitute takes a template's place, nothing takes its place either") {
  const std::string other = assemble("filter.cu.in", filter_blocks, {{"filter_passes.cuh", "packed.cuh"}});
  CHECK(count(other, "using Packed =") == 1);
  CHECK(count(other, "pass_in_registers(") == 0);
  const std::string none = assemble("filter.cu.in", filter_blocks, {{"filter_passes.cuh", ""}});
  CHECK(count(none, "pass_in_registers(") == 0);
  CHECK(count(none, "struct FilterArguments {") == 1);
}

TEST_CASE("a block that no template has, and one that is not given, are mistakes") {
  Blocks blocks = filter_blocks;
  blocks["epilogue"] = "";
  CHECK_THROWS_WITH_AS((void)assemble("filter.cu.in", blocks), "no template has a block \"epilogue\"",
                       std::logic_error);
  blocks = filter_blocks;
  blocks.erase("passes");
  CHECK_THROWS_WITH_AS((void)assemble("filter.cu.in", blocks), "block \"passes\" of a template is not given",
                       std::logic_error);
  CHECK_THROWS_AS((void)assemble("filter.cu.in", filter_blocks, {{"filter_passes.cuh", "no_such.cuh"}}),
                  std::out_of_range);
}
