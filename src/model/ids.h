// Object types and object ids. An id is a 64-bit number in the store and a prefixed text (`ord_…`) in the API.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/encoding.h"
#include "base/described.h"

namespace finality {

enum class ObjectType : std::uint8_t {
  merchant,
  api_key,
  order,
  payment,
  receipt,
  refund,
  reversal,
  exception_case,
  account,
  entry,
  event,
  webhook_endpoint,
  delivery,
  idempotency_record,
  transfer,
  hold,
  price,
  fee,
  money_return,
  channel_account,
  channel_settlement,
  channel_rate,
  unknown_receipt,
  adjustment,
  statement,
  statement_total,
  difference,
  statement_movement,
  identity_check,
  authorization,
  capture,
};
BOOST_DESCRIBE_ENUM(ObjectType, merchant, api_key, order, payment, receipt, refund, reversal, exception_case, account,
                    entry, event, webhook_endpoint, delivery, idempotency_record, transfer, hold, price, fee,
                    money_return, channel_account, channel_settlement, channel_rate, unknown_receipt, adjustment,
                    statement, statement_total, difference, statement_movement, identity_check, authorization, capture)

/// Returns the prefix of that type's ids in the API, without the underscore: "ord" for an order.
constexpr std::string_view prefix_of(ObjectType type) {
  constexpr std::string_view prefixes[] = {"mer", "key", "ord", "pay", "rcp", "ref", "rev", "cas",  "acc", "ent", "evt",
                                           "whe", "msg", "ans", "trf", "hld", "prc", "fee", "ret",  "cha", "cst", "crt",
                                           "urc", "adj", "stm", "stt", "dif", "stv", "idc", "auth", "cap"};
  return prefixes[static_cast<std::size_t>(type)];
}

/// The id of an object of type kType. The value 0 means "no object".
template <ObjectType kType>
struct Id {
  static constexpr ObjectType type = kType;
  std::int64_t value = 0;

  auto operator<=>(const Id&) const = default;
  explicit operator bool() const { return value != 0; }
};

using MerchantId = Id<ObjectType::merchant>;
using ApiKeyId = Id<ObjectType::api_key>;
using OrderId = Id<ObjectType::order>;
using PaymentId = Id<ObjectType::payment>;
using ReceiptId = Id<ObjectType::receipt>;
using RefundId = Id<ObjectType::refund>;
using ReversalId = Id<ObjectType::reversal>;
using CaseId = Id<ObjectType::exception_case>;
using AccountId = Id<ObjectType::account>;
using EntryId = Id<ObjectType::entry>;
using EventId = Id<ObjectType::event>;
using WebhookEndpointId = Id<ObjectType::webhook_endpoint>;
using DeliveryId = Id<ObjectType::delivery>;
using IdempotencyRecordId = Id<ObjectType::idempotency_record>;
using TransferId = Id<ObjectType::transfer>;
using HoldId = Id<ObjectType::hold>;
using PriceId = Id<ObjectType::price>;
using FeeId = Id<ObjectType::fee>;
using ReturnId = Id<ObjectType::money_return>;
using ChannelAccountId = Id<ObjectType::channel_account>;
using ChannelSettlementId = Id<ObjectType::channel_settlement>;
using ChannelRateId = Id<ObjectType::channel_rate>;
using UnknownReceiptId = Id<ObjectType::unknown_receipt>;
using AdjustmentId = Id<ObjectType::adjustment>;
using StatementId = Id<ObjectType::statement>;
using StatementTotalId = Id<ObjectType::statement_total>;
using DifferenceId = Id<ObjectType::difference>;
using StatementMovementId = Id<ObjectType::statement_movement>;
using IdentityCheckId = Id<ObjectType::identity_check>;
using AuthorizationId = Id<ObjectType::authorization>;
using CaptureId = Id<ObjectType::capture>;

/// The id of an object of any type, together with the type.
struct ObjectRef {
  ObjectType type = ObjectType::order;
  std::int64_t value = 0;

  ObjectRef() = default;
  ObjectRef(ObjectType kind, std::int64_t number) : type(kind), value(number) {}
  template <ObjectType kType>
  ObjectRef(Id<kType> id) : type(kType), value(id.value) {}  // NOLINT: implicit, so that each Id converts

  auto operator<=>(const ObjectRef&) const = default;
};

/// Returns the API id, such as `ord_01hq…`.
inline std::string to_text(ObjectRef ref) {
  std::string text(prefix_of(ref.type));
  text += '_';
  return text += to_base32(ref.value);
}
template <ObjectType kType>
std::string to_text(Id<kType> id) {
  return to_text(ObjectRef(id));
}

/// Parses an API id such as `ord_01hq…`. Returns empty if `text` is not a valid id.
inline std::optional<ObjectRef> parse_ref(std::string_view text) {
  const std::size_t bar = text.find('_');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto value = from_base32(text.substr(bar + 1));
  if (!value) return std::nullopt;
  for (std::size_t i = 0; i < kCount<ObjectType>; ++i)
    if (prefix_of(static_cast<ObjectType>(i)) == text.substr(0, bar))
      return ObjectRef(static_cast<ObjectType>(i), *value);
  return std::nullopt;
}

/// Parses an API id. Returns empty if `text` is not a valid id or has another object type.
template <class AnId>
std::optional<AnId> parse_id(std::string_view text) {
  const auto ref = parse_ref(text);
  if (!ref || ref->type != AnId::type) return std::nullopt;
  return AnId{ref->value};
}

}  // namespace finality

template <finality::ObjectType kType>
struct std::hash<finality::Id<kType>> {
  std::size_t operator()(finality::Id<kType> id) const noexcept {
    // Ids differ mainly in their low bits; the multiplication spreads these differences over all bits.
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id.value) * 0x9E3779B97F4A7C15u);
  }
};

// The ids of all types come from one sequence, so the type adds nothing to the hash.
template <>
struct std::hash<finality::ObjectRef> {
  std::size_t operator()(finality::ObjectRef ref) const noexcept {
    return std::hash<finality::OrderId>()(finality::OrderId{ref.value});
  }
};
