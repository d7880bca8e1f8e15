#include "decide/authorization/hold_on_account.h"

#include <algorithm>
#include <string>

#include "decide/account/account_writer.h"
#include "decide/account/debit.h"
#include "decide/order/settle_order.h"
#include "ledger/post.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

// Returns the wallet's receivable account, which a capture credits.
AccountId receivable_of(Context& context, const Authorization& authorization) {
  return ledger::find_or_open(AccountKind::channel_receivable, authorization.currency,
                              {.type = EntryType::wallet_paid,
                               .merchant_id = authorization.merchant_id,
                               .channel = authorization.channel,
                               .currency = authorization.currency,
                               .amount = authorization.amount,
                               .document = authorization.id,
                               .root_id = authorization.order_id.value,
                               .channel_account = authorization.channel_account_id,
                               .funds = authorization.funds},
                              context.rows, context.ids, context.now);
}

// Adds the hold. It expires at the deadline of captures, but has no due_at: the authorization ends it then, by a
// release or a capture. No other hold of the merchant has its reference, because an order has at most one authorization
// that holds for it, and ends with it. REQUIRES: capture_before is set.
HoldId add_hold(Context& context, const Authorization& authorization) {
  Hold hold;
  hold.id = context.next_id<HoldId>();
  hold.merchant_id = authorization.merchant_id;
  hold.account_id = *authorization.account_id;
  hold.credit_account_id = receivable_of(context, authorization);
  hold.amount = authorization.amount;
  hold.currency = authorization.currency;
  hold.source = kWallet;
  hold.reference = out_hold_reference(authorization.merchant_id, authorization.order_id);
  hold.expires_at = *authorization.capture_before;
  hold.created_at = context.now;
  const Hash16 key = key_of_hold(hold.merchant_id, hold.source, hold.reference);
  context.rows.keys.insert(key, {key, hold.merchant_id, hold.id.value});
  AccountWriter writer(context, hold.account_id);
  writer.account().held += hold.amount;
  writer.created(hold);
  return context.rows.holds.insert(hold.id, hold).id;
}

void authorize(OrderWriter& writer, Authorization& authorization) {
  Context& context = writer.context();
  const AuthorizationTerms* terms = context.policy.terms_of(authorization.channel);
  FINALITY_CHECK(terms != nullptr, "check_authorizes() accepted the channel");
  const Time ends_at = context.now + terms->capture_within_max;
  const auto within = writer.order().capture_within;
  authorization.authorized_amount = authorization.amount;
  authorization.authorized_at = context.now;
  authorization.channel_capture_before = ends_at;
  // The hold is ours and ends with the authorization, so the deadline needs no margin.
  authorization.capture_before = within ? std::min(context.now + std::chrono::seconds(*within), ends_at) : ends_at;
  authorization.channel_trade_no = to_text(add_hold(context, authorization));
  writer.step(authorization, AuthorizationEvent::authorized);
}

void fail(OrderWriter& writer, Authorization& authorization, RefusalCode code, const Account& account) {
  authorization.failure_code = name_of(code);
  authorization.failure_message = explain(code, account);
  authorization.final_evidence_at = writer.context().now;
  writer.step(authorization, AuthorizationEvent::failed);
}

}  // namespace

void hold_on_account(OrderWriter& writer, Authorization& authorization) {
  Context& context = writer.context();
  const Account& account = *context.rows.accounts.find(*authorization.account_id);
  if (const auto code = refused_debit(context, account, authorization.amount, authorization.currency))
    fail(writer, authorization, *code, account);
  else
    authorize(writer, authorization);
  schedule(context, writer.order(), authorization);
  settle_order(writer);
}

}  // namespace finality
