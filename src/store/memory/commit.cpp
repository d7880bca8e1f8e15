#include "store/memory/commit.h"

#include <algorithm>
#include <tuple>

#include "store/replaced_files.h"
#include "store/sql/columns.h"
#include "store/sql/due.h"

namespace finality::memory {
namespace {

using store::kIsClaimed;
using store::kIsDue;

/// Whether the root's version is unchanged. The only possible changes of the aggregate are then claims, which change a
/// due_at.
template <Aggregate T>
bool is_same_version(const std::optional<T>& base, const T& now) {
  return base && root_of(*base).version == root_of(now).version;
}

/// Finds the first table in which another session has changed or inserted a row that the commit also writes.
class Conflicts {
 public:
  Conflicts(const Tables& tables, const WorkingSet& rows) : tables_(tables), rows_(rows) {}

  std::string find() {
    for_each_member(rows_, [this](const auto& member) { check(member); });
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
  /// Checks a cached row that a decision read but did not change: the stored row must have the same version.
  template <class Row>
  void check_recalled(const Row& base, const Row& now, const Row* stored) {
    if (base.version == now.version)
      require(stored != nullptr && stored->version == base.version, RowTraits<Row>::table);
  }
  template <class Row>
  void check_is_new(const Row& row) {
    require(!tables_.roots.contains(row.id), RowTraits<Row>::table);
  }

  template <class AnId, Aggregate T>
  void check(const SlotMap<AnId, T>& map) {
    const auto stored = [this](const T& now) { return find_in(tables_.of<T>(), root_of(now).id); };
    const auto stored_root = [&stored](const T& now) {
      const T* found = stored(now);
      return found != nullptr ? &root_of(*found) : nullptr;
    };
    map.each([&](const AnId&, const std::optional<T>& base, const std::optional<T>& now) {
      if (!now) return;
      if (is_same_version(base, *now)) return check_claims(*base, *now, stored(*now));
      check_root(base ? &root_of(*base) : nullptr, root_of(*now), stored_root(*now));
      for_each_child_type<T>([&](std::string_view, auto member) {
        // Inserted children must not exist yet. Existing children need no check: the root's version guards them.
        for (const auto& row : *now.*member)
          if (!base || find_row(*base.*member, row.id) == nullptr) check_is_new(row);
      });
    });
    map.each_recalled(
        [&](const T& base, const T& now) { check_recalled(root_of(base), root_of(now), stored_root(base)); });
  }
  template <Aggregate T>
  void check_claims(const T& base, const T& now, const T* stored) {
    const auto root = [](const auto& aggregate) -> const auto& { return root_of(aggregate); };
    check_claim(root(base), root(now), stored != nullptr ? &root(*stored) : nullptr);
    for_each_child_type<T>([&](std::string_view, auto member) {
      const auto& rows = now.*member;
      FINALITY_CHECK((base.*member).size() == rows.size(), "a row was added without its root's version");
      for (std::size_t i = 0; i < rows.size(); ++i)
        check_claim((base.*member)[i], rows[i], stored != nullptr ? find_row(stored->*member, rows[i].id) : nullptr);
    });
  }
  /// Checks a claim, which is a change of due_at with an unchanged root version. The stored due_at must still equal the
  /// due_at that was read.
  template <class Row>
  void check_claim(const Row& base, const Row& now, const Row* stored) {
    if constexpr (kIsClaimed<Row>)
      require(base.due_at == now.due_at || (stored != nullptr && stored->due_at && stored->due_at == base.due_at),
              RowTraits<Row>::table);
  }

  template <class AnId, StoredRow Row>
  void check(const SlotMap<AnId, Row>& map) {
    const auto stored = [this](const Row& row) { return find_in(tables_.of<Row>(), row.id); };
    map.each([&](const AnId&, const std::optional<Row>& base, const std::optional<Row>& now) {
      if (!now) return;
      if constexpr (RowTraits<Row>::kind == RowKind::root)
        check_root(base ? &*base : nullptr, *now, stored(*now));
      else if (!base)  // an existing row needs no check: another row's version guards it
        require(stored(*now) == nullptr, RowTraits<Row>::table);
      if (!base) check_unique(*now);
    });
    map.each_recalled([&](const Row& base, const Row& now) { check_recalled(base, now, stored(base)); });
  }
  template <class Row>
  void check(const SlotMap<MerchantId, std::vector<Row>>& map) {
    map.each([&](const MerchantId& merchant, const auto& base, const auto& now) {
      if (!now) return;
      const auto* list = find_in(tables_.of<std::vector<Row>>(), merchant);
      for (const Row& row : *now) {
        const Row* before = base ? find_row(*base, row.id) : nullptr;
        check_root(before, row, list != nullptr ? find_row(*list, row.id) : nullptr);
        if (before != nullptr) continue;
        check_is_new(row);
        if (list != nullptr) check_unique(row, *list);
      }
    });
  }
  // Checks unique constraints other than ids and natural keys.
  void check_unique(const auto& /*row*/, const auto&... /*list*/) {}
  void check_unique(const ApiKey& row) { require(!tables_.api_key_hashes.contains(row.hash), "api_keys"); }
  void check_unique(const ChannelAccount& row) {  // at most one row per channel name
    for (const auto& [id, stored] : tables_.of<ChannelAccount>())
      require(stored.channel != row.channel, "channel_accounts");
  }
  void check_unique(const ChannelRate& row) {  // at most one row per channel account, method, currency and date
    const auto key = [](const ChannelRate& one) {
      return std::tie(one.channel_account_id, one.method, one.currency, one.from_date);
    };
    for (const auto& [id, stored] : tables_.of<ChannelRate>()) require(key(stored) != key(row), "channel_rates");
  }
  void check_unique(const Fee& row, const std::vector<Fee>& stored) {  // at most one row per merchant and channel
    require(std::ranges::none_of(stored, [&](const Fee& one) { return one.channel == row.channel; }), "fees");
  }

  void check(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) require(!tables_.entries.contains(entry.id), "entries");
  }
  void check(const std::vector<Event>& events) {
    for (const Event& event : events) {
      const auto* there = find_in(tables_.events, event.root_id);
      require(there == nullptr || find_row(*there, event.id) == nullptr, "events");
    }
  }
  void check(const std::vector<StatementPart>& parts) {
    const std::vector<StatementId> replaced = store::replaced_files(rows_);
    for (const StatementPart& part : parts)
      require(std::ranges::find(replaced, part.statement_id) != replaced.end() ||
                  !tables_.statement_parts.contains({part.statement_id, part.part_no}),
              "statement_parts");
  }
  void check(const std::vector<RestoredOrder>& restored) {  // this store archives nothing
    require(restored.empty(), "archived_orders");
  }
  template <class Match>
  void check(const SlotMap<std::int64_t, Match>& matches) {
    matches.each([&](std::int64_t document, const auto& base, const auto& now) {
      if (now && !base) require(!tables_.template of<Match>().contains(document), RowTraits<Match>::table);
    });
  }
  void check(const SlotMap<Hash16, Key, Hash16Hasher>& keys) {
    keys.each([&](const Hash16& hash, const auto& base, const auto& now) {
      if (now && !base) require(!tables_.of<Key>().contains(hash), "keys");
    });
  }
  void check(const SlotMap<Hash16, IdempotencyRecord, Hash16Hasher>& records) {
    records.each([&](const Hash16& hash, const auto& base, const auto& now) {
      if (!now || (base && base->id == now->id)) return;
      const IdempotencyRecord* stored = find_in(tables_.of<IdempotencyRecord>(), hash);
      require(base ? stored != nullptr && stored->id == base->id : stored == nullptr, "idempotency_keys");
      require(!tables_.idempotency_record_ids.contains(now->id.value), "idempotency_records");
    });
  }
  void check(const SlotMap<PaymentId, OrderId>&) {}  // a payment's order never changes

  const Tables& tables_;
  const WorkingSet& rows_;
  std::string found_;
};

class Writing {
 public:
  explicit Writing(Tables& tables) : tables_(tables) {}

  void write(const WorkingSet& rows) {
    for (const StatementId id : store::replaced_files(rows))
      std::erase_if(tables_.statement_parts, [id](const auto& part) { return part.first.first == id; });
    for_each_member(rows, [this](const auto& member) { write_member(member); });
  }

 private:
  template <class Row>
  static void put_sorted(std::vector<Row>& rows, const Row& row) {
    const auto at = std::ranges::upper_bound(rows, row.id, {}, [](const Row& one) { return one.id; });
    rows.insert(at, row);
  }
  /// Updates the index of due rows. `there` is the stored row; null for a new row.
  template <class Row>
  void set_due(const Row& now, const Row* there) {
    if constexpr (kIsDue<Row>)
      tables_.set_due({now.id, now.merchant_id, store::order_of(now), {}, store::channel_account_of(now)},
                      there != nullptr ? there->due_at : std::nullopt, now.due_at);
  }
  /// Inserts the row into `list`, the rows of one type of `root`, or replaces the row with the same id.
  template <class Row>
  void put_in(std::vector<Row>& list, const Row& row, ObjectRef root) {
    Row* there = find_row(list, row.id);
    set_due(row, there);
    if (there != nullptr) {
      *there = row;
    } else {
      put_sorted(list, row);
      tables_.roots.emplace(row.id, root);
    }
  }

  template <class AnId, Aggregate T>
  void write_member(const SlotMap<AnId, T>& map) {
    map.each([&](const AnId& id, const std::optional<T>& base, const std::optional<T>& now) {
      if (!now) return;
      T& stored = tables_.of<T>()[id];
      if (is_same_version(base, *now)) return write_claims(stored, *base, *now);
      set_due(root_of(*now), base ? &root_of(stored) : nullptr);
      root_of(stored) = root_of(*now);
      for_each_child_type<T>([&](std::string_view, auto member) {
        write_children(stored.*member, base ? &(*base.*member) : nullptr, *now.*member, id);
      });
    });
  }
  /// Inserts new children and overwrites changed children. Skips unchanged children, because another session may have
  /// claimed them meanwhile, and the claim must be kept.
  template <class Row>
  void write_children(std::vector<Row>& stored, const std::vector<Row>* base, const std::vector<Row>& now,
                      ObjectRef root) {
    for (const Row& row : now) {
      const Row* before = base != nullptr ? find_row(*base, row.id) : nullptr;
      if (before == nullptr || !store::same_row(*before, row)) put_in(stored, row, root);
    }
  }
  template <Aggregate T>
  void write_claims(T& stored, const T& base, const T& now) {
    write_claim(root_of(stored), root_of(base), root_of(now));
    for_each_child_type<T>([&](std::string_view, auto member) {
      for (std::size_t i = 0; i < (now.*member).size(); ++i)
        if (auto* row = find_row(stored.*member, (now.*member)[i].id))
          write_claim(*row, (base.*member)[i], (now.*member)[i]);
    });
  }
  template <class Row>
  void write_claim(Row& stored, const Row& base, const Row& now) {
    if constexpr (kIsClaimed<Row>) {
      if (base.due_at == now.due_at) return;
      set_due(now, &stored);
      stored.due_at = now.due_at;
    }
  }

  template <class AnId, StoredRow Row>
  void write_member(const SlotMap<AnId, Row>& map) {
    map.each([&](const AnId& id, const std::optional<Row>& base, const std::optional<Row>& now) {
      if (!now || (base && base->version == now->version)) return;
      set_due(*now, find_in(tables_.of<Row>(), id));
      if constexpr (std::is_same_v<Row, ApiKey>) tables_.api_key_hashes.insert(now->hash);
      tables_.of<Row>().insert_or_assign(id, *now);
    });
  }
  template <class Row>
  void write_member(const SlotMap<MerchantId, std::vector<Row>>& map) {
    map.each([&](const MerchantId& merchant, const auto& base, const auto& now) {
      if (!now) return;
      for (const Row& row : *now) {
        const Row* before = base ? find_row(*base, row.id) : nullptr;
        if (before == nullptr || before->version != row.version)
          put_in(tables_.of<std::vector<Row>>()[merchant], row, merchant);
      }
    });
  }
  void write_member(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) tables_.entries.emplace(entry.id, entry);
  }
  void write_member(const std::vector<Event>& events) {
    for (const Event& event : events) put_sorted(tables_.events[event.root_id], event);
  }
  void write_member(const std::vector<StatementPart>& parts) {
    for (const StatementPart& part : parts)
      tables_.statement_parts.emplace(std::pair(part.statement_id, part.part_no), part);
  }
  void write_member(const std::vector<RestoredOrder>&) {}  // find_conflict() refuses them
  template <class Match>
  void write_member(const SlotMap<std::int64_t, Match>& matches) {
    matches.each([&](std::int64_t document, const auto& base, const auto& now) {
      if (now && !base) tables_.template of<Match>().emplace(document, *now);
    });
  }
  void write_member(const SlotMap<Hash16, Key, Hash16Hasher>& keys) {
    keys.each([&](const Hash16& hash, const auto& base, const auto& now) {
      if (now && !base) tables_.of<Key>().emplace(hash, *now);
    });
  }
  void write_member(const SlotMap<Hash16, IdempotencyRecord, Hash16Hasher>& records) {
    records.each([&](const Hash16& hash, const auto& base, const auto& now) {
      if (!now || (base && base->id == now->id)) return;
      tables_.of<IdempotencyRecord>().insert_or_assign(hash, *now);
      tables_.idempotency_record_ids.insert(now->id.value);
    });
  }
  void write_member(const SlotMap<PaymentId, OrderId>&) {}

  Tables& tables_;
};

}  // namespace

std::string find_conflict(const Tables& tables, const WorkingSet& rows) { return Conflicts(tables, rows).find(); }

void write(Tables& tables, const WorkingSet& rows) { Writing(tables).write(rows); }

}  // namespace finality::memory
