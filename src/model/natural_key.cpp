#include "model/natural_key.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace finality {
namespace {

// A key has 16 bytes, in one of two layouts that its first bit distinguishes. "Name" is the last part of the key.
// Name with a time: 6 bytes of the time, then 10 bytes of a hash of all parts. Keys of the same time are adjacent.
// Other name: 10 bytes of a hash of all parts except the end of the name, then 6 bytes with the rank of that end. Names
// with a common beginning are adjacent and sorted. Two different keys collide only if 79 bits of the hash are equal.
constexpr std::size_t kTimeBytes = 6;
constexpr std::size_t kBeginBytes = 10;
constexpr std::size_t kEndBytes = 6;
constexpr unsigned char kHasTimeBit = 0x80;
constexpr std::uint64_t kTimesMax = std::uint64_t{1} << 47;

constexpr std::string_view kDigits = "0123456789";

/// Parses digits in that base. REQUIRES: `digits` has only digits of the base.
std::uint64_t number_of(std::string_view digits, int base) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return number;
}

// Finds a date from 2010 to 2099 and the next six to nine digits, such as 20261122140411. Many merchant order numbers
// and Alipay's trade numbers begin with a date. WeChat Pay's transaction ids contain it after a prefix such as
// 4200001234, which must not parse as a date.
std::optional<std::uint64_t> time_of_date(std::string_view name) {
  constexpr std::size_t kDay = 8;
  constexpr std::size_t kLeast = kDay + 6;
  constexpr std::size_t kMost = kDay + 9;
  for (std::size_t at = 0; at + kLeast <= name.size(); ++at) {
    std::string_view text = name.substr(at, kMost);
    if (!text.starts_with("20") || text[2] == '0') continue;
    text = text.substr(0, text.find_first_not_of(kDigits));
    if (text.size() < kLeast) continue;
    const std::uint64_t month = number_of(text.substr(4, 2), 10);
    const std::uint64_t day = number_of(text.substr(6, 2), 10);
    if (month < 1 || month > 12 || day < 1 || day > 31) continue;
    std::uint64_t time = ((number_of(text.substr(0, 4), 10) - 2010) * 12 + month - 1) * 31 + day - 1;
    for (std::size_t i = kDay; i < kMost; ++i)
      time = time * 10 + (i < text.size() ? static_cast<std::uint64_t>(text[i] - '0') : 0);
    return time;
  }
  return std::nullopt;
}

// Parses a snowflake id such as 1859812340027392000: milliseconds, then 22 bits of machine and sequence number.
std::optional<std::uint64_t> time_of_snowflake(std::string_view name) {
  constexpr int kBitsLeftOut = 16;
  if (name.size() < 17 || name.size() > 19 || name.front() == '0' || name.find_first_not_of(kDigits) != name.npos)
    return std::nullopt;
  return number_of(name, 10) >> kBitsLeftOut;
}

// Parses a UUID of version 7 such as 019aab12-3c4d-7…, which begins with milliseconds (RFC 9562 §5.7).
std::optional<std::uint64_t> time_of_uuid(std::string_view name) {
  if (name.size() != 36 || name[8] != '-' || name[13] != '-' || name[14] != '7') return std::nullopt;
  const std::string digits = std::string(name.substr(0, 8)) + std::string(name.substr(9, 4));
  if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return std::nullopt;
  return number_of(digits, 16);
}

/// Returns the time that the name contains, in the unit of its format and below kTimesMax. Empty if the name has no
/// time.
std::optional<std::uint64_t> time_of(std::string_view name) {
  for (const auto parse : {time_of_date, time_of_snowflake, time_of_uuid})
    if (const auto time = parse(name); time && *time < kTimesMax) return time;
  return std::nullopt;
}

/// The characters allowed in the end of a name, in ASCII order. 48 bits can store an end of `length_max` characters.
struct Alphabet {
  std::string_view characters;
  std::size_t length_max;
  char tag;
};
constexpr Alphabet kAlphabets[] = {{kDigits, 14, 'd'},
                                   {"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", 8, 'c'}};

/// The end of a name. `place` is its rank in the sorted list of all ends of the same length and alphabet.
struct End {
  std::size_t length = 0;
  std::uint64_t place = 0;
  char tag = 'n';
};

// Splits off the end of the name. Its length is 0 if the name ends with a character of no alphabet.
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

// Joins the parts. Each part has its length as prefix, so that different lists of parts have different texts.
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

void put(Hash16& key, std::size_t at, std::size_t bytes, std::uint64_t number) {
  for (std::size_t i = bytes; i-- > 0; number >>= 8) key[at + i] = static_cast<unsigned char>(number);
}

}  // namespace

Hash16 hash_of_parts(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts) {
  return sha256_16(text_of(merchant, kind, parts));
}

// The hash includes the alphabet's tag, because ends of different alphabets can have the same rank.
Hash16 hash_of_key(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts) {
  const std::string_view name = *(parts.end() - 1);
  std::string text = text_of(merchant, kind, parts);
  Hash16 key;
  if (const auto time = time_of(name)) {
    const Hash16 hash = sha256_16(text);
    put(key, 0, kTimeBytes, *time);
    key[0] |= kHasTimeBit;
    std::copy_n(hash.begin(), key.size() - kTimeBytes, key.begin() + kTimeBytes);
  } else {
    const End end = end_of(name);
    text.resize(text.size() - end.length);
    key = sha256_16(text += end.tag);
    put(key, kBeginBytes, kEndBytes, end.place);
    key[0] &= static_cast<unsigned char>(~kHasTimeBit);
  }
  return key;
}

Hash16 key_of_order_no(MerchantId merchant, std::string_view merchant_order_no) {
  return hash_of_key(merchant, name_of(KeyKind::merchant_order_no), {merchant_order_no});
}

Hash16 key_of_refund_no(MerchantId merchant, std::string_view merchant_refund_no) {
  return hash_of_key(merchant, name_of(KeyKind::merchant_refund_no), {merchant_refund_no});
}

Hash16 key_of_capture_no(MerchantId merchant, std::string_view merchant_capture_no) {
  return hash_of_key(merchant, name_of(KeyKind::merchant_capture_no), {merchant_capture_no});
}

Hash16 key_of_receipt(MerchantId merchant, std::string_view channel, std::string_view channel_trade_no,
                      std::int64_t ordinal) {
  if (ordinal == 0) return hash_of_key(merchant, name_of(KeyKind::receipt), {channel, channel_trade_no});
  return hash_of_key(merchant, name_of(KeyKind::receipt), {channel, channel_trade_no, std::to_string(ordinal)});
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

Hash16 key_of_channel_settlement(MerchantId merchant, std::string_view channel, std::string_view transaction_no) {
  return hash_of_key(merchant, name_of(KeyKind::channel_settlement), {channel, transaction_no});
}

// An absent method or currency is an empty part; a present one is never empty.
Hash16 key_of_channel_rate(ChannelAccountId account, const std::optional<std::string>& method,
                           std::optional<Currency> currency, std::string_view from_date) {
  return hash_of_key(MerchantId{}, name_of(KeyKind::channel_rate),
                     {to_text(account), method ? std::string_view(*method) : std::string_view(),
                      currency ? currency->text() : std::string_view(), from_date});
}

Hash16 key_of_statement(ChannelAccountId account, StatementKind kind, std::string_view funds_account,
                        std::int64_t file_version, std::string_view date) {
  return hash_of_key(kPlatform, name_of(KeyKind::statement),
                     {to_text(account), name_of(kind), funds_account, std::to_string(file_version), date});
}

Hash16 key_of_difference(MerchantId merchant, ChannelAccountId account, std::string_view subject) {
  return hash_of_key(merchant, name_of(KeyKind::difference), {to_text(account), subject});
}

}  // namespace finality
