#include "model/natural_key.h"

#include <algorithm>

namespace finality {
namespace {

// A key's 16 bytes: 4 of a hash of all but the end, so that what has one beginning lies together; 5 that order what
// does, by the end; 7 of a hash of everything, which tell one from the other. Two keys meet when all three do, and
// whoever wants somebody else's has 88 bits of hashes to find.
constexpr std::size_t kBeginBytes = 4;
constexpr std::size_t kPlaceBytes = 5;

// As many as 40 bits have room for: 10^12 numbers, and 8 letters of 5 bits.
constexpr std::size_t kEndDigits = 12;
constexpr std::size_t kEndLetters = 8;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Below 32, and rising with the digit or letter. Some letters share a place: it orders keys and tells none apart.
std::uint64_t place_of(char c) {
  if (is_digit(c)) return static_cast<std::uint64_t>(c - '0');
  const int letter = (c | 0x20) - 'a';
  return letter >= 0 && letter < 26 ? static_cast<std::uint64_t>(10 + letter * 22 / 26) : 0;
}

/// The end of a name, and where it stands among those with the same beginning.
struct End {
  std::size_t length;
  std::uint64_t place;
};

End end_of(std::string_view name) {
  const std::string_view digits = name.substr(name.size() - std::min(name.size(), kEndDigits));
  const bool counts = std::ranges::all_of(digits, is_digit);
  const std::string_view end = counts ? digits : name.substr(name.size() - std::min(name.size(), kEndLetters));
  std::uint64_t place = 0;
  for (const char c : end) place = place * (counts ? 10 : 32) + place_of(c);
  return {end.size(), place};
}

// Length-prefixed: no two lists of parts read the same.
std::string text_of(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts) {
  std::string text = to_base32(merchant.value);
  text += kind;
  for (const std::string_view part : parts) {
    text += '\x1f';
    text += std::to_string(part.size());
    text += ':';
    text += part;
  }
  return text;
}

}  // namespace

Hash16 hash_of_parts(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts) {
  return sha256_16(text_of(merchant, kind, parts));
}

Hash16 hash_of_key(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts) {
  const std::string text = text_of(merchant, kind, parts);
  const End end = end_of(*(parts.end() - 1));
  const Hash16 begin = sha256_16(std::string_view(text).substr(0, text.size() - end.length));
  Hash16 key = sha256_16(text);
  std::copy_n(begin.begin(), kBeginBytes, key.begin());
  for (std::size_t i = 0; i < kPlaceBytes; ++i)
    key[kBeginBytes + i] = static_cast<unsigned char>(end.place >> (8 * (kPlaceBytes - 1 - i)));
  return key;
}

}  // namespace finality
