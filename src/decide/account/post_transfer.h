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
  std::optional<std::string> price;  // name of a price in the merchant's price list
  std::optional<std::int64_t> quantity;
  Currency currency;
  std::string source;
  std::string reference;
  Hash16 fingerprint{};  // hash of the canonical text of all request fields except lock_token
  std::optional<std::string> by_user;
  std::optional<std::string> info;
  std::optional<std::string> lock_token;
  std::optional<std::string> source_ip;
};

void add_reads(const PostTransfer& command, ReadSet& reads);

/// A repeated request (same reference and fields) returns the existing transfer in its current state, or the stored
/// refusal. Refuses with `price_not_found`, `currency_mismatch`, `account_frozen`, `account_closed`,
/// `insufficient_balance`; these refusals are stored as a refused transfer. Refuses without storing a transfer with
/// `not_found` (no such account), `invalid_request` (both accounts are equal, or the amount exceeds the limit),
/// `account_locked` (no or wrong lock token), `reference_conflict` (the reference belongs to a transfer with other
/// fields), `already_reversed` (the reversal arrived before the transfer).
Decision decide(const PostTransfer& command, Context& context);

}  // namespace finality
