#include "authorization_stories.h"

namespace finality::audit {
namespace {

using Kind = AuthorizationEvidenceKind;

void wait_for_captures(Shop& shop) {
  shop.make_held("authorized");
  shop.capture(shop.make_held("capturing"), 400, "C-open", false);
}

void capture_in_parts(Shop& shop) {
  const OrderId twice = shop.make_held("captured_twice");
  const CaptureId first = shop.capture(twice, 400, "C-first", false);
  shop.report_capture(twice, EvidenceKind::waiting);
  shop.report_capture(twice, EvidenceKind::paid, "T-first");
  shop.refund_captured(twice, first, 100, "R-captured");
  shop.report_refund(shop.read_order(twice).refunds.back(), RefundEvidenceKind::refunded);
  shop.capture(twice, 200, "C-refused", true);
  shop.report_capture(twice, EvidenceKind::failed);
  shop.capture(twice, 600, "C-last", true);
  shop.report_capture(twice, EvidenceKind::paid, "T-last");
}

// Two captures under the trade number of their authorization, of which a refund returns the first and a part of the
// second.
void capture_one_trade(Shop& shop) {
  shop.share_trades(true);
  const OrderId id = shop.make_held("one_trade");
  const Authorization held = shop.read_order(id).authorizations.back();
  shop.capture(id, 400, "C-trade-first", false);
  shop.report_capture(id, EvidenceKind::paid, held.channel_trade_no.value());
  shop.capture(id, 300, "C-trade-last", true);
  shop.report_capture(id, EvidenceKind::paid, held.channel_trade_no.value());
  shop.refund_captured(id, held.id, 500, "R-trade");
  shop.report_refund(shop.read_order(id).refunds.back(), RefundEvidenceKind::refunded);
  shop.share_trades(false);
}

void end_without_captures(Shop& shop) {
  const auto give_back = [&](Kind kind) {
    AuthorizationEvidence evidence = shop.hold_evidence(kind);
    evidence.released = kAmount;
    return evidence;
  };
  const OrderId released = shop.make_held("released");
  shop.run(ReleaseAuthorization{shop.merchant(), released, shop.read_order(released).authorizations.back().id});
  shop.report_hold(released, give_back(Kind::released));
  const OrderId lapsed = shop.make_held("lapsed");
  shop.report_hold(lapsed, give_back(Kind::expired));
}

// The channel holds the amount after the order was closed.
void hold_late(Shop& shop) {
  CreateOrder command = shop.manual_order_called("late_hold");
  command.close_policy = ClosePolicy::local;
  const OrderId id = shop.make_authorized_by(command);
  shop.report_hold(id, shop.hold_evidence(Kind::waiting));
  shop.run(CloseOrder{shop.merchant(), id});
  shop.report_hold(id, shop.hold_evidence(Kind::authorized));
}

// Captures of the channel's console: more than was authorized, and a part that only the total shows.
void capture_at_the_channel(Shop& shop) {
  const OrderId over = shop.make_held("over_captured");
  AuthorizationEvidence all = shop.hold_evidence(Kind::released);
  all.captured = kAmount + 200;
  all.captures = {{.out_trade_no = "console-1",
                   .channel_trade_no = "T-console",
                   .amount = all.captured,
                   .currency = kCurrency,
                   .paid_at = all.asked_at}};
  shop.report_hold(over, all);
  const OrderId elsewhere = shop.make_held("captured_elsewhere");
  AuthorizationEvidence part = shop.hold_evidence(Kind::authorized);
  part.captured = 300;
  shop.report_hold(elsewhere, part);
}

OrderId capture_from_account(Shop& shop, AccountId account, const std::string& name, const std::string& number) {
  const OrderId id = shop.make_authorized_from(account, shop.manual_order_called(name));
  shop.run(SettleWalletHold{shop.merchant(), id, shop.capture(id, 600, number, true), kCurrency});
  return id;
}

OrderId release_to_account(Shop& shop, AccountId account, const std::string& name) {
  const OrderId id = shop.make_authorized_from(account, shop.manual_order_called(name));
  const AuthorizationId row = shop.read_order(id).authorizations.back().id;
  shop.run(ReleaseAuthorization{shop.merchant(), id, row});
  shop.run(SettleWalletHold{shop.merchant(), id, row, kCurrency});
  return id;
}

void hold_on_accounts(Shop& shop, const UserAccounts& accounts) {
  shop.make_authorized_from(accounts.rich, shop.manual_order_called("wallet_authorized"));
  capture_from_account(shop, accounts.rich, "wallet_captured", "C-wallet");
  release_to_account(shop, accounts.rich, "wallet_released");
  CreateOrder one_try = shop.manual_order_called("wallet_declined");
  one_try.attempts = 1;
  shop.make_authorized_from(accounts.poor, one_try);
  shop.archive_later(capture_from_account(shop, accounts.rich, "old_wallet_captured", "C-old"));
  shop.archive_later(release_to_account(shop, accounts.rich, "old_wallet_released"));
}

}  // namespace

void hold_amounts(Shop& shop, const UserAccounts& accounts) {
  wait_for_captures(shop);
  capture_in_parts(shop);
  capture_one_trade(shop);
  end_without_captures(shop);
  hold_late(shop);
  capture_at_the_channel(shop);
  hold_on_accounts(shop, accounts);
}

}  // namespace finality::audit
