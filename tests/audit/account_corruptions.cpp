#include "account_corruptions.h"

#include "damage.h"

namespace finality::audit {
namespace {

void damage_user_accounts(std::vector<Corruption>& list) {
  const std::string rich = user_account("rich");
  list.push_back({"HeldChanged", set("accounts", rich, "held=held+1"), {{kHeld, "account", rich}}});
  list.push_back(
      {"HeldByTheBooks", set("accounts", account("suspense"), "held=1"), {{kHeld, "account", account("suspense")}}});
  list.push_back({"OverdraftTakenAway",
                  set("accounts", user_account("bank"), "overdraft=0"),
                  {{kAvailable, "account", user_account("bank")}}});
  list.push_back({"MoreHeldThanThere",
                  set("accounts", rich, "held=held+balance") +
                      set("holds", hold("H-held"), "amount=amount+(SELECT balance FROM accounts WHERE name='rich')"),
                  {{kAvailable, "account", rich}}});
  list.push_back({"FullAccountClosed",
                  set("accounts", rich, "state='closed'"),
                  {{kClosedEmpty, "account", rich}, {kState, "account", rich}}});
  list.push_back({"AccountThawedOnPaper",
                  set("accounts", user_account("frozen"), "state='open'"),
                  {{kState, "account", user_account("frozen")}}});
  list.push_back({"AccountOfTheBooksFrozen",
                  set("accounts", account("suspense"), "state='frozen'"),
                  {{kBooksOpen, "account", account("suspense")}}});
  list.push_back({"AccountOfTheBooksOverdrawn",
                  set("accounts", account("merchant_payable"), "overdraft=1"),
                  {{kBooksOpen, "account", account("merchant_payable")}}});
  list.push_back(
      {"PaidOutOfAFrozenAccount",
       set("events", opening(rich), "to_state='frozen'"),
       {{kNotOpen, "entry", debit("transfer", transfer("T-priced"))}, {kFirstState, "event", opening(rich)}}});
  list.push_back({"PaidIntoAClosedAccount",
                  set("events", opening(user_account("poor")), "to_state='closed'"),
                  {{kNotOpen, "entry", credit("transfer", transfer("T-priced"))}}});
  list.push_back({"ThawingDeleted",
                  remove("events", step(user_account("frozen"), "unfreeze")),
                  {{kNotOpen, "entry", debit("transfer", transfer("T-thawed"))},
                   {kBegins, "event", step(user_account("frozen"), "freeze")}}});
  list.push_back({"AccountOfAnotherMerchant",
                  set("accounts", user_account("locked"), "merchant_id=merchant_id+1"),
                  {{kStepMerchant, "event", opening(user_account("locked"))}}});
  list.push_back({"UserAccountDeleted",
                  remove("accounts", rich),
                  {{kStepRow, "account", rich},
                   {kStepRoot, "account", rich},
                   {kTransferAccounts, "transfer", transfer("T-posted")},
                   {kHoldAccounts, "hold", hold("H-held")}}});
  list.push_back(
      {"UserAccountVersionChanged", set("accounts", rich, "version=version+1"), {{kAccountCounts, "account", rich}}});
  list.push_back({"UserAccountStepDeleted",
                  remove("events", step(user_account("locked"), "locked")),
                  {{kAccountCounts, "account", user_account("locked")}, {kLock, "account", user_account("locked")}}});
  list.push_back(
      {"AccountStepsBeginAtTwo", set("events", opening(rich), "root_version=2"), {{kAccountCounts, "account", rich}}});
  list.push_back({"AccountStepOfAnotherVersion",
                  set("events", step(rich, "post"), "root_version=root_version+1"),
                  {{kAccountCounts, "account", rich}}});
  list.push_back({"KeyOfAUserAccount",
                  fmt::format("INSERT INTO keys VALUES ({}, {}, {});", kNewHash, kMerchant, rich),
                  {{kAccountKey, "account", rich}}});
}

void damage_locks(std::vector<Corruption>& list) {
  const std::string locked = user_account("locked");
  list.push_back({"LockNumberLowered",
                  set("accounts", user_account("unlocked"), "lock_number=0"),
                  {{kLock, "account", user_account("unlocked")}}});
  list.push_back({"LockOfAnotherNumber", set("accounts", locked, "lock_token='7-x'"), {{kLock, "account", locked}}});
  list.push_back({"LockWithoutToken", set("accounts", locked, "lock_token=NULL"), {{kLock, "account", locked}}});
  list.push_back({"LockWithoutOwner", set("accounts", locked, "lock_owner=NULL"), {{kLock, "account", locked}}});
  list.push_back({"LockWithoutEnd", set("accounts", locked, "lock_expires_at=NULL"), {{kLock, "account", locked}}});
}

void damage_holds(std::vector<Corruption>& list) {
  const std::string held = hold("H-held");
  const std::string posted = hold("H-posted");
  list.push_back({"HoldRaised", set("holds", held, "amount=amount+1"), {{kHeld, "account", user_account("rich")}}});
  list.push_back({"HoldVoidedOnPaper",
                  set("holds", held, "state='voided', due_at=NULL"),
                  {{kHeld, "account", user_account("rich")}, {kState, "hold", held}}});
  list.push_back({"HoldPostedOnPaper",
                  set("holds", hold("H-voided"), "state='posted', posted_amount=200"),
                  {{kState, "hold", hold("H-voided")}, {kPosted, "hold", hold("H-voided")}}});
  list.push_back({"PostedHoldReopened",
                  set("holds", posted, "state='held', due_at=1, posted_amount=0"),
                  {{kState, "hold", posted}, {kHappened, "entry", credit("hold_posted", posted)}}});
  list.push_back({"HoldPostedMore",
                  set("holds", posted, "posted_amount=posted_amount+1"),
                  {{kPosted, "hold", posted}, {kHappened, "entry", debit("hold_posted", posted)}}});
  list.push_back({"HoldPostedMoreThanItHeld", set("holds", posted, "amount=299"), {{kHoldPosted, "hold", posted}}});
  list.push_back({"HoldPostedNothing", set("holds", posted, "posted_amount=0"), {{kHoldPosted, "hold", posted}}});
  list.push_back({"OpenHoldPosted", set("holds", held, "posted_amount=1"), {{kHoldPosted, "hold", held}}});
  list.push_back({"OpenHoldNeverDue", set("holds", held, "due_at=NULL"), {{kHoldDue, "hold", held}}});
  list.push_back({"PostedHoldDue", set("holds", posted, "due_at=1"), {{kHoldDue, "hold", posted}}});
  list.push_back({"HoldOnAnotherAccount",
                  set("holds", held, "account_id=" + user_account("poor")),
                  {{kHoldAccounts, "hold", held},
                   {kChildVersion, "hold", held},
                   {kHeld, "account", user_account("rich")},
                   {kHeld, "account", user_account("poor")}}});
  list.push_back({"HoldForAnAccountOfTheBooks",
                  set("holds", held, "credit_account_id=" + account("suspense")),
                  {{kHoldAccounts, "hold", held}}});
  list.push_back({"HoldOfAnotherCurrency", set("holds", held, "currency='JPY'"), {{kHoldAccounts, "hold", held}}});
  list.push_back({"HoldPostedToAnotherAccount",
                  set("holds", posted, "credit_account_id=" + user_account("bank")),
                  {{kOwnAccounts, "entry", credit("hold_posted", posted)}}});
  list.push_back({"HoldVersionSkipped", set("holds", held, "version=version+1"), {{kChildVersion, "hold", held}}});
  list.push_back({"HoldDeleted",
                  remove("holds", held),
                  {{kHeld, "account", user_account("rich")}, {kStepRow, "hold", held}, {kKeyNames, "key", held}}});
  list.push_back({"HoldReferenceDoubled",
                  set("holds", held, "reference='H-posted'"),
                  {{kOneHold, "hold", later("holds", held, posted)}}});
  list.push_back({"HoldKeyDeleted", fmt::format("DELETE FROM keys WHERE id={};", held), {{kHoldKey, "hold", held}}});
}

void damage_transfers(std::vector<Corruption>& list) {
  const std::string posted = transfer("T-posted");
  const std::string refused = transfer("T-refused");
  const std::string reversed = transfer("T-reversed");
  const std::string tombstone = transfer("T-tombstone");
  list.push_back({"TransferRaised",
                  set("transfers", posted, "amount=amount+1"),
                  {{kPosted, "transfer", posted}, {kHappened, "entry", debit("transfer", posted)}}});
  list.push_back({"TransferReversedOnPaper",
                  set("transfers", posted, "state='reversed'"),
                  {{kState, "transfer", posted}, {kPosted, "transfer", posted}}});
  list.push_back({"ReversalTakenBackOnPaper",
                  set("transfers", reversed, "state='posted'"),
                  {{kState, "transfer", reversed}, {kHappened, "entry", credit("transfer_reversed", reversed)}}});
  list.push_back({"RefusedTransferPostedOnPaper",
                  set("transfers", refused, "state='posted', refusal=NULL"),
                  {{kState, "transfer", refused}, {kPosted, "transfer", refused}}});
  list.push_back({"PostedTransferRefusedOnPaper",
                  set("transfers", posted, "state='refused', refusal='account_frozen'"),
                  {{kState, "transfer", posted}, {kHappened, "entry", credit("transfer", posted)}}});
  list.push_back(
      {"RefusedForNoReason", set("transfers", refused, "refusal=NULL"), {{kTransferState, "transfer", refused}}});
  list.push_back({"PostedDespiteARefusal",
                  set("transfers", posted, "refusal='account_frozen'"),
                  {{kTransferState, "transfer", posted}}});
  list.push_back({"QuantityForgotten",
                  set("transfers", transfer("T-priced"), "quantity=NULL"),
                  {{kTransferState, "transfer", transfer("T-priced")}}});
  list.push_back({"TransferOfNothing",
                  set("transfers", posted, "amount=0"),
                  {{kTransferState, "transfer", posted}, {kHappened, "entry", debit("transfer", posted)}}});
  list.push_back({"ReversedTransferForgotten",
                  set("transfers", reversed, "amount=0"),
                  {{kTransferAccounts, "transfer", reversed},
                   {kHappened, "entry", debit("transfer", reversed)},
                   {kHappened, "entry", credit("transfer_reversed", reversed)}}});
  list.push_back({"TombstoneWithAnAmount",
                  set("transfers", tombstone, "amount=1"),
                  {{kTransferAccounts, "transfer", tombstone}, {kPosted, "transfer", tombstone}}});
  list.push_back({"TombstoneOnAnAccount",
                  set("transfers", tombstone, "debit_account_id=" + user_account("rich")),
                  {{kTransferState, "transfer", tombstone}}});
  list.push_back({"TransferOfAnotherCurrency",
                  set("transfers", posted, "currency='JPY'"),
                  {{kTransferAccounts, "transfer", posted}}});
  list.push_back({"TransferFromTheBooks",
                  set("transfers", refused, "debit_account_id=" + account("suspense")),
                  {{kTransferAccounts, "transfer", refused}}});
  list.push_back({"TransferToItself",
                  set("transfers", posted, "credit_account_id=debit_account_id"),
                  {{kTransferAccounts, "transfer", posted}, {kOwnAccounts, "entry", credit("transfer", posted)}}});
  list.push_back({"TransferFromAnotherAccount",
                  set("transfers", posted, "debit_account_id=" + user_account("poor")),
                  {{kOwnAccounts, "entry", debit("transfer", posted)}}});
  list.push_back({"TransferNeverDecided",
                  set("transfers", refused, "state='requested', refusal=NULL") +
                      set("events", step(refused, "created"), "to_state='requested'"),
                  {{kFirstState, "event", step(refused, "created")}}});
  list.push_back(
      {"TransferVersionSkipped", set("transfers", posted, "version=version+1"), {{kRootVersion, "transfer", posted}}});
  list.push_back({"TransferDeleted",
                  remove("transfers", posted),
                  {{kPostingDocument, "transfer", posted},
                   {kStepRow, "transfer", posted},
                   {kStepRoot, "transfer", posted},
                   {kKeyNames, "key", posted}}});
  list.push_back({"TransferPostingDeleted",
                  fmt::format("DELETE FROM entries WHERE document_id={};", posted),
                  {{kPosted, "transfer", posted}, {kStepPosting, "event", step(posted, "created")}}});
  list.push_back({"ReferenceDoubled",
                  set("transfers", refused, "reference='T-posted'"),
                  {{kOneTransfer, "transfer", later("transfers", posted, refused)}}});
  list.push_back({"TransferKeyDeleted",
                  fmt::format("DELETE FROM keys WHERE id={};", tombstone),
                  {{kTransferKey, "transfer", tombstone}}});
  list.push_back({"TransferPostedAsARefund",
                  fmt::format("UPDATE entries SET type='refund_accepted' WHERE document_id={};", posted),
                  {{kChart, "entry", debit("transfer", posted)},
                   {kHappened, "entry", credit("transfer", posted)},
                   {kPosted, "transfer", posted}}});
}

void damage_the_wallet(std::vector<Corruption>& list) {
  const std::string paid = payment("by_wallet");
  const std::string took = wallet_transfer("payments", "out_trade_no", paid);
  list.push_back({"WalletPaymentOfThePlatformsMoney",
                  set("payments", paid, "funds='platform'"),
                  {{kFunds, "payment", paid}, {kChart, "entry", credit("receipt_accepted", receipt("by_wallet"))}}});
  list.push_back({"PaymentOfTheMerchantsMoney",
                  set("payments", payment("succeeded"), "funds='merchant'"),
                  {{kFunds, "payment", payment("succeeded")},
                   {kChart, "entry", credit("receipt_accepted", receipt("succeeded"))}}});
  list.push_back(
      {"JournalsMerged",
       fmt::format("UPDATE entries SET journal_id={} WHERE journal_id={};", journal_of(debit("wallet_paid", took)),
                   journal_of(debit("receipt_accepted", receipt("by_wallet")))),
       {{kTemplate, "entry", journal_of(debit("wallet_paid", took))}}});
  const std::string refused = payment("too_poor");
  const std::string back = refund("R-wallet");
  const std::string gave = wallet_transfer("refunds", "out_refund_no", back);
  list.push_back({"WalletTransferOfAnotherAmount",
                  set("transfers", took, "amount=amount-1"),
                  {{kWalletPaid, "payment", paid}, {kPosted, "transfer", took}}});
  list.push_back({"WalletTransferOfAnotherAccount",
                  set("transfers", took, "debit_account_id=" + user_account("poor")),
                  {{kWalletPaid, "payment", paid}, {kOwnAccounts, "entry", debit("wallet_paid", took)}}});
  list.push_back({"WalletTransferForNothing",
                  set("transfers", took, "reference='nothing'"),
                  {{kWalletFor, "transfer", took}, {kWalletPaid, "payment", paid}}});
  list.push_back({"WalletTransferReversed",
                  set("transfers", took, "state='reversed'"),
                  {{kWalletFor, "transfer", took}, {kWalletPaid, "payment", paid}, {kState, "transfer", took}}});
  list.push_back({"WalletTransferByTheApi",
                  set("transfers", took, "source='api'"),
                  {{kWalletPaid, "payment", paid},
                   {kTransferAccounts, "transfer", took},
                   {kHappened, "entry", debit("wallet_paid", took)}}});
  list.push_back({"WalletPaymentOfNobody",
                  set("payments", paid, "account_id=NULL"),
                  {{kWalletPaid, "payment", paid}, {kWalletRefunded, "refund", back}}});
  list.push_back({"WalletPaymentOfAnother",
                  set("payments", paid, "account_id=" + user_account("poor")),
                  {{kWalletPaid, "payment", paid}}});
  list.push_back({"AccountOnAPaymentOverAChannel",
                  set("payments", payment("succeeded"), "account_id=" + user_account("poor")),
                  {{kWalletPaid, "payment", payment("succeeded")}}});
  list.push_back({"RefusedWalletTransferDeleted",
                  remove("transfers", wallet_transfer("payments", "out_trade_no", refused)),
                  {{kWalletPaid, "payment", refused},
                   {kStepRow, "transfer", wallet_transfer("payments", "out_trade_no", refused)}}});
  list.push_back({"WalletRefundToAnotherAccount",
                  set("transfers", gave, "credit_account_id=" + user_account("poor")),
                  {{kWalletRefunded, "refund", back}, {kOwnAccounts, "entry", credit("wallet_refunded", gave)}}});
  list.push_back({"WalletRefundTurnedRound",
                  set("transfers", gave, "debit_account_id=credit_account_id, credit_account_id=debit_account_id"),
                  {{kWalletFor, "transfer", gave},
                   {kWalletRefunded, "refund", back},
                   {kHappened, "entry", credit("wallet_refunded", gave)}}});
  list.push_back({"WalletRefundFailedOnPaper",
                  set("refunds", back, "state='failed'"),
                  {{kWalletRefunded, "refund", back}, {kState, "refund", back}}});
  list.push_back({"FailedWalletRefundSucceededOnPaper",
                  set("refunds", refund("R-closed"), "state='succeeded'"),
                  {{kWalletRefunded, "refund", refund("R-closed")}}});
}

void damage_adjustments(std::vector<Corruption>& list) {
  const std::string opening_balance = adjustment("opening");
  const std::string penalty = adjustment("penalty");
  list.push_back({"OpeningBalanceOfAnotherAccount",
                  set("adjustments", opening_balance, "account='merchant_direct'"),
                  {{kAdjustedAccount, "adjustment", opening_balance}}});
  list.push_back({"OpeningBalanceRaised",
                  set("adjustments", opening_balance, "amount=amount+1"),
                  {{kPosted, "adjustment", opening_balance},
                   {kHappened, "entry", credit("opening_balance_credited", opening_balance)}}});
  list.push_back({"OpeningBalanceTurnedRound",
                  set("adjustments", opening_balance, "amount=-amount"),
                  {{kPosted, "adjustment", opening_balance}, {kAdjustedAccount, "adjustment", opening_balance}}});
  list.push_back(
      {"PenaltyCredited", set("adjustments", penalty, "amount=-amount"), {{kAdjustment, "adjustment", penalty}}});
  list.push_back({"PenaltyOfTheBank",
                  set("adjustments", adjustment("proposed"), "account='bank', channel='', channel_account_id=NULL"),
                  {{kAdjustment, "adjustment", adjustment("proposed")}}});
  list.push_back({"AdjustmentApprovedByItsProposer",
                  set("adjustments", penalty, "decided_by=proposed_by"),
                  {{kTwoKeys, "adjustment", penalty}}});
  list.push_back({"AdjustmentRejectedByNoKey",
                  set("adjustments", adjustment("rejected"), "decided_by=NULL"),
                  {{kTwoKeys, "adjustment", adjustment("rejected")}}});
  list.push_back({"AdjustmentOfAnotherChannel",
                  set("adjustments", penalty, "channel='wallet'"),
                  {{kAdjustmentChannel, "adjustment", penalty}, {kAdjustedAccount, "adjustment", penalty}}});
  list.push_back({"AdjustmentOfOtherFunds",
                  set("adjustments", penalty, "funds='merchant'"),
                  {{kAdjustmentFunds, "adjustment", penalty}, {kChart, "entry", debit("penalty", penalty)}}});
  list.push_back({"AdjustmentPostedOnPaper",
                  set("adjustments", adjustment("proposed"), "state='posted', decided_by='key_2'"),
                  {{kPosted, "adjustment", adjustment("proposed")}, {kState, "adjustment", adjustment("proposed")}}});
  list.push_back({"AdjustmentRejectedOnPaper",
                  set("adjustments", penalty, "state='rejected'"),
                  {{kHappened, "entry", credit("penalty", penalty)}}});
  list.push_back({"AdjustmentVersionSkipped",
                  set("adjustments", penalty, "version=version+1"),
                  {{kRootVersion, "adjustment", penalty}}});
  list.push_back({"AdjustmentDeleted",
                  remove("adjustments", penalty),
                  {{kStepRow, "adjustment", penalty}, {kPostingDocument, "adjustment", penalty}}});
  list.push_back({"ApprovalDeleted",
                  remove("events", step(penalty, "approve")),
                  {{kPostingStep, "entry", debit("penalty", penalty)}}});
}

void damage_prices_and_fees(std::vector<Corruption>& list) {
  const std::string tea = "(SELECT id FROM prices WHERE name='tea')";
  const std::string fee = "(SELECT id FROM fees WHERE channel='sandbox')";
  const std::string new_price = "(SELECT max(id)+1 FROM prices)";
  const std::string charged = payment("charged");
  list.push_back({"PriceVersionSkipped", set("prices", tea, "version=version+1"), {{kRootVersion, "price", tea}}});
  list.push_back({"PriceDeleted", remove("prices", tea), {{kStepRow, "price", tea}, {kKeyNames, "key", tea}}});
  list.push_back({"PriceKeyDeleted", fmt::format("DELETE FROM keys WHERE id={};", tea), {{kPriceKey, "price", tea}}});
  list.push_back({"PriceDoubled",
                  copy("prices", tea, "id=" + new_price),
                  {{kOnePrice, "price", new_price}, {kPriceKey, "price", new_price}, {kState, "price", new_price}}});
  list.push_back({"FeeVersionSkipped", set("fees", fee, "version=version+1"), {{kRootVersion, "fee", fee}}});
  list.push_back({"FeeDeleted", remove("fees", fee), {{kStepRow, "fee", fee}, {kStepRoot, "fee", fee}}});
  list.push_back({"FeeLowered",
                  set("payments", charged, "fee_amount=fee_amount-1"),
                  {{kPosted, "payment", charged}, {kHappened, "entry", debit("fee_charged", charged)}}});
  list.push_back({"FeeForgotten",
                  set("payments", charged, "fee_amount=0"),
                  {{kHappened, "entry", credit("fee_charged", charged)}, {kFeeShare, "payment", charged}}});
  list.push_back({"FeeStepDeleted",
                  remove("events", step(order("charged"), "fee_charged")),
                  {{kPostingStep, "entry", debit("fee_charged", charged)}}});
  list.push_back({"FeeOfNothing",
                  set("payments", payment("succeeded"), "fee_amount=5"),
                  {{kPosted, "payment", payment("succeeded")}}});
  list.push_back(
      {"FeeAboveTheAmount", set("payments", charged, "fee_amount=amount+1"), {{kFeeMax, "payment", charged}}});
  list.push_back({"FeeOfAFailedPayment",
                  set("payments", payment("failed"), "fee_amount=1"),
                  {{kFeeMax, "payment", payment("failed")}}});
  list.push_back({"FeeChargedToAnotherAccount",
                  set("entries", credit("fee_charged", charged), "account_id=" + account("suspense")),
                  {{kChart, "entry", credit("fee_charged", charged)}}});
  for (const auto& [name, change] : {std::pair("FeeShareRaised", "+1"), std::pair("FeeShareLowered", "-1")})
    list.push_back({name,
                    set("refunds", refund("R-share"), std::string("fee_returned=fee_returned") + change),
                    {{kFeeShare, "payment", charged}, {kPosted, "refund", refund("R-share")}}});
  list.push_back({"FeeReturnedThatIsNotRefundable",
                  set("refunds", refund("R-unshared"), "fee_returned=1"),
                  {{kFeeShare, "payment", payment("charged_wallet")}, {kPosted, "refund", refund("R-unshared")}}});
  list.push_back({"FeeKeptThatIsRefundable",
                  set("payments", payment("charged_wallet"), "fee_refundable=1"),
                  {{kFeeShare, "payment", payment("charged_wallet")}}});
  list.push_back({"FeeReturnedForNothing",
                  set("refunds", refund("R-failed"), "fee_returned=1"),
                  {{kFeeShare, "payment", payment("refunded")}}});
}

}  // namespace

void damage_accounts(std::vector<Corruption>& list) {
  damage_user_accounts(list);
  damage_locks(list);
  damage_holds(list);
  damage_transfers(list);
  damage_the_wallet(list);
  damage_prices_and_fees(list);
  damage_adjustments(list);
}

}  // namespace finality::audit
