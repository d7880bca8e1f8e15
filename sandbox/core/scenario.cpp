#include "sandbox/core/scenario.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr PayerReaction kPays{.act = Act::pay, .after = 100ms};
constexpr PayerReaction kDeclines{.act = Act::decline, .after = 100ms};

// clang-format off
constexpr Scenario kScenarios[] = {
    {.name = "pays",
     .description = "The payer pays immediately.",
     .payer = kPays},
    {.name = "manual",
     .description = "A person pays or declines on the payer's page."},
    {.name = "declines",
     .description = "The payer declines immediately.",
     .payer = kDeclines},
    {.name = "never_pays",
     .description = "The payer never pays; the trade stays open until it expires or is closed."},
    {.name = "slow",
     .description = "The channel creates the trade immediately and replies after three seconds; then the payer pays.",
     .create = {.answer_after = 3s},
     .payer = {.act = Act::pay, .after = 3100ms}},
    {.name = "pays_on_close",
     .description = "The payer pays just before the trade is closed.",
     .close = {.payer_is_faster = true}},
    {.name = "pays_after_close",
     .description = "The payer pays after the trade was closed.",
     .sequel = {.end = TradeState::closed, .act = Act::pay_anyway, .after = 300ms}},
    {.name = "pays_twice",
     .description = "The payer pays two trades with the same out_trade_no.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::pay_again, .after = 200ms}},
    {.name = "notification_lost",
     .description = "The payer pays, and the channel sends no notification.",
     .payer = kPays,
     .notify = {.sent = false}},
    {.name = "notification_before_reply",
     .description = "The channel sends the notification of the payment before it answers the creation with \"waiting\".",
     .create = {.answer_after = 600ms},
     .payer = kPays},
    {.name = "notification_doubled",
     .description = "The payer pays, and the channel sends the notification five times.",
     .payer = kPays,
     .notify = {.copies = 5}},
    {.name = "notification_reordered",
     .description = "The channel sends the notification of the payment first, and an older \"waiting\" notification later.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::say_waiting, .after = 300ms}},
    {.name = "notification_forged",
     .description = "Three forged notifications report a payment; later the payer pays.",
     .payer = {.act = Act::pay, .after = 1200ms},
     .notify = {.forged = true}},
    {.name = "wrong_amount",
     .description = "The payer pays a wrong amount.",
     .payer = {.act = Act::pay, .after = 100ms, .mistake = Mistake::amount}},
    {.name = "wrong_currency",
     .description = "The payer pays in a wrong currency.",
     .payer = {.act = Act::pay, .after = 100ms, .mistake = Mistake::currency}},
    {.name = "refunded_by_channel",
     .description = "The payer pays, and the channel refunds the payment without a request.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::give_back, .after = 300ms}},
    {.name = "console_refund_full",
     .description = "The payer pays, and an employee refunds the full amount in the channel's console.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::give_back, .after = 300ms}},
    {.name = "console_refund_partial",
     .description = "The payer pays, and an employee refunds half the amount in the channel's console.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::give_back_half, .after = 300ms}},
    {.name = "console_refund_before_payment_known",
     .description = "The payer pays, and the first notification reports that half was refunded in the console.",
     .payer = kPays,
     .notify = {.notifies_paid = false},
     .sequel = {.end = TradeState::paid, .act = Act::give_back_half, .after = 300ms}},
    {.name = "success_then_failure",
     .description = "The payer pays, and then the channel reports that the trade failed.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::say_failed, .after = 300ms}},
    {.name = "failure_then_success",
     .description = "The payer declines, and later pays the same trade.",
     .payer = kDeclines,
     .sequel = {.end = TradeState::failed, .act = Act::pay_anyway, .after = 300ms}},
    {.name = "request_lost",
     .description = "The first request to create the trade is lost; the second one arrives, and the payer pays.",
     .create = {.lost_for = 0ms},
     .payer = kPays},
    {.name = "request_timeout_but_paid",
     .description = "The trade is created and paid, but the channel never answers the creation.",
     .create = {.answered = false},
     .payer = kPays},
    {.name = "refused_unlisted",
     .description = "The channel refuses every request to create the trade with an undocumented code.",
     .create = {.refused = true}},
    {.name = "refund_fails_twice",
     .description = "The payer pays; the channel refuses the first two refund requests temporarily.",
     .payer = kPays,
     .refund = {.refused_for_now = 2}},
    {.name = "refund_not_now",
     .description = "The payer pays; the first two refunds are refused for lack of money, and their numbers stay valid.",
     .payer = kPays,
     .refund = {.not_now = 2}},
    {.name = "refund_refused",
     .description = "The payer pays; the channel refuses every refund permanently.",
     .payer = kPays,
     .refund = {.refused = true}},
    {.name = "refund_unknown",
     .description = "The payer pays; the channel carries out refunds but never answers the requests.",
     .payer = kPays,
     .refund = {.answered = false}},
    {.name = "refund_stranded",
     .description = "The payer pays; WeChat Pay cannot pay refunds out until an operator acts, after two seconds.",
     .payer = kPays,
     .refund = {.stranded_for = 2s}},
    {.name = "abandoned_refund_pays",
     .description = "The payer pays; the first refund request is refused temporarily, but paid after its replacement.",
     .payer = kPays,
     .refund = {.refused_for_now = 1, .abandoned_pays = true}},
    {.name = "refund_returned",
     .description = "The payer pays; every refund over the sandbox's simple channel is returned.",
     .payer = kPays,
     .refund = {.returns = true}},
    {.name = "settled_in_other_currency",
     .description = "The payer pays; an hour later the channel reports the settlement in another currency.",
     .payer = kPays,
     .settlement = {.after = 1h}},
    {.name = "unnoticed_payment",
     .description = "The payer declines, later pays the same trade, and the channel sends no notification.",
     .payer = kDeclines,
     .notify = {.notifies_paid = false},
     .sequel = {.end = TradeState::failed, .act = Act::pay_anyway, .after = 300ms}},
    {.name = "statement_line_missing",
     .description = "The payer pays, and the channel's statement does not contain the payment.",
     .payer = kPays,
     .statement = {.lines = 0}},
    {.name = "statement_line_doubled",
     .description = "The payer pays, and the channel's statement contains the payment twice.",
     .payer = kPays,
     .statement = {.lines = 2}},
    {.name = "statement_amount_wrong",
     .description = "The payer pays, and the channel's statement contains another amount.",
     .payer = kPays,
     .statement = {.has_wrong_amount = true}},
    {.name = "statement_discount",
     .description = "The payer pays, and the channel's statement contains a discount that the merchant bears.",
     .payer = kPays,
     .statement = {.has_discount = true}},
    {.name = "statement_fee_wrong",
     .description = "The payer pays, and the channel's statement contains another fee.",
     .payer = kPays,
     .statement = {.has_wrong_fee = true}},
    {.name = "channel_down",
     .description = "No request for the trade arrives for twenty seconds; then the trade is created, and the payer pays.",
     .create = {.lost_for = 20s},
     .payer = kPays},
};
// clang-format on

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

const Scenario* find_scenario(std::string_view name) {
  const auto* at = std::ranges::find(kScenarios, name, &Scenario::name);
  return at != std::end(kScenarios) ? at : nullptr;
}

const Scenario& scenario_of(const Trade& trade) {
  const Scenario* scenario = find_scenario(trade.scenario);
  if (scenario == nullptr) scenario = find_scenario(kDefaultScenario);
  FINALITY_CHECK(scenario != nullptr, "the default scenario is in the table");
  return *scenario;
}

}  // namespace finality::sandbox
