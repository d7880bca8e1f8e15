#include "worker/due_scan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "worker/due_planner.h"

namespace finality {

// What a dead node had asked of a channel another one asks again within 10 s.
static_assert(limits::kChannelTimeout + limits::kEffectMargin + limits::kDueScanEvery <= std::chrono::seconds(10));

DueScan::DueScan(Engine& engine, Store& store, std::unique_ptr<Reader> reader, const Clock& clock,
                 std::shared_ptr<UnderWay> under_way, std::shared_ptr<WorkerCounters> counters)
    : engine_(engine),
      store_(store),
      reader_(std::move(reader)),
      clock_(clock),
      under_way_(std::move(under_way)),
      counters_(std::move(counters)) {}

bool DueScan::scan() {
  ++counters_->scans;
  {
    const std::scoped_lock lock(claims_->mutex);
    claims_->engine_busy = false;
    claims_->progress = false;
  }
  const Result<std::vector<DueRow>> rows = read_due();
  if (!rows) {
    ++counters_->scans_failed;
    return false;
  }
  std::map<ObjectType, Page> pages;
  for (const DueRow& due : *rows) {
    if (engine_busy()) return false;
    Page& page = pages[due.row.type];
    if (++page.rows == 1) page.first = due.due_at;
    page.last = due.due_at;
    if (!has_room_for(due)) continue;
    submit(due);
    ++page.submitted;
  }
  look_past(pages[ObjectType::delivery]);
  return std::ranges::any_of(pages,
                             [](const auto& entry) { return entry.second.full() && entry.second.submitted > 0; });
}

// Deliveries that have to wait for their merchant's others are looked past, until all have been looked at.
void DueScan::look_past(const Page& page) {
  const bool some_wait = page.submitted < page.rows;
  deliveries_from_ = page.full() && some_wait ? std::max(page.last, page.first + Duration{1}) : Time{};
}

Result<std::vector<DueRow>> DueScan::read_due() {
  if (!reader_) {
    Result<std::unique_ptr<Reader>> opened = store_.open_reader();
    if (!opened) return std::unexpected(opened.error());
    reader_ = std::move(*opened);
  }
  Result<std::vector<DueRow>> rows = reader_->due(clock_.now(), limits::kDueRowsPerScan, deliveries_from_);
  if (!rows) reader_.reset();
  return rows;
}

// A claim moves its row on, so one whose effect is then dropped would wait for nothing: better to leave it due.
bool DueScan::has_room_for(const DueRow& due) {
  if (due.row.type == ObjectType::order || due.row.type == ObjectType::hold) return true;  // no effect to perform
  const bool delivery = due.row.type == ObjectType::delivery;
  const EffectKind kind = delivery ? EffectKind::delivery : EffectKind::channel_call;
  const std::size_t room = under_way_->room_for_claims(kind, due.merchant_id);
  std::size_t queued = 0;
  {
    const std::scoped_lock lock(claims_->mutex);
    queued = claims_->queued.size();
  }
  if (queued < room) return true;
  ++counters_->claims_postponed;
  return false;
}

void DueScan::submit(const DueRow& due) {
  {
    const std::scoped_lock lock(claims_->mutex);
    if (!claims_->queued.insert(due.row).second) return;
  }
  ++counters_->claims;
  Request request = plan_claim(due);
  request.reply = [claims = claims_, counters = counters_, row = due.row](const Reply& reply) {
    if (reply.refusal) ++counters->claims_refused;
    const std::scoped_lock lock(claims->mutex);
    claims->queued.erase(row);
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
