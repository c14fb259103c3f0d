// Assembly of emitted text from the templates: includes, substitutes and blocks.
#include "assemble.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "unused_names.hpp"

using namespace ffc;

namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

const Blocks filter_blocks = {{"header", "// the header\n"},
                              {"constants", "// the constants\nint constants;\n"},
                              {"kept", ""},
                              {"dropped", ""},
                              {"array_bytes", ""},
                              {"entry", "extern \"C\" __global__ void entry(FilterArguments arguments) {\n"},
                              {"passes", "    // the passes\n"}};

}  // namespace

TEST_CASE("includes are inlined, each file once, before what needs it") {
  // Both include packed.cuh, butterfly6 through butterfly3 as well.
  const std::string text = inlined("butterfly6.cuh");
  CHECK(count(text, "using Packed =") == 1);
  CHECK(count(text, "// Radix 3 over") == 1);
  CHECK(text.find("using Packed =") < text.find("// Outputs k and 3 - k"));
  CHECK(text.find("// Radix 3 over") < text.find("// Even and odd inputs"));
  CHECK(count(text, "#include") == 0);
  CHECK(count(text, "#pragma once") == 0);
  CHECK(count(text, "#pragma unroll") > 0);
}

TEST_CASE("a template's path and comment stand above its own lines, behind what it includes") {
  const std::string text = inlined("butterfly6.cuh");
  const std::size_t packed = text.find("// ---- templates/arithmetic/packed.cuh\n// Arithmetic on two fp16 values");
  const std::size_t six = text.find("// ---- templates/butterflies/butterfly6.cuh\n");
  CHECK(packed < text.find("using Packed ="));
  CHECK(text.find("using Packed =") < six);
  CHECK(six < text.find("// Even and odd inputs"));
  // Of a template that goes on behind what it includes, the rest says so.
  const std::string angle = inlined("gradient_right_angle.cuh");
  CHECK(count(angle, "// ---- templates/gradient/gradient_right_angle.cuh, continued\n// Point n as") == 1);
}

TEST_CASE("of templates that nothing needs, neither the text nor the comment stands") {
  const std::string text = assemble("filter.cu.in", filter_blocks);
  CHECK(count(text, "// ---- templates/arguments/filter_arguments.cuh") == 1);
  CHECK(count(text, "// ---- templates/kernels/filter.cu.in, continued") == 1);
  CHECK(count(inlined("barriers.cuh"), "void named_barrier(") == 1);
  CHECK(count(text, "void named_barrier(") == 0);
  CHECK(count(assemble("butterfly6.cuh", {}), "// ----") == 0);
}

TEST_CASE("blocks replace their default text and nothing else") {
  const std::string text = assemble("filter.cu.in", filter_blocks);
  CHECK(text.starts_with("// the header\n"));
  CHECK(count(text, "// the constants\n") == 1);
  CHECK(count(text, "extern \"C\" __global__ void entry(FilterArguments arguments) {\n") == 1);
  CHECK(count(text, "    // the passes\n") == 1);
  CHECK(count(text, "filter_template") == 0);
  CHECK(count(text, "constexpr int threads") == 0);
  CHECK(count(text, "//[[") == 0);
  CHECK(count(text, "//]]") == 0);
  CHECK(count(text, "struct FilterArguments {") == 1);
  CHECK(count(text, "put_largest_of_warp(finish(array), of_warps)") == 1);
  CHECK(text.find("// the constants") > text.find("struct FilterArguments"));
  CHECK(text.find("// the passes") > text.find("void entry("));
}

TEST_CASE("the text is tidy: no two blank lines in a row, a newline at the end") {
  const std::string text = assemble("filter.cu.in", filter_blocks);
  CHECK(count(text, "\n\n\n") == 0);
  CHECK(text.ends_with("}\n"));
}

TEST_CASE("a substitute takes a template's place, nothing takes its place either") {
  const std::string other = assemble("filter.cu.in", filter_blocks, {{"filter_block_pairs.cuh", "packed.cuh"}});
  CHECK(count(other, "using Packed =") == 1);
  CHECK(count(other, "float finish(") == 0);
  const std::string none = assemble("filter.cu.in", filter_blocks, {{"filter_block_pairs.cuh", ""}});
  CHECK(count(none, "float finish(") == 0);
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
  CHECK_THROWS_AS((void)assemble("filter.cu.in", filter_blocks, {{"filter_block_pairs.cuh", "no_such.cuh"}}),
                  std::out_of_range);
}

TEST_CASE("constants and closures that nothing names are left out, others stay") {
  const auto kept = [](const std::string& text) { return without_unused_names(text) == text; };
  CHECK(without_unused_names("constexpr int a = 2;  // of something\nint b() { return 3; }\n") ==
        "int b() { return 3; }\n");
  CHECK(without_unused_names("constexpr int a = 2;\nconstexpr int b = 2 * a;\n").empty());
  CHECK(kept("constexpr int a = 2;\nint b() { return a; }\n"));
  CHECK(without_unused_names("namespace one {\nconstexpr int a = 2;\n}\nint b() { return two::a; }\n") ==
        "namespace one {\n}\nint b() { return two::a; }\n");
  CHECK(kept("namespace one {\nconstexpr int a = 2;\n}\nint b() { return one::a; }\n"));
  // A member, a parameter and another scope's constant of that name are none of its uses.
  CHECK(without_unused_names("constexpr int a = 2;\nint b(C c) { return c.a; }\n") == "int b(C c) { return c.a; }\n");
  CHECK(without_unused_names("{\n  const int a = 2;\n}\nint b() { return a; }\n") == "{\n}\nint b() { return a; }\n");
  // What may do more than give a value stays.
  for (const char* const line : {"const int a = f(2);\n", "const auto a = 2;\n", "const int a = 2, b = 3;\n",
                                 "  int a = 2;\n", "[[maybe_unused]] const int a = 2;\n"})
    CHECK(kept(line));
  CHECK(
      without_unused_names("{\n  // Twice it.\n  const auto f = [&](int a) {\n    const int b = 2;\n    return b * a;\n"
                           "  };\n  g();\n}\n") == "{\n  g();\n}\n");
  CHECK(kept("{\n  const auto f = [&](int a) {\n    return 2 * a;\n  };\n  g(f);\n}\n"));
}

TEST_CASE("functions and types that no entry needs are left out, with their comments") {
  const std::string entry = "extern \"C\" __global__ void entry() { f(2); }\n";
  const std::string f = "__device__ int f(int a) { return a; }\n";
  CHECK(without_unused_names(f + entry) == f + entry);
  CHECK(without_unused_names(f + "\n// Twice it.\n//\n// Really.\n__device__ int g(int a) {\n  return f(2 * a);\n}\n" +
                             entry) == f + "\n" + entry);
  // Through others: h names g, and nothing names h; a function that calls itself is no use of it.
  CHECK(without_unused_names("struct S {\n  int a;\n};\n__device__ S g() { return {g().a}; }\n"
                             "template <class T, int n>\n__device__ T h(T a) {\n  return g();\n}\n" +
                             f + entry) == f + entry);
  CHECK(without_unused_names("__device__ float f(float a) { return a; }\n" + f + entry).find("float") == 11);
  // What is not the device's, declares no name or was not understood stays.
  for (const std::string other : {"int g() { return 3; }\n", "__device__ int x;\n", "__device__ A operator+(A, A);\n",
                                  "__device__ int g() { return (3; }\n", "struct A {} a;\n", "\n// So.\n\n}\n"})
    CHECK(without_unused_names(other + entry) == other + entry);
}

TEST_CASE("names in comments, strings and of members are no uses") {
  const std::string g = "__device__ int g() { return 3; }\n";
  for (const std::string use : {"// g()", "puts(\"g()\");", "puts(\"\\\"g()\");", "a.g();", "a->g();", "int g;"}) {
    const std::string entry = "__global__ void entry(A a) {\n  " + use + "\n}\n";
    CHECK(without_unused_names(g + entry) == entry);
  }
  for (const std::string use : {"g();", "a(g);", "return g();", "two::g(), g<3>();", "if (a) {} else g();"}) {
    const std::string entry = "__global__ void entry(A a) {\n  " + use + "\n}\n";
    CHECK(without_unused_names(g + entry) == g + entry);
  }
  CHECK(without_unused_names("#define F g()\n" + g) == "#define F g()\n" + g);
}

TEST_CASE("an assertion stays where what it names does") {
  const std::string text = "struct A {};\nconstexpr int a = 2;\nstatic_assert(sizeof(A) == a, \"two\");\n";
  const std::string with_a = "__global__ void entry(A) {}\n", without_a = "__global__ void entry() {}\n";
  CHECK(without_unused_names(text + with_a) == text + with_a);
  CHECK(without_unused_names(text + without_a) == without_a);
  CHECK(without_unused_names("static_assert(true, \"so\");\n") == "static_assert(true, \"so\");\n");
}

TEST_CASE("comments and conditions around nothing go") {
  const std::string g = "__device__ int g() { return 3; }\n", entry = "__global__ void entry() {}\n";
  CHECK(without_unused_names("\n#ifndef HOST  // twins\n\n" + g + "\n#endif\n" + entry) == "\n\n\n" + entry);
  CHECK(without_unused_names("#if A\n" + g + "#else\n" + g + "#endif\n" + entry) == entry);
  const std::string kept = "#if A\n" + entry + "#else\n#endif\n";
  CHECK(without_unused_names(kept) == kept);
  CHECK(without_unused_names("\n// Sizes.\nconstexpr int a = 2;\nconstexpr int b = a;\n\n" + entry) == "\n\n" + entry);
  const std::string sizes = "\n// Sizes.\nint a = 2;\n\n" + entry;
  CHECK(without_unused_names(sizes) == sizes);
}
