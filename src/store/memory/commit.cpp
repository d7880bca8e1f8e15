#include "store/memory/commit.h"

#include <algorithm>

#include "store/columns.h"

namespace finality::memory {
namespace {

/// Looks for the first race that was lost.
class Conflicts {
 public:
  Conflicts(const Tables& tables, const WorkingSet& rows) : tables_(tables), rows_(rows) {}

  std::string find() {
    check_orders();
    check_deliveries();
    check_roots(rows_.accounts, tables_.accounts);
    check_holds();
    check_roots(rows_.transfers, tables_.transfers);
    check_roots(rows_.prices, tables_.prices);
    check_roots(rows_.merchants, tables_.merchants);
    check_roots(rows_.api_keys, tables_.api_keys);
    check_api_keys();
    check_lists(rows_.endpoints, tables_.endpoints, tables_.endpoint_ids);
    check_lists(rows_.fees, tables_.fees, tables_.fee_ids);
    check_fees();
    check_log();
    check_keys();
    check_recalled();
    return std::move(found_);
  }

 private:
  void require(bool holds, std::string_view table) {
    if (!holds && found_.empty()) found_ = table;
  }
  template <class Row>
  void check_root(const Row* base, const Row& now, const Row* stored) {
    if (base == nullptr)
      require(stored == nullptr, RowTraits<Row>::table);
    else if (base->version != now.version)
      require(stored != nullptr && stored->version == base->version, RowTraits<Row>::table);
  }
  template <class Map, class Stored>
  void check_roots(const Map& map, const Stored& stored) {
    map.each([&](const auto& id, const auto& base, const auto& now) {
      if (now) check_root(base ? &*base : nullptr, *now, find_in(stored, id));
    });
  }
  // New rows must be new; the others are guarded by their root.
  template <class Row, class Index>
  void check_children(const std::vector<Row>* base, const std::vector<Row>& now, const Index& index) {
    for (const Row& row : now)
      if (base == nullptr || find_row(*base, row.id) == nullptr)
        require(!index.contains(row.id), RowTraits<Row>::table);
  }
  // A due instant that moved while the root's version stayed is a claim: it must be the one that was read.
  template <class Row>
  void check_claims(const std::vector<Row>& base, const std::vector<Row>& now, const std::vector<Row>* stored) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (base[i].due_at == now[i].due_at) continue;
      const Row* row = stored != nullptr ? find_row(*stored, now[i].id) : nullptr;
      require(row != nullptr && row->due_at && row->due_at == base[i].due_at, RowTraits<Row>::table);
    }
  }
  void check_orders() {
    rows_.orders.each([&](const OrderId& id, const auto& base, const auto& now) {
      if (!now) return;
      const OrderAggregate* stored = find_in(tables_.orders, id);
      if (base && base->order.version == now->order.version) {
        FINALITY_CHECK(base->payments.size() == now->payments.size(),
                       "a payment was added without its order's version");
        check_claims(base->payments, now->payments, stored != nullptr ? &stored->payments : nullptr);
        check_claims(base->refunds, now->refunds, stored != nullptr ? &stored->refunds : nullptr);
        check_claims(base->reversals, now->reversals, stored != nullptr ? &stored->reversals : nullptr);
        return;
      }
      check_root(base ? &base->order : nullptr, now->order, stored != nullptr ? &stored->order : nullptr);
      check_children(base ? &base->payments : nullptr, now->payments, tables_.order_of_payment);
      check_children(base ? &base->refunds : nullptr, now->refunds, tables_.order_of_refund);
      check_children(base ? &base->reversals : nullptr, now->reversals, tables_.order_of_reversal);
      check_children(base ? &base->cases : nullptr, now->cases, tables_.root_of_case);
    });
  }
  void check_deliveries() {
    rows_.deliveries.each([&](const DeliveryId& id, const auto& base, const auto& now) {
      if (!now) return;
      const DeliveryAggregate* stored = find_in(tables_.deliveries, id);
      if (base && base->delivery.version == now->delivery.version) {
        if (base->delivery.due_at == now->delivery.due_at) return;
        require(stored != nullptr && stored->delivery.due_at && stored->delivery.due_at == base->delivery.due_at,
                "deliveries");
        return;
      }
      check_root(base ? &base->delivery : nullptr, now->delivery, stored != nullptr ? &stored->delivery : nullptr);
      check_children(base ? &base->cases : nullptr, now->cases, tables_.root_of_case);
    });
  }
  // Their accounts' versions guard them.
  void check_holds() {
    rows_.holds.each([&](const HoldId& id, const auto& base, const auto& now) {
      if (now && !base) require(!tables_.holds.contains(id), "holds");
    });
  }
  template <class Map, class Stored, class Ids>
  void check_lists(const Map& map, const Stored& stored, const Ids& ids) {
    map.each([&](const MerchantId& merchant, const auto& base, const auto& now) {
      if (!now) return;
      const auto* list = find_in(stored, merchant);
      for (const auto& row : *now) {
        const auto* before = base ? find_row(*base, row.id) : nullptr;
        check_root(before, row, list != nullptr ? find_row(*list, row.id) : nullptr);
        if (before == nullptr) require(!ids.contains(row.id.value), "ids");
      }
    });
  }
  void check_api_keys() {
    rows_.api_keys.each([&](const ApiKeyId&, const auto& base, const auto& now) {
      if (now && !base) require(!tables_.api_key_hashes.contains(now->hash), "api_keys");
    });
  }
  // A channel has one fee.
  void check_fees() {
    rows_.fees.each([&](const MerchantId& merchant, const auto& base, const auto& now) {
      const auto* stored = find_in(tables_.fees, merchant);
      if (!now || stored == nullptr) return;
      for (const Fee& fee : *now)
        if (!base || find_row(*base, fee.id) == nullptr)
          require(std::ranges::none_of(*stored, [&](const Fee& one) { return one.channel == fee.channel; }), "fees");
    });
  }
  void check_log() {
    for (const Entry& entry : rows_.entries) require(!tables_.entries.contains(entry.id), "entries");
    for (const Event& event : rows_.events) {
      const auto* there = find_in(tables_.events, event.root_id);
      require(there == nullptr || find_row(*there, event.id) == nullptr, "events");
    }
  }
  void check_keys() {
    rows_.keys.each([&](const Hash16& hash, const auto& base, const auto& now) {
      if (now && !base) require(!tables_.keys.contains(hash), "keys");
    });
    rows_.answers.each([&](const Hash16& hash, const auto& base, const auto& now) {
      if (!now || (base && base->id == now->id)) return;
      const Answer* stored = find_in(tables_.answers, hash);
      require(base ? stored != nullptr && stored->id == base->id : stored == nullptr, "idempotency_keys");
      require(!tables_.answer_ids.contains(now->id.value), "answers");
    });
  }

  // What was decided on and did not change must be as it was remembered.
  template <class Row>
  void check_unchanged(const Row& base, const Row& now, const Row* stored) {
    if (base.version == now.version)
      require(stored != nullptr && stored->version == base.version, RowTraits<Row>::table);
  }
  void check_recalled() {
    rows_.orders.each_recalled([&](const auto& base, const auto& now) {
      const OrderAggregate* stored = find_in(tables_.orders, base.order.id);
      check_unchanged(base.order, now.order, stored != nullptr ? &stored->order : nullptr);
    });
    rows_.deliveries.each_recalled([&](const auto& base, const auto& now) {
      const DeliveryAggregate* stored = find_in(tables_.deliveries, base.delivery.id);
      check_unchanged(base.delivery, now.delivery, stored != nullptr ? &stored->delivery : nullptr);
    });
    rows_.accounts.each_recalled([&](const Account& base, const Account& now) {
      check_unchanged(base, now, find_in(tables_.accounts, base.id));
    });
  }

  const Tables& tables_;
  const WorkingSet& rows_;
  std::string found_;
};

class Writing {
 public:
  Writing(Tables& tables, const WorkingSet& rows) : tables_(tables), rows_(rows) {}

  void write() {
    rows_.orders.each([&](const OrderId& id, const auto& base, const auto& now) {
      if (now) write_order(id, base ? &*base : nullptr, *now);
    });
    rows_.deliveries.each([&](const DeliveryId& id, const auto& base, const auto& now) {
      if (now) write_delivery(id, base ? &*base : nullptr, *now);
    });
    for (const Entry& entry : rows_.entries) tables_.entries.emplace(entry.id, entry);
    write_roots(rows_.accounts, tables_.accounts);
    write_holds();
    write_roots(rows_.transfers, tables_.transfers);
    write_roots(rows_.prices, tables_.prices);
    write_roots(rows_.merchants, tables_.merchants);
    rows_.api_keys.each([&](const ApiKeyId&, const auto& base, const auto& now) {
      if (now && !base) tables_.api_key_hashes.insert(now->hash);
    });
    write_roots(rows_.api_keys, tables_.api_keys);
    write_lists(rows_.endpoints, tables_.endpoints, tables_.endpoint_ids);
    write_lists(rows_.fees, tables_.fees, tables_.fee_ids);
    for (const Event& event : rows_.events) put_sorted(tables_.events[event.root_id], event);
    write_keys();
  }

 private:
  template <class Row>
  static void put_sorted(std::vector<Row>& rows, const Row& row) {
    const auto at = std::ranges::upper_bound(rows, row.id, {}, [](const Row& one) { return one.id; });
    rows.insert(at, row);
  }
  template <class Row>
  void set_due(const Row& row, const std::optional<Time>& before) {
    tables_.set_due({row.id, row.merchant_id, row.order_id, {}}, before, row.due_at);
  }
  /// What is new is inserted, what differs is written over: another one's claim on a row that we only read stays.
  template <class Row, class Index>
  void write_children(std::vector<Row>& stored, const std::vector<Row>* base, const std::vector<Row>& now,
                      Index index) {
    for (const Row& row : now) {
      const Row* before = base != nullptr ? find_row(*base, row.id) : nullptr;
      if (before != nullptr && store::same_row(*before, row)) continue;
      Row* there = find_row(stored, row.id);
      if constexpr (requires { row.due_at.has_value(); }) set_due(row, there != nullptr ? there->due_at : std::nullopt);
      if (there != nullptr) {
        *there = row;
      } else {
        put_sorted(stored, row);
        index(row);
      }
    }
  }
  template <class Row>
  void write_claims(std::vector<Row>& stored, const std::vector<Row>& base, const std::vector<Row>& now) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (base[i].due_at == now[i].due_at) continue;
      Row& row = *find_row(stored, now[i].id);
      const std::optional<Time> before = row.due_at;
      row.due_at = now[i].due_at;
      set_due(row, before);
    }
  }
  void write_order(OrderId id, const OrderAggregate* base, const OrderAggregate& now) {
    OrderAggregate& stored = tables_.orders[id];
    if (base != nullptr && base->order.version == now.order.version) {
      write_claims(stored.payments, base->payments, now.payments);
      write_claims(stored.refunds, base->refunds, now.refunds);
      write_claims(stored.reversals, base->reversals, now.reversals);
      return;
    }
    const DueRow due{id, now.order.merchant_id, id, {}};
    tables_.set_due(due, base != nullptr ? stored.order.due_at : std::nullopt, now.order.due_at);
    stored.order = now.order;
    const auto index = [id](auto& map) { return [id, &map](const auto& row) { map.emplace(row.id, id); }; };
    write_children(stored.payments, base != nullptr ? &base->payments : nullptr, now.payments,
                   index(tables_.order_of_payment));
    write_children(stored.receipts, base != nullptr ? &base->receipts : nullptr, now.receipts, [](const Receipt&) {});
    write_children(stored.refunds, base != nullptr ? &base->refunds : nullptr, now.refunds,
                   index(tables_.order_of_refund));
    write_children(stored.reversals, base != nullptr ? &base->reversals : nullptr, now.reversals,
                   index(tables_.order_of_reversal));
    write_cases(stored.cases, base != nullptr ? &base->cases : nullptr, now.cases, id.value);
    write_children(stored.returns, base != nullptr ? &base->returns : nullptr, now.returns, [](const Return&) {});
  }
  void write_cases(std::vector<Case>& stored, const std::vector<Case>* base, const std::vector<Case>& now,
                   std::int64_t root) {
    for (const Case& row : now) {
      const Case* before = base != nullptr ? find_row(*base, row.id) : nullptr;
      if (before != nullptr && store::same_row(*before, row)) continue;
      if (Case* there = find_row(stored, row.id)) {
        *there = row;
      } else {
        put_sorted(stored, row);
        tables_.root_of_case.emplace(row.id, root);
      }
    }
  }
  void write_delivery(DeliveryId id, const DeliveryAggregate* base, const DeliveryAggregate& now) {
    DeliveryAggregate& stored = tables_.deliveries[id];
    const std::optional<Time> before = base != nullptr ? stored.delivery.due_at : std::nullopt;
    if (base != nullptr && base->delivery.version == now.delivery.version) {
      if (base->delivery.due_at == now.delivery.due_at) return;
      stored.delivery.due_at = now.delivery.due_at;
      return set_due(stored.delivery, before);
    }
    stored.delivery = now.delivery;
    set_due(stored.delivery, before);
    write_cases(stored.cases, base != nullptr ? &base->cases : nullptr, now.cases, id.value);
  }
  void write_holds() {
    rows_.holds.each([&](const HoldId& id, const auto& base, const auto& now) {
      if (!now || (base && base->version == now->version)) return;
      const Hold* there = find_in(tables_.holds, id);
      const std::optional<Time> before = there != nullptr ? there->due_at : std::nullopt;
      tables_.holds.insert_or_assign(id, *now);
      tables_.set_due({id, now->merchant_id, {}, {}}, before, now->due_at);
    });
  }
  template <class Map, class Stored>
  void write_roots(const Map& map, Stored& stored) {
    map.each([&](const auto& id, const auto& base, const auto& now) {
      if (now && (!base || base->version != now->version)) stored.insert_or_assign(id, *now);
    });
  }
  template <class Map, class Stored, class Ids>
  void write_lists(const Map& map, Stored& stored, Ids& ids) {
    map.each([&](const MerchantId& merchant, const auto& base, const auto& now) {
      if (!now) return;
      for (const auto& row : *now) {
        const auto* before = base ? find_row(*base, row.id) : nullptr;
        if (before != nullptr && before->version == row.version) continue;
        auto& list = stored[merchant];
        if (auto* there = find_row(list, row.id)) {
          *there = row;
        } else {
          put_sorted(list, row);
          ids.insert(row.id.value);
        }
      }
    });
  }
  void write_keys() {
    rows_.keys.each([&](const Hash16& hash, const auto& base, const auto& now) {
      if (now && !base) tables_.keys.emplace(hash, *now);
    });
    rows_.answers.each([&](const Hash16& hash, const auto& base, const auto& now) {
      if (!now || (base && base->id == now->id)) return;
      tables_.answers.insert_or_assign(hash, *now);
      tables_.answer_ids.insert(now->id.value);
    });
  }

  Tables& tables_;
  const WorkingSet& rows_;
};

}  // namespace

std::string find_conflict(const Tables& tables, const WorkingSet& rows) { return Conflicts(tables, rows).find(); }

void write(Tables& tables, const WorkingSet& rows) { Writing(tables, rows).write(); }

}  // namespace finality::memory
