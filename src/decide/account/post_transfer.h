// POST /v1/transfers: moves money between two accounts of a merchant, once per (source, reference).
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct PostTransfer {
  MerchantId merchant_id;
  AccountId debit_account_id;
  AccountId credit_account_id;
  std::optional<MinorUnits> amount;  // either amount, or price and quantity
  std::optional<std::string> price;  // the name of a price
  std::optional<std::int64_t> quantity;
  Currency currency;
  std::string source;
  std::string reference;
  Hash16 fingerprint{};  // of all fields of the request except lock_token, as canonical text
  std::optional<std::string> by_user;
  std::optional<std::string> info;
  std::optional<std::string> lock_token;
  std::optional<std::string> source_ip;
};

void add_reads(const PostTransfer& command, ReadSet& reads);

/// The same reference with the same body returns the same transfer, in any state, or the same refusal.
/// Refusals stored as a refused transfer: price_not_found, currency_mismatch, account_frozen, account_closed,
/// insufficient_balance. Refusals that are not stored: not_found, invalid_request (the same account on both sides, an
/// amount that is too large), account_locked, reference_conflict, already_reversed.
Decision decide(const PostTransfer& command, Context& context);

}  // namespace finality
