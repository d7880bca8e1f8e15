#include "sim/bugs/bug.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/out_trade_no.h"
#include "sim/auditors/auditor.h"
#include "sim/bugs/authorization_bugs.h"
#include "sim/bugs/decision_bugs.h"
#include "sim/bugs/statement_bugs.h"
#include "sim/bugs/store_bugs.h"

namespace finality::sim {
namespace {

void assume_refunded(RefundEvidence& evidence, std::string_view) {
  if (evidence.kind == RefundEvidenceKind::unknown) evidence.kind = RefundEvidenceKind::refunded;
}

void assume_refused(RefundEvidence& evidence, std::string_view) {
  if (evidence.kind == RefundEvidenceKind::unknown) evidence.kind = RefundEvidenceKind::refused;
}

void treat_accepted_as_refunded(RefundEvidence& evidence, std::string_view) {
  if (evidence.kind == RefundEvidenceKind::accepted) evidence.kind = RefundEvidenceKind::refunded;
}

void ignore_return(RefundEvidence& evidence, std::string_view) { evidence.returned.reset(); }

// Changes the identifier of a return in each notification. Real channels repeat the same identifier.
void change_return_number(RefundEvidence& evidence, std::string_view) {
  if (evidence.returned) evidence.returned->number += fmt::format("n{}", evidence.asked_at.ms);
}

void acknowledge_any_response(RecordDelivery& result) { result.acknowledged = true; }

void treat_unknown_as_failed(Evidence& evidence, const Payment&) {
  if (evidence.kind == EvidenceKind::unknown) evidence.kind = EvidenceKind::failed;
}

void treat_unknown_as_closed(Evidence& evidence, const Payment&) {
  if (evidence.kind == EvidenceKind::unknown) evidence.kind = EvidenceKind::closed;
}

void ignore_amount(Evidence& evidence, const Payment& payment) {
  if (evidence.kind == EvidenceKind::paid) evidence.amount = payment.amount;
}

void treat_paid_as_waiting(Evidence& evidence, const Payment&) {
  if (evidence.kind == EvidenceKind::paid) evidence.kind = EvidenceKind::waiting;
}

void ignore_external_number(Evidence& evidence) { evidence.refund.reset(); }

void treat_total_as_refund(Evidence& evidence) {
  if (evidence.refunded > 0) evidence.refund = ReportedRefund{"by total", std::exchange(evidence.refunded, 0)};
}

// Uses a new out_refund_no for each send of a refund.
void fresh_refund_number(RefundCall& call, const OrderAggregate&) {
  if (call.kind == RefundCallKind::send_refund) call.out_refund_no += fmt::format("y{}", call.deadline.ms);
}

void refund_too_much(RefundCall& call, const OrderAggregate&) { call.amount += 1; }

// Reverses a receipt by out_trade_no. The channel then finds the first paid trade, which may be the accepted payment.
void reverse_by_out_trade_no(RefundCall& call, const OrderAggregate& order) {
  const Reversal* reversal = find_row(order.reversals, ReversalId{call.row.value});
  if (call.row.type != ObjectType::reversal || reversal == nullptr) return;
  const auto first = std::ranges::find(order.receipts, reversal->payment_id, &Receipt::payment_id);
  call.channel_trade_no = first->channel_trade_no;
}

void treat_accepted_as_refused(RefundEvidence& evidence, std::string_view) {
  if (evidence.kind == RefundEvidenceKind::accepted) evidence.kind = RefundEvidenceKind::refused;
}

// Takes a temporary refusal of the third out_refund_no for a permanent one.
void despair_after_three_numbers(RefundEvidence& evidence, std::string_view number) {
  const auto parsed = parse_out_refund_no(number);
  if (evidence.kind == RefundEvidenceKind::try_again && parsed && parsed->attempt >= 3)
    evidence.kind = RefundEvidenceKind::refused;
}

void treat_waiting_as_failed(Evidence& evidence, const Payment&) {
  if (evidence.kind == EvidenceKind::waiting) evidence.kind = EvidenceKind::failed;
}

template <class Call, void (*kAlter)(Call& call)>
void altered(Effect& effect) {
  if (auto* call = std::get_if<Call>(&effect)) kAlter(*call);
}

void send_under_another_number(ChannelCall& call) {
  if (call.kind == ChannelCallKind::send_payment)
    call.payment.out_trade_no = out_number(call.payment.merchant_id, call.payment.id.value + call.deadline.ms % 100);
}

void multiply_amount(ChannelCall& call) { call.payment.amount *= 100; }

void close_instead_of_query(ChannelCall& call) {
  if (call.kind == ChannelCallKind::query_payment) call.kind = ChannelCallKind::close_payment;
}

void deliver_under_another_id(DeliveryAttempt& deliver) { deliver.delivery.id.value += 1; }

void unlock_with_any_token(Request& request, const Auditor& auditor) {
  auto* unlock = std::get_if<UnlockAccount>(&request.command);
  if (unlock == nullptr) return;
  const auto account = auditor.money().accounts().find(unlock->account_id);
  if (account != auditor.money().accounts().end() && account->second.lock_token)
    unlock->token = *account->second.lock_token;
}

void ignore_body(Request& request, const Auditor&) {
  if (request.idempotency) request.idempotency->fingerprint = {};
}

// Approves whatever the case proposes now, also a proposal after the review.
void approve_unreviewed(Request& request, const Auditor& auditor) {
  auto* approve = std::get_if<ApproveResolution>(&request.command);
  if (approve == nullptr) return;
  const Case* row = auditor.cases().find(approve->case_id);
  if (row == nullptr) return;
  approve->version = row->version;
  approve->resolution.reset();
  approve->reviewed_merchant = row->assign_to;
}

void ignore_order_content(Request& request, const Auditor&) {
  if (auto* create = std::get_if<CreateOrder>(&request.command)) create->fingerprint = {};
}

constexpr Bug kExternalBugs[] = {
    {.name = "unknown is failed", .evidence = treat_unknown_as_failed},
    {.name = "unknown is closed", .evidence = treat_unknown_as_closed},
    {.name = "the amount is not checked", .evidence = ignore_amount},
    {.name = "a reply that says paid is taken for waiting", .evidence = treat_paid_as_waiting},
    {.name = "a refund is sent under a new number each time", .refund_call = fresh_refund_number},
    {.name = "a refund exceeds its amount", .refund_call = refund_too_much},
    {.name = "a refund without an answer is believed", .refund_evidence = assume_refunded},
    {.name = "a refund without an answer is despaired of", .refund_evidence = assume_refused},
    {.name = "an accepted refund is taken for done", .refund_evidence = treat_accepted_as_refunded},
    {.name = "any answer to a delivery is yes", .delivered = acknowledge_any_response},
    {.name = "a notification is acknowledged before its commit", .acknowledges_all = true},
    {.name = "a forged notification is believed", .skips_verification = true},
    {.name = "a commit is reported before it is durable", .replies_before_flush = true},
    {.name = "the time follows a spike of the clock", .follows_spikes = true},
    {.name = "requests of a failed part of the store are accepted", .accepts_failed_parts = true},
    {.name = "a failed part of the store stops all merchants", .hides_failed_part = true},
    {.name = "the number of an external refund is overlooked", .notice = ignore_external_number},
    {.name = "a running total is taken for one refund", .notice = treat_total_as_refund},
    {.name = "a return is overlooked", .refund_evidence = ignore_return},
    {.name = "a return that is reported twice is booked twice", .refund_evidence = change_return_number},
    {.name = "waiting is failed", .evidence = treat_waiting_as_failed},
    {.name = "a reversal names our number, not the receipt's", .refund_call = reverse_by_out_trade_no},
    {.name = "an accepted refund is taken for refused", .refund_evidence = treat_accepted_as_refused},
    {.name = "a temporary refusal is final after three numbers", .refund_evidence = despair_after_three_numbers},
    {.name = "a payment is sent under a new number each time",
     .effect = altered<ChannelCall, send_under_another_number>},
    {.name = "minor units are taken for major ones", .effect = altered<ChannelCall, multiply_amount>},
    {.name = "asking closes", .effect = altered<ChannelCall, close_instead_of_query>},
    {.name = "a delivery goes out under another id", .effect = altered<DeliveryAttempt, deliver_under_another_id>},
    {.name = "any token opens a lock", .request = unlock_with_any_token},
    {.name = "the body of a repeated request is not compared", .request = ignore_body},
    {.name = "an approval posts a changed proposal", .request = approve_unreviewed},
    {.name = "the content of a repeated order is not compared", .request = ignore_order_content},
};

}  // namespace

const std::vector<Bug>& all_bugs() {
  static const std::vector<Bug> bugs = [] {
    std::vector<Bug> all;
    for (const std::span<const Bug> some :
         {std::span<const Bug>(kExternalBugs), store_bugs(), decision_bugs(), authorization_bugs(), statement_bugs()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return bugs;
}

}  // namespace finality::sim
