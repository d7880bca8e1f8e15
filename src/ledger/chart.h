// The chart of accounts: the debit and credit account of each entry type (docs/adr/0009-credit-is-positive.md).
#pragma once

#include "model/objects/account.h"
#include "model/objects/entry.h"

namespace finality::ledger {

/// One row of the chart: the accounts that an entry type debits and credits.
struct ChartRow {
  EntryType type;
  AccountKind debit;
  AccountKind credit;
};

inline constexpr ChartRow kChart[] = {
    {EntryType::receipt_accepted, AccountKind::channel_receivable, AccountKind::merchant_payable},
    {EntryType::receipt_in_suspense, AccountKind::channel_receivable, AccountKind::suspense},
    {EntryType::receipt_written_off, AccountKind::loss, AccountKind::channel_receivable},
    {EntryType::reversal_succeeded, AccountKind::suspense, AccountKind::channel_receivable},
    {EntryType::reversal_settled_offline, AccountKind::suspense, AccountKind::bank},
    {EntryType::refund_accepted, AccountKind::merchant_payable, AccountKind::refunds_in_transit},
    {EntryType::refund_succeeded, AccountKind::refunds_in_transit, AccountKind::channel_receivable},
    {EntryType::refund_failed, AccountKind::refunds_in_transit, AccountKind::merchant_payable},
    {EntryType::external_refund, AccountKind::merchant_payable, AccountKind::channel_receivable},
    {EntryType::external_refund_from_suspense, AccountKind::suspense, AccountKind::channel_receivable},
    {EntryType::external_refund_charged, AccountKind::loss, AccountKind::merchant_payable},
    {EntryType::transfer, AccountKind::user, AccountKind::user},
    {EntryType::transfer_reversed, AccountKind::user, AccountKind::user},
    {EntryType::hold_posted, AccountKind::user, AccountKind::user},
    {EntryType::wallet_paid, AccountKind::user, AccountKind::channel_receivable},
    {EntryType::wallet_refunded, AccountKind::channel_receivable, AccountKind::user},
    {EntryType::fee_charged, AccountKind::merchant_payable, AccountKind::fee_income},
    {EntryType::fee_returned, AccountKind::fee_income, AccountKind::merchant_payable},
    {EntryType::refund_returned, AccountKind::channel_receivable, AccountKind::merchant_payable},
    {EntryType::charged_refund_returned, AccountKind::channel_receivable, AccountKind::loss},
    {EntryType::fee_charged_again, AccountKind::merchant_payable, AccountKind::fee_income},
};

/// Returns the row of the chart for an entry type.
constexpr const ChartRow& chart_row(EntryType type) { return kChart[static_cast<std::size_t>(type)]; }

constexpr bool in_order() {
  std::size_t i = 0;
  for (const ChartRow& row : kChart)
    if (static_cast<std::size_t>(row.type) != i++) return false;
  return i == kCount<EntryType>;
}
static_assert(in_order(), "kChart has one row per EntryType, in its order");

}  // namespace finality::ledger
