// Natural keys: the names that clients and channels give to objects. They are rows of one narrow table (hash → id), the
// only table whose key order is set from outside; all others are ordered by time (docs/adr/0005-keys-led-by-time.md).
#pragma once

#include <string>
#include <string_view>

#include "base/crypto/crypto.h"
#include "base/money.h"
#include "model/ids.h"
#include "model/objects/account.h"

namespace finality {

/// The kinds of natural keys.
enum class KeyKind : std::uint8_t { merchant_order_no, merchant_refund_no, receipt, account, transfer, hold, price };
BOOST_DESCRIBE_ENUM(KeyKind, merchant_order_no, merchant_refund_no, receipt, account, transfer, hold, price)

/// Hash of the parts of a request, for comparing it with another request.
Hash16 hash_of_parts(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts);

/// The stored bytes of a key. Keys whose last part contains a time are adjacent to the other keys of that time, for all
/// merchants (ADR 0025). Other keys are adjacent when their last parts are consecutive, as counters are (ADR 0023). A
/// batch therefore changes few pages. REQUIRES: at least one part.
Hash16 hash_of_key(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts);

/// hash_of_key() of the natural key of an order, refund, receipt, ledger account, transfer, hold or price.
Hash16 key_of_order_no(MerchantId merchant, std::string_view merchant_order_no);
Hash16 key_of_refund_no(MerchantId merchant, std::string_view merchant_refund_no);
Hash16 key_of_receipt(MerchantId merchant, std::string_view channel, std::string_view channel_trade_no);
Hash16 key_of_account(MerchantId merchant, AccountKind kind, std::string_view channel, Currency currency);
Hash16 key_of_transfer(MerchantId merchant, std::string_view source, std::string_view reference);
Hash16 key_of_hold(MerchantId merchant, std::string_view source, std::string_view reference);
Hash16 key_of_price(MerchantId merchant, std::string_view name);

/// Hash function for maps keyed by Hash16.
struct Hash16Hasher {
  std::size_t operator()(const Hash16& hash) const noexcept {
    std::size_t head;
    std::size_t tail;  // adjacent keys share their first bytes
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
                 "a natural key: hash → id (merchant_order_no, merchant_refund_no, upstream trade number, ledger "
                 "account, source and reference of a transfer or of a hold, name of a price). The hash keeps "
                 "consecutive names adjacent ([ADR 0023](../adr/0023-keys-side-by-side.md)), and names that contain a "
                 "time adjacent to all others of that time ([0025](../adr/0025-keys-by-time.md))")

/// A row of the `idempotency_keys` table, which is separate from the permanent keys because its rows expire.
struct IdempotencyKey {
  Hash16 hash{};
  MerchantId merchant_id;
  IdempotencyRecordId record_id;
};
BOOST_DESCRIBE_STRUCT(IdempotencyKey, (), (hash, merchant_id, record_id))
FINALITY_ROW(IdempotencyKey, "idempotency_keys", log, "hash", "",
             .about = "an Idempotency-Key: hash → idempotency record; the hash as above")

}  // namespace finality
