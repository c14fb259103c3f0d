// The program ffc-gen as a user runs it: exit statuses, output, files. Needs NVRTC, no GPU.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "ffc_gen_run.hpp"

using namespace ffc::gen_tests;

TEST_CASE("bad usage ends with 2, says what is wrong and compiles nothing") {
  const Sandbox sandbox;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "--lengths is missing"},
      {"--lengths 0", "'0'"},
      {"--lengths 5..7", "5..7"},
      {"--lengths 256 --dtype fp8", "fp8"},
      {"--lengths 256 --arch sm_70", "sm_70"},
      {"--lengths 256 --radices 16,x", "'x'"},
      {"--lengths 256 --jobs 0", "--jobs"},
      {"--lengths 65536 --columns 0", "--columns: 0 is not a whole number from 1 to 2147483647"},
      {"--lengths 65536 --batch 99999999999", "--batch: 99999999999 is not a whole number from 1 to 2147483647"},
      {"--lengths 256 --filter-length 1.5", "--filter-length: 1.5 is not a whole number from 1 to 9223372036854775807"},
      {"--lengths 256 --causal --padded", "excludes"},
      {"--lengths 256 --frobnicate", "--frobnicate"},
      {"--lengths 256 --profile-host --plan", "--profile-host"},
      {"--advise 256 --plan", "--advise goes with none of"},
      {"--advise 0", "'0'"},
      {"--spectra 4096 --plan", "--spectra compiles: it goes with none of"},
      {"--spectra 0", "'0'"},
      {"cache", "action"},
      {"cache burn", "burn"},
      {"cache prune --max-bytes much", "much"},
      {"cache list --max-bytes 5", "--max-bytes"},
      {"--lengths 256 cache list", "--lengths"},
      {"cache clear --cache-dir ''", "--cache-dir: it is empty; it must name a folder"},
      {"cache clear --cache-dir=", "--cache-dir"},
      {"--cache-dir '' cache clear", "--cache-dir: it is empty"},
      {"--lengths 256 --arch sm_90a --cache-dir ''", "--cache-dir: it is empty"},
      {"--lengths 256 --arch sm_90a --emit ''", "--emit: it is empty"},
  };
  for (const auto& refused : cases) {
    const auto& [arguments, message] = refused;
    CAPTURE(refused.first);
    const auto outcome = sandbox.run(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK_MESSAGE(outcome.err.find(message) != std::string::npos, outcome.err);
  }
  CHECK_FALSE(fs::exists(sandbox.path("cache")));
}

TEST_CASE("--help ends with 0 and names every option") {
  const auto help = Sandbox().run("--help");
  CHECK(help.status == 0);
  for (const char* option :
       {"--lengths", "--dtype", "--causal", "--padded", "--gated", "--arch", "--radices", "--columns", "--spectra",
        "--jobs", "--cache-dir", "--emit", "--plan", "--profile-host", "--json", "cache"}) {
    CHECK_MESSAGE(help.out.find(option) != std::string::npos, option);
  }
}

TEST_CASE("the first run compiles and writes sources, the second finds both kernels in the cache") {
  const Sandbox sandbox;
  const std::string arguments = "--lengths 256,1024 --arch sm_90a --emit '" + sandbox.path("source").string() + "'";
  const auto first = sandbox.run(arguments);
  CHECK_MESSAGE(first.status == 0, first.err);
  CHECK(count_of(first.out, "compiled  ") == 4);
  CHECK(first.out.find("4 kernels: 4 compiled, 0 cached, 0 failed") != std::string::npos);
  CHECK(first.err.empty());  // no bar where there is no terminal

  std::size_t sources = 0;
  for (const auto& file : fs::directory_iterator(sandbox.path("source"))) {
    const auto name = file.path().stem().string();
    CHECK(file.path().extension() == ".cu");
    CHECK(read_text(file.path()).find(name + "(") != std::string::npos);
    CHECK(first.out.find(name + " ") != std::string::npos);
    ++sources;
  }
  CHECK(sources == 4);

  const auto second = sandbox.run(arguments);
  CHECK(second.status == 0);
  CHECK(second.out.find("4 kernels: 0 compiled, 4 cached, 0 failed") != std::string::npos);
}

TEST_CASE("both programs of a split config are compiled, written and reported") {
  const Sandbox sandbox;
  const std::string arguments =
      "--lengths 65536 --gated --arch sm_90a --json --emit '" + sandbox.path("source").string() + "'";
  const auto first = sandbox.run(arguments);
  CHECK_MESSAGE(first.status == 0, first.err);
  CHECK(sandbox.json(first.out, "summary;compiled") == "2");
  const std::vector<std::string> kinds = {"convolution", "filter"};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string kernel = "kernels;" + std::to_string(i) + ";";
    CHECK(sandbox.json(first.out, kernel + "kind") == kinds[i]);
    const auto name = sandbox.json(first.out, kernel + "name");
    CHECK(read_text(sandbox.path("source") / (name + ".cu")).find(name + "(") != std::string::npos);
  }
  CHECK(sandbox.json(sandbox.run(arguments).out, "summary;cached") == "2");

  const auto range = sandbox.run("--lengths 256..4194304 --arch sm_90a --plan");
  CHECK_MESSAGE(range.status == 0, range.err);
  CHECK(count_of(range.out, "fft_length=") == 15);
}

TEST_CASE("--spectra compiles transforms to taps and back, with convolutions or alone") {
  const Sandbox sandbox;
  const std::string arguments = "--spectra 512,1009 --filter-length 256 --arch sm_90a --json";
  const auto first = sandbox.run(arguments);
  CHECK_MESSAGE(first.status == 0, first.err);
  CHECK(sandbox.json(first.out, "summary;compiled") == "4");
  CHECK(sandbox.json(first.out, "kernels;0;kind") == "taps of spectra");
  CHECK(sandbox.json(first.out, "kernels;1;kind") == "gradients of spectra");
  CHECK(sandbox.json(first.out, "kernels;2;config") == "length=1009 taps=256 pass=forward arch=sm_90a");
  CHECK(sandbox.json(sandbox.run("--lengths 256 " + arguments).out, "summary;cached") == "4");
  const auto refused = sandbox.run("--spectra 15,256 --arch sm_90a");
  CHECK(refused.status == 1);
  CHECK(refused.err.find("length is 15; a spectrum's must lie in [16, 16777216]") != std::string::npos);
}

TEST_CASE("--columns forces the columns of a split plan") {
  const Sandbox sandbox;
  const auto forced = sandbox.run("--lengths 1048576 --columns 256 --arch sm_90a --plan --json");
  CHECK_MESSAGE(forced.status == 0, forced.err);
  const std::string plan = "plans;0;candidates;0;";
  CHECK(sandbox.json(forced.out, plan + "column_length") == "256");
  CHECK(sandbox.json(forced.out, plan + "row_length") == "4096");
  CHECK(sandbox.json(forced.out, plan + "pair_bytes") == "4194304");
  // A whole block, of columns and rows.
  CHECK(std::stoi(sandbox.json(forced.out, plan + "threads")) > 256);
  CHECK(std::stoi(sandbox.json(forced.out, plan + "groups")) > 0);
  CHECK(sandbox.json(forced.out, plan + "blocks_per_sm") == "1");
  CHECK(std::stoi(sandbox.json(forced.out, plan + "shared_bytes")) > 64 * 1024);
  CHECK(sandbox.json(forced.out, "kernels;0;name").find("_n1048576_256x4096_") != std::string::npos);
  CHECK(sandbox.json(forced.out, "kernels;0;config").find("column_length=256") != std::string::npos);

  // Rows one by one, whose places are half as large.
  for (const std::string lengths : {"1048576 --batch 1", "2097152"}) {
    const auto single = sandbox.run("--lengths " + lengths + " --columns 256 --arch sm_90a --plan --json");
    CHECK_MESSAGE(single.status == 0, single.err);
    CHECK(sandbox.json(single.out, plan + "pair_bytes") == std::to_string(2 * std::stoi(lengths)));
    CHECK(sandbox.json(single.out, plan + "alone") == "ON");
    CHECK(sandbox.json(single.out, "kernels;0;name").find("_single_") != std::string::npos);
  }
  const auto text = sandbox.run("--lengths 131072 --batch 1 --columns 16 --arch sm_90a --plan");
  CHECK_MESSAGE(text.out.find("256.0 KiB workspace a row, alone") != std::string::npos, text.out);

  const auto refused = sandbox.run("--lengths 65536 --columns 48 --arch sm_90a --plan");
  CHECK(refused.status == 1);
  CHECK(refused.err.find("column_length 48") != std::string::npos);
}

TEST_CASE("--filter-length allows windows, --fft-length forces theirs, --history makes segments") {
  const Sandbox sandbox;
  const std::string causal = "--lengths 1048576 --causal --arch sm_90a ";
  const auto table = sandbox.run(causal + "--filter-length 2048 --plan");
  CHECK_MESSAGE(table.status == 0, table.err);
  CHECK(table.out.find(" windows of ") != std::string::npos);
  CHECK(table.out.find("2048 again") != std::string::npos);
  const auto forced = sandbox.run(causal + "--filter-length 2048 --fft-length 8192 --history --plan --json");
  const std::string plan = "plans;0;candidates;0;windows;";
  CHECK(sandbox.json(forced.out, plan + "length") == "8192");
  CHECK(sandbox.json(forced.out, plan + "step") == "6144");
  CHECK(sandbox.json(forced.out, plan + "halo") == "2048");
  CHECK(sandbox.json(forced.out, plan + "count") == "171");
  CHECK(sandbox.json(forced.out, "kernels;0;name").find("_causal_k2048_l1048576_history_") != std::string::npos);

  const auto refused = sandbox.run(causal + "--filter-length 40000 --history --plan");
  CHECK(refused.status == 1);
  CHECK(refused.err.find("room for [1, 32705]") != std::string::npos);
  CHECK(sandbox.run("--lengths 4096 --history --arch sm_90a --plan").status == 2);
  CHECK(sandbox.run("--lengths 4096 --filter-length 0 --arch sm_90a --plan").status == 2);
}

TEST_CASE("--keep and --lowpass drop frequencies, and --plan says what is skipped") {
  const Sandbox sandbox;
  const auto kept = sandbox.run("--lengths 2097152 --columns 256 --keep 16,16,28,60 --arch sm_90a --plan --json");
  CHECK_MESSAGE(kept.status == 0, kept.err);
  const std::string plan = "plans;0;candidates;0;";
  CHECK(std::stod(sandbox.json(kept.out, plan + "sparsity")) == doctest::Approx(0.80).epsilon(0.01));
  CHECK(sandbox.json(kept.out, plan + "skipped;0").starts_with("194 of 256 rows of frequencies"));
  CHECK(sandbox.json(kept.out, plan + "pair_bytes") == std::to_string(4 * 62 * 8192));
  CHECK(sandbox.json(kept.out, "kernels;0;name").find("_sparse80_") != std::string::npos);

  const auto low = sandbox.run("--lengths 4096 --lowpass 0.25 --arch sm_90a --plan");
  CHECK_MESSAGE(low.status == 0, low.err);
  CHECK(low.out.find("50.02 % dropped") != std::string::npos);
  CHECK(low.out.find("skipped: half of the 16 x 16 tiles") != std::string::npos);
  const auto digits = sandbox.run("--lengths 4096 --keep 8,64 --keep-digits 16,256 --arch sm_90a --plan");
  CHECK_MESSAGE(digits.status == 0, digits.err);

  for (const auto& test : std::vector<std::pair<std::string, std::string>>{
           {"--lengths 4096 --keep 17,16,16", "mask's digit 0 keeps 17 values; it must keep 1 to 16"},
           {"--lengths 4096 --keep 0,16,16", "which is not a whole number from 1"},
           {"--lengths 4096 --lowpass 0.7", "0.7 cycles a sample; it must lie in (0, 0.5]"},
           {"--lengths 4099 --keep 2,2", "is no product of so many factors"},
           {"--lengths 4096 --keep 2,2 --keep-digits 64", "has 2 counts for 1 digits"},
           {"--lengths 4096 --lowpass 0", "--lowpass: 0 is not a number above 0"},
           {"--lengths 4096 --causal --lowpass 0.2", "which --causal leaves open"}}) {
    const auto refused = sandbox.run(test.first + " --arch sm_90a --plan");
    CAPTURE(test.first);
    CHECK(refused.status == 2);
    CHECK_MESSAGE(refused.err.find(test.second) != std::string::npos, refused.err);
  }
  const auto other = sandbox.run("--lengths 4096 --keep 2,2 --keep-digits 32,32 --arch sm_90a --plan");
  CHECK(other.status == 1);
  CHECK(other.err.find("mask's digits are 32x32 and fft_length is 4096") != std::string::npos);
}

TEST_CASE("one failure ends with 1, and the rest is done") {
  const Sandbox sandbox;
  const auto outcome = sandbox.run("--lengths 256,1000000000 --arch sm_90a");
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("3 kernels: 2 compiled, 0 cached, 1 failed") != std::string::npos);
  CHECK(outcome.err.find("1000000000") != std::string::npos);

  const auto radices = sandbox.run("--lengths 256,4096 --radices 16,16 --arch sm_90a");
  CHECK(radices.status == 1);
  CHECK(radices.err.find("16") != std::string::npos);

  const auto folder = sandbox.run("--lengths 256 --arch sm_90a --emit /dev/null/sub");
  CHECK(folder.status == 1);
  CHECK(folder.err.find("/dev/null/sub") != std::string::npos);
}

TEST_CASE("--json says what the table says, and nothing else is on stdout") {
  const Sandbox sandbox;
  const auto first = sandbox.run("--lengths 256 --arch sm_90a --json");
  CHECK(first.status == 0);
  CHECK(sandbox.json(first.out, "kernels;0;status") == "compiled");
  CHECK(sandbox.json(first.out, "kernels;1;kind") == "filter");
  CHECK(sandbox.json(first.out, "kernels;0;arch") == "sm_90a");
  CHECK(std::stoi(sandbox.json(first.out, "kernels;0;cubin_bytes")) > 1000);
  CHECK(fs::exists(sandbox.json(first.out, "kernels;0;cache_path")));
  CHECK(sandbox.json(first.out, "summary;compiled") == "2");
  CHECK(sandbox.json(sandbox.run("--lengths 256 --arch sm_90a --json").out, "kernels;0;status") == "cached");

  const auto failed = sandbox.run("--lengths 1000000000 --arch sm_90a --json");
  CHECK(failed.status == 1);
  CHECK(sandbox.json(failed.out, "kernels;0;status") == "failed");
  CHECK(sandbox.json(failed.out, "kernels;0;error").find("1000000000") != std::string::npos);
}

TEST_CASE("--plan shows the plan and the runners-up and compiles nothing") {
  const Sandbox sandbox;
  const auto table = sandbox.run("--lengths 4096 --arch sm_90a --plan");
  CHECK_MESSAGE(table.status == 0, table.err);
  for (const char* part : {"fft_length=4096", "threads", "shared", "x floor", "runners-up"}) {
    CHECK_MESSAGE(table.out.find(part) != std::string::npos, part);
  }
  const auto json = sandbox.run("--lengths 4096 --arch sm_90a --plan --json");
  CHECK_FALSE(sandbox.json(json.out, "plans;0;candidates;0;factorisation").empty());
  CHECK_FALSE(sandbox.json(json.out, "plans;0;candidates;0;steps;0").empty());
  CHECK(std::stoi(sandbox.json(json.out, "plans;0;candidates;0;threads")) > 0);
  CHECK(sandbox.json(json.out, "plans;0;candidates;0;pair_bytes") == "0");
  CHECK(std::stod(sandbox.json(json.out, "plans;0;candidates;0;predicted_ratio")) > 0);
  CHECK(sandbox.json(json.out, "kernels;0;status") == "generated");
  const auto split = sandbox.run("--lengths 65536 --arch sm_90a --plan");
  for (const char* part : {"columns of ", "rows of ", "256.0 KiB workspace a pair", " shared", "runners-up"}) {
    CHECK_MESSAGE(split.out.find(part) != std::string::npos, part);
  }
  CHECK_FALSE(fs::exists(sandbox.path("cache")));
}

TEST_CASE("--advise names good lengths, and ends with 1 where a length has no plan") {
  const Sandbox sandbox;
  const auto text = sandbox.run("--advise 30000,4096 --arch sm_90a");
  CHECK_MESSAGE(text.status == 0, text.err);
  for (const char* part : {"   30000 ", "   30720 ", "% less\n", "    4096 ", "a good length\n"})
    CHECK_MESSAGE(text.out.find(part) != std::string::npos, part);
  const auto json = sandbox.run("--advise 4609 --arch sm_90a --json");
  CHECK(sandbox.json(json.out, "0;length") == "4609");
  CHECK(std::stol(sandbox.json(json.out, "0;good_length")) > 4609);
  CHECK(std::stod(sandbox.json(json.out, "0;good_us_per_pair")) < std::stod(sandbox.json(json.out, "0;us_per_pair")));
  const auto none = sandbox.run("--advise 40000000,256 --arch sm_90a");
  CHECK(none.status == 1);
  CHECK(none.err.find("fft_length is 40000000") != std::string::npos);
  CHECK(none.out.find("256 ") != std::string::npos);
}

TEST_CASE("--profile-host shows what a kernel counts beside what its plan predicts") {
  const Sandbox sandbox;
  const auto table = sandbox.run("--lengths 4096 --arch sm_90a --profile-host");
  CHECK_MESSAGE(table.status == 0, table.err);
  for (const char* part : {"conv_fwd_n4096_16x16x16_f16_sm90a", "per pair", "predicted", "bank conflicts", "line"}) {
    CHECK_MESSAGE(table.out.find(part) != std::string::npos, part);
  }
  const auto json = sandbox.run("--lengths 256 --gated --arch sm_90a --profile-host --json");
  CHECK(sandbox.json(json.out, "0;matrix products;per_pair") == sandbox.json(json.out, "0;matrix products;predicted"));
  CHECK(std::stod(sandbox.json(json.out, "0;matrix products;per_pair")) == 32);
  CHECK(std::stod(sandbox.json(json.out, "0;shared;0;wavefronts")) > 0);
  CHECK(sandbox.json(json.out, "0;shared;0;kernel") == sandbox.json(json.out, "0;kernel"));
}

TEST_CASE("--profile-host counts columns and rows of a split config together") {
  const Sandbox sandbox;
  const auto json = sandbox.run("--lengths 8192 --columns 16 --arch sm_90a --profile-host --json");
  CHECK_MESSAGE(json.status == 0, json.err);
  for (const char* counted : {"matrix products", "bytes written", "shared wavefronts"}) {
    CAPTURE(counted);
    const std::string row = std::string("0;") + counted + ";";
    CHECK(std::stod(sandbox.json(json.out, row + "per_pair")) > 0);
    CHECK(sandbox.json(json.out, row + "per_pair") == sandbox.json(json.out, row + "predicted"));
  }
  CHECK(sandbox.json(json.out, "0;kernel").find("conv_fwd_n8192_16x512_") == 0);
  CHECK(sandbox.json(json.out, "0;shared;0;kernel") == sandbox.json(json.out, "0;kernel"));
}

TEST_CASE("dtypes, gates, padding and architectures are the ones asked for") {
  const Sandbox sandbox;
  const auto outcome =
      sandbox.run("--lengths 512 --dtype fp16,bf16 --arch sm_80,sm_90a --padded --gated --plan --json");
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
  CHECK(count_of(outcome.out, "\"arch\": \"sm_80\"") == 4);
  CHECK(count_of(outcome.out, "\"arch\": \"sm_90a\"") == 4);
  const auto config = sandbox.json(outcome.out, "kernels;2;config");
  for (const char* field : {"fft_length=512", " length=256", "padding=padded", "dtype=bf16", "gating=both"}) {
    CHECK_MESSAGE(config.find(field) != std::string::npos, config);
  }
  const auto causal = sandbox.run("--lengths 1000 --causal --arch sm_90a --plan --json");
  CHECK_MESSAGE(causal.status == 0, causal.err);
  CHECK(sandbox.json(causal.out, "kernels;0;config").find(" length=1000") != std::string::npos);
  CHECK(sandbox.json(causal.out, "kernels;0;config").find("padding=causal") != std::string::npos);
}

TEST_CASE("a terminal gets a bar") {
  const Sandbox sandbox;
  const auto text =
      terminal_output({FFC_GEN, "--lengths", "256", "--arch", "sm_90a", "--cache-dir", sandbox.path("cache").string()});
  CHECK_MESSAGE(text.find("[###############---------------] 1/2") != std::string::npos, text);
}
