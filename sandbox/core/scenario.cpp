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
     .story = "The payer pays at once.",
     .payer = kPays},
    {.name = "manual",
     .story = "A person decides on the payer's page."},
    {.name = "declines",
     .story = "The payer declines at once.",
     .payer = kDeclines},
    {.name = "never_pays",
     .story = "The payer walks away; the trade waits until it expires or is closed."},
    {.name = "slow",
     .story = "The trade is made at once but the answer comes after three seconds; then the payer pays.",
     .create = {.answer_after = 3s},
     .payer = {.act = Act::pay, .after = 3100ms}},
    {.name = "pays_on_close",
     .story = "The payer pays in the instant before the trade is closed.",
     .close = {.payer_is_faster = true}},
    {.name = "pays_after_close",
     .story = "The payer pays although the trade was closed.",
     .sequel = {.end = TradeState::closed, .act = Act::pay_anyway, .after = 300ms}},
    {.name = "pays_twice",
     .story = "The payer pays two trades for one number of the merchant.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::pay_again, .after = 200ms}},
    {.name = "notification_lost",
     .story = "The payer pays and nobody is told.",
     .payer = kPays,
     .notify = {.sent = false}},
    {.name = "notification_before_reply",
     .story = "The payer has paid, and that is told, before the creation is answered with \"waiting\".",
     .create = {.answer_after = 600ms},
     .payer = kPays},
    {.name = "notification_doubled",
     .story = "The payer pays, and that is told five times at once.",
     .payer = kPays,
     .notify = {.copies = 5}},
    {.name = "notification_reordered",
     .story = "The payer pays; that he has not yet is told after that he has.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::say_waiting, .after = 300ms}},
    {.name = "notification_forged",
     .story = "Somebody else tells three times that the payer has paid; later he does.",
     .payer = {.act = Act::pay, .after = 1200ms},
     .notify = {.forged = true}},
    {.name = "wrong_amount",
     .story = "The payer pays another amount.",
     .payer = {.act = Act::pay, .after = 100ms, .mistake = Mistake::amount}},
    {.name = "wrong_currency",
     .story = "The payer pays in another currency.",
     .payer = {.act = Act::pay, .after = 100ms, .mistake = Mistake::currency}},
    {.name = "refunded_by_channel",
     .story = "The payer pays, and the channel gives the money back without being asked.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::give_back, .after = 300ms}},
    {.name = "console_refund_full",
     .story = "The payer pays, and all of it is refunded in the channel's own console.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::give_back, .after = 300ms}},
    {.name = "console_refund_partial",
     .story = "The payer pays, and half of it is refunded in the channel's own console.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::give_back_half, .after = 300ms}},
    {.name = "console_refund_before_payment_known",
     .story = "The payer pays and nobody is told; the first notification is that half was refunded in the console.",
     .payer = kPays,
     .notify = {.tells_paid = false},
     .sequel = {.end = TradeState::paid, .act = Act::give_back_half, .after = 100ms}},
    {.name = "success_then_failure",
     .story = "The payer pays, and then the channel tells that the trade has failed.",
     .payer = kPays,
     .sequel = {.end = TradeState::paid, .act = Act::say_failed, .after = 300ms}},
    {.name = "failure_then_success",
     .story = "The payer declines, and then pays after all.",
     .payer = kDeclines,
     .sequel = {.end = TradeState::failed, .act = Act::pay_anyway, .after = 300ms}},
    {.name = "request_lost",
     .story = "The first request to create the trade never arrives; the next one does, and the payer pays.",
     .create = {.lost_for = 0ms},
     .payer = kPays},
    {.name = "request_timeout_but_paid",
     .story = "The trade is made and paid, but its creation is never answered.",
     .create = {.answered = false},
     .payer = kPays},
    {.name = "refused_unlisted",
     .story = "Every request to create the trade is refused with a code that no documentation lists.",
     .create = {.refused = true}},
    {.name = "refund_fails_twice",
     .story = "The payer pays; the first two refunds are refused for the moment.",
     .payer = kPays,
     .refund = {.refused_for_now = 2}},
    {.name = "refund_not_now",
     .story = "The payer pays; the first two refunds are refused for lack of money, and their numbers stay valid.",
     .payer = kPays,
     .refund = {.not_now = 2}},
    {.name = "refund_refused",
     .story = "The payer pays; every refund is refused for good.",
     .payer = kPays,
     .refund = {.refused = true}},
    {.name = "refund_unknown",
     .story = "The payer pays; refunds take effect but are never answered.",
     .payer = kPays,
     .refund = {.answered = false}},
    {.name = "refund_stranded",
     .story = "The payer pays; over WeChat Pay refunds are taken but reach nobody, until somebody acts after two seconds.",
     .payer = kPays,
     .refund = {.stranded_for = 2s}},
    {.name = "abandoned_refund_pays",
     .story = "The payer pays; the first refund is refused for the moment, and is paid after the one that replaces it.",
     .payer = kPays,
     .refund = {.refused_for_now = 1, .abandoned_pays = true}},
    {.name = "refund_returned",
     .story = "The payer pays; over the simple channel each refund is returned.",
     .payer = kPays,
     .refund = {.returns = true}},
    {.name = "channel_down",
     .story = "Nothing about the trade arrives for twenty seconds; then it can be made, and the payer pays.",
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
