// Ledger entry (流水): one line of the journal. Written before the balance changes; never changed or deleted.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// The type of a posting, with a journal template in the chart of accounts (ledger/chart.h).
enum class EntryType : std::uint8_t {
  receipt_accepted,
  receipt_in_suspense,
  receipt_written_off,
  reversal_succeeded,
  reversal_settled_offline,
  refund_accepted,
  refund_succeeded,
  refund_failed,
  external_refund,                // from the merchant's payable
  external_refund_from_suspense,  // from a receipt that was not accepted
  external_refund_charged,        // the platform bears an external refund in place of the merchant
  transfer,
  transfer_reversed,
  hold_posted,
  wallet_paid,      // an order is paid from a user account
  wallet_refunded,  // a payment from a user account is refunded
  fee_charged,
  fee_returned,
  refund_returned,          // the channel returned a refund, which is credited to the merchant
  charged_refund_returned,  // the part of a returned refund that the platform had borne
  fee_charged_again,        // the fee that had been returned with the returned refund
};
BOOST_DESCRIBE_ENUM(EntryType, receipt_accepted, receipt_in_suspense, receipt_written_off, reversal_succeeded,
                    reversal_settled_offline, refund_accepted, refund_succeeded, refund_failed, external_refund,
                    external_refund_from_suspense, external_refund_charged, transfer, transfer_reversed, hold_posted,
                    wallet_paid, wallet_refunded, fee_charged, fee_returned, refund_returned, charged_refund_returned,
                    fee_charged_again)

struct Entry {
  EntryId id;
  EntryId journal_id;  // the first entry of the journal; the others have higher ids
  MerchantId merchant_id;
  AccountId account_id;
  MinorUnits amount = 0;  // signed: a credit is positive
  Currency currency;
  MinorUnits balance_before = 0;
  MinorUnits balance_after = 0;
  EntryType type = EntryType::receipt_accepted;
  ObjectType document_type = ObjectType::receipt;  // of the object it was posted for
  std::int64_t document_id = 0;
  std::int64_t ordinal = 0;            // of the journal; (document, type, ordinal) is posted once
  std::int64_t root_id = 0;            // the root of the aggregate that was committed with it
  std::optional<EntryId> previous_id;  // of the same account
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(Entry, (),
                      (id, journal_id, merchant_id, account_id, amount, currency, balance_before, balance_after, type,
                       document_type, document_id, ordinal, root_id, previous_id, created_at))
FINALITY_ROW(Entry, "entries", log, "id", "",
             .about = "one line of the journal (流水); refers to the previous entry of its account")

}  // namespace finality
