// Checks locks and freezes: the holder of an old lock token writes nothing, and nothing leaves a frozen account.
#include <algorithm>

#include "history/reading.h"

namespace finality::history {
namespace {

/// The account that a request debits or holds money on; empty for other requests.
std::string_view account_debited(const Asked& asked) {
  if (asked.posts({"transfers"})) return text(asked.body(), "debit_account");
  return asked.posts({"holds"}) ? text(asked.body(), "account") : std::string_view();
}

bool is_new(const Asked& asked) { return asked.outcome == OperationOutcome::done && asked.operation->status == 201; }

/// Time of the first request per account and verb (lock, freeze, close).
using FirstAsked = std::map<std::pair<std::string_view, std::string_view>, std::int64_t>;

FirstAsked first_asked_of(const Reading& reading) {
  FirstAsked first;
  for (const Asked& asked : reading.asked) {
    if (!asked.posts({"accounts", "*", "*"}) || !asked.may_have_acted()) continue;
    const auto [at, is_new] = first.try_emplace({asked.path[1], asked.path[2]}, asked.operation->call);
    if (!is_new) at->second = std::min(at->second, asked.operation->call);
  }
  return first;
}

// Granting the lock to another owner invalidates all earlier tokens.
void check_token(const std::vector<const Asked*>& locks, const Asked& spent, std::string_view account,
                 Findings& findings) {
  const std::string_view token = text(spent.body(), "lock_token");
  std::int64_t given = 0;  // when the token was last granted
  for (const Asked* lock : locks)
    if (lock->path[1] == account && text(lock->answer(), "token") == token) given = std::max(given, lock->window.until);
  for (const Asked* lock : locks) {
    const bool is_others = lock->path[1] == account && text(lock->answer(), "token") != token;
    if (given != 0 && is_others && given < lock->window.from && lock->window.until < spent.window.from)
      findings.add(account, "a stale lock token is rejected", {lock->place, spent.place},
                   "the lock was granted to another owner before token {} was used", token);
  }
}

void check_frozen(const Reading& reading, const Object& account, std::string_view id, const Asked& spent,
                  Findings& findings) {
  for (const Observation& seen : account.observations) {
    if (seen.state() != "frozen" || seen.window().until >= spent.window.from) continue;
    const bool may_be_free = std::ranges::any_of(reading.asked, [&](const Asked& one) {
      return one.posts({"accounts", "*", "unfreeze"}) && one.path[1] == id && one.may_have_acted() &&
             one.window.until > seen.window().from && one.operation->call < spent.window.until;
    });
    if (!may_be_free)
      findings.add(id, "a frozen account is not debited", {seen.asked->place, spent.place},
                   "the account was frozen and debited, and no request could have unfrozen it");
  }
}

void check_refusal(const FirstAsked& first, const Asked& asked, Findings& findings) {
  const std::string_view account = account_debited(asked);
  const std::string_view credited = text(asked.body(), "credit_account");
  const auto was_asked = [&](std::string_view which, std::string_view verb) {
    const auto at = first.find({which, verb});
    return at != first.end() && at->second < asked.window.until;
  };
  const auto require = [&](std::string_view code, bool has_reason) {
    if (asked.code == code && !has_reason)
      findings.add(account, "a refusal has a reason", {asked.place}, "{}, but no request could have caused it", code);
  };
  require("account_frozen", was_asked(account, "freeze"));
  require("account_closed", was_asked(account, "close") || was_asked(credited, "close"));
  if (!asked.body().contains("lock_token")) require("account_locked", was_asked(account, "lock"));
}

}  // namespace

void check_guards(const Reading& reading, Findings& findings) {
  const FirstAsked first = first_asked_of(reading);
  std::vector<const Asked*> locks;
  for (const Asked& asked : reading.asked)
    if (asked.posts({"accounts", "*", "lock"}) && asked.outcome == OperationOutcome::done) locks.push_back(&asked);
  for (const Asked& asked : reading.asked) {
    const std::string_view account = account_debited(asked);
    if (account.empty()) continue;
    if (asked.outcome == OperationOutcome::refused) check_refusal(first, asked, findings);
    if (!is_new(asked)) continue;
    if (asked.body().contains("lock_token")) check_token(locks, asked, account, findings);
    if (const auto at = reading.objects.find(account); at != reading.objects.end())
      check_frozen(reading, at->second, account, asked, findings);
  }
}

}  // namespace finality::history
