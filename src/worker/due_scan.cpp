#include "worker/due_scan.h"

#include <algorithm>
#include <utility>

#include "worker/due_planner.h"

namespace finality {

// Guarantee: if a server fails after it has sent a request to a channel, another server queries the result within 10 s.
static_assert(limits::kChannelTimeout + limits::kEffectMargin + limits::kDueScanEvery <= std::chrono::seconds(10));

namespace {

// Returns the key of the slot that the effect of the row's claim will occupy. Returns empty if the claim has no effect.
std::optional<SlotKey> slot_key_of(const DueRow& due) {
  switch (due.row.type) {
    case ObjectType::order:
    case ObjectType::hold:
      return {};
    case ObjectType::delivery:
      return SlotKey{EffectKind::delivery, {}, due.merchant_id};
    default:
      return SlotKey{EffectKind::channel_call, due.channel_account_id, due.merchant_id};
  }
}

}  // namespace

DueScan::DueScan(Engine& engine, Store& store, std::unique_ptr<Reader> reader, const Clock& clock,
                 std::set<ChannelAccountId> served, std::shared_ptr<InFlightEffects> in_flight,
                 std::shared_ptr<WorkerCounters> counters)
    : engine_(engine),
      store_(store),
      reader_(std::move(reader)),
      clock_(clock),
      served_(std::move(served)),
      in_flight_(std::move(in_flight)),
      counters_(std::move(counters)) {}

bool DueScan::scan() {
  ++counters_->scans;
  {
    const std::scoped_lock lock(claims_->mutex);
    claims_->engine_busy = false;
    claims_->progress = false;
  }
  for (std::size_t read = 0; read < limits::kDuePagesPerScan; ++read) {
    const Pages pages = submit_page();
    const auto is_full = [&](bool submitted) {
      return std::ranges::any_of(
          pages, [&](const auto& entry) { return entry.second.full() && (entry.second.submitted > 0) == submitted; });
    };
    if (is_full(true)) return true;
    if (!is_full(false)) return false;
  }
  return false;
}

DueScan::Pages DueScan::submit_page() {
  const Result<std::vector<DueRow>> rows = read_due();
  if (!rows) {
    ++counters_->scans_failed;
    return {};
  }
  Pages pages;
  for (const DueRow& due : *rows) {
    if (engine_busy()) return {};
    Page& page = pages[due.row.type];
    ++page.rows;
    page.last = place_of(due);
    const std::optional<SlotKey> key = slot_key_of(due);
    if (is_reserved_for_others(due) || (key && !has_room_for(*key))) continue;
    submit(due, key);
    ++page.submitted;
  }
  look_past(pages);
  return pages;
}

// Starts the next page after these rows. Otherwise skipped rows of a slow channel account or merchant would fill every
// page, and later rows of other accounts and merchants would never be read.
void DueScan::look_past(const Pages& pages) {
  behind_.clear();
  for (const auto& [type, page] : pages)
    if (page.full() && page.submitted < page.rows) behind_[type] = page.last;
}

Result<std::vector<DueRow>> DueScan::read_due() {
  if (!reader_) {
    Result<std::unique_ptr<Reader>> opened = store_.open_reader();
    if (!opened) return std::unexpected(opened.error());
    reader_ = std::move(*opened);
  }
  Result<std::vector<DueRow>> rows = reader_->due(clock_.now(), limits::kDueRowsPerScan, behind_);
  if (!rows) reader_.reset();
  return rows;
}

// Returns whether the row is left to servers that have its channel account. Configurations of servers can differ, for
// example during a rolling restart. After limits::kOtherNodesFirst this server claims the row anyway: the timeline then
// shows that the request cannot be sent, and eventually an exception case is opened.
bool DueScan::is_reserved_for_others(const DueRow& due) const {
  return due.channel_account_id.value != 0 && !served_.contains(due.channel_account_id) &&
         clock_.now() - due.due_at < limits::kOtherNodesFirst;
}

// Returns whether another effect with this key can start or wait. If not, the row is not claimed: a claim postpones
// `due_at`, and the effect would be dropped, so the row would only lose time.
bool DueScan::has_room_for(const SlotKey& key) {
  const std::size_t room = in_flight_->room_for_claims(key);
  {
    const std::scoped_lock lock(claims_->mutex);
    const auto queued = claims_->slots.find(key);
    if ((queued == claims_->slots.end() ? 0 : queued->second) < room) return true;
  }
  ++counters_->claims_postponed;
  return false;
}

void DueScan::submit(const DueRow& due, const std::optional<SlotKey>& key) {
  {
    const std::scoped_lock lock(claims_->mutex);
    if (!claims_->queued.insert(due.row).second) return;
    if (key) ++claims_->slots[*key];
  }
  ++counters_->claims;
  Request request = plan_claim(due);
  request.reply = [claims = claims_, counters = counters_, row = due.row, key](const Reply& reply) {
    if (reply.refusal) ++counters->claims_refused;
    const std::scoped_lock lock(claims->mutex);
    claims->queued.erase(row);
    if (key && --claims->slots[*key] == 0) claims->slots.erase(*key);
    if (!reply.refusal) claims->progress = true;
    if (reply.refusal && reply.refusal->code == RefusalCode::busy) claims->engine_busy = true;
    claims->decided.notify_all();
  };
  engine_.submit(std::move(request));
}

bool DueScan::engine_busy() {
  const std::scoped_lock lock(claims_->mutex);
  return claims_->engine_busy;
}

bool DueScan::rest(Duration at_most, bool more, const std::stop_token& stop) {
  std::unique_lock lock(claims_->mutex);
  return claims_->decided.wait_for(lock, stop, at_most,
                                   [&] { return more && claims_->queued.empty() && claims_->progress; });
}

}  // namespace finality
