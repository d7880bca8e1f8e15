// Random requests of a simulated merchant for the accounts of its users.
#include "sim/world/shop.h"

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr MinorUnits kAmountMax = 50'000;

void nothing(const Reply&) {}

PostTransfer make_transfer(Shop& shop, AccountId from, AccountId to) {
  PostTransfer transfer;
  transfer.merchant_id = shop.merchant;
  transfer.debit_account_id = from;
  transfer.credit_account_id = to;
  if (shop.scheduler.random().chance(150)) {
    transfer.price = shop.scheduler.random().chance(900) ? "cup" : "unknown";
    transfer.quantity = shop.scheduler.random().between(1, 20);
  } else {
    transfer.amount = shop.scheduler.random().between(1, kAmountMax);
  }
  transfer.currency = shop.currency;
  transfer.source = "shop";
  transfer.reference = shop.client.number("transfer");
  transfer.fingerprint = sha256_16(transfer.reference);
  return transfer;
}

// Records the current state of the accounts in the history, as the reply to a GET request.
void look_at(Shop& shop, std::initializer_list<AccountId> accounts) {
  for (const AccountId id : accounts)
    if (const auto found = shop.reader.account(id); found && *found)
      shop.client.recorder().shown(**found, shop.scheduler.now());
}

// Transfers from the first account to a user, or between users. Some transfers are reversed; some reversals are sent
// before their transfer.
void transfer(Shop& shop) {
  Random& random = shop.scheduler.random();
  const AccountId from = random.chance(600) ? shop.accounts.front() : shop.any_user();
  const AccountId to = shop.any_user();
  const PostTransfer posted = make_transfer(shop, from, to);
  const ReverseTransfer back{shop.merchant, posted.source, posted.reference};
  const bool reversal_first = random.chance(100);
  if (reversal_first) shop.client.call({back, shop.merchant, shop.key()}, nothing);
  shop.client.call({posted, shop.merchant, shop.key()}, [&shop, from, to](const Reply&) { look_at(shop, {from, to}); });
  if (random.chance(200))
    shop.scheduler.after(random.spread(Duration(1), hours(3)),
                         [&shop, back] { shop.client.call({back, shop.merchant, shop.key()}, nothing); });
  if (random.chance(100)) shop.client.call({posted, shop.merchant, shop.key()}, nothing);  // the same transfer again
}

void end_hold(Shop& shop, HoldId hold) {
  Random& random = shop.scheduler.random();
  PostHold post{shop.merchant, hold, std::nullopt, std::nullopt};
  if (random.chance(500)) post.amount = random.between(1, kAmountMax);
  if (random.chance(600)) shop.client.call({post, shop.merchant, shop.key()}, nothing);
  if (random.chance(400)) shop.client.call({VoidHold{shop.merchant, hold}, shop.merchant, shop.key()}, nothing);
  if (random.chance(200))
    shop.scheduler.after(random.spread(seconds(1), hours(1)), [&shop, hold] { end_hold(shop, hold); });
}

// Returns a random amount for a hold, or the whole available amount, so that a concurrent debit fails.
MinorUnits amount_to_hold(Shop& shop, AccountId id) {
  if (shop.scheduler.random().chance(300))
    if (const auto found = shop.reader.account(id); found && *found && (*found)->balance > (*found)->held)
      return (*found)->balance - (*found)->held;
  return shop.scheduler.random().between(1, kAmountMax);
}

void hold(Shop& shop) {
  Random& random = shop.scheduler.random();
  CreateHold hold;
  hold.merchant_id = shop.merchant;
  hold.account_id = shop.any_user();
  hold.credit_account_id = shop.accounts.front();
  hold.amount = amount_to_hold(shop, hold.account_id);
  hold.currency = shop.currency;
  hold.source = "shop";
  hold.reference = shop.client.number("hold");
  hold.fingerprint = sha256_16(hold.reference);
  hold.expires_in = random.spread(seconds(1), hours(20));
  if (random.chance(100)) shop.client.call({hold, shop.merchant, shop.key()}, nothing);  // the same hold twice
  shop.client.call({hold, shop.merchant, shop.key()}, [&shop, account = hold.account_id,
                                                       expires_in = hold.expires_in](const Reply& reply) {
    look_at(shop, {account});
    if (!reply.object || reply.object->type != ObjectType::hold) return;
    const HoldId id{reply.object->value};
    if (shop.scheduler.random().chance(700))  // from 500 ms before the expiry to 10 minutes after it
      shop.scheduler.after(expires_in - Duration(500) + shop.scheduler.random().spread(Duration(1), minutes(10)),
                           [&shop, id] { end_hold(shop, id); });
    shop.scheduler.after(shop.scheduler.random().spread(Duration(1), hours(20)), [&shop, id] { end_hold(shop, id); });
  });
}

// Locks an account. About half of the locks are released; the others expire.
void lock(Shop& shop) {
  Random& random = shop.scheduler.random();
  const AccountId account = shop.any_user();
  LockAccount lock{
      shop.merchant, account, "teller 1", random.spread(seconds(1), minutes(20)), shop.client.number("nonce"),
      std::nullopt};
  shop.client.call({lock, shop.merchant, shop.key()}, [&shop, account](const Reply& reply) {
    if (!reply.object || reply.refusal) return;
    const auto found = shop.reader.account(account);
    if (!found || !*found || !(*found)->lock_token) return;
    const std::string token = *(*found)->lock_token;
    if (shop.scheduler.random().chance(300))
      shop.client.call({UnlockAccount{shop.merchant, account, "another token"}, shop.merchant}, nothing);
    PostTransfer posted = make_transfer(shop, account, shop.accounts.front());
    posted.lock_token = token;
    shop.client.call({posted, shop.merchant, shop.key()}, nothing);
    if (!shop.scheduler.random().chance(500)) return;
    shop.auditor.expect_lock_release(token);
    shop.client.call({UnlockAccount{shop.merchant, account, token}, shop.merchant}, nothing);
  });
}

void change(Shop& shop, AccountId account, AccountEvent event) {
  shop.client.call({ChangeAccount{shop.merchant, account, event}, shop.merchant, shop.key()}, nothing);
}

// Freezes an account, sometimes with two requests.
void freeze(Shop& shop) {
  const AccountId account = shop.any_user();
  change(shop, account, AccountEvent::freeze);
  if (shop.scheduler.random().chance(200)) change(shop, account, AccountEvent::freeze);
  shop.scheduler.after(shop.scheduler.random().spread(seconds(1), hours(1)), [&shop, account] {
    change(shop, account, AccountEvent::unfreeze);
    if (shop.scheduler.random().chance(200)) change(shop, account, AccountEvent::unfreeze);
  });
}

void lock_for(Shop& shop, AccountId account, std::optional<std::string> token) {
  LockAccount lock{shop.merchant,
                   account,
                   "teller 2",
                   shop.scheduler.random().spread(seconds(1), minutes(20)),
                   shop.client.number("nonce"),
                   std::move(token)};
  shop.client.call({lock, shop.merchant, shop.key()}, nothing);
}

// Sends requests for an account that is closed, or whose closing is in progress.
void come_too_late(Shop& shop, AccountId account) {
  Random& random = shop.scheduler.random();
  constexpr AccountEvent events[] = {AccountEvent::freeze, AccountEvent::unfreeze, AccountEvent::close};
  for (const AccountEvent event : events)
    if (random.chance(400)) change(shop, account, event);
  if (random.chance(400)) lock_for(shop, account, std::nullopt);
  if (random.chance(400))
    shop.client.call({make_transfer(shop, account, shop.accounts.front()), shop.merchant, shop.key()}, nothing);
  if (random.chance(400))
    shop.client.call({make_transfer(shop, shop.accounts.front(), account), shop.merchant, shop.key()}, nothing);
}

void close_account(Shop& shop) {
  OpenAccount open{shop.merchant, shop.client.number("user"), "", shop.currency, 0};
  shop.client.call({open, shop.merchant, shop.client.number("key")}, [&shop](const Reply& reply) {
    if (!reply.object || reply.object->type != ObjectType::account) return;
    const AccountId account{reply.object->value};
    const bool frozen = shop.scheduler.random().chance(500);
    if (shop.scheduler.random().chance(300))
      shop.client.call({make_transfer(shop, shop.accounts.front(), account), shop.merchant, shop.key()}, nothing);
    if (frozen) shop.client.call({ChangeAccount{shop.merchant, account, AccountEvent::freeze}, shop.merchant}, nothing);
    shop.scheduler.after(minutes(10), [&shop, account] {
      shop.client.call({ChangeAccount{shop.merchant, account, AccountEvent::close}, shop.merchant}, nothing);
    });
    shop.scheduler.after(minutes(20), [&shop, account] { come_too_late(shop, account); });
  });
}

}  // namespace

void begin_account_work(Shop& shop) {
  constexpr std::pair<int, void (*)(Shop&)> works[] = {
      {400, transfer}, {350, hold}, {120, lock}, {80, freeze}, {50, close_account}};
  std::int64_t drawn = shop.scheduler.random().below(1000);
  for (const auto& [weight, work] : works) {
    if (drawn < weight) return work(shop);
    drawn -= weight;
  }
}

void begin_settings(Shop& shop) {
  Random& random = shop.scheduler.random();
  if (random.chance(200)) {
    shop.client.call({SetFee{shop.merchant, "sandbox", random.between(0, 300), random.between(0, 20), std::nullopt,
                             std::nullopt, random.chance(500)},
                      shop.merchant, shop.key()},
                     nothing);
  } else if (random.chance(100)) {
    shop.client.call(
        {SetBranding{.merchant_id = shop.merchant, .support = std::optional(std::to_string(random.between(1, 5)))},
         shop.merchant, shop.key()},
        nothing);
  } else if (random.chance(250)) {
    shop.client.call({SetPrice{shop.merchant, "cup", random.between(1, 2000), shop.currency, std::nullopt},
                      shop.merchant, shop.key()},
                     nothing);
  } else if (const auto deliveries = shop.reader.deliveries(shop.merchant, {}, {.limit = 20});
             deliveries && !deliveries->rows.empty()) {
    const auto which = random.below(static_cast<std::int64_t>(deliveries->rows.size()));
    shop.client.call({ResendDelivery{shop.merchant, deliveries->rows[static_cast<std::size_t>(which)].id},
                      shop.merchant, shop.key()},
                     nothing);
  }
}

}  // namespace finality::sim
