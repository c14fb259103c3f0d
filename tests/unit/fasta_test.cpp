// The FASTA files of the dna example: every way to write the same bases, and what is no FASTA file.
#include "../../examples/fasta.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace ffc::examples;
using namespace std::string_view_literals;

namespace {

// A file that is gone when the test is over.
struct File {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("ffc-fasta-test-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".fa");
  explicit File(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::filesystem::remove(path); }
  [[nodiscard]] std::string name() const { return path.string(); }
};

// As letters again, so that a failing test can be read.
std::string letters(std::span<const std::uint8_t> bases) {
  std::string text;
  for (const std::uint8_t base : bases) text += "ACGT."[base];
  return text;
}

std::string parsed(std::string_view text) { return letters(parse_fasta(text, "x.fa").bases); }

void check_records(std::string_view text, const std::vector<std::string>& names,
                   const std::vector<std::string>& bases) {
  CAPTURE(text);
  const Fasta fasta = parse_fasta(text, "x.fa");
  REQUIRE(fasta.records.size() == names.size());
  std::size_t first = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Fasta::Record& record = fasta.records[i];
    CHECK(record.name == names[i]);
    CHECK(record.first == first);
    CHECK(letters(std::span(fasta.bases).subspan(record.first, record.count)) == bases[i]);
    first += record.count;
  }
  CHECK(fasta.bases.size() == first);
}

}  // namespace

TEST_CASE("letters become bases in either case; what is unknown keeps its place") {
  CHECK(parsed(">x\nACGTacgt\n") == "ACGTACGT");
  CHECK(parsed(">x\nUu\n") == "TT");
  CHECK(parsed(">x\nANCRYSWKMBDHVGnT\n") == "A.C..........G.T");
  CHECK(parsed(">x\nA-C*G\n") == "A.C.G");
  CHECK(parsed(">x\nNNNN\n") == "....");
}

TEST_CASE("records follow each other, each with the first word of its header") {
  check_records(">one the first\nAC\nGT\n>two\nTT\n", {"one", "two"}, {"ACGT", "TT"});
  check_records(">one\tfirst\n>empty\n> spaced out\nA\n>\nC\n", {"one", "empty", "spaced", ""}, {"", "", "A", "C"});
  check_records(">a > b\nA\n", {"a"}, {"A"});
}

TEST_CASE("lines end in LF, CRLF or CR, may be blank or indented, and the last needs no end") {
  for (const std::string_view end : {"\n"sv, "\r\n"sv, "\r"sv})
    for (const bool last : {false, true}) {
      std::string text;
      for (const std::string_view line : {""sv, ">one x"sv, "AC"sv, ""sv, "  "sv, " G\tT "sv, ">two"sv, ""sv, "T"sv})
        text.append(line).append(end);
      if (!last) text.resize(text.size() - end.size());
      check_records(text, {"one", "two"}, {"ACGT", "T"});
    }
  CHECK(parsed("\xEF\xBB\xBF>x\nAC") == "AC");
}

TEST_CASE("comments are passed over wherever they are") {
  check_records("; made by hand\n>one\nAC\n;in between, >not a header\nGT\n>two\n;\nA", {"one", "two"}, {"ACGT", "A"});
  check_records(";a\n;b\n\n>one\nA\n", {"one"}, {"A"});
  // As the first FASTA programs wrote it.
  check_records(";old style\n;more\nAC\nGT\n>new\nT\n", {"old", "new"}, {"ACGT", "T"});
}

TEST_CASE("what is no FASTA file is refused with the line and the reason") {
  const auto refuses = [](std::string_view text, const char* why) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS((void)parse_fasta(text, "x.fa"), doctest::Contains(why), std::runtime_error);
    CHECK_THROWS_WITH_AS((void)parse_fasta(text, "x.fa"), doctest::Contains("x.fa: "), std::runtime_error);
  };
  refuses("", "the file is empty");
  refuses("\n\r\n  \n", "no bases; it has 3 lines and 0 headers");
  refuses(">x\n>y\n\n", "no bases; it has 3 lines and 2 headers");
  refuses(">x", "no bases; it has 1 lines and 1 headers");
  refuses("; only a comment\n", "no bases");
  refuses("ACGT\n", "line 1 holds a sequence before the first header");
  refuses("\n\nACGT\n>x\nA\n", "line 3 holds a sequence before the first header");
  refuses(">x\r\nAC\r\nA1C\r\n", "line 3 holds '1'");
  refuses(">x\rAC\r\r>y\rA?C\r", "line 5 holds '?'");
  refuses(">x\nAC>y\n", "line 2 holds '>'");
  refuses(">x\nA\0C\n"sv, "line 2 holds byte 0");
  refuses(">x\nA\xC3\xA9\n", "line 2 holds byte 195");
  refuses("\x1F\x8B\x08", "gzip");
}

TEST_CASE("files are read whole, whatever their lines") {
  std::string one_line(3 << 20, 'A'), folded = ">x\n";
  for (std::size_t i = 0; i < one_line.size(); ++i) one_line[i] = "ACGTN"[i * i % 5];
  for (std::size_t i = 0; i < one_line.size(); i += 60) folded.append(one_line, i, 60).append("\n");
  const File long_line(">x\n" + one_line), short_lines(folded);
  const Fasta fasta = read_fasta(long_line.name());
  CHECK(fasta.bases.size() == one_line.size());
  CHECK(fasta.bases == read_fasta(short_lines.name()).bases);
  CHECK(fasta.bases.back() == parse_fasta(std::string(">x\n") + one_line.back(), "x").bases[0]);
}

TEST_CASE("paths that cannot be read, and empty files, are refused by name") {
  const auto folder = std::filesystem::temp_directory_path().string();
  CHECK_THROWS_WITH_AS((void)read_fasta("no such folder/file.fa"), doctest::Contains("file.fa: cannot be opened: No"),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS((void)read_fasta(folder), doctest::Contains("cannot be read"), std::runtime_error);
  const File empty("");
  CHECK_THROWS_WITH_AS((void)read_fasta(empty.name()), doctest::Contains("the file is empty"), std::runtime_error);
}

TEST_CASE("a record is found by its name") {
  const Fasta fasta = parse_fasta(">one\nAC\n>two x\nGGT\n>three\nA\n", "x.fa");
  CHECK(letters(select_bases(fasta, "")) == "ACGGTA");
  CHECK(letters(select_bases(fasta, "two")) == "GGT");
  CHECK_THROWS_WITH_AS((void)select_bases(fasta, "four"), doctest::Contains("'four'; there are one, two, three"),
                       std::runtime_error);
}
