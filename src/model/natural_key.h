// Natural keys: what the world calls an object. They are rows of one narrow table (hash → id), the only one keyed at
// random, so that everything else can stay ordered by time (blueprint §8).
#pragma once

#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/money.h"
#include "model/account.h"
#include "model/ids.h"

namespace finality {

enum class KeyKind : std::uint8_t { merchant_order_no, merchant_refund_no, receipt, account, transfer, hold, price };
BOOST_DESCRIBE_ENUM(KeyKind, merchant_order_no, merchant_refund_no, receipt, account, transfer, hold, price)

/// The hash under which a natural key is kept. The parts are length-prefixed: no two different keys read the same.
inline Hash16 hash_of_key(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts) {
  std::string text = to_base32(merchant.value);
  text += kind;
  for (const std::string_view part : parts) {
    text += '\x1f';
    text += std::to_string(part.size());
    text += ':';
    text += part;
  }
  return sha256_16(text);
}

inline Hash16 key_of_order_no(MerchantId merchant, std::string_view merchant_order_no) {
  return hash_of_key(merchant, name_of(KeyKind::merchant_order_no), {merchant_order_no});
}
inline Hash16 key_of_refund_no(MerchantId merchant, std::string_view merchant_refund_no) {
  return hash_of_key(merchant, name_of(KeyKind::merchant_refund_no), {merchant_refund_no});
}
inline Hash16 key_of_receipt(MerchantId merchant, std::string_view channel, std::string_view channel_trade_no) {
  return hash_of_key(merchant, name_of(KeyKind::receipt), {channel, channel_trade_no});
}
inline Hash16 key_of_account(MerchantId merchant, AccountKind kind, std::string_view channel, Currency currency) {
  return hash_of_key(merchant, name_of(KeyKind::account), {name_of(kind), channel, currency.text()});
}

inline Hash16 key_of_transfer(MerchantId merchant, std::string_view source, std::string_view reference) {
  return hash_of_key(merchant, name_of(KeyKind::transfer), {source, reference});
}
inline Hash16 key_of_hold(MerchantId merchant, std::string_view source, std::string_view reference) {
  return hash_of_key(merchant, name_of(KeyKind::hold), {source, reference});
}
inline Hash16 key_of_price(MerchantId merchant, std::string_view name) {
  return hash_of_key(merchant, name_of(KeyKind::price), {name});
}

struct Hash16Hasher {
  std::size_t operator()(const Hash16& hash) const noexcept {
    std::size_t head;
    __builtin_memcpy(&head, hash.data(), sizeof head);
    return head;
  }
};

/// A row of the `keys` table.
struct Key {
  Hash16 hash{};
  MerchantId merchant_id;
  std::int64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(Key, (), (hash, merchant_id, id))
FINALITY_ROW(Key, "keys", log, "hash", "")

/// A row of the `idempotency_keys` table: apart from the permanent keys, since these expire.
struct IdempotencyKey {
  Hash16 hash{};
  MerchantId merchant_id;
  AnswerId answer_id;
};
BOOST_DESCRIBE_STRUCT(IdempotencyKey, (), (hash, merchant_id, answer_id))
FINALITY_ROW(IdempotencyKey, "idempotency_keys", log, "hash", "")

}  // namespace finality
