#include "decide/invariants.h"

#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "decide/account/account_invariants.h"
#include "decide/authorization/held.h"
#include "decide/exception/open_case.h"
#include "decide/order/settle_order.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/refund/book_return.h"
#include "decide/refund/external_refund.h"
#include "model/row_types.h"

namespace finality {
namespace {

using Findings = std::vector<std::string>;

template <class Machine, class State>
void check_final_kept(const Machine& machine, ObjectRef object, State before, State after, Findings& findings) {
  if (machine.is_final(before) && before != after)
    findings.push_back(fmt::format("1: {} left its final state {}", to_text(object), name_of(before)));
}

// Checks that no row disappears and that no row leaves a final state.
template <class Machine, class Rows>
void check_finals_kept(const Machine& machine, const Rows& before, const Rows& after, Findings& findings) {
  for (const auto& row : before) {
    const auto* now = find_row(after, row.id);
    if (now == nullptr)
      findings.push_back(fmt::format("1: {} disappeared", to_text(row.id)));
    else
      check_final_kept(machine, row.id, row.state, now->state, findings);
  }
}

bool is_open(const Capture& capture) { return !capture_machine.is_final(capture.state); }

// Checks that a new capture of ours does not exceed what its authorization holds.
void check_new_captures(const std::optional<OrderAggregate>& before, const OrderAggregate& after, Findings& findings) {
  for (const Capture& capture : after.captures) {
    const bool is_new = !before || find_row(before->captures, capture.id) == nullptr;
    const Authorization* authorization = find_row(after.authorizations, capture.authorization_id);
    if (is_new && is_open(capture) && authorization != nullptr && capture.amount > held_of(after, *authorization))
      findings.push_back(fmt::format("5: {} exceeds what its authorization holds", to_text(capture.id)));
  }
}

void check_order_delta(const std::optional<OrderAggregate>& before, const OrderAggregate& after, Findings& findings) {
  const std::int64_t version_before = before ? before->order.version : 0;
  const std::int64_t rise = after.order.version - version_before;
  if (rise < 0 || rise > 1)
    findings.push_back(fmt::format("1: {} changed from version {} to {}", to_text(after.order.id), version_before,
                                   after.order.version));
  check_new_captures(before, after, findings);
  if (!before) return;
  check_final_kept(order_machine, after.order.id, before->order.state, after.order.state, findings);
  for_each_child_type<OrderAggregate>([&](std::string_view, auto member) {
    using Row = ChildRow<decltype(member)>;
    if constexpr (kHasMachine<Row>)
      check_finals_kept(machine_of(decltype(Row::state){}), *before.*member, after.*member, findings);
  });
}

// Whether two operators accepted a payment that differs from its order.
bool is_mismatch_accepted(const OrderAggregate& aggregate, ObjectRef payment) {
  return std::ranges::any_of(aggregate.cases, [&](const Case& row) {
    return row.kind == CaseKind::amount_mismatch && object_of(row) == payment && row.resolution == "accept" &&
           case_machine.is_final(row.state);
  });
}

// Checks that a collector has one accepted receipt, of its amount and currency, exactly if it succeeded. The amount may
// differ by the difference that operators accepted.
template <class Row>
void check_collector(const OrderAggregate& aggregate, const Row& row, Findings& findings) {
  std::int64_t accepted = 0;
  for (const Receipt& receipt : aggregate.receipts) {
    if (!is_collected_by(receipt, row.id) || receipt.state != ReceiptState::accepted) continue;
    ++accepted;
    if (receipt.amount - receipt.accepted_difference != row.amount || receipt.currency != row.currency)
      findings.push_back(
          fmt::format("3: {} has an accepted receipt of another amount or currency than its own", to_text(row.id)));
    if (receipt.accepted_difference != 0 && !is_mismatch_accepted(aggregate, row.id))
      findings.push_back(fmt::format("3: operators did not accept the difference of {}", to_text(receipt.id)));
  }
  const std::int64_t expected = row.state == decltype(row.state)::succeeded ? 1 : 0;
  if (accepted != expected)
    findings.push_back(
        fmt::format("3: {} is {} with {} accepted receipts", to_text(row.id), name_of(row.state), accepted));
}

// Checks that a capture has the currency, merchant and channel account of its authorization, and its receipts.
void check_capture(const OrderAggregate& aggregate, const Capture& capture, Findings& findings) {
  const Authorization* authorization = find_row(aggregate.authorizations, capture.authorization_id);
  if (authorization == nullptr)
    return findings.push_back(fmt::format("3: {} has no authorization", to_text(capture.id)));
  if (capture.currency != authorization->currency || capture.channel_account_id != authorization->channel_account_id)
    findings.push_back(
        fmt::format("8: {} has another currency or channel account than its authorization", to_text(capture.id)));
  check_collector(aggregate, capture, findings);
}

// Checks that at most one capture of an authorization is open, and only while the authorization is authorized.
void check_open_captures(const OrderAggregate& aggregate, const Authorization& authorization, Findings& findings) {
  const auto open = std::ranges::count_if(aggregate.captures, [&](const Capture& capture) {
    return capture.authorization_id == authorization.id && is_open(capture);
  });
  const std::int64_t limit = authorization.state == AuthorizationState::authorized ? 1 : 0;
  if (open > limit)
    findings.push_back(fmt::format("5: {} is {} with {} open captures", to_text(authorization.id),
                                   name_of(authorization.state), open));
}

bool has_open_case(const OrderAggregate& aggregate, ObjectRef object) {
  return std::ranges::any_of(
      aggregate.cases, [&](const Case& row) { return object_of(row) == object && !case_machine.is_final(row.state); });
}

// Checks the amounts of an authorization: more than was held is captured only with a case, and nothing is held after
// the end, except what is still being released. A captured total is waited for only while it is queried.
void check_amounts(const OrderAggregate& aggregate, const Authorization& authorization, Findings& findings) {
  MinorUnits accepted = 0;
  for (const Capture& capture : aggregate.captures)
    if (const Receipt* receipt =
            capture.authorization_id == authorization.id ? accepted_receipt_of(aggregate, capture.id) : nullptr)
      accepted += receipt->amount;
  const std::string id = to_text(authorization.id);
  const bool has_case = std::ranges::any_of(aggregate.cases, [&](const Case& row) {
    return row.kind == CaseKind::over_captured && object_of(row) == ObjectRef(authorization.id);
  });
  if (accepted > 0 && accepted + authorization.released_amount > authorization.authorized_amount && !has_case)
    findings.push_back(fmt::format("5: {} has receipts above its hold without a case over_captured", id));
  if (authorization.released_amount < 0) findings.push_back(fmt::format("5: {} has a negative released_amount", id));
  const bool is_chased = authorization.close_pending && (authorization.due_at || aggregate.order.parked);
  if (!authorization_machine.is_final(authorization.state) || is_chased) return;
  if (held_of(aggregate, authorization) > 0 && !has_open_case(aggregate, authorization.id))
    findings.push_back(fmt::format("5: {} is {} and still holds an amount", id, name_of(authorization.state)));
  if (authorization.is_total_waiting)
    findings.push_back(fmt::format("5: {} is {} and does not query its total", id, name_of(authorization.state)));
}

// Checks that the order's state agrees with its authorizations. Only orders with manual capture have any.
void check_manual(const OrderAggregate& aggregate, Findings& findings) {
  const Order& order = aggregate.order;
  const std::string id = to_text(order.id);
  const bool is_manual = order.capture_method == CaptureMethod::manual;
  if (is_manual ? !aggregate.payments.empty() : !aggregate.authorizations.empty() || !aggregate.captures.empty())
    findings.push_back(
        fmt::format("2: {} has capture_method {} and rows of the other method", id, name_of(order.capture_method)));
  if (!is_manual) return;
  const auto holders = std::ranges::count_if(aggregate.authorizations, is_holder);
  const auto captured =
      std::ranges::count(aggregate.authorizations, AuthorizationState::captured, &Authorization::state);
  if (holders + captured > 1)
    findings.push_back(
        fmt::format("2: {} has {} authorizations that hold or have collected for it", id, holders + captured));
  if ((order.state == OrderState::authorized) != (holders == 1))
    findings.push_back(
        fmt::format("2: {} is {} with {} authorizations that hold for it", id, name_of(order.state), holders));
}

template <class Rows>
bool has_open_row(const Rows& rows) {
  return std::ranges::any_of(rows, [](const auto& row) { return !machine_of(row.state).is_final(row.state); });
}

// Checks that an order that ended unpaid has no open payment or authorization, and no paid amount.
void check_ended_unpaid(const OrderAggregate& aggregate, Findings& findings) {
  const Order& order = aggregate.order;
  if (order.state != OrderState::closed && order.state != OrderState::failed) return;
  const std::string id = to_text(order.id);
  if (has_open_row(aggregate.payments))
    findings.push_back(fmt::format("2: {} is {} with an open payment", id, name_of(order.state)));
  if (has_open_row(aggregate.authorizations))
    findings.push_back(fmt::format("2: {} is {} with an open authorization", id, name_of(order.state)));
  if (order.paid_amount != 0)
    findings.push_back(fmt::format("2: {} is {} with paid_amount {}", id, name_of(order.state), order.paid_amount));
}

// Checks that a row has one collector, and a row of a capture the channel account of the authorization.
template <CollectedRow Row>
void check_collector_of(const OrderAggregate& aggregate, const Row& row, Findings& findings) {
  const std::optional<Collector> collector = find_collector(aggregate, collector_id_of(aggregate, row));
  if (!collector || (row.capture_id && row.payment_id != PaymentId{}))
    findings.push_back(fmt::format("3: {} has no collector, or several", to_text(row.id)));
  else if (row.capture_id && row.channel_account_id != collector->channel_account_id)
    findings.push_back(fmt::format("8: {} has another channel account than its authorization", to_text(row.id)));
}

// Checks that a payment is of the whole order, its receipts, and that operators are asked about a payment under review,
// whose order accepts no other payment meanwhile.
void check_payment(const OrderAggregate& aggregate, const Payment& payment, Findings& findings) {
  if (payment.amount != aggregate.order.amount || payment.currency != aggregate.order.currency)
    findings.push_back(fmt::format("3: {} has another amount or currency than its order", to_text(payment.id)));
  const auto asks = [&](const Case& row) {
    return row.kind == CaseKind::amount_mismatch && row.object_id == payment.id.value &&
           row.state != CaseState::resolved;
  };
  if (is_under_review(payment) &&
      (aggregate.order.state != OrderState::processing || std::ranges::none_of(aggregate.cases, asks)))
    findings.push_back(fmt::format("3: {} is under review without an open case, or of an order that is {}",
                                   to_text(payment.id), name_of(aggregate.order.state)));
  check_collector(aggregate, payment, findings);
}

// Checks that a receipt in suspense has an open reversal or an open case.
void check_receipt(const OrderAggregate& aggregate, const Receipt& receipt, Findings& findings) {
  if (receipt.state != ReceiptState::suspense) return;
  for (const Reversal& reversal : aggregate.reversals) {
    if (reversal.receipt_id != receipt.id) continue;
    if (reversal.amount > receipt.amount || reversal_machine.is_final(reversal.state))
      findings.push_back(
          fmt::format("3: {} exceeds its receipt, or is final while its receipt is in suspense", to_text(reversal.id)));
    return;
  }
  for (const Case& open : aggregate.cases)
    if (is_collected_by(receipt, object_of(open)) && !case_machine.is_final(open.state)) return;
  findings.push_back(fmt::format("3: {} is in suspense without a reversal or an open case", to_text(receipt.id)));
}

// Whether the receipt stands for its trade: each trade is checked once.
bool is_first_of_trade(const OrderAggregate& aggregate, const Receipt& receipt) {
  return first_of_trade(aggregate, receipt).id == receipt.id;
}

// Checks that the refunds which the merchant requested do not exceed the accepted receipts of the trade.
void check_refunds(const OrderAggregate& aggregate, Findings& findings) {
  const auto requested = [&](auto is_counted) {
    MinorUnits sum = 0;
    for (const Refund& refund : aggregate.refunds)
      if (refund.origin == RefundOrigin::merchant && refund.state != RefundState::failed && is_counted(refund))
        sum += refund.amount - refund.returned_amount;
    return sum;
  };
  for (const Receipt& receipt : aggregate.receipts) {
    const auto is_of_trade = [&](const Refund& refund) { return is_refund_of_trade(aggregate, refund, receipt); };
    if (is_first_of_trade(aggregate, receipt) && requested(is_of_trade) > accepted_of_trade(aggregate, receipt))
      findings.push_back(fmt::format("5: requested refunds of {} exceed it", to_text(receipt.id)));
  }
  if (requested([&](const Refund& refund) { return receipt_of(aggregate, refund) == nullptr; }) > 0)
    findings.push_back(fmt::format("5: {} has refunds without an accepted receipt", to_text(aggregate.order.id)));
}

// Checks the returns of a refund: their sum equals its returned_amount and does not exceed the refund.
void check_returns(const OrderAggregate& aggregate, const Refund& refund, Findings& findings) {
  MinorUnits sum = 0;
  for (const Return& row : aggregate.returns)
    if (row.refund_id == refund.id) sum += row.amount;
  const MinorUnits limit = refund.state == RefundState::succeeded ? refund.amount - refund.from_suspense : 0;
  if (sum != refund.returned_amount || sum > limit)
    findings.push_back(
        fmt::format("5: {} has returned_amount {} and returns of {}", to_text(refund.id), refund.returned_amount, sum));
}

// Checks that external refunds which exceed their receipt have a case.
void check_external_refunds(const OrderAggregate& aggregate, Findings& findings) {
  const auto has_case = [&](const Receipt& receipt) {
    return std::ranges::any_of(aggregate.cases, [&](const Case& row) {
      const Refund* refund = find_row(aggregate.refunds, RefundId{row.object_id});
      return row.kind == CaseKind::over_refunded && refund != nullptr &&
             is_refund_of_trade(aggregate, *refund, receipt);
    });
  };
  for (const Receipt& receipt : aggregate.receipts) {
    if (!is_first_of_trade(aggregate, receipt)) continue;
    if (over_refunded(aggregate, receipt) > 0 && !has_case(receipt))
      findings.push_back(fmt::format("5: refunds of {} exceed it without a case over_refunded", to_text(receipt.id)));
    const MinorUnits borne = borne_by_platform(aggregate, receipt);
    if (borne < 0 || borne > external_outside_suspense(aggregate, receipt))
      findings.push_back(
          fmt::format("5: the platform bears {} of {}, outside its external refunds", borne, to_text(receipt.id)));
  }
  for (const Refund& refund : aggregate.refunds) {
    check_returns(aggregate, refund, findings);
    if (refund.origin == RefundOrigin::merchant) continue;
    if (refund.state == RefundState::pending)
      findings.push_back(fmt::format("5: {} is an external refund in state pending", to_text(refund.id)));
    if (refund.from_suspense > refund.amount || refund.charged > refund.amount - refund.from_suspense)
      findings.push_back(fmt::format("5: {} has from_suspense and charged above its amount", to_text(refund.id)));
  }
}

// Amounts per currency: the change of the receipts in suspense minus the change of the suspense accounts.
using Sums = std::map<Currency, MinorUnits>;

void add_suspense(const std::optional<OrderAggregate>& aggregate, MinorUnits sign, Sums& sums) {
  if (!aggregate) return;
  for (const Receipt& receipt : aggregate->receipts)
    if (receipt.state == ReceiptState::suspense) sums[receipt.currency] += sign * left_in_suspense(*aggregate, receipt);
}

void add_suspense(const std::optional<UnknownReceiptAggregate>& aggregate, MinorUnits sign, Sums& sums) {
  if (!aggregate || aggregate->unknown_receipt.state != UnknownReceiptState::unassigned) return;
  sums[aggregate->unknown_receipt.currency] += sign * aggregate->unknown_receipt.amount;
}

void check_suspense(const WorkingSet& rows, Findings& findings) {
  Sums imbalances;
  rows.unknown_receipts.each_in_scope([&](const auto& before, const auto& after) {
    add_suspense(before, -1, imbalances);
    add_suspense(after, 1, imbalances);
  });
  rows.orders.each_in_scope([&](const auto& before, const auto& after) {
    add_suspense(before, -1, imbalances);
    add_suspense(after, 1, imbalances);
  });
  rows.accounts.each_in_scope([&](const auto& before, const auto& after) {
    if (!after || after->kind != AccountKind::suspense) return;
    imbalances[after->currency] -= after->balance - (before ? before->balance : 0);
  });
  for (const auto& [currency, difference] : imbalances)
    if (difference != 0)
      findings.push_back(
          fmt::format("4: suspense and unresolved receipts differ by {}", format_money(difference, currency)));
}

// Checks that the clearing accounts of all merchants change by 0 in total: a movement between the books of two
// merchants posts both journals in one decision.
void check_clearing(const WorkingSet& rows, Findings& findings) {
  Sums changes;
  rows.accounts.each_in_scope([&](const auto& before, const auto& after) {
    if (after && after->kind == AccountKind::clearing)
      changes[after->currency] += after->balance - (before ? before->balance : 0);
  });
  for (const auto& [currency, change] : changes)
    if (change != 0)
      findings.push_back(fmt::format("6: the clearing accounts change by {}", format_money(change, currency)));
}

void check_journal(const WorkingSet& rows, Findings& findings) {
  std::map<std::pair<std::int64_t, Currency>, MinorUnits> sums;
  std::map<AccountId, MinorUnits> moved;
  for (std::size_t i = rows.entries_accepted(); i < rows.entries.size(); ++i) {
    const Entry& entry = rows.entries[i];
    sums[{entry.journal_id.value, entry.currency}] += entry.amount;
    moved[entry.account_id] += entry.amount;
    if (entry.balance_after != entry.balance_before + entry.amount)
      findings.push_back(fmt::format("6: {} has a balance_after that does not match its amount", to_text(entry.id)));
  }
  for (const auto& [journal, sum] : sums)
    if (sum != 0)
      findings.push_back(fmt::format("6: journal {} does not sum to zero", to_text(EntryId{journal.first})));
  rows.accounts.each_in_scope([&](const auto& before, const auto& after) {
    if (!after) return;
    const MinorUnits change = after->balance - (before ? before->balance : 0);
    if (change != moved[after->id])
      findings.push_back(
          fmt::format("6: {} changed by another amount than the sum of its entries", to_text(after->id)));
  });
}

// Whether two rows are equal except for due_at.
template <class Row>
bool is_same_but_due(Row one, Row other) {
  if constexpr (RowTraits<Row>::options.due != Due::never) one.due_at = other.due_at;
  bool same = true;
  boost::mp11::mp_for_each<boost::describe::describe_members<Row, boost::describe::mod_public>>(
      [&](auto member) { same = same && one.*member.pointer == other.*member.pointer; });
  return same;
}

// Checks that an order without a new version differs only in `due_at`: stores would not write any other change.
void check_unversioned(const OrderAggregate& before, const OrderAggregate& after, Findings& findings) {
  bool same = is_same_but_due(before.order, after.order);
  for_each_child_type<OrderAggregate>([&](std::string_view, auto member) {
    same = same && std::ranges::equal(before.*member, after.*member, is_same_but_due<ChildRow<decltype(member)>>);
  });
  if (!same) findings.push_back(fmt::format("1: {} has changed without a new version", to_text(after.order.id)));
}

// Checks that every new version of an order has an event, and that an order without a new version passes
// check_unversioned().
void check_traced(const WorkingSet& rows, Findings& findings) {
  rows.orders.each_in_scope([&](const auto& before, const auto& after) {
    if (!after) return;
    if (before && before->order.version == after->order.version) return check_unversioned(*before, *after, findings);
    for (std::size_t i = rows.events_accepted(); i < rows.events.size(); ++i)
      if (rows.events[i].root_id == after->order.id.value && rows.events[i].root_version == after->order.version)
        return;
    findings.push_back(fmt::format("1: {} has a new version without an event", to_text(after->order.id)));
  });
}

}  // namespace

std::vector<std::string> broken_invariants(const OrderAggregate& aggregate) {
  Findings findings;
  const Order& order = aggregate.order;
  for (const Payment& payment : aggregate.payments) check_payment(aggregate, payment, findings);
  for (const Capture& capture : aggregate.captures) check_capture(aggregate, capture, findings);
  for (const Authorization& authorization : aggregate.authorizations) {
    check_open_captures(aggregate, authorization, findings);
    check_amounts(aggregate, authorization, findings);
  }
  check_manual(aggregate, findings);
  const std::int64_t succeeded = count_winners(aggregate);
  const std::int64_t expected = order.state == OrderState::succeeded ? 1 : 0;
  const std::string_view what =
      order.capture_method == CaptureMethod::manual ? "captured authorizations" : "succeeded payments";
  if (succeeded != expected)
    findings.push_back(fmt::format("2: {} is {} with {} {}", to_text(order.id), name_of(order.state), succeeded, what));
  check_ended_unpaid(aggregate, findings);
  for (const Receipt& receipt : aggregate.receipts) {
    check_collector_of(aggregate, receipt, findings);
    check_receipt(aggregate, receipt, findings);
  }
  for (const Refund& refund : aggregate.refunds) check_collector_of(aggregate, refund, findings);
  for (const Reversal& reversal : aggregate.reversals) check_collector_of(aggregate, reversal, findings);
  check_refunds(aggregate, findings);
  check_external_refunds(aggregate, findings);
  return findings;
}

std::vector<std::string> broken_invariants(const WorkingSet& rows) {
  Findings findings;
  rows.orders.each_in_scope([&](const auto& before, const auto& after) {
    if (!after) return;
    check_order_delta(before, *after, findings);
    std::ranges::move(broken_invariants(*after), std::back_inserter(findings));
  });
  rows.adjustments.each_in_scope([&](const auto& before, const auto& after) {
    if (before && after) check_final_kept(adjustment_machine, after->id, before->state, after->state, findings);
  });
  check_suspense(rows, findings);
  check_journal(rows, findings);
  check_clearing(rows, findings);
  check_traced(rows, findings);
  check_accounts(rows, findings);
  return findings;
}

}  // namespace finality
