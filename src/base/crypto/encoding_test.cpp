#include "base/crypto/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace finality {
namespace {

using namespace std::string_literals;

TEST(Hex, RoundTrip) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) { RC_ASSERT(from_hex(to_hex(bytes)) == bytes); }));
  EXPECT_EQ(to_hex("\x00\x0f\xff"s), "000fff");
  EXPECT_EQ(from_hex("00FfaB"), "\x00\xff\xab"s);
}

TEST(Hex, RejectsInvalidText) {
  for (const char* text : {"0", "000", "0g", "g0", "0x", " 0", "-1"}) EXPECT_FALSE(from_hex(text).has_value()) << text;
}

TEST(Base64, HasTheVectorsOfRfc4648) {
  const std::pair<const char*, const char*> rows[] = {{"", ""},
                                                      {"f", "Zg=="},
                                                      {"fo", "Zm8="},
                                                      {"foo", "Zm9v"},
                                                      {"foob", "Zm9vYg=="},
                                                      {"fooba", "Zm9vYmE="},
                                                      {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : rows) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, RoundTrip) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) { RC_ASSERT(from_base64(to_base64(bytes)) == bytes); }));
}

TEST(Base64, RejectsInvalidText) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "=Zg=", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm-_", "Zm9 "})
    EXPECT_FALSE(from_base64(text).has_value()) << text;
}

TEST(Base32, SortsInNumberOrder) {
  EXPECT_TRUE(rc::check([] {
    const auto one = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
    const auto other = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
    RC_ASSERT((to_base32(one) < to_base32(other)) == (one < other));
  }));
}

TEST(Base32, RoundTrip) {
  EXPECT_TRUE(rc::check([] {
    const auto value = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
    RC_ASSERT(from_base32(to_base32(value)) == value);
    RC_ASSERT(to_base32(value).size() == 13u);
  }));
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{31}, std::int64_t{32}, std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(from_base32(to_base32(value)), value);
}

TEST(Base32, RejectsTextThatTheEncoderDoesNotProduce) {
  EXPECT_EQ(to_base32(0), "0000000000000");
  EXPECT_EQ(from_base32("7zzzzzzzzzzzz"), std::numeric_limits<std::int64_t>::max());
  for (const char* text :
       {"", "0", "000000000000", "00000000000000", "8000000000000", "z000000000000", "000000000000A", "000000000000i",
        "000000000000l", "000000000000o", "000000000000u", "000000000000 ", "-000000000001", "/000000000000"})
    EXPECT_FALSE(from_base32(text).has_value()) << text;
}

// Encodes a code point in UTF-8 by the table of RFC 3629.
std::string utf8(std::uint32_t point) {
  const auto low = [&](int shift) { return static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0 | point >> 6), low(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0 | point >> 12), low(6), low(0)};
  return {static_cast<char>(0xF0 | point >> 18), low(12), low(6), low(0)};
}

TEST(Utf8, EveryCodePointButSurrogatesIsWellFormed) {
  for (std::uint32_t point = 0; point < 0x110000; point += 1 + point / 4096) {
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    ASSERT_EQ(is_utf8(utf8(point)), !surrogate) << std::hex << point;
  }
}

TEST(Utf8, CountsCodePoints) {
  EXPECT_TRUE(rc::check([] {
    const auto points = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(1u, 0xD800u));
    std::string text;
    for (const std::uint32_t point : points) text += utf8(point);
    RC_ASSERT(is_utf8(text));
    RC_ASSERT(utf8_length(text) == points.size());
  }));
}

TEST(Utf8, RejectsMalformedText) {
  const std::string rows[] = {"\x80",
                              "\xC0\x80",
                              "\xC1\xBF",
                              "\xE0\x80\x80",
                              "\xED\xA0\x80",
                              "\xF0\x80\x80\x80",
                              "\xF4\x90\x80\x80",
                              "\xF5\x80\x80\x80",
                              "\xFF",
                              "\xE4\xB8",
                              "\xE4",
                              "\xF0\x9F\x98",
                              "a\xC3",
                              "\xC3(",
                              "\xE4\xB8(",
                              "\xF0\x9F\x98("};
  for (const std::string& text : rows)
    for (std::size_t before = 0; before <= 16; ++before)  // the implementation checks ASCII in blocks of eight
      for (const std::size_t after : {0, 1, 9})
        EXPECT_FALSE(is_utf8(std::string(before, 'a') + text + std::string(after, 'b'))) << to_hex(text) << before;
  EXPECT_TRUE(is_utf8("a\0b"s));
  EXPECT_TRUE(is_utf8(""));
}

TEST(Percent, RoundTrip) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const std::string text = percent_encode(bytes);
    RC_ASSERT(percent_decode(text) == bytes);
    RC_ASSERT(text.find_first_of(" &=+?#/\"<>") == std::string::npos);
  }));
}

TEST(Percent, KeepsUnreservedCharacters) {
  EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encode("茶 +/"), "%E8%8C%B6%20%2B%2F");
  EXPECT_EQ(percent_decode("a+b%2b"), "a+b+");
}

TEST(Percent, RejectsAnInvalidEscape) {
  for (const char* text : {"%", "%4", "a%", "a%4", "%4g", "%g4", "%%41", "%-1", "% 1"})
    EXPECT_FALSE(percent_decode(text).has_value()) << text;
  EXPECT_EQ(percent_decode("%41"), "A");
}

}  // namespace
}  // namespace finality
