// ffc-gen's cache as a user sees it: listed, verified, pruned, cleared, and elsewhere. Needs NVRTC, no GPU.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "ffc_gen_run.hpp"

using namespace ffc::gen_tests;

TEST_CASE("the cache is listed, verified, pruned and cleared") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run("--lengths 256 --arch sm_90a").status == 0);
  const auto list = sandbox.run("cache list");
  CHECK(list.status == 0);
  CHECK(list.out.find("2 entries") != std::string::npos);
  CHECK(sandbox.run("cache verify").out == "2 good, 0 damaged and set aside\n");

  const fs::path entry = sandbox.json(sandbox.run("cache list --json").out, "entries;0;path");
  REQUIRE(fs::exists(entry / "kernel.cubin"));
  std::ofstream(entry / "kernel.cubin", std::ios::trunc) << "damaged";
  const auto verify = sandbox.run("cache verify");
  CHECK(verify.status == 1);
  CHECK(verify.out.find("1 good, 1 damaged") != std::string::npos);
  CHECK(sandbox.run("cache verify").status == 0);

  CHECK(sandbox.run("cache prune --max-bytes 1K").out.find("removed 1 entries") != std::string::npos);
  REQUIRE(sandbox.run("--lengths 256 --arch sm_90a").status == 0);
  CHECK(sandbox.json(sandbox.run("cache clear --json").out, "removed_entries") == "2");
  CHECK(sandbox.run("cache list").out.find("0 entries") != std::string::npos);
}

TEST_CASE("a cache that cannot be read or cleared ends with 1") {
  const Sandbox sandbox;
  std::ofstream(sandbox.path("cache")) << "a file in place of the folder";
  for (const std::string action : {"list", "list --json", "verify", "prune", "clear", "clear --json"}) {
    CAPTURE(action);
    const auto outcome = sandbox.run("cache " + action);
    CHECK(outcome.status == 1);
    CHECK_MESSAGE(outcome.err.find("Not a directory") != std::string::npos, outcome.err);
  }
}

TEST_CASE("--cache-dir is where the kernels go") {
  const Sandbox sandbox;
  const std::string option = " --cache-dir '" + sandbox.path("elsewhere").string() + "'";
  CHECK(sandbox.run("--lengths 256 --arch sm_90a" + option).status == 0);
  CHECK_FALSE(fs::exists(sandbox.path("cache")));
  CHECK(sandbox.run("cache list" + option).out.find("2 entries") != std::string::npos);
}
