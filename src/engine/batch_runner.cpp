#include "engine/batch_runner.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "decide/channel/outstanding.h"
#include "decide/decide.h"
#include "decide/invariants.h"
#include "engine/render_texts.h"

namespace finality {
namespace {

// A held reply expires 250 ms later than its caller's timer (limits::kAnswerWait), so that the caller replies before
// the lane drops the held reply.
constexpr Duration kHeldMax = limits::kAnswerWait + std::chrono::milliseconds(250);

// Whether a reply that is held until `until` may still be awaited. If the time left exceeds the whole wait and the lead
// of another node's clock, the clock was set back since, so the wait may be over.
bool is_awaited(Time until, Time now) { return until > now && until - now <= kHeldMax + limits::kClockLeadMax; }

// True while the channel's result of `object` is outstanding, and for an object of another type or one that does not
// exist. `home`: the root of its aggregate.
template <class... Rows>
bool is_any_outstanding(const WorkingSet& rows, ObjectRef home, ObjectRef object) {
  const auto is_done = [&]<class Row>(std::type_identity<Row>) {
    if (object.type != decltype(Row::id)::type) return false;
    const Row* row = find_child<Row>(rows, home, {object.value});
    return row != nullptr && !awaits_result(*row);
  };
  return !(is_done(std::type_identity<Rows>{}) || ...);
}

bool is_awaiting_channel(const WorkingSet& rows, ObjectRef home, ObjectRef object) {
  return is_any_outstanding<Payment, Authorization, Capture, Refund>(rows, home, object);
}

// The request of an effect, for whose result a reply can wait; empty for a delivery.
template <class Call>
std::optional<UnsentCall> awaited_by(const Call& call) {
  return UnsentCall{row_of(call), name_of(call.kind)};
}
std::optional<UnsentCall> awaited_by(const DeliveryAttempt&) { return std::nullopt; }

// Whether the command reports that an order violates an invariant, and so does not restore it.
bool reports_violation(const Command& command) {
  return std::holds_alternative<ParkOrder>(command) || std::holds_alternative<RecordIdentity>(command);
}

}  // namespace

BatchRunner::BatchRunner(std::unique_ptr<Session> session, const EngineOptions& options, EngineCounts& counts,
                         Announce announce, Pause pause)
    : session_(std::move(session)),
      options_(options),
      counts_(counts),
      announce_(std::move(announce)),
      pause_(std::move(pause)),
      ids_(session_->node(), session_->ids_not_before()),
      expiry_(*options.policy, counts) {
  renew_lease();
}

std::vector<BatchRunner::Decided> BatchRunner::as_batch(std::vector<Request> requests) {
  std::vector<Decided> batch;
  batch.reserve(requests.size());
  for (Request& request : requests) batch.push_back({.request = std::move(request)});
  counts_.commands += batch.size();
  return batch;
}

std::vector<Request> BatchRunner::run(std::vector<Request> requests) {
  std::vector<Decided> batch = as_batch(std::move(requests));
  std::vector<Request> first;
  if (failed_parts_.any(options_.clock->now())) {
    run_by_parts(std::move(batch), Split::failed, {}, first);
  } else if (const auto failure = attempt(batch, first)) {
    if (failure->scope == BatchFailure::Scope::part)
      run_by_parts(std::move(batch), Split::all, failure->message, first);
    else
      refuse_all(batch, *failure);
  }
  return first;
}

// Decides and commits one batch. Returns why it was not committed; its requests are then not answered.
std::optional<BatchRunner::BatchFailure> BatchRunner::attempt(std::vector<Decided>& batch,
                                                              std::vector<Request>& first) {
  using Scope = BatchFailure::Scope;
  counts_.batches += 1;
  const auto failed = [this](RefusalCode code, std::string detail, std::string message) {
    const Scope scope = session_->has_failed_in_part() ? Scope::part : Scope::store;
    return BatchFailure{scope, code, std::move(detail), std::move(message)};
  };
  for (int tries = 0; tries < limits::kConflictTriesMax; ++tries) {
    rows_.clear();
    if (const auto loaded = load(batch); !loaded) {
      log::error("batch load failed", {{"error", loaded.error().message}});
      return failed(RefusalCode::storage_read_error, "The store could not be read. Nothing was changed.",
                    loaded.error().message);
    }
    take_time();
    decide_all(batch);
    std::string message;
    const CommitOutcome outcome = commit(message);
    if (outcome == CommitOutcome::ok) {
      std::ranges::move(finish(batch), std::back_inserter(first));
      return std::nullopt;
    }
    FINALITY_CHECK(outcome != CommitOutcome::lost, "the outcome of the commit is unknown until a restart: " + message);
    if (outcome == CommitOutcome::failed && !fault()) log::error("commit failed", {{"error", message}});
    if (outcome == CommitOutcome::failed || (outcome == CommitOutcome::fenced && !lease_again(message)))
      return failed(RefusalCode::storage_write_error, "The store could not be written. Nothing was changed.", message);
    counts_.conflicts += 1;
    pause_(tries);
  }
  return BatchFailure{Scope::commands,
                      RefusalCode::busy,
                      "Concurrent requests keep changing the same objects. Nothing was changed. Retry the request.",
                      {}};
}

// Called when another process has leased this lane's node number after the lease expired. The store rejects writes
// under the old node number, so the lane leases another node number. Returns false if that fails.
bool BatchRunner::lease_again(const std::string& why) {
  log::warn("node lease lost, acquiring another", {{"node", session_->node()}, {"reason", why}});
  if (const auto leased = session_->lease(); !leased) {
    log::error("node lease not acquired", {{"error", leased.error().message}});
    return false;
  }
  ids_ = IdGenerator(session_->node(), session_->ids_not_before());
  lease_uses_ += 1;
  return true;
}

// Renews the lease of an idle lane. Commits renew the lease of a busy lane.
void BatchRunner::renew_lease() {
  lease_uses_ += 1;
  const CommitResult renewed = session_->renew();
  FINALITY_CHECK(renewed.outcome != CommitOutcome::lost, "the outcome of a write is unknown until a restart");
  note_write(renewed);
  if (renewed.outcome == CommitOutcome::fenced) lease_again(renewed.message);
}

void BatchRunner::expire_some() {
  const Time now = options_.clock->now();
  if (!expiry_.is_due(now) || failed_parts_.any(now)) return;  // a step reads all parts
  const CommitOutcome outcome = expiry_.step(*session_, now);
  FINALITY_CHECK(outcome != CommitOutcome::lost, "the outcome of the deletion is unknown until a restart");
  if (outcome == CommitOutcome::fenced) lease_again("the deletion was rejected");
}

// Sets the time of the batch and advances the ids. Only ids never decrease: the time follows a clock that is set back,
// so that due times and expiries are right at once (docs/adr/0051-time-and-ids.md). Must run after load(), so that ids
// are greater than those of the lane or server that committed the loaded rows before. Ids also exceed those of loaded
// objects of the same node number: after the lease is lost, another process assigns ids of this number until a commit
// here is rejected.
void BatchRunner::take_time() {
  now_ = options_.clock->now();
  ids_.advance(now_);
  for_each_map(rows_, [this]<class Map>(const Map& map) {
    if constexpr (requires(typename MapTraits<Map>::Key key) { key.value; })
      map.each([this](const auto& key, const auto& base, const auto&) {
        if (base && node_of_id(key.value) == session_->node()) ids_.exceed(key.value);
      });
  });
  rows_.accounts.each([this](const AccountId&, const auto& base, const auto&) {
    if (base && base->last_entry_id) ids_.exceed(base->last_entry_id->value);  // an account's entry ids must ascend
  });
}

Result<void> BatchRunner::load(const std::vector<Decided>& batch) {
  ReadSet reads;
  for (const Decided& item : batch) {
    add_reads(item.request.command, reads);
    if (std::ranges::find(reads.owners, item.request.merchant_id) == reads.owners.end())
      reads.owners.push_back(item.request.merchant_id);
    if (item.request.idempotency) reads.idempotency_records.push_back(item.request.idempotency->key_hash);
  }
  return session_->load(reads, rows_);
}

CommitOutcome BatchRunner::commit(std::string& message) {
  if (!rows_.changed() && !rows_.any_recalled()) {
    session_->discard();
    return CommitOutcome::ok;
  }
  CommitResult result = session_->commit(rows_, ids_);
  if (result.outcome == CommitOutcome::ok) lease_uses_ += 1;
  note_write(result);
  message = std::move(result.message);
  return result.outcome;
}

// Logs a fault of the store when it begins and when it ends, not for each refused batch.
void BatchRunner::note_write(const CommitResult& result) {
  const std::optional<StoreFault> before = fault_;
  if (result.outcome == CommitOutcome::ok && before) {
    fault_ = std::nullopt;
    log::info("the store accepts writes again");
  } else if (result.fault && result.fault != before) {
    fault_ = result.fault;
    log::error("the store accepts no writes", {{"reason", name_of(*result.fault)}, {"error", result.message}});
  }
}

void BatchRunner::decide_all(std::vector<Decided>& batch) {
  batch_keys_.clear();
  for (Decided& item : batch) {
    item.replay.clear();
    item.effects.clear();
    item.awaited.reset();
    item.evidence_for.reset();
    item.finding.clear();
    item.broken_order.reset();
    decide_item(item);
  }
}

void BatchRunner::decide_item(Decided& item) {
  const Request& request = item.request;
  if (request.idempotency && answer_from_record(item)) return;
  if (request.refuse_with) {
    item.reply = refused(*request.refuse_with, request);
    return;
  }
  carry_out(item);
  if (request.idempotency) keep_answer(item);
}

// Answers a repeated request (docs/adr/0012-idempotency-records.md). Returns false if the key is new.
bool BatchRunner::answer_from_record(Decided& item) {
  const Request& request = item.request;
  const IdempotencyRecord* answer = rows_.idempotency_records.find(request.idempotency->key_hash);
  if (answer == nullptr || answer->created_at + options_.policy->idempotency_retention <= now_) return false;
  if (!request.idempotency->matches(answer->fingerprint)) {
    item.reply =
        refused({RefusalCode::idempotency_key_reused,
                 "This Idempotency-Key was used with a different query or body. Use a new key for a new request.",
                 "Idempotency-Key",
                 {}},
                request);
  } else if (!request.may_replay) {
    item.reply = refused(*request.refuse_with, request);
  } else if (!answer->body.empty()) {
    item.reply = {.status = static_cast<int>(answer->status), .body = answer->body, .replayed = true};
  } else if (is_reply_held(*answer)) {
    item.reply = refused(key_in_use(), request);
  } else {
    item.reply = {.status = static_cast<int>(answer->status),
                  .replayed = true,
                  .show_object = true,
                  .refuse_outstanding = is_reply_pending_elsewhere(*answer)};
  }
  if (!item.reply.refusal && answer->object_id != 0)
    item.reply.object = ObjectRef(answer->object_type, answer->object_id);
  return true;
}

// True while this node holds the reply of the first request.
bool BatchRunner::is_reply_held(const IdempotencyRecord& answer) const {
  if (!answer.reply_until || !is_awaited(*answer.reply_until, now_)) return false;
  return held_keys_.contains(answer.key_hash) || batch_keys_.contains(answer.key_hash);
}

// True while another node may hold the reply of the first request: until the stored deadline. It sends the reply as
// soon as the channel's result is known.
bool BatchRunner::is_reply_pending_elsewhere(const IdempotencyRecord& answer) const {
  return answer.reply_until && is_awaited(*answer.reply_until, now_) && node_of_id(answer.id.value) != session_->node();
}

void BatchRunner::carry_out(Decided& item) {
  const Request& request = item.request;
  std::vector<std::string> findings;
  Context context{rows_, ids_, *options_.policy, now_, request.cause, item.effects, findings, options_.cell_watch};
  const Decision decision = decide(request.command, context);
  if (findings.empty() && !reports_violation(request.command)) findings = broken_invariants(rows_);

  if (!findings.empty()) return undo(item, std::move(findings.front()));
  if (!decision) {
    item.effects.clear();
    if (decision.error().kept) {
      render_texts(*options_.renderer, context);
      rows_.accept();
    }
    item.reply = refused(decision.error(), request);
    return;
  }
  if (records_evidence(request.command)) item.evidence_for = decision->object;
  render_texts(*options_.renderer, context);
  item.home = decision->home;
  item.reply = {.status = decision->created ? 201 : 200, .object = decision->object};
  if (request.await_answer) find_awaited(item);
  if (request.show && !will_be_held(item)) {  // the body of a held reply is rendered on release
    RenderedReply rendered = options_.renderer->reply(rows_, *decision, request.merchant_id, options());
    item.reply.body = std::move(rendered.body);
    item.replay = std::move(rendered.replay);
  }
  for (Effect& effect : item.effects)
    std::visit([&](auto& what) { what.traceparent = request.cause.traceparent; }, effect);
  rows_.accept();
}

// Rolls back a decision that violated an invariant, and refuses its request. finish() queues the command that parks the
// order.
void BatchRunner::undo(Decided& item, std::string finding) {
  rows_.orders.each_in_scope([&](const auto&, const auto& after) {
    if (after) item.broken_order = after->order.id;
  });
  item.finding = std::move(finding);
  item.effects.clear();
  rows_.roll_back();
  item.reply = refused(
      {RefusalCode::illegal_transition,
       item.broken_order
           ? "The request would violate an invariant of the ledger. Nothing was changed. An exception case was opened."
           : "The request would violate an invariant of the ledger. Nothing was changed. See the server log.",
       {},
       {}},
      item.request);
}

void BatchRunner::find_awaited(Decided& item) {
  for (const Effect& effect : item.effects)
    if (const auto call = std::visit([](const auto& what) { return awaited_by(what); }, effect)) item.awaited = call;
}

// True if finish() will certainly hold the reply: the limit of held replies has room for a whole batch.
bool BatchRunner::will_be_held(const Decided& item) const {
  return item.awaited && item.request.reply && held_count_ + limits::kBatchCommandsMax <= limits::kAwaitedAnswersMax;
}

void BatchRunner::keep_answer(Decided& item) {
  if (item.reply.refusal && !info_of(item.reply.refusal->code).stored) return;
  const Request& request = item.request;
  IdempotencyRecord answer;
  answer.id = IdempotencyRecordId{ids_.next()};
  answer.merchant_id = request.merchant_id;
  answer.key_hash = request.idempotency->key_hash;
  answer.fingerprint = request.idempotency->fingerprint;
  answer.status = item.reply.status;
  answer.created_at = now_;
  if (item.reply.object) {
    answer.object_type = item.reply.object->type;
    answer.object_id = item.reply.object->value;
  }
  if (item.awaited) {
    answer.reply_until = now_ + kHeldMax;
    batch_keys_.insert(answer.key_hash);
  } else {
    answer.body = item.replay.empty() ? item.reply.body : std::move(item.replay);
  }
  const Hash16 key = answer.key_hash;
  if (rows_.idempotency_records.find(key) != nullptr)
    rows_.idempotency_records.change(key) = std::move(answer);  // the previous record has expired
  else
    rows_.idempotency_records.insert(key, std::move(answer));
  rows_.accept();
}

std::vector<Request> BatchRunner::finish(std::vector<Decided>& batch) {
  std::vector<Request> first;
  for (Decided& item : batch) {
    std::ranges::move(item.effects, std::back_inserter(work_.effects));
    if (item.finding.empty()) continue;
    counts_.parked += 1;  // counted after the commit: a conflicting batch is decided again
    const log::RequestScope scope(item.request.request_id);
    if (!item.broken_order) {
      log::error("decision rolled back: an invariant is violated", {{"finding", item.finding}});
      continue;
    }
    log::error("order parked: an invariant is violated",
               {{"order", to_text(*item.broken_order)}, {"finding", item.finding}});
    const MerchantId merchant = item.request.merchant_id;
    first.push_back({.command = ParkOrder{merchant, *item.broken_order, item.finding}, .merchant_id = merchant});
  }
  raise_alerts();
  for (Decided& item : batch) {
    if (item.evidence_for) release_held(*item.evidence_for, item.home);
    if (!item.request.reply) continue;
    if (item.awaited && held_count_ < limits::kAwaitedAnswersMax) {
      if (item.request.committed)
        work_.held.push_back({std::move(item.request.committed), *item.reply.object, item.reply.status});
      if (item.request.idempotency) held_keys_.insert(item.request.idempotency->key_hash);
      held_[item.awaited->row].push_back(
          {std::move(item.request), std::move(item.reply), item.home, now_ + kHeldMax, item.awaited->call});
      ++held_count_;
    } else {
      answer(item.request, std::move(item.reply));
    }
  }
  announce();
  return first;
}

void BatchRunner::answer(Request& request, Reply reply) {
  auto to = std::exchange(request.reply, nullptr);
  if (should_retry(reply)) reply.request = std::make_shared<Request>(std::move(request));
  work_.replies.push_back({std::move(to), std::move(reply)});
}

// Passes the batch's work to the commit notifier. Also called without work, because the notifier flushes the commit.
void BatchRunner::announce() { announce_(std::exchange(work_, {})); }

// Counts and logs the exception cases that the batch opened. Operators alert on this log line or on the counter.
void BatchRunner::raise_alerts() {
  for (const Event& event : rows_.events) {
    if (event.object_type != ObjectType::exception_case || event.from_state) continue;
    const Case* row = find_child<Case>(rows_, {event.root_type, event.root_id}, CaseId{event.object_id});
    FINALITY_CHECK(row != nullptr, "event of a case that does not exist");
    counts_.cases_opened[static_cast<std::size_t>(row->kind)] += 1;
    log::warn("exception case opened", {{"case", to_text(row->id)},
                                        {"merchant", to_text(row->merchant_id)},
                                        {"kind", name_of(row->kind)},
                                        {"object", to_text(ObjectRef(row->object_type, row->object_id))}});
  }
}

Reply BatchRunner::refused(Refusal refusal, const Request& request) const {
  Reply reply;
  reply.status = info_of(refusal.code).status;
  reply.body = options_.renderer->problem(refusal, request.request_id);
  reply.refusal = std::move(refusal);
  return reply;
}

void BatchRunner::refuse_all(std::vector<Decided>& batch, RefusalCode code, const std::string& detail) {
  for (Decided& item : batch)
    if (item.request.reply) answer(item.request, refused({code, detail, {}, {}}, item.request));
  announce();
}

// Answers the held replies that wait for `object`, unless its result is still outstanding. Called after evidence about
// `object` was recorded.
void BatchRunner::release_held(ObjectRef object, ObjectRef home) {
  const auto waiting = held_.find(object);
  if (waiting == held_.end() || is_awaiting_channel(rows_, home, object)) return;
  for (Held& held : waiting->second) {
    render(held);
    answer(held.request, std::move(held.reply));
    forget_key(held);
  }
  held_count_ -= waiting->second.size();
  held_.erase(waiting);
}

void BatchRunner::release_unsent(std::span<const UnsentCall> calls) {
  for (const UnsentCall& unsent : calls) {
    const auto waiting = held_.find(unsent.row);
    if (waiting == held_.end()) continue;
    held_count_ -= std::erase_if(waiting->second, [&](Held& held) {
      if (held.call != unsent.call) return false;
      held.reply.show_object = true;
      answer(held.request, std::move(held.reply));
      forget_key(held);
      return true;
    });
    if (waiting->second.empty()) held_.erase(waiting);
  }
  if (!work_.empty()) announce();
}

// Renders the body of a held reply. REQUIRES: the object of the reply is in `rows_`.
void BatchRunner::render(Held& held) const {
  held.reply.body =
      options_.renderer
          ->reply(rows_, {.object = *held.reply.object, .home = held.home}, held.request.merchant_id, options())
          .body;
}

// Renders all held replies when the engine drains. Loads their objects first, because `rows_` contains only the rows of
// the last batch. If loading fails, sets Reply::show_object, so that the callers read and render the objects.
void BatchRunner::render_all_held() {
  ReadSet reads;
  for (const auto& [awaited, list] : held_) {
    for (const Held& held : list) {
      add_id(reads, held.home.value != 0 ? held.home : *held.reply.object);
      reads.merchants.push_back(held.request.merchant_id);
    }
  }
  reads.owners = reads.merchants;
  rows_.clear();
  const Result<void> loaded = session_->load(reads, rows_);
  if (!loaded) log::error("batch load failed", {{"error", loaded.error().message}});
  for (auto& [awaited, list] : held_) {
    for (Held& held : list) {
      held.reply.show_object = !loaded;
      if (loaded) render(held);
    }
  }
  session_->discard();
}

void BatchRunner::forget_key(const Held& held) {
  if (held.request.idempotency) held_keys_.erase(held.request.idempotency->key_hash);
}

void BatchRunner::drop_late_held(bool all) {
  if (held_count_ == 0) return;
  if (all) render_all_held();
  const Time now = options_.clock->now();
  for (auto at = held_.begin(); at != held_.end();) {
    auto& list = at->second;
    held_count_ -= std::erase_if(list, [&](Held& held) {
      if (!all && is_awaited(held.until, now)) return false;
      if (all) answer(held.request, std::move(held.reply));  // otherwise its timer has expired
      forget_key(held);
      return true;
    });
    at = list.empty() ? held_.erase(at) : std::next(at);
  }
  if (!work_.empty()) announce();
}

}  // namespace finality
