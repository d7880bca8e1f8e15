#include "decide/authorization/settle_wallet_hold.h"

#include <string>

#include "decide/account/debit.h"
#include "decide/account/hold_writer.h"
#include "decide/authorization/end_capture.h"
#include "decide/authorization/end_release.h"
#include "decide/order/settle_order.h"
#include "decide/payment/book_receipt.h"
#include "decide/payment/charge_fee.h"
#include "decide/payment/collector.h"
#include "decide/post.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

Hash16 key_of(const SettleWalletHold& command) {
  return key_of_hold(command.merchant_id, kWallet, out_hold_reference(command.merchant_id, command.order_id));
}

// Returns the hold of the order's wallet authorization; null if it is not open.
const Hold* find_open_hold(const SettleWalletHold& command, const Context& context) {
  const Key* key = context.rows.keys.find(key_of(command));
  const Hold* hold = key == nullptr ? nullptr : context.rows.holds.find(HoldId{key->id});
  return hold != nullptr && !hold_machine.is_final(hold->state) ? hold : nullptr;
}

// Posts a part of the hold; the rest is released with it.
void post_hold(Context& context, const Hold& hold, MinorUnits amount, const Collector& collector) {
  ledger::Posting posting = posting_for(collector, EntryType::wallet_paid, hold.id, hold.currency, amount);
  posting.root_id = hold.account_id.value;
  posting.debit_account = hold.account_id;
  posting.credit_account = hold.credit_account_id;
  const auto journal = post(context, posting);
  context.rows.holds.change(hold.id).posted_amount = amount;
  end_hold(context, hold.id, HoldEvent::post, journal);
}

void refuse_capture(OrderWriter& writer, Capture& capture, RefusalCode code, const Account& account) {
  capture.failure_code = name_of(code);
  capture.failure_message = explain(code, account);
  writer.step(capture, CaptureEvent::refused);
}

void collect(OrderWriter& writer, Capture& capture, const Collector& collector, const Hold& hold) {
  Context& context = writer.context();
  post_hold(context, hold, capture.amount, collector);
  const Evidence evidence{.kind = EvidenceKind::paid,
                          .channel_trade_no = to_text(hold.id),
                          .amount = capture.amount,
                          .currency = capture.currency,
                          .paid_at = context.now};
  capture.channel_trade_no = evidence.channel_trade_no;
  const BookedReceipt booked = book_receipt(writer, collector, evidence, ReceiptState::accepted);
  writer.step(capture, CaptureEvent::captured, true, booked.journal);
  charge_fee(writer, booked.id);
}

// Posts the hold for a capture. The debit is checked again, because the account can have been frozen meanwhile.
void settle_capture(OrderWriter& writer, Capture& capture, const Hold& hold) {
  Context& context = writer.context();
  const Account& account = *context.rows.accounts.find(hold.account_id);
  // The hold has already reserved the amount, so the balance is not checked again (amount 0).
  if (const auto code = refused_debit(context, account, 0, hold.currency))
    refuse_capture(writer, capture, *code, account);
  else
    collect(writer, capture, collector_with(writer.aggregate(), capture.id), hold);
  end_capture(writer, capture);
  settle_order(writer);
}

// Whether what the authorization holds is to be released.
bool is_ending(const Authorization& authorization) {
  return authorization.state == AuthorizationState::releasing ||
         (authorization_machine.is_final(authorization.state) && authorization.close_pending);
}

void settle_release(OrderWriter& writer, Authorization& authorization, const Hold& hold) {
  end_hold(writer.context(), hold.id, HoldEvent::release);
  end_release(writer, authorization, "hold_voided");
}

std::unexpected<Refusal> no_such_row() {
  return refuse(RefusalCode::not_found, "The authorization or capture does not exist.");
}

}  // namespace

void add_reads(const SettleWalletHold& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
  reads.keys.push_back({key_of(command), ObjectType::hold});
  for (const EntryType type : {EntryType::wallet_paid, EntryType::receipt_accepted, EntryType::fee_charged})
    ledger::add_reads(type, command.merchant_id, kWallet, command.currency, reads);
}

Decision decide(const SettleWalletHold& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr || found->order.merchant_id != command.merchant_id) return no_such_row();
  const auto [type, id] = command.row;
  const Capture* capture = type == ObjectType::capture ? find_row(found->captures, CaptureId{id}) : nullptr;
  const Authorization* authorization =
      type == ObjectType::authorization ? find_row(found->authorizations, AuthorizationId{id}) : nullptr;
  if (capture == nullptr && authorization == nullptr) return no_such_row();

  const CommandResult done{.object = command.row, .home = command.order_id};
  const Hold* hold = find_open_hold(command, context);
  if (hold == nullptr) return done;  // settled before
  OrderWriter writer(context, command.order_id);
  if (capture != nullptr && !capture_machine.is_final(capture->state))
    settle_capture(writer, *find_row(writer.aggregate().captures, capture->id), *hold);
  else if (authorization != nullptr && is_ending(*authorization))
    settle_release(writer, *find_row(writer.aggregate().authorizations, authorization->id), *hold);
  return done;
}

}  // namespace finality
