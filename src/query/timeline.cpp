#include "query/timeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "decide/channel/channel_operation.h"
#include "decide/payment/collector.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"
#include "query/refusals.h"
#include "query/show.h"
#include "query/timeline_text.h"
#include "wire/wire.h"

namespace finality::query {
namespace {

// Collects the timeline items of one order. Fails at the first read error.
class Timeline {
 public:
  Timeline(Reader& reader, OrderAggregate aggregate, std::size_t limit)
      : reader_(reader), aggregate_(std::move(aggregate)), limit_(limit) {}

  std::expected<Listed<TimelineItem>, Refusal> gather() {
    if (auto done = add_order_events(); !done) return std::unexpected(unreadable(done.error()));
    if (auto done = add_wallet(); !done) return std::unexpected(unreadable(done.error()));
    if (auto done = add_deliveries(); !done) return std::unexpected(unreadable(done.error()));
    add_silent_cases();
    // Items with the same millisecond keep the order in which they were added.
    std::ranges::sort(items_, {}, [](const TimelineItem& item) { return std::pair(item.at, item.position); });
    const bool has_more = truncated_ || items_.size() > limit_;
    if (items_.size() > limit_) items_.resize(limit_);
    return Listed<TimelineItem>{std::move(items_), has_more};
  }

 private:
  Result<void> add_order_events() {
    const OrderId id = aggregate_.order.id;
    const Result<Listed<Event>> events = reader_.events(id.value, std::nullopt, first_page(), true);
    if (!events) return std::unexpected(events.error());
    truncated_ = truncated_ || events->has_more;
    // Order version whose cause has been added. All events of a command have the same version and the same cause.
    std::int64_t shown_version = 0;
    for (const Event& event : events->rows) {
      if (is_channel_evidence(event.cause) && event.root_version != shown_version) {
        shown_version = event.root_version;
        add(event.at, channel_evidence_kind(event.cause), channel_evidence_text(event), object_of(event),
            or_empty(event.detail));
      }
      if (auto done = add_event(event); !done) return done;
    }
    return {};
  }

  Result<void> add_event(const Event& event) {
    add(event.at, kind_of(event), event_text(event), object_of(event), wire::event_json(event));
    if (event.event == name_of(PaymentEvent::send)) add_request(event);
    if (event.object_type == ObjectType::authorization) add_release(event);
    if (event.from_state && *event.from_state != event.to_state && kills_number(event))
      ++dead_numbers_[event.object_id];
    if (event.object_type == ObjectType::exception_case) shown_cases_.push_back(CaseId{event.object_id});
    return event.journal_id ? add_entries(*event.journal_id) : Result<void>{};
  }

  void add_request(const Event& event) {
    for_each_child_type<OrderAggregate>([&](std::string_view, auto member) {
      if constexpr (ChannelOperationRow<ChildRow<decltype(member)>>) add_request(event, aggregate_.*member);
    });
  }

  template <class Row>
  void add_request(const Event& event, const std::vector<Row>& rows) {
    const decltype(Row::id) id{event.object_id};
    const Row* row = id.type == event.object_type ? find_row(rows, id) : nullptr;
    if (row == nullptr) return;
    const SentRequest sent = sent_request(*row);
    add(event.at, "request", request_text(sent), sent.object, request_detail(sent));
  }

  // Adds the request to release what the authorization holds, if the event led to one. A request after a refusal has
  // another number. The amount is known of the current request only; a refusal ends that, too. It is in the currency of
  // the hold.
  void add_release(const Event& event) {
    Release& release = releases_[event.object_id];
    if (event.event == name_of(AuthorizationEvent::release_again) ||
        event.event == name_of(AuthorizationEvent::release_refused))
      release.is_dead = true;
    if (event.event != name_of(AuthorizationEvent::release)) return;
    if (std::exchange(release.is_dead, false)) ++release.attempt;
    const Authorization* row = find_row(aggregate_.authorizations, AuthorizationId{event.object_id});
    if (row == nullptr || release.attempt > row->release_attempts) return;
    const bool is_current = release.attempt == row->release_attempts && row->release_amount > 0;
    const SentRequest sent{row->id,
                           row->channel,
                           row->channel_account_id,
                           "out_release_no",
                           out_release_no(row->out_trade_no, release.attempt),
                           is_current ? std::optional(row->release_amount) : std::nullopt,
                           hold_currency_of(event).value_or(row->currency),
                           {},
                           {}};
    add(event.at, "request", release_text(sent), sent.object, request_detail(sent));
  }

  // Returns the request of a payment or authorization.
  template <class Row>
    requires requires(const Row& row) { row.method; }
  static SentRequest sent_request(const Row& row) {
    return {row.id,     row.channel, row.channel_account_id, "out_trade_no", row.out_trade_no, row.amount, row.currency,
            row.method, row.scenario};
  }
  SentRequest sent_request(const Capture& capture) const {
    const std::optional<Collector> collector = find_collector(aggregate_, capture.id);
    return {capture.id,
            collector ? std::string(collector->channel) : std::string(),
            capture.channel_account_id,
            "out_trade_no",
            capture.out_trade_no,
            capture.amount,
            capture.currency,
            {},
            {}};
  }
  // Returns the request of the current attempt of a refund or reversal, with the out_refund_no of that attempt.
  template <CollectedRow Row>
  SentRequest sent_request(const Row& row) {
    const std::optional<Collector> collector = find_collector(aggregate_, collector_id_of(aggregate_, row));
    return {row.id,
            collector ? std::string(collector->channel) : std::string(),
            row.channel_account_id,
            "out_refund_no",
            out_refund_number(row.merchant_id, row.id.value, 1 + dead_numbers_[row.id.value]),
            row.amount,
            row.currency,
            {},
            {}};
  }

  // Returns whether the next attempt after the event uses a new out_refund_no.
  static bool kills_number(const Event& event) {
    const bool is_refund = event.object_type == ObjectType::refund || event.object_type == ObjectType::reversal;
    return is_refund &&
           (event.event == name_of(ReversalEvent::try_again) || event.event == name_of(ReversalEvent::refused));
  }

  Result<void> add_entries(EntryId journal) {
    const Result<std::vector<Entry>> entries = reader_.journal(journal);
    if (!entries) return std::unexpected(entries.error());
    for (const Entry& entry : *entries) {
      const Result<Account> account = account_of(entry.account_id);
      if (!account) return std::unexpected(account.error());
      add(entry.created_at, "entry", entry_text(entry, *account), entry.id, entry_detail(entry, *account));
    }
    return {};
  }

  // Adds the entries of wallet payments, of the holds of wallet authorizations, and of their refunds. The reference of
  // such a transfer is the out_trade_no or out_refund_no.
  Result<void> add_wallet() {
    for (const Payment& payment : aggregate_.payments) {
      if (!payment.account_id) continue;
      if (auto added = add_transfer(payment.out_trade_no); !added) return added;
      if (auto added = add_wallet_refunds(payment.id); !added) return added;
    }
    const bool has_hold = std::ranges::any_of(aggregate_.authorizations,
                                              [](const Authorization& row) { return row.account_id.has_value(); });
    if (!has_hold) return {};
    if (auto added = add_hold(); !added) return added;
    for (const Capture& capture : aggregate_.captures)
      if (auto added = add_wallet_refunds(capture.id); !added) return added;
    return {};
  }

  Result<void> add_wallet_refunds(ObjectRef collector) {
    for (const Refund& refund : aggregate_.refunds)
      if (is_collected_by(refund, collector))
        if (auto added = add_transfer(refund.out_refund_no); !added) return added;
    return {};
  }

  // Adds the entries of the hold of the order's wallet authorization. Its events are in its account's history.
  Result<void> add_hold() {
    const Order& order = aggregate_.order;
    const std::string reference = out_hold_reference(order.merchant_id, order.id);
    const auto id = reader_.named(key_of_hold(order.merchant_id, kWallet, reference));
    if (!id) return std::unexpected(id.error());
    const auto hold = reader_.hold(HoldId{*id});
    if (!hold) return std::unexpected(hold.error());
    return *hold ? add_entries_of((*hold)->account_id.value, HoldId{*id}) : Result<void>{};
  }

  Result<void> add_transfer(const std::string& reference) {
    const auto id = reader_.named(key_of_transfer(aggregate_.order.merchant_id, kWallet, reference));
    if (!id) return std::unexpected(id.error());
    return add_entries_of(*id, std::nullopt);
  }

  // Adds the entries of the journals of the root's events; with `object`, only of the events of that object.
  Result<void> add_entries_of(std::int64_t root, std::optional<ObjectRef> object) {
    const auto events = reader_.events(root, object, first_page(), true);
    if (!events) return std::unexpected(events.error());
    for (const Event& event : events->rows) {
      if (!event.journal_id) continue;
      if (auto added = add_entries(*event.journal_id); !added) return added;
    }
    return {};
  }

  Result<Account> account_of(AccountId id) {
    const auto known = accounts_.find(id);
    if (known != accounts_.end()) return known->second;
    const Result<std::optional<Account>> found = reader_.account(id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return fail("an entry refers to account " + to_text(id) + ", which does not exist");
    return accounts_.emplace(id, **found).first->second;
  }

  Result<void> add_deliveries() {
    const Result<Listed<Delivery>> listed =
        reader_.deliveries(aggregate_.order.merchant_id, aggregate_.order.id, first_page());
    if (!listed) return std::unexpected(listed.error());
    truncated_ = truncated_ || listed->has_more;
    for (const Delivery& delivery : listed->rows) {
      add(delivery.created_at, "delivery", delivery_text(delivery), delivery.id, wire::delivery_json(delivery));
      const Result<Listed<Event>> events = reader_.events(delivery.id.value, std::nullopt, first_page(), true);
      if (!events) return std::unexpected(events.error());
      truncated_ = truncated_ || events->has_more;
      // Skips the event that created the delivery, because the delivery is a separate item.
      for (const Event& event : events->rows)
        if (event.from_state)
          add(event.at, event.cause == CauseKind::operator_ ? "operator" : "delivery", event_text(event),
              object_of(event), wire::event_json(event));
    }
    return {};
  }

  // Adds the cases whose opening has no event.
  void add_silent_cases() {
    for (const Case& row : aggregate_.cases)
      if (std::ranges::find(shown_cases_, row.id) == shown_cases_.end())
        add(row.created_at, "case", case_text(row), row.id, wire::case_json(row, nullptr));
  }

  void add(Time at, std::string_view kind, std::string_view summary, ObjectRef object, std::string_view detail) {
    items_.push_back({at, items_.size(), item_json(at, kind, summary, object, detail)});
  }

  Page first_page() const { return {.limit = limit_, .after = {}, .before = {}}; }

  Reader& reader_;
  OrderAggregate aggregate_;
  std::size_t limit_;
  std::vector<TimelineItem> items_;
  std::map<AccountId, Account> accounts_;
  std::vector<CaseId> shown_cases_;
  /// The last request to release an authorization: its number, and whether that can no longer succeed.
  struct Release {
    std::int64_t attempt = 0;
    bool is_dead = true;
  };
  std::map<std::int64_t, Release> releases_;           // by the id of the authorization
  std::map<std::int64_t, std::int64_t> dead_numbers_;  // used-up request numbers by the id of their row
  bool truncated_ = false;
};

}  // namespace

std::expected<Listed<TimelineItem>, Refusal> read_timeline(Reader& reader, MerchantId merchant, OrderId id,
                                                           std::size_t limit) {
  std::expected<OrderAggregate, Refusal> aggregate = find_order(reader, merchant, id);
  if (!aggregate) return std::unexpected(std::move(aggregate.error()));
  return Timeline(reader, std::move(*aggregate), limit).gather();
}

}  // namespace finality::query
