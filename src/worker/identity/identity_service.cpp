#include "worker/identity/identity_service.h"

#include <algorithm>
#include <set>

#include "base/limits.h"
#include "base/log.h"
#include "decide/exception/open_case.h"
#include "decide/identity/check_identities.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

// Policy::time_scale applies to all pauses.
constexpr Duration kPause = 30s;               // between rounds without work
constexpr Duration kPagePause = 100ms;         // between full pages, so that the check does not use a whole processor
constexpr Duration kSettleTime = 30s;          // younger changes wait, because older ones may not be committed yet
constexpr Duration kClaim = 5min;              // of the check, until another server may claim it
constexpr Duration kDisagreeingPause = 10min;  // between the checks of the orders with a case
constexpr Duration kRetryPause = 1s;           // until an order with findings is read again
constexpr int kReads = 3;                      // of an order with findings, until they are recorded
constexpr int kReadsMax = 10;                  // of an order that changes before its findings are recorded

}  // namespace

IdentityService::IdentityService(IdentityServiceOptions options)
    : options_(std::move(options)),
      commands_(options_.engine, [this](Duration pause) { return thread_.sleep(pause); }, CauseKind::timer) {}

IdentityService::~IdentityService() { stop(); }

void IdentityService::start() {
  thread_.start("identities", [this] { return work(); }, options_.policy.scaled(kPause));
}

void IdentityService::stop() { thread_.stop(); }

Duration IdentityService::lag() const {
  const Time until{checked_until_ms_};
  return until.ms == 0 ? Duration{0} : std::max(Duration{0}, options_.clock.now() - until);
}

bool IdentityService::work() {
  if (!reader_) {
    auto reader = options_.store.open_reader();
    if (!reader) return false;
    reader_ = std::move(*reader);
  }
  const Result<bool> has_more = run_round(options_.clock.now());
  if (has_more) return *has_more && !thread_.sleep(options_.policy.scaled(kPagePause));
  reader_.reset();
  if (!thread_.is_stopping())
    log::warn("cannot check the money identities of changed orders", {{"error", has_more.error().message}});
  return false;
}

Result<bool> IdentityService::run_round(Time now) {
  auto check = read_check();
  if (!check) return std::unexpected(check.error());
  const bool is_held = check->version != 0 && check->version == held_version_;
  const bool is_claimed = !is_held && check->claimed_until > now;
  if (auto done = check_disagreeing(now, is_claimed); !done) return std::unexpected(done.error());
  const EventId before{first_id_at(now - options_.policy.scaled(kSettleTime))};
  // The orders of a store are checked from the first round on; `finality verify` checks the earlier ones.
  if (check->version == 0) {
    const auto begun = advance(*check, before.value - 1);
    if (!begun) return begun;
    note_checked(time_of_id(before.value));
    return false;
  }
  const std::size_t limit = is_claimed ? 1 : limits::kChangedOrdersMax;
  const auto changes = reader_->changed_orders(EventId{check->checked_until}, before, limit);
  if (!changes) return std::unexpected(changes.error());
  note_checked(time_of_id(changes->empty() ? before.value : changes->front().event.value));
  if (changes->empty() || is_claimed) return false;
  if (!is_held) {
    const auto claimed = advance(*check, check->checked_until);
    if (!claimed || !*claimed) return claimed;
  }
  return check_page(std::move(*check), *changes, before);
}

// Returns the row; with version 0 before the first round of any server.
Result<IdentityCheck> IdentityService::read_check() {
  ReadSet reads{.owners = {kPlatform}, .identity_checks = {kIdentityCheck}};
  WorkingSet rows;
  if (auto loaded = reader_->load(reads, rows); !loaded) return std::unexpected(loaded.error());
  const IdentityCheck* found = rows.identity_checks.find(kIdentityCheck);
  return found != nullptr ? *found : IdentityCheck{.id = kIdentityCheck, .version = 0};
}

// Checks the orders of a page, and records that they are checked. Returns whether further changes wait.
Result<bool> IdentityService::check_page(IdentityCheck check, const std::vector<ChangedOrder>& changes,
                                         EventId before) {
  std::set<OrderId> orders;
  for (const ChangedOrder& change : changes) orders.insert(change.order_id);
  if (auto done = check_orders({orders.begin(), orders.end()}); !done) return std::unexpected(done.error());
  const bool is_full = changes.size() == limits::kChangedOrdersMax;
  const std::int64_t until = is_full ? changes.back().event.value : before.value - 1;
  const auto advanced = advance(check, until);
  if (!advanced) return advanced;
  note_checked(time_of_id(until));
  return *advanced && is_full;
}

// Moves the check, and renews its claim. Returns false if another server has claimed it.
Result<bool> IdentityService::advance(IdentityCheck& check, std::int64_t checked_until) {
  const AdvanceIdentityCheck command{.version = check.version,
                                     .checked_until = checked_until,
                                     .claimed_until = options_.clock.now() + options_.policy.scaled(kClaim)};
  const auto reply = commands_.submit(command, kPlatform);
  if (!reply) return std::unexpected(reply.error());
  if (reply->refusal) return false;
  check.version += 1;
  check.checked_until = checked_until;
  held_version_ = check.version;
  return true;
}

// Counts the orders with a case, and checks them again: they may agree since operators repaired the store.
Result<void> IdentityService::check_disagreeing(Time now, bool is_claimed) {
  if (now < disagreeing_due_) return {};
  disagreeing_due_ = now + options_.policy.scaled(kDisagreeingPause);
  const auto orders = reader_->disagreeing_orders(limits::kDisagreeingOrdersMax);
  if (!orders) return std::unexpected(orders.error());
  counters_.disagreeing = orders->size();
  return is_claimed ? Result<void>{} : check_orders(*orders);
}

// Reads all orders with findings again after a pause, in other snapshots: an order that changes between the reads of
// its rows and its entries has findings that do not persist.
Result<void> IdentityService::check_orders(const std::vector<OrderId>& orders) {
  std::vector<OrderId> suspects = orders;
  for (int read = 1; !suspects.empty(); ++read) {
    if (read > kReadsMax) return fail("an order changes whenever its findings are recorded");
    if (read > 1 && thread_.sleep(options_.policy.scaled(kRetryPause))) return fail(std::string(kServerStops));
    std::vector<OrderId> again;
    for (const OrderId id : suspects) {
      if (thread_.is_stopping()) return fail(std::string(kServerStops));
      const auto is_done = check_order(id, read >= kReads);
      if (!is_done) return std::unexpected(is_done.error());
      if (!*is_done) again.push_back(id);
    }
    suspects = std::move(again);
  }
  counters_.orders += orders.size();
  return {};
}

// Returns the order without a value if it is archived.
Result<IdentityService::ReadOrder> IdentityService::read_order(OrderId id) {
  ReadOrder read;
  auto aggregate = reader_->order(id);
  if (!aggregate) return std::unexpected(aggregate.error());
  read.aggregate = std::move(*aggregate);
  if (!read.aggregate) return read;
  auto entries = reader_->order_entries(read.aggregate->order);
  if (!entries) return std::unexpected(entries.error());
  read.entries = std::move(*entries);
  return read;
}

// Opens a new reader. Returns whether it reads the store.
bool IdentityService::is_store_readable() {
  reader_.reset();
  auto reader = options_.store.open_reader();
  if (!reader) return false;
  reader_ = std::move(*reader);
  return read_check().has_value();
}

// Returns whether the order needs no further read: it agrees, is archived, cannot be read, or its findings persist and
// have a case. An order cannot be read if two reads fail although the store can be read after each of them. It stops
// neither the round nor the check of later orders.
Result<bool> IdentityService::check_order(OrderId id, bool is_last) {
  auto read = read_order(id);
  if (!read && is_store_readable()) read = read_order(id);
  if (!read) {
    if (!reader_ || !is_store_readable()) return std::unexpected(read.error());
    ++counters_.violations;
    log::error("an order cannot be read and is not checked", {{"order", to_text(id)}, {"error", read.error().message}});
    return true;
  }
  const auto& [aggregate, entries] = *read;
  if (!aggregate) return true;
  std::vector<std::string> findings = check_identities(*aggregate, entries);
  const Order& order = aggregate->order;
  const bool has_case = find_open_case(aggregate->cases, CaseKind::identity, order.id) != nullptr;
  if (has_case != findings.empty()) return true;
  if (!findings.empty() && !is_last) return false;
  return record(order, std::move(findings));
}

// Opens or settles the case of the order. Returns false if the order has changed since it was read.
Result<bool> IdentityService::record(const Order& order, std::vector<std::string> findings) {
  const std::string first = findings.empty() ? std::string() : findings.front();
  const RecordIdentity command{.merchant_id = order.merchant_id,
                               .order_id = order.id,
                               .order_version = order.version,
                               .findings = std::move(findings)};
  const auto reply = commands_.submit(command, order.merchant_id);
  if (!reply) return std::unexpected(reply.error());
  if (reply->refusal) return reply->refusal->code == RefusalCode::not_found;
  disagreeing_due_ = Time{};  // the next round counts them again
  if (first.empty()) return true;
  ++counters_.violations;
  log::error("an order violates a money identity", {{"order", to_text(order.id)}, {"finding", first}});
  return true;
}

}  // namespace finality
