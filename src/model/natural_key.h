// Natural keys: identifiers that clients and channels assign to objects, such as merchant_order_no. One narrow table
// maps the hash of each natural key to the object's id. All other tables are ordered by creation time
// (docs/adr/0005-time-ordered-primary-keys.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/crypto.h"
#include "base/money.h"
#include "model/ids.h"
#include "model/objects/account.h"
#include "model/objects/statement.h"

namespace finality {

/// The object, or identifier of an object, for which a natural key is stored.
enum class KeyKind : std::uint8_t {
  merchant_order_no,
  merchant_refund_no,
  merchant_capture_no,
  receipt,
  account,
  transfer,
  hold,
  price,
  channel_settlement,
  channel_rate,
  statement,
  difference,
};
BOOST_DESCRIBE_ENUM(KeyKind, merchant_order_no, merchant_refund_no, merchant_capture_no, receipt, account, transfer,
                    hold, price, channel_settlement, channel_rate, statement, difference)

/// Returns the fingerprint of a request. Two requests with the same merchant, kind and parts have the same fingerprint.
Hash16 hash_of_parts(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts);

/// Returns the stored bytes of a natural key. They keep the keys of one batch adjacent, so a commit changes few pages:
/// keys whose last part contains the same time, of all merchants, and keys whose last parts are consecutive, such as
/// counters (ADR 0023). REQUIRES: at least one part.
Hash16 hash_of_key(MerchantId merchant, std::string_view kind, std::initializer_list<std::string_view> parts);

/// Return hash_of_key() for the natural key of an order, refund, capture, receipt, ledger account, transfer, hold,
/// price or channel settlement.
Hash16 key_of_order_no(MerchantId merchant, std::string_view merchant_order_no);
Hash16 key_of_refund_no(MerchantId merchant, std::string_view merchant_refund_no);
Hash16 key_of_capture_no(MerchantId merchant, std::string_view merchant_capture_no);
/// `ordinal`: Receipt::ordinal.
Hash16 key_of_receipt(MerchantId merchant, std::string_view channel, std::string_view channel_trade_no,
                      std::int64_t ordinal = 0);
Hash16 key_of_account(MerchantId merchant, AccountKind kind, std::string_view channel, Currency currency);
Hash16 key_of_transfer(MerchantId merchant, std::string_view source, std::string_view reference);
Hash16 key_of_hold(MerchantId merchant, std::string_view source, std::string_view reference);
Hash16 key_of_price(MerchantId merchant, std::string_view name);
Hash16 key_of_channel_settlement(MerchantId merchant, std::string_view channel, std::string_view transaction_no);
/// Returns hash_of_key() for the natural key of a channel rate, which belongs to no merchant: its merchant id is 0.
Hash16 key_of_channel_rate(ChannelAccountId account, const std::optional<std::string>& method,
                           std::optional<Currency> currency, std::string_view from_date);

/// Return hash_of_key() for the natural key of a version of a statement, in the books of the platform, and of a
/// difference. `subject` names the line or the document of the difference: each has at most one.
Hash16 key_of_statement(ChannelAccountId account, StatementKind kind, std::string_view funds_account,
                        std::int64_t file_version, std::string_view date);
Hash16 key_of_difference(MerchantId merchant, ChannelAccountId account, std::string_view subject);

/// Hash function for hash maps with keys of type Hash16.
struct Hash16Hasher {
  std::size_t operator()(const Hash16& hash) const noexcept {
    std::size_t head;
    std::size_t tail;  // used too, because adjacent keys have the same first bytes
    __builtin_memcpy(&head, hash.data(), sizeof head);
    __builtin_memcpy(&tail, hash.data() + hash.size() - sizeof tail, sizeof tail);
    return head ^ (tail * 0x9E3779B97F4A7C15u);
  }
};

/// A row of the `keys` table: the hash of a natural key, and the id of its object.
struct Key {
  Hash16 hash{};
  MerchantId merchant_id;
  std::int64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(Key, (), (hash, merchant_id, id))
FINALITY_ROW(Key, "keys", log, "hash", "",
             .about =
                 "a natural key: hash → id (merchant_order_no, merchant_refund_no, merchant_capture_no, upstream trade "
                 "number, ledger "
                 "account, source and reference of a transfer or of a hold, name of a price; channel account, method, "
                 "currency and date of a channel rate, with merchant_id 0; channel and transaction number of a channel "
                 "settlement; upstream trade number of an unknown receipt, or of a capture that was made in the "
                 "channel's console: the id of its order; account, kind, date and version of a statement; the "
                 "subject of a difference). The hash keeps "
                 "consecutive names adjacent, and names that contain a time adjacent to all others of that time ([ADR "
                 "0023](../adr/0023-ordered-natural-keys.md))")

/// A row of the `idempotency_keys` table. The table is separate from `keys` because its rows expire.
struct IdempotencyKey {
  Hash16 hash{};
  MerchantId merchant_id;
  IdempotencyRecordId record_id;
};
BOOST_DESCRIBE_STRUCT(IdempotencyKey, (), (hash, merchant_id, record_id))
FINALITY_ROW(IdempotencyKey, "idempotency_keys", log, "hash", "",
             .about = "an Idempotency-Key: hash → idempotency record; the hash as above")

}  // namespace finality
