#include "sandbox/pages/payers.h"

namespace finality::sandbox {
namespace {

constexpr std::int64_t kAtOnce = 500;  // number of trades, and of holds, in one transaction
constexpr Duration kPause{500};        // delay of the next try after the ledger thread has rejected a job

void act_on(Ledger& ledger, Trade& trade) {
  if (trade.expired(ledger.now())) {
    ledger.close(trade);
  } else {
    ledger.act(trade);
  }
}

}  // namespace

std::shared_ptr<Payers> Payers::create(net::IoPool& io, std::shared_ptr<LedgerThread> ledger_thread) {
  std::shared_ptr<Payers> payers(new Payers(std::move(ledger_thread)));
  payers->timer_ =
      std::make_shared<CoalescingTimer>(io, payers->ledger_thread_->clock(), [weak = payers->weak_from_this()] {
        if (const auto locked = weak.lock()) locked->act();
      });
  return payers;
}

void Payers::act() {
  ledger_thread_->submit(
      [](Ledger& ledger) {
        for (Trade& trade : ledger.due_trades(kAtOnce)) act_on(ledger, trade);
        for (Hold& hold : ledger.due_holds(kAtOnce)) ledger.act(hold);
        return ledger.next_event_due();
      },
      [weak = weak_from_this()](const Result<std::optional<Time>>& next) {
        const auto payers = weak.lock();
        if (!payers) return;
        if (!next) payers->try_again_later();
        if (next && *next) payers->timer_->set(**next);
      });
}

void Payers::try_again_later() {
  if (ledger_thread_->healthy()) timer_->set(ledger_thread_->now() + kPause);
}

}  // namespace finality::sandbox
