// SHA-256 against the published vectors of FIPS 180, and against itself when fed in pieces.
#include "ffc/cache/sha256.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

using ffc::cache::Sha256;
using ffc::cache::sha256_hex;

TEST_CASE("SHA-256 gives the digests of FIPS 180") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrs"
            "tnopqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the message is cut") {
  std::string message;
  for (int i = 0; i < 300; ++i) message += static_cast<char>(i * 31 % 256);
  // Lengths around one and two blocks are where the padding changes from one block to two.
  for (const std::size_t length :
       std::initializer_list<std::size_t>{0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 300}) {
    const std::string_view whole = std::string_view(message).substr(0, length);
    const Sha256::Digest expected = [&] {
      Sha256 hash;
      hash.update(whole);
      return hash.finish();
    }();
    for (const std::size_t piece : std::initializer_list<std::size_t>{1, 7, 63, 64, 65}) {
      CAPTURE(length);
      CAPTURE(piece);
      Sha256 hash;
      for (std::size_t at = 0; at < length; at += piece) hash.update(whole.substr(at, piece));
      CHECK(hash.finish() == expected);
    }
  }
}

TEST_CASE("SHA-256 pads every length as other implementations do") {
  CHECK(sha256_hex(std::string(55, 'x')) == "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  CHECK(sha256_hex(std::string(56, 'x')) == "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  CHECK(sha256_hex(std::string(63, 'x')) == "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  CHECK(sha256_hex(std::string(64, 'x')) == "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
  CHECK(sha256_hex(std::string(119, 'x')) == "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c");
  CHECK(sha256_hex(std::string(120, 'x')) == "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98");
  CHECK(sha256_hex(std::string("a\0\xff\x80", 4)) ==
        "009491a362a07c9adfcd0b4265efaa8bd9587c018e4406e8f131cd088667e11a");
}
