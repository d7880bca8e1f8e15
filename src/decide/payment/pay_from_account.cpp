#include "decide/payment/pay_from_account.h"

#include "decide/account/debit.h"
#include "decide/account/transfer_writer.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/charge_fee.h"
#include "decide/post.h"
#include "decide/refund/record_refund.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

// Returns a transfer between a user account and the wallet's receivable account. The caller sets the two accounts.
Transfer wallet_transfer(Context& context, MerchantId merchant, MinorUnits amount, Currency currency,
                         std::string reference) {
  Transfer transfer;
  transfer.id = context.next_id<TransferId>();
  transfer.merchant_id = merchant;
  transfer.amount = amount;
  transfer.currency = currency;
  transfer.source = kWallet;
  transfer.reference = std::move(reference);
  transfer.created_at = context.now;
  return transfer;
}

AccountId receivable(Context& context, const Collector& of) {
  return ledger::find_or_open(AccountKind::channel_receivable, of.currency,
                              posting_for(of, EntryType::wallet_paid, of.id, of.currency, of.amount), context.rows,
                              context.ids, context.now);
}

void succeed(OrderWriter& writer, Payment& payment, Transfer transfer) {
  Context& context = writer.context();
  const TransferId id = post_transfer(context, std::move(transfer), EntryType::wallet_paid);
  Evidence evidence;
  evidence.kind = EvidenceKind::paid;
  evidence.channel_trade_no = to_text(id);
  evidence.amount = payment.amount;
  evidence.currency = payment.currency;
  evidence.paid_at = context.now;
  payment.channel_trade_no = evidence.channel_trade_no;
  const BookedReceipt booked = book_receipt(writer, collector_of(payment), evidence, ReceiptState::accepted);
  writer.step(payment, PaymentEvent::paid, true, booked.journal);
  charge_fee(writer, booked.id);
}

void fail(OrderWriter& writer, Payment& payment, Transfer transfer, RefusalCode code, const Account& account) {
  transfer.refusal = name_of(code);
  add_transfer(writer.context(), std::move(transfer), TransferEvent::refuse);
  payment.failure_code = name_of(code);
  payment.failure_message = explain(code, account);
  writer.step(payment, PaymentEvent::failed, true);
}

}  // namespace

void add_wallet_reads(MerchantId merchant, const PaymentFields& fields, Currency currency, ReadSet& reads) {
  if (!fields.account_id) return;
  reads.accounts.push_back(*fields.account_id);
  for (const EntryType type : {EntryType::wallet_paid, EntryType::receipt_accepted, EntryType::fee_charged})
    ledger::add_reads(type, merchant, kWallet, currency, reads);
}

std::expected<void, Refusal> check_wallet(const Context& context, MerchantId merchant, const PaymentFields& fields,
                                          Currency currency, std::string_view prefix) {
  if (!fields.account_id) return {};
  const std::string param = std::string(prefix) + "account";
  const Account* account = find_user_account(context, merchant, *fields.account_id);
  if (account == nullptr) return refuse(RefusalCode::not_found, "The account does not exist.", param);
  if (account->currency != currency)
    return refuse(RefusalCode::currency_mismatch, explain(RefusalCode::currency_mismatch, *account), param);
  return check_lock(*account, fields.lock_token, context.now, std::string(prefix) + "lock_token");
}

void pay_from_account(OrderWriter& writer, Payment& payment) {
  Context& context = writer.context();
  const Account& account = *context.rows.accounts.find(*payment.account_id);
  Transfer transfer =
      wallet_transfer(context, payment.merchant_id, payment.amount, payment.currency, payment.out_trade_no);
  transfer.debit_account_id = account.id;
  transfer.credit_account_id = receivable(context, collector_of(payment));
  if (const auto code = refused_debit(context, account, payment.amount, payment.currency))
    fail(writer, payment, std::move(transfer), *code, account);
  else
    succeed(writer, payment, std::move(transfer));
  payment.final_evidence_at = context.now;
  settle_order(writer);
}

void refund_to_account(OrderWriter& writer, Refund& refund) {
  Context& context = writer.context();
  const Collector collector = collector_of(writer.aggregate(), refund);
  const Account& account = *context.rows.accounts.find(*collector.account_id);
  refund.attempts = 1;
  refund.out_refund_no = out_number(refund.merchant_id, refund.id.value);
  RefundEvidence evidence{.kind = RefundEvidenceKind::refunded, .source = CauseKind::api, .asked_at = context.now};
  if (const auto code = refused_credit(context, account, refund.currency)) {
    evidence.kind = RefundEvidenceKind::refused;
    evidence.code = name_of(*code);
    evidence.message = explain(*code, account);
  } else {
    Transfer transfer =
        wallet_transfer(context, refund.merchant_id, refund.amount, refund.currency, refund.out_refund_no);
    transfer.debit_account_id = receivable(context, collector);
    transfer.credit_account_id = account.id;
    post_transfer(context, std::move(transfer), EntryType::wallet_refunded);
  }
  apply_refund_evidence(writer, refund,
                        {.merchant_id = refund.merchant_id,
                         .order_id = refund.order_id,
                         .row = refund.id,
                         .out_refund_no = refund.out_refund_no,
                         .channel = std::string(kWallet),
                         .currency = refund.currency,
                         .amount = refund.amount,
                         .evidence = std::move(evidence)});
}

}  // namespace finality
