// Hold (预扣): an amount reserved on an account until it is posted (确认) or voided (回滚). An open hold expires at
// `expires_at`.
#pragma once

#include <optional>
#include <string>

#include "base/crypto/crypto.h"
#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

enum class HoldState : std::uint8_t { held, posted, voided, expired };
BOOST_DESCRIBE_ENUM(HoldState, held, posted, voided, expired)

enum class HoldEvent : std::uint8_t { post, release, expire };
BOOST_DESCRIBE_ENUM(HoldEvent, post, release, expire)

/// The effect that a due hold produces: its expiry, or none.
enum class HoldEffect : std::uint8_t { none, expire };
BOOST_DESCRIBE_ENUM(HoldEffect, none, expire)

/// A hold has no concurrency control of its own: each change of a hold also increments the version of its account.
struct Hold {
  HoldId id;
  MerchantId merchant_id;
  AccountId account_id;
  AccountId credit_account_id;  // account credited when the hold is posted
  MinorUnits amount = 0;
  MinorUnits posted_amount = 0;  // amount credited when the hold was posted; at most `amount`
  Currency currency;
  std::string source;
  std::string reference;
  Hash16 fingerprint{};  // hash of the request, to detect a different request with the same reference
  HoldState state = HoldState::held;
  std::optional<std::string> source_ip;
  Time expires_at;
  std::optional<Time> due_at;
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Hold, (),
                      (id, merchant_id, account_id, credit_account_id, amount, posted_amount, currency, source,
                       reference, fingerprint, state, source_ip, expires_at, due_at, created_at, version))
FINALITY_ROW(Hold, "holds", child, "id",
             "merchant_id account_id credit_account_id amount currency source reference fingerprint source_ip "
             "expires_at created_at",
             .about = "an amount reserved on an account (预扣)", .guard = "account_id", .due = Due::step)

inline constexpr auto hold_machine = [] {
  using enum HoldState;
  using E = HoldEvent;
  using namespace fsm;
  Table<HoldState, HoldEvent, HoldEffect> t{.name = "hold", .title = "预扣"};
  t.initial(held);
  t.state(held, HoldEffect::expire);
  t.final_state(posted);
  t.final_state(voided);
  t.final_state(expired);
  // clang-format off
  //               held               posted  voided  expired
  t.on(E::post,    {move_to(posted),  refuse, refuse, refuse});
  t.on(E::release, {move_to(voided),  refuse, refuse, refuse});
  t.on(E::expire,  {move_to(expired), keep,   keep,   keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(HoldState) { return hold_machine; }

}  // namespace finality
