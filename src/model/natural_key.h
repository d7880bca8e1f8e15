// Natural keys: what the world calls an object. They are rows of one narrow table (hash → id), the only one whose order
// the world makes, so that everything else can stay ordered by time (docs/adr/0005-keys-led-by-time.md).
#pragma once

#include <string>
#include <string_view>

#include "base/crypto/crypto.h"
#include "base/money.h"
#include "model/ids.h"
#include "model/objects/account.h"

namespace finality {

enum class KeyKind : std::uint8_t { merchant_order_no, merchant_refund_no, receipt, account, transfer, hold, price };
BOOST_DESCRIBE_ENUM(KeyKind, merchant_order_no, merchant_refund_no, receipt, account, transfer, hold, price)

/// A hash of the parts: what one request asks for, to be compared with another.
Hash16 hash_of_parts(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts);

/// The bytes under which a key is kept. Keys whose last parts tell the time lie together, whoever uses them (ADR 0025);
/// others lie side by side where their last parts follow each other, as counters do (ADR 0023). So a batch changes few
/// pages.
/// REQUIRES: at least one part.
Hash16 hash_of_key(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts);

Hash16 key_of_order_no(MerchantId merchant, std::string_view merchant_order_no);
Hash16 key_of_refund_no(MerchantId merchant, std::string_view merchant_refund_no);
Hash16 key_of_receipt(MerchantId merchant, std::string_view channel, std::string_view channel_trade_no);
Hash16 key_of_account(MerchantId merchant, AccountKind kind, std::string_view channel, Currency currency);
Hash16 key_of_transfer(MerchantId merchant, std::string_view source, std::string_view reference);
Hash16 key_of_hold(MerchantId merchant, std::string_view source, std::string_view reference);
Hash16 key_of_price(MerchantId merchant, std::string_view name);

struct Hash16Hasher {
  std::size_t operator()(const Hash16& hash) const noexcept {
    std::size_t head;
    std::size_t tail;  // keys that lie together have one beginning
    __builtin_memcpy(&head, hash.data(), sizeof head);
    __builtin_memcpy(&tail, hash.data() + hash.size() - sizeof tail, sizeof tail);
    return head ^ (tail * 0x9E3779B97F4A7C15u);
  }
};

/// A row of the `keys` table.
struct Key {
  Hash16 hash{};
  MerchantId merchant_id;
  std::int64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(Key, (), (hash, merchant_id, id))
FINALITY_ROW(Key, "keys", log, "hash", "",
             .about =
                 "a natural key: hash → id (merchant_order_no, merchant_refund_no, upstream trade number, account of "
                 "the books, source and reference of a transfer or of a hold, name of a price). The hash leaves what "
                 "follows each other side by side ([ADR 0023](../adr/0023-keys-side-by-side.md)), and what tells the "
                 "time with all others of its time ([0025](../adr/0025-keys-by-time.md))")

/// A row of the `idempotency_keys` table: apart from the permanent keys, since these expire.
struct IdempotencyKey {
  Hash16 hash{};
  MerchantId merchant_id;
  IdempotencyRecordId record_id;
};
BOOST_DESCRIBE_STRUCT(IdempotencyKey, (), (hash, merchant_id, record_id))
FINALITY_ROW(IdempotencyKey, "idempotency_keys", log, "hash", "",
             .about = "an Idempotency-Key: hash → answer; the hash as above")

}  // namespace finality
