// The entry (流水): one line of the journal. Written before the balance moves, never changed, never deleted.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// Why money moved; also the posting's name in the chart (ledger/chart.h).
enum class EntryType : std::uint8_t {
  receipt_accepted,
  receipt_in_suspense,
  receipt_written_off,
  reversal_succeeded,
  reversal_settled_offline,
  refund_accepted,
  refund_succeeded,
  refund_failed,
  external_refund,                // out of what is owed to the merchant
  external_refund_from_suspense,  // out of a receipt that was not accepted
  external_refund_charged,        // and the platform bears it
  transfer,
  transfer_reversed,
  hold_posted,
  wallet_paid,      // an order is paid from a user's account
  wallet_refunded,  // and back
  fee_charged,
  fee_returned,
  refund_returned,          // a refund came back from the payer's side: the merchant has it again
  charged_refund_returned,  // likewise, of what the platform had borne
  fee_charged_again,        // and the fee that was returned with the refund
};
BOOST_DESCRIBE_ENUM(EntryType, receipt_accepted, receipt_in_suspense, receipt_written_off, reversal_succeeded,
                    reversal_settled_offline, refund_accepted, refund_succeeded, refund_failed, external_refund,
                    external_refund_from_suspense, external_refund_charged, transfer, transfer_reversed, hold_posted,
                    wallet_paid, wallet_refunded, fee_charged, fee_returned, refund_returned, charged_refund_returned,
                    fee_charged_again)

struct Entry {
  EntryId id;
  EntryId journal_id;  // the first entry of the posting; the others follow it by id
  MerchantId merchant_id;
  AccountId account_id;
  MinorUnits amount = 0;  // signed: a credit is positive
  Currency currency;
  MinorUnits balance_before = 0;
  MinorUnits balance_after = 0;
  EntryType type = EntryType::receipt_accepted;
  ObjectType document_type = ObjectType::receipt;  // what it was posted for, with `type` unique
  std::int64_t document_id = 0;
  std::int64_t root_id = 0;            // the aggregate it was posted with
  std::optional<EntryId> previous_id;  // of the same account
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(Entry, (),
                      (id, journal_id, merchant_id, account_id, amount, currency, balance_before, balance_after, type,
                       document_type, document_id, root_id, previous_id, created_at))
FINALITY_ROW(Entry, "entries", log, "id", "",
             .about = "one line of the journal (流水); names the entry before it on its account")

}  // namespace finality
