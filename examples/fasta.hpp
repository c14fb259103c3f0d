// FASTA files as bases. Our own hundred lines rather than htslib: letters and headers are all a demonstration needs.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ffc::examples {

/// Codes of the bases. Everything else that a sequence may hold (N, the other IUPAC letters, gaps) is `unknown`.
enum Base : std::uint8_t { base_a, base_c, base_g, base_t, unknown_base };

/// A FASTA file: the bases of all records after each other, and where each record begins.
struct Fasta {
  struct Record {
    std::string name;  ///< first word of the header
    std::size_t first = 0, count = 0;
  };
  std::vector<std::uint8_t> bases;  ///< Base
  std::vector<Record> records;
};

namespace fasta_detail {

constexpr std::uint8_t blank = 0xFE, refused = 0xFF;

constexpr std::array<std::uint8_t, 256> make_codes() {
  std::array<std::uint8_t, 256> codes{};
  codes.fill(refused);
  for (const char space : {' ', '\t', '\v', '\f'}) codes[static_cast<unsigned char>(space)] = blank;
  codes['-'] = codes['*'] = unknown_base;
  constexpr std::string_view known = "ACGTU";
  for (unsigned char letter = 'A'; letter <= 'Z'; ++letter) {
    const std::size_t at = known.find(static_cast<char>(letter));
    // RNA writes U for T.
    const std::size_t code = at == std::string_view::npos ? std::size_t{unknown_base} : std::min<std::size_t>(at, 3);
    codes[letter] = codes[static_cast<std::size_t>(letter + 'a' - 'A')] = static_cast<std::uint8_t>(code);
  }
  return codes;
}

inline std::string first_word(std::string_view header) {
  const std::size_t first = std::min(header.find_first_not_of(" \t"), header.size());
  return std::string(header.substr(first, header.find_first_of(" \t", first) - first));
}

inline std::string printable(unsigned char byte) {
  if (byte > ' ' && byte < 0x7F) return std::string("'") + static_cast<char>(byte) + "'";
  return "byte " + std::to_string(byte);
}

// Takes a text line by line.
class Parser {
 public:
  Parser(std::string path, std::size_t most_bases) : path_(std::move(path)) { fasta_.bases.reserve(most_bases); }

  void take(std::string_view line) {
    ++line_;
    if (line.starts_with('>')) {
      begin_record(line.substr(1));
    } else if (line.starts_with(';')) {
      if (!comment_) comment_ = first_word(line.substr(1));
    } else {
      take_bases(line);
    }
  }

  Fasta finish() {
    if (!fasta_.records.empty()) end_record();
    if (fasta_.bases.empty())
      throw std::runtime_error(path_ + ": no bases; it has " + std::to_string(line_) + " lines and " +
                               std::to_string(fasta_.records.size()) + " headers");
    return std::move(fasta_);
  }

 private:
  void begin_record(std::string_view header) {
    if (!fasta_.records.empty()) end_record();
    fasta_.records.push_back({first_word(header), fasta_.bases.size(), 0});
  }

  void end_record() { fasta_.records.back().count = fasta_.bases.size() - fasta_.records.back().first; }

  void take_bases(std::string_view line) {
    static constexpr std::array<std::uint8_t, 256> codes = make_codes();
    for (const char letter : line) {
      const std::uint8_t code = codes[static_cast<unsigned char>(letter)];
      if (code == blank) continue;
      if (code == refused)
        refuse("holds " + printable(static_cast<unsigned char>(letter)) + "; a sequence holds letters, '-' and '*'");
      if (fasta_.records.empty()) begin_first_record();
      fasta_.bases.push_back(code);
    }
  }

  // Old files have a comment where others have a header.
  void begin_first_record() {
    if (!comment_) refuse("holds a sequence before the first header; a FASTA file begins with '>'");
    begin_record(*comment_);
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw std::runtime_error(path_ + ": line " + std::to_string(line_) + " " + what);
  }

  std::string path_;
  std::size_t line_ = 0;
  std::optional<std::string> comment_;  // the first one
  Fasta fasta_;
};

// In one go where the size is known; pipes in growing pieces.
inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be opened: " + std::generic_category().message(errno));
  std::error_code unknown_size;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown_size);
  std::string bytes;
  // One more than the size, so that the first read also meets the end.
  std::size_t piece = unknown_size ? 0 : static_cast<std::size_t>(size) + 1;
  while (file) {
    piece = std::max<std::size_t>({piece, bytes.size(), 1 << 20});
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    file.read(bytes.data() + before, static_cast<std::streamsize>(piece));
    bytes.resize(before + static_cast<std::size_t>(file.gcount()));
    piece = 0;
  }
  if (file.bad()) throw std::runtime_error(path + ": cannot be read");
  return bytes;
}

}  // namespace fasta_detail

/// The records of a FASTA text: `>` begins a header, `;` a comment (the header, in a text that has no `>` before its
/// first base); lines end in LF, CRLF or CR and may be blank, of any length, in either case. Throws std::runtime_error,
/// its message begun by `path`, for what is no FASTA and where there is no base at all.
[[nodiscard]] inline Fasta parse_fasta(std::string_view text, const std::string& path) {
  if (text.empty()) throw std::runtime_error(path + ": the file is empty");
  if (text.starts_with("\x1F\x8B")) throw std::runtime_error(path + ": compressed by gzip; unpack it first");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the byte order mark of UTF-8
  fasta_detail::Parser parser(path, text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && text[end] != '\n' && text[end] != '\r') ++end;
    parser.take(text.substr(at, end - at));
    at = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
  }
  return parser.finish();
}

/// Reads a FASTA file, or a pipe. Throws std::runtime_error as parse_fasta does, and where there is nothing to read.
[[nodiscard]] inline Fasta read_fasta(const std::string& path) {
  return parse_fasta(fasta_detail::read_bytes(path), path);
}

/// The bases of one record, or of all for an empty name. Throws std::runtime_error naming the records there are.
[[nodiscard]] inline std::span<const std::uint8_t> select_bases(const Fasta& fasta, const std::string& record) {
  if (record.empty()) return fasta.bases;
  std::string names;
  for (const Fasta::Record& candidate : fasta.records) {
    if (candidate.name == record) return std::span(fasta.bases).subspan(candidate.first, candidate.count);
    if (names.size() < 200)
      names += (names.empty() ? "" : ", ") + candidate.name;
    else if (!names.ends_with("..."))
      names += ", ...";
  }
  throw std::runtime_error("no record is named '" + record + "'; there are " + names);
}

}  // namespace ffc::examples
