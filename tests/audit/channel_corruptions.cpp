#include "channel_corruptions.h"

#include "damage.h"

namespace finality::audit {
namespace {

void damage_channel_accounts(std::vector<Corruption>& list) {
  const std::string old = channel_account("old");
  const std::string over_old = "channel_account_id=" + old;
  list.push_back({"ChannelAccountDeleted",
                  remove("channel_accounts", old),
                  {{kStepRow, "channel_account", old}, {kStepRoot, "channel_account", old}}});
  list.push_back({"ChannelAccountVersionSkipped",
                  set("channel_accounts", old, "version=version+1"),
                  {{kRootVersion, "channel_account", old}}});
  list.push_back({"ChannelAccountEnabledOnPaper",
                  set("channel_accounts", old, "state='enabled'"),
                  {{kState, "channel_account", old}}});
  list.push_back(
      {"ChannelRenamed",
       set("channel_accounts", channel_account("sandbox"), "channel='sandbox2'"),
       {{kPaymentChannel, "payment", payment("waiting")}, {kReceiptChannel, "receipt", receipt("succeeded")}}});
  list.push_back(
      {"ChannelOfTwoAccounts",
       "DROP INDEX channel_accounts_by_channel;" + set("channel_accounts", old, "channel='sandbox', id=id+1000000000"),
       {{kOneChannel, "channel_account", "(SELECT id+1000000000 FROM channel_accounts WHERE channel='old')"}}});
  list.push_back({"PaymentOverAnotherAccount",
                  set("payments", payment("waiting"), over_old),
                  {{kPaymentChannel, "payment", payment("waiting")}}});
  list.push_back(
      {"ReceiptOverAnotherAccount",
       set("receipts", receipt("succeeded"), over_old),
       {{kReceiptChannel, "receipt", receipt("succeeded")}, {kReceiptOver, "receipt", receipt("succeeded")}}});
  list.push_back({"RefundOverAnotherAccount",
                  set("refunds", refund("R-succeeded"), over_old),
                  {{kRefundOver, "refund", refund("R-succeeded")}}});
  list.push_back({"ReversalOverAnotherAccount",
                  set("reversals", reversal("returned"), over_old),
                  {{kReversalOver, "reversal", reversal("returned")}}});
  const std::string receivable =
      "(SELECT id FROM accounts WHERE kind='channel_receivable' AND channel='sandbox' AND currency='CNY' AND "
      "merchant_id<>1)";
  list.push_back({"ReceivableOverAnotherAccount",
                  set("accounts", receivable, over_old),
                  {{kReceivableChannel, "account", receivable}}});
  list.push_back({"UsersAccountOverAChannel",
                  set("accounts", user_account("rich"), over_old),
                  {{kReceivableChannel, "account", user_account("rich")}}});
}

void damage_bank_accounts(std::vector<Corruption>& list) {
  const std::string treasury = channel_account("treasury");
  const std::string over_treasury = "channel_account_id=" + treasury;
  const std::string of_treasury = "(SELECT id FROM accounts WHERE kind='bank' AND channel='treasury')";
  list.push_back({"BankAccountOfAChannel",
                  set("accounts", of_treasury, "channel='old', channel_account_id=" + channel_account("old")),
                  {{kAccountSort, "account", of_treasury}}});
  list.push_back({"BankAccountWithoutItsRow",
                  set("accounts", of_treasury, "channel_account_id=NULL"),
                  {{kReceivableChannel, "account", of_treasury}}});
  list.push_back({"BankAccountOfAnotherCurrency",
                  set("accounts", of_treasury, "currency='USD'"),
                  {{kBankCurrency, "account", of_treasury},
                   {kEntryAccount, "entry", debit("opening_balance_debited", adjustment("treasury"))}}});
  list.push_back({"OpeningBalanceOfAnotherBankAccount",
                  set("adjustments", adjustment("treasury"), "channel='', channel_account_id=NULL"),
                  {{kAdjustedAccount, "adjustment", adjustment("treasury")}}});
  list.push_back({"PenaltyOverABankAccount",
                  set("adjustments", adjustment("proposed"), "channel='treasury', " + over_treasury),
                  {{kAdjustmentSort, "adjustment", adjustment("proposed")}}});
  list.push_back({"PaymentOverABankAccount",
                  set("payments", payment("waiting"), "channel='treasury', " + over_treasury),
                  {{kPaymentSort, "payment", payment("waiting")}}});
  list.push_back({"UnknownReceiptOfABankAccount",
                  set("unknown_receipts", unknown_receipt("T-unknown"), "channel='treasury', " + over_treasury),
                  {{kUnknownSort, "unknown_receipt", unknown_receipt("T-unknown")}}});
}

void damage_channel_rates(std::vector<Corruption>& list) {
  const std::string rate = "(SELECT id FROM channel_rates WHERE from_date='2026-07-01')";
  list.push_back({"ChannelRateDeleted",
                  remove("channel_rates", rate),
                  {{kStepRow, "channel_rate", rate}, {kStepRoot, "channel_rate", rate}, {kKeyNames, "key", rate}}});
  list.push_back({"ChannelRateVersionSkipped",
                  set("channel_rates", rate, "version=version+1"),
                  {{kRootVersion, "channel_rate", rate}}});
  list.push_back({"ChannelRateKeyDeleted",
                  fmt::format("DELETE FROM keys WHERE id={};", rate),
                  {{kRateKey, "channel_rate", rate}}});
  list.push_back({"ChannelRateOfNoAccount",
                  set("channel_rates", rate, "channel_account_id=1"),
                  {{kRateAccount, "channel_rate", rate}}});
}

void damage_unknown_receipts(std::vector<Corruption>& list) {
  const std::string open = unknown_receipt("T-unknown");
  const std::string assigned = unknown_receipt("T-assigned");
  const std::string cancelled = unknown_receipt("T-cancelled");
  const std::string doubled = "(SELECT max(id)+1 FROM unknown_receipts)";
  list.push_back({"UnknownReceiptDeleted",
                  remove("unknown_receipts", open),
                  {{kStepRow, "unknown_receipt", open},
                   {kStepRoot, "unknown_receipt", open},
                   {kSuspense, "merchant", kPlatformRow},
                   {kPostingDocument, "unknown_receipt", open},
                   {kKeyNames, "key", open}}});
  list.push_back({"UnknownReceiptAmountChanged",
                  set("unknown_receipts", open, "amount=amount+1"),
                  {{kPosted, "unknown_receipt", open}, {kSuspense, "merchant", kPlatformRow}}});
  list.push_back({"UnknownReceiptAssignedOnPaper",
                  set("unknown_receipts", open, "state='assigned', assigned_to=" + kMerchant),
                  {{kState, "unknown_receipt", open},
                   {kPosted, "unknown_receipt", open},
                   {kAssigned, "unknown_receipt", open},
                   {kSuspense, "merchant", kPlatformRow}}});
  list.push_back({"UnknownReceiptContradictedOnPaper",
                  set("unknown_receipts", open, "is_contradicted=1"),
                  {{kContradicted, "unknown_receipt", open}}});
  list.push_back({"ContradictionOfAnUnknownReceiptForgotten",
                  set("unknown_receipts", unknown_receipt("T-contradicted"), "is_contradicted=0"),
                  {{kContradicted, "unknown_receipt", unknown_receipt("T-contradicted")}}});
  list.push_back({"UnknownReceiptDoubled",
                  copy("unknown_receipts", open, "id=" + doubled),
                  {{kUnknownOnce, "unknown_receipt", doubled}, {kUnknownKey, "unknown_receipt", doubled}}});
  list.push_back(
      {"AssignedToNobody",
       set("unknown_receipts", assigned, "assigned_to=NULL"),
       {{kAssigned, "unknown_receipt", assigned}, {kUnknownBooks, "entry", credit("receipt_assigned", assigned)}}});
  list.push_back({"AssignedByOneOperator",
                  fmt::format("UPDATE cases SET approved_by=proposed_by WHERE root_id={};", assigned),
                  {{kCaseTwoKeys, "exception_case", case_of_root(assigned)}}});
  list.push_back({"UnknownReceiptCancelledOnPaper",
                  set("unknown_receipts", open, "state='cancelled'"),
                  {{kState, "unknown_receipt", open},
                   {kPosted, "unknown_receipt", open},
                   {kCancelled, "unknown_receipt", open},
                   {kSuspense, "merchant", kPlatformRow}}});
  list.push_back({"CancelledReceiptUnassigned",
                  set("unknown_receipts", cancelled, "state='unassigned'"),
                  {{kState, "unknown_receipt", cancelled},
                   {kCancelled, "unknown_receipt", cancelled},
                   {kHappened, "entry", debit("unknown_receipt_cancelled", cancelled)},
                   {kHappened, "entry", credit("unknown_receipt_cancelled", cancelled)},
                   {kSuspense, "merchant", kPlatformRow}}});
  list.push_back({"CancelledByOneOperator",
                  fmt::format("UPDATE cases SET approved_by=proposed_by WHERE root_id={};", cancelled),
                  {{kCaseTwoKeys, "exception_case", case_of_root(cancelled)}}});
  list.push_back({"CaseOfAnUnknownReceiptDeleted",
                  fmt::format("DELETE FROM cases WHERE root_id={};", open),
                  {{kUnknownCase, "unknown_receipt", open}, {kUnknownChildren, "unknown_receipt", open}}});
  list.push_back(
      {"AssignmentInTheBooksOfThePlatform",
       fmt::format("UPDATE entries SET merchant_id=1 WHERE type='receipt_assigned' AND document_id={};", assigned),
       {{kUnknownBooks, "entry", debit("receipt_assigned", assigned)},
        {kEntryAccount, "entry", credit("receipt_assigned", assigned)}}});
  list.push_back({"ClearingBalanceChanged",
                  set("accounts", account("clearing"), "balance=balance+1"),
                  {{kClearing, "account", "(SELECT max(id) FROM accounts WHERE kind='clearing')"},
                   {kBalance, "account", account("clearing")}}});
  list.push_back({"UnknownReceiptKeyDeleted",
                  fmt::format("DELETE FROM keys WHERE id={};", open),
                  {{kUnknownKey, "unknown_receipt", open}}});
  list.push_back({"UnknownReceiptOverAnotherAccount",
                  set("unknown_receipts", open, "channel_account_id=" + channel_account("old")),
                  {{kUnknownChannel, "unknown_receipt", open}}});
  list.push_back(
      {"UnknownReceiptOfOtherFunds",
       set("unknown_receipts", assigned, "funds='merchant'"),
       {{kUnknownFunds, "unknown_receipt", assigned}, {kChart, "entry", credit("receipt_assigned", assigned)}}});
  list.push_back({"UnknownReceiptVersionSkipped",
                  set("unknown_receipts", open, "version=version+1"),
                  {{kRootVersion, "unknown_receipt", open}}});
}

}  // namespace

void damage_channels(std::vector<Corruption>& list) {
  damage_channel_accounts(list);
  damage_bank_accounts(list);
  damage_channel_rates(list);
  damage_unknown_receipts(list);
}

}  // namespace finality::audit
