// Ledger entry (流水): one line of the journal. A commit writes the entry before the new balance. Entries are never
// changed or deleted.
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
  mismatch_accepted,  // a receipt in suspense pays its order with another amount
  receipt_written_off,
  reversal_succeeded,
  reversal_settled_offline,
  refund_accepted,
  refund_succeeded,
  refund_failed,
  external_refund,                // external refund, debited to the merchant's payable account
  external_refund_from_suspense,  // external refund of a receipt that was not accepted
  external_refund_charged,        // external refund, charged to the platform
  transfer,
  transfer_reversed,
  hold_posted,
  wallet_paid,      // payment of an order from a user account
  wallet_refunded,  // refund of a payment that a user account paid
  fee_charged,
  fee_returned,
  refund_returned,                 // return of a refund by the channel, credited to the merchant
  charged_refund_returned,         // return of a refund by the channel, credited to the platform
  fee_charged_again,               // fee that the refund had returned, charged again because the refund was returned
  receipt_converted,               // the channel settles a receipt in another currency
  refund_converted,                // the channel debits a refund or reversal in another currency
  receipt_converted_for_merchant,  // converts the merchant's part of the receipt too (MerchantCurrency::settlement)
  refund_converted_for_merchant,   // converts the merchant's part of the refund too
  channel_fee,                     // fee that the channel keeps
  channel_fee_returned,            // fee that the channel returns
  unknown_receipt,                 // payment of an unknown number, in the books of the platform
  receipt_assigned_from,           // assignment of an unknown receipt: out of the books of the platform
  receipt_assigned,                // assignment of an unknown receipt: into the books of the merchant
  opening_balance_credited,        // adjustment: the account starts with a credit balance
  opening_balance_debited,         // adjustment: the account starts with a debit balance
  penalty,                         // adjustment: amount that the channel deducted
  rounding_loss,                   // adjustment: the channel settles less than the books contain
  rounding_gain,                   // adjustment: the channel settles more than the books contain
  unknown_receipt_cancelled,       // cancellation of an unknown receipt whose payment is booked elsewhere
  channel_withdrawal,              // funds statement: money left the channel account for a bank account
  channel_top_up,                  // funds statement: money of a bank account reached the channel account
  channel_deduction,               // funds statement: the channel deducted an amount, for example a penalty
  channel_compensation,            // funds statement: the channel paid an amount to us
  bank_shortage,                   // difference: the bank account has less than the books
  bank_surplus,                    // difference: the bank account has more than the books
};
BOOST_DESCRIBE_ENUM(EntryType, receipt_accepted, receipt_in_suspense, mismatch_accepted, receipt_written_off,
                    reversal_succeeded, reversal_settled_offline, refund_accepted, refund_succeeded, refund_failed,
                    external_refund, external_refund_from_suspense, external_refund_charged, transfer,
                    transfer_reversed, hold_posted, wallet_paid, wallet_refunded, fee_charged, fee_returned,
                    refund_returned, charged_refund_returned, fee_charged_again, receipt_converted, refund_converted,
                    receipt_converted_for_merchant, refund_converted_for_merchant, channel_fee, channel_fee_returned,
                    unknown_receipt, receipt_assigned_from, receipt_assigned, opening_balance_credited,
                    opening_balance_debited, penalty, rounding_loss, rounding_gain, unknown_receipt_cancelled,
                    channel_withdrawal, channel_top_up, channel_deduction, channel_compensation, bank_shortage,
                    bank_surplus)

/// Whether postings of that type book a payment that the channel collected, or a refund that it paid out.
constexpr bool books_payment(EntryType type) {
  using enum EntryType;
  return type == receipt_accepted || type == receipt_in_suspense || type == unknown_receipt;
}
constexpr bool books_refund(EntryType type) {
  using enum EntryType;
  return type == refund_succeeded || type == reversal_succeeded || type == external_refund ||
         type == external_refund_from_suspense;
}

struct Entry {
  EntryId id;
  EntryId journal_id;  // id of the first entry of the same journal
  MerchantId merchant_id;
  AccountId account_id;
  MinorUnits amount = 0;  // a credit is positive, a debit negative
  Currency currency;
  MinorUnits balance_before = 0;
  MinorUnits balance_after = 0;
  EntryType type = EntryType::receipt_accepted;
  ObjectType document_type = ObjectType::receipt;  // of the object that caused the journal
  std::int64_t document_id = 0;
  std::int64_t ordinal = 0;            // of the journal; (document, type, ordinal) is posted once
  std::int64_t root_id = 0;            // id of the root that was committed with the entry
  std::optional<EntryId> previous_id;  // previous entry of the same account
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(Entry, (),
                      (id, journal_id, merchant_id, account_id, amount, currency, balance_before, balance_after, type,
                       document_type, document_id, ordinal, root_id, previous_id, created_at))
FINALITY_ROW(Entry, "entries", log, "id", "",
             .about = "one line of the journal (流水); refers to the previous entry of its account")

}  // namespace finality
