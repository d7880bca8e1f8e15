#include "query/timeline.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/crypto/encoding.h"
#include "decide/channel/channel_operation.h"
#include "decide/payment/collector.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"
#include "query/refusals.h"
#include "query/show.h"
#include "query/timeline_text.h"
#include "query/timeline_window.h"
#include "store/each_page.h"
#include "wire/wire.h"

namespace finality::query {
namespace {

constexpr std::string_view kIdPrefix = "tli_";
constexpr std::size_t kWordDigits = 13;  // length of a number written by to_base32()
constexpr int kSourceBits = 3;
constexpr std::int64_t kSources = 5;

// Parts of an event: its items, in their order.
constexpr std::uint8_t kEvidencePart = 0;
constexpr std::uint8_t kEventPart = 1;
constexpr std::uint8_t kRequestPart = 2;
constexpr std::uint8_t kReleasePart = 3;
constexpr std::uint8_t kFirstEntryPart = 4;
constexpr std::uint8_t kLastPart = 255;

TimelinePlace place_of(const Event& event, std::uint8_t part) {
  return {event.at, TimelineSource::order_event, event.id.value, part};
}

// Collects the items of one page of the timeline of an order. Fails at the first read error.
class Timeline {
 public:
  /// `page` must outlive this object.
  Timeline(Reader& reader, OrderAggregate aggregate, const TimelinePage& page)
      : reader_(reader), aggregate_(std::move(aggregate)), page_(page), window_(page) {}

  std::expected<Listed<TimelineItem>, Refusal> gather() {
    Result<void> done = add_order_events();
    if (done) done = add_wallet();
    if (done) done = add_deliveries();
    if (!done && is_abandoned()) return std::unexpected(Refusal{RefusalCode::busy, done.error().message, {}, {}});
    if (!done) return std::unexpected(unreadable(done.error()));
    add_silent_cases();
    return window_.take();
  }

 private:
  bool is_abandoned() const { return page_.closed && page_.closed->load(std::memory_order_relaxed); }
  Result<void> check_reader() const {
    return is_abandoned() ? Result<void>(fail("The client closed its connection.")) : Result<void>();
  }

  // Calls visit(event) for the events of a root, oldest first; with `object`, only of the events of that object.
  template <class Visit>
  Result<void> for_each_event(std::int64_t root, std::optional<ObjectRef> object, Visit visit) {
    return store::for_each_page([&](const Page& page) { return reader_.events(root, object, page, true); },
                                [&](const std::vector<Event>& events) -> Result<void> {
                                  for (Event event : events) {
                                    event.detail = wire::cause_shown_to(page_.audience, std::move(event.detail));
                                    if (auto done = visit(event); !done) return done;
                                  }
                                  return check_reader();
                                });
  }

  Result<void> add_order_events() {
    // Order version whose cause has been added. All events of a command have the same version and the same cause.
    std::int64_t shown_version = 0;
    return for_each_event(aggregate_.order.id.value, std::nullopt, [&](const Event& event) {
      if (is_channel_evidence(event.cause) && event.root_version != shown_version) {
        shown_version = event.root_version;
        add(place_of(event, kEvidencePart), object_of(event), channel_evidence_kind(event.cause),
            [&] { return std::pair(channel_evidence_text(event), std::string(or_empty(event.detail))); });
      }
      return add_event(event);
    });
  }

  Result<void> add_event(const Event& event) {
    add(place_of(event, kEventPart), object_of(event), kind_of(event),
        [&] { return std::pair(event_text(event), wire::event_json(event)); });
    if (event.event == name_of(PaymentEvent::send)) add_request(event);
    if (event.object_type == ObjectType::authorization) add_release(event);
    if (event.from_state && *event.from_state != event.to_state && kills_number(event))
      ++dead_numbers_[event.object_id];
    if (event.object_type == ObjectType::exception_case) shown_cases_.push_back(CaseId{event.object_id});
    return event.journal_id ? add_entries(place_of(event, kFirstEntryPart), *event.journal_id) : Result<void>{};
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
    add(place_of(event, kRequestPart), sent.object, "request",
        [&] { return std::pair(request_text(sent), request_detail(sent)); });
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
    add(place_of(event, kReleasePart), sent.object, "request",
        [&] { return std::pair(release_text(sent), request_detail(sent)); });
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

  // Adds the entries of a journal. `first`: the place of its first entry.
  Result<void> add_entries(TimelinePlace first, EntryId journal) {
    TimelinePlace last = first;
    last.part = kLastPart;
    if (!window_.wants(first, last)) return {};
    const Result<std::vector<Entry>> entries = reader_.journal(journal);
    if (!entries) return std::unexpected(entries.error());
    for (const Entry& entry : *entries) {
      const Result<Account> account = account_of(entry.account_id);
      if (!account) return std::unexpected(account.error());
      add(first, entry.id, "entry",
          [&] { return std::pair(entry_text(entry, *account), entry_detail(entry, *account)); });
      ++first.part;
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
    return for_each_event(root, object, [&](const Event& event) -> Result<void> {
      if (!event.journal_id) return {};
      return add_entries({event.at, TimelineSource::wallet_event, event.id.value, kFirstEntryPart}, *event.journal_id);
    });
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
    const Order& order = aggregate_.order;
    return store::for_each_page([&](const Page& page) { return reader_.deliveries(order.merchant_id, order.id, page); },
                                [&](const std::vector<Delivery>& deliveries) -> Result<void> {
                                  for (const Delivery& delivery : deliveries)
                                    if (auto done = add_delivery(delivery); !done) return done;
                                  return {};
                                });
  }

  Result<void> add_delivery(const Delivery& delivery) {
    const TimelinePlace created{delivery.created_at, TimelineSource::delivery, delivery.id.value, 0};
    add(created, delivery.id, "delivery",
        [&] { return std::pair(delivery_text(delivery), wire::delivery_json(delivery)); });
    // No event precedes its delivery. If the clock was set back, an event has the time of its delivery.
    constexpr TimelinePlace kEnd{Time{std::numeric_limits<std::int64_t>::max()}};
    if (!window_.wants(created, kEnd)) return {};
    return for_each_event(delivery.id.value, std::nullopt, [&](const Event& event) -> Result<void> {
      if (!event.from_state) return {};  // it created the delivery, which is an item itself
      const Time at = std::max(event.at, delivery.created_at);
      add({at, TimelineSource::delivery_event, event.id.value, kEventPart}, object_of(event),
          event.cause == CauseKind::operator_ ? "operator" : "delivery",
          [&] { return std::pair(event_text(event), wire::event_json(event)); });
      return {};
    });
  }

  // Adds the cases whose opening has no event.
  void add_silent_cases() {
    for (const Case& row : aggregate_.cases)
      if (std::ranges::find(shown_cases_, row.id) == shown_cases_.end())
        add({row.created_at, TimelineSource::case_without_event, row.id.value, 0}, row.id, "case",
            [&] { return std::pair(case_text(row), wire::case_json(row, nullptr)); });
  }

  // Adds an item if it can be on the page. render() -> pair of summary and detail.
  template <class Render>
  void add(const TimelinePlace& place, ObjectRef object, std::string_view kind, Render render) {
    if (!window_.wants(place)) return;
    const auto [summary, detail] = render();
    window_.add(place, item_json(to_text(place), place.at, kind, summary, object, detail));
  }

  Reader& reader_;
  OrderAggregate aggregate_;
  const TimelinePage& page_;
  TimelineWindow window_;
  std::map<AccountId, Account> accounts_;
  std::vector<CaseId> shown_cases_;
  /// The last request to release an authorization: its number, and whether that can no longer succeed.
  struct Release {
    std::int64_t attempt = 0;
    bool is_dead = true;
  };
  std::map<std::int64_t, Release> releases_;           // by the id of the authorization
  std::map<std::int64_t, std::int64_t> dead_numbers_;  // used-up request numbers by the id of their row
};

}  // namespace

std::string to_text(const TimelinePlace& place) {
  const std::int64_t at = place.at.ms;
  std::string text(kIdPrefix);
  text += to_base32((at << kSourceBits) | static_cast<std::int64_t>(place.source));
  text += to_base32(place.row);
  text += to_hex(std::string(1, static_cast<char>(place.part)));
  return text;
}

std::optional<TimelinePlace> parse_timeline_place(std::string_view text) {
  if (!text.starts_with(kIdPrefix)) return std::nullopt;
  const std::string_view digits = text.substr(kIdPrefix.size());
  if (digits.size() != 2 * kWordDigits + 2) return std::nullopt;
  const auto at = from_base32(digits.substr(0, kWordDigits));
  const auto row = from_base32(digits.substr(kWordDigits, kWordDigits));
  const auto part = from_hex(digits.substr(2 * kWordDigits));
  if (!at || !row || !part) return std::nullopt;
  const std::int64_t source = *at & ((1 << kSourceBits) - 1);
  if (source >= kSources) return std::nullopt;
  return TimelinePlace{Time{*at >> kSourceBits}, static_cast<TimelineSource>(source), *row,
                       static_cast<std::uint8_t>(part->front())};
}

std::expected<Listed<TimelineItem>, Refusal> read_timeline(Reader& reader, MerchantId merchant, OrderId id,
                                                           const TimelinePage& page) {
  std::expected<OrderAggregate, Refusal> aggregate = find_order(reader, merchant, id);
  if (!aggregate) return std::unexpected(std::move(aggregate.error()));
  return Timeline(reader, std::move(*aggregate), page).gather();
}

}  // namespace finality::query
