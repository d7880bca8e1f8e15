// Checks account locks and freezes: a request with a stale lock token changes nothing, and a frozen account is not
// debited. Checks that a refusal for a locked, frozen or closed account has a cause.
#include <algorithm>

#include "history/reading.h"

namespace finality::history {
namespace {

/// Returns the account that a transfer debits or on which a hold reserves money; empty for other requests.
std::string_view account_debited(const Request& request) {
  if (request.posts({"transfers"})) return text(request.body(), "debit_account");
  return request.posts({"holds"}) ? text(request.body(), "account") : std::string_view();
}

bool is_new(const Request& request) {
  return request.outcome == OperationOutcome::done && request.operation->status == 201;
}

/// Time of the first request by account and action (`lock`, `freeze`, `close`, …).
using FirstRequests = std::map<std::pair<std::string_view, std::string_view>, std::int64_t>;

FirstRequests first_requests_of(const Reading& reading) {
  FirstRequests first;
  for (const Request& request : reading.requests) {
    if (!request.posts({"accounts", "*", "*"}) || !request.may_have_acted()) continue;
    const auto [at, is_new] = first.try_emplace({request.path[1], request.path[2]}, request.operation->call);
    if (!is_new) at->second = std::min(at->second, request.operation->call);
  }
  return first;
}

// Checks that the lock token of `spent` was not stale. If the lock is granted to another owner, all earlier tokens
// become stale.
void check_token(const std::vector<const Request*>& locks, const Request& spent, std::string_view account,
                 Findings& findings) {
  const std::string_view token = text(spent.body(), "lock_token");
  std::int64_t granted_at = 0;  // latest time at which a response granted the token; 0: no such response
  for (const Request* lock : locks)
    if (lock->path[1] == account && text(lock->answer(), "token") == token)
      granted_at = std::max(granted_at, lock->window.until);
  for (const Request* lock : locks) {
    const bool is_other_token = lock->path[1] == account && text(lock->answer(), "token") != token;
    if (granted_at != 0 && is_other_token && granted_at < lock->window.from && lock->window.until < spent.window.from)
      findings.add(account, "a stale lock token is rejected", {lock->place, spent.place},
                   "the lock was granted to another owner before token {} was used", token);
  }
}

void check_frozen(const Reading& reading, const Object& account, std::string_view id, const Request& spent,
                  Findings& findings) {
  for (const Observation& observation : account.observations) {
    if (observation.state() != "frozen" || observation.window().until >= spent.window.from) continue;
    const bool may_be_free = std::ranges::any_of(reading.requests, [&](const Request& other) {
      return other.posts({"accounts", "*", "unfreeze"}) && other.path[1] == id && other.may_have_acted() &&
             other.window.until > observation.window().from && other.operation->call < spent.window.until;
    });
    if (!may_be_free)
      findings.add(id, "a frozen account is not debited", {observation.request->place, spent.place},
                   "the account was frozen and debited, and no request could have unfrozen it");
  }
}

void check_refusal(const FirstRequests& first, const Request& request, Findings& findings) {
  const std::string_view account = account_debited(request);
  const std::string_view credited = text(request.body(), "credit_account");
  const auto was_requested = [&](std::string_view which, std::string_view verb) {
    const auto at = first.find({which, verb});
    return at != first.end() && at->second < request.window.until;
  };
  const auto require = [&](std::string_view code, bool has_reason) {
    if (request.code == code && !has_reason)
      findings.add(account, "a refusal has a reason", {request.place}, "{}, but no request could have caused it", code);
  };
  require("account_frozen", was_requested(account, "freeze"));
  require("account_closed", was_requested(account, "close") || was_requested(credited, "close"));
  if (!request.body().contains("lock_token")) require("account_locked", was_requested(account, "lock"));
}

}  // namespace

void check_guards(const Reading& reading, Findings& findings) {
  const FirstRequests first = first_requests_of(reading);
  std::vector<const Request*> locks;
  for (const Request& request : reading.requests)
    if (request.posts({"accounts", "*", "lock"}) && request.outcome == OperationOutcome::done)
      locks.push_back(&request);
  for (const Request& request : reading.requests) {
    const std::string_view account = account_debited(request);
    if (account.empty()) continue;
    if (request.outcome == OperationOutcome::refused) check_refusal(first, request, findings);
    if (!is_new(request)) continue;
    if (request.body().contains("lock_token")) check_token(locks, request, account, findings);
    if (const auto at = reading.objects.find(account); at != reading.objects.end())
      check_frozen(reading, at->second, account, request, findings);
  }
}

}  // namespace finality::history
