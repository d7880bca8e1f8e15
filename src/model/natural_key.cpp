#include "model/natural_key.h"

#include <algorithm>

namespace finality {
namespace {

// A key's 16 bytes: 10 of a hash of all but the end, so that what has one beginning lies together; 6 of the end itself,
// as a number, so that there it is in order. Whoever wants somebody else's key has 80 bits of hash to find.
constexpr std::size_t kBeginBytes = 10;
constexpr std::size_t kEndBytes = 6;

/// Of what an end may consist: as many characters as 48 bits have room for, in the order of ASCII.
struct Alphabet {
  std::string_view characters;
  std::size_t length_max;
  char tag;
};
constexpr Alphabet kAlphabets[] = {{"0123456789", 14, 'd'},
                                   {"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", 8, 'c'}};

/// The end of a name, and where it stands among those with the same beginning.
struct End {
  std::size_t length = 0;
  std::uint64_t place = 0;
  char tag = 'n';
};

// None where the name ends with other characters.
End end_of(std::string_view name) {
  for (const Alphabet& alphabet : kAlphabets) {
    End end{.length = std::min(name.size(), alphabet.length_max), .tag = alphabet.tag};
    const std::string_view text = name.substr(name.size() - end.length);
    if (text.find_first_not_of(alphabet.characters) != std::string_view::npos) continue;
    for (const char c : text) end.place = end.place * alphabet.characters.size() + alphabet.characters.find(c);
    return end;
  }
  return {};
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

// The tag keeps apart what only different alphabets read alike.
Hash16 hash_of_key(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts) {
  const End end = end_of(*(parts.end() - 1));
  std::string begin = text_of(merchant, kind, parts);
  begin.resize(begin.size() - end.length);
  begin += end.tag;
  Hash16 key = sha256_16(begin);
  for (std::size_t i = 0; i < kEndBytes; ++i)
    key[kBeginBytes + i] = static_cast<unsigned char>(end.place >> (8 * (kEndBytes - 1 - i)));
  return key;
}

Hash16 key_of_order_no(MerchantId merchant, std::string_view merchant_order_no) {
  return hash_of_key(merchant, name_of(KeyKind::merchant_order_no), {merchant_order_no});
}

Hash16 key_of_refund_no(MerchantId merchant, std::string_view merchant_refund_no) {
  return hash_of_key(merchant, name_of(KeyKind::merchant_refund_no), {merchant_refund_no});
}

Hash16 key_of_receipt(MerchantId merchant, std::string_view channel, std::string_view channel_trade_no) {
  return hash_of_key(merchant, name_of(KeyKind::receipt), {channel, channel_trade_no});
}

Hash16 key_of_account(MerchantId merchant, AccountKind kind, std::string_view channel, Currency currency) {
  return hash_of_key(merchant, name_of(KeyKind::account), {name_of(kind), channel, currency.text()});
}

Hash16 key_of_transfer(MerchantId merchant, std::string_view source, std::string_view reference) {
  return hash_of_key(merchant, name_of(KeyKind::transfer), {source, reference});
}

Hash16 key_of_hold(MerchantId merchant, std::string_view source, std::string_view reference) {
  return hash_of_key(merchant, name_of(KeyKind::hold), {source, reference});
}

Hash16 key_of_price(MerchantId merchant, std::string_view name) {
  return hash_of_key(merchant, name_of(KeyKind::price), {name});
}

}  // namespace finality
