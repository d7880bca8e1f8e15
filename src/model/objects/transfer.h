// Transfer: moves money from one account to another. (source, reference) identifies it within the merchant, so a
// repeated request moves money once. A refused transfer is stored with its refusal code (seed 004: bill_ret), so that a
// client can query the result (流水检查).
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

enum class TransferState : std::uint8_t {
  requested,  // initial state; never stored
  posted,
  refused,
  reversed,  // also if the reversal arrived before the transfer (tombstone)
};
BOOST_DESCRIBE_ENUM(TransferState, requested, posted, refused, reversed)

enum class TransferEvent : std::uint8_t { post, refuse, reverse };
BOOST_DESCRIBE_ENUM(TransferEvent, post, refuse, reverse)

enum class TransferEffect : std::uint8_t { none };
BOOST_DESCRIBE_ENUM(TransferEffect, none)

struct Transfer {
  TransferId id;
  MerchantId merchant_id;
  std::optional<AccountId> debit_account_id;  // both accounts are empty in a tombstone
  std::optional<AccountId> credit_account_id;
  MinorUnits amount = 0;
  Currency currency;
  std::string source;
  std::string reference;
  Hash16 fingerprint{};  // hash of the request, to detect a different request with the same reference
  TransferState state = TransferState::requested;
  std::optional<std::string> refusal;  // RefusalCode; empty if the transfer was not refused
  std::optional<std::string> price;    // name of the price from which `amount` was computed
  std::optional<std::int64_t> quantity;
  std::optional<std::string> by_user;
  std::optional<std::string> info;
  std::optional<std::string> source_ip;
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Transfer, (),
                      (id, merchant_id, debit_account_id, credit_account_id, amount, currency, source, reference,
                       fingerprint, state, refusal, price, quantity, by_user, info, source_ip, created_at, version))
FINALITY_ROW(
    Transfer, "transfers", root, "id",
    "merchant_id debit_account_id credit_account_id amount currency source reference fingerprint refusal price "
    "quantity by_user info source_ip created_at",
    .about =
        "a transfer between two accounts (转账): posted, refused or reversed; also the tombstone of a reversal that "
        "arrived first")

inline constexpr auto transfer_machine = [] {
  using enum TransferState;
  using E = TransferEvent;
  using namespace fsm;
  Table<TransferState, TransferEvent, TransferEffect> t{.name = "transfer", .title = "转账"};
  t.initial(requested);
  t.final_state(refused);
  t.final_state(reversed);
  // clang-format off
  //               requested           posted              refused          reversed
  t.on(E::post,    {move_to(posted),   keep,               keep,            fsm::refuse});
  t.on(E::refuse,  {move_to(refused),  impossible,         keep,            impossible});
  t.on(E::reverse, {move_to(reversed), move_to(reversed),  keep,            keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(TransferState) { return transfer_machine; }

}  // namespace finality
