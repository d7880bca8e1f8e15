// Holds: money set aside (预扣), then posted (确认), voided (回滚), or released by itself at its expiry.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct CreateHold {
  MerchantId merchant_id;
  AccountId account_id;
  AccountId credit_account_id;
  MinorUnits amount = 0;
  Currency currency;
  std::string source;
  std::string reference;
  Hash16 fingerprint{};  // of all fields of the request but lock_token, as canonical text
  Duration expires_in{};
  std::optional<std::string> lock_token;
  std::optional<std::string> source_ip;
};

void add_reads(const CreateHold& command, ReadSet& reads);

/// The same reference with the same body is the same hold, whatever has become of it. Refuses: not_found,
/// invalid_request (one account on both sides), account_locked, reference_conflict, currency_mismatch, account_frozen,
/// account_closed, insufficient_balance. A refused hold leaves no trace: its reference may be used again.
Decision decide(const CreateHold& command, Context& context);

struct PostHold {
  MerchantId merchant_id;
  HoldId hold_id;
  std::optional<MinorUnits> amount;  // empty: all of it; the rest is released
  std::optional<std::string> lock_token;
};

void add_reads(const PostHold& command, ReadSet& reads);

/// Rules: from the instant of its expiry a hold cannot be posted, be the expiry recorded or not; a frozen account pays
/// nothing, the hold stays. Refuses: not_found, hold_not_open, amount_exceeds_hold, account_frozen, account_closed,
/// account_locked.
Decision decide(const PostHold& command, Context& context);

struct VoidHold {
  MerchantId merchant_id;
  HoldId hold_id;
};

void add_reads(const VoidHold& command, ReadSet& reads);

/// Also of a frozen or locked account: nothing leaves it. Refuses: not_found, hold_not_open.
Decision decide(const VoidHold& command, Context& context);

struct ExpireHold {
  MerchantId merchant_id;
  HoldId hold_id;
};

void add_reads(const ExpireHold& command, ReadSet& reads);
Decision decide(const ExpireHold& command, Context& context);

}  // namespace finality
