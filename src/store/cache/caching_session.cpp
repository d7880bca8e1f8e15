#include "store/cache/caching_session.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "store/cache/lru_cache.h"
#include "store/sql/due.h"

namespace finality::store {
namespace {

/// After a conflict, makes the next batches bypass the cache. The number of these batches doubles with each conflict,
/// up to limits::kUnrememberedMax, and is reset after as many commits with cached rows.
class Backoff {
 public:
  bool is_over() const { return left_ == 0; }
  /// Returns true if the next batch bypasses the cache, and counts the batch.
  bool takes_batch() { return left_ > 0 && left_-- > 0; }
  void begin() {
    left_ = next_;
    next_ = std::min(next_ * 2, limits::kUnrememberedMax);
    successes_ = 0;
  }
  /// Records a commit of a batch that used cached rows.
  void record_success() {
    if (++successes_ >= next_) next_ = limits::kUnrememberedMin;
  }

 private:
  std::int64_t left_ = 0;
  std::int64_t next_ = limits::kUnrememberedMin;
  std::int64_t successes_ = 0;  // consecutive commits with cached rows
};

template <class Row>
bool is_due(const Row& row) {
  if constexpr (kIsDue<Row>) return row.due_at.has_value();
  return false;
}

/// Whether the aggregate is likely to be used again: a row is due, or the order is not final. Other aggregates are not
/// cached, because they would evict aggregates in use.
template <Aggregate T>
bool is_in_use(const T& aggregate) {
  bool in_use = is_due(root_of(aggregate));
  for_each_child_type<T>([&](std::string_view, auto member) {
    in_use = in_use || std::ranges::any_of(aggregate.*member, [](const auto& row) { return is_due(row); });
  });
  return in_use;
}
bool is_in_use(const OrderAggregate& aggregate) {
  return !order_machine.is_final(aggregate.order.state) || is_in_use<OrderAggregate>(aggregate);
}

class CachingSession final : public Session {
 public:
  CachingSession(std::unique_ptr<Session> session, Writers writers, std::size_t rows_max)
      : session_(std::move(session)), writers_(writers), rows_max_(rows_max) {}

  Result<void> load(const ReadSet& reads, WorkingSet& rows) override {
    from_memory_ = {};
    if (backoff_.takes_batch()) return session_->load(reads, rows);
    ReadSet rest = reads;
    recall_names(rest, rows);
    const bool orders = recall(rest.orders, orders_, rows.orders);
    const bool deliveries = recall(rest.deliveries, deliveries_, rows.deliveries);
    const bool accounts = !accounts_backoff_.takes_batch() && recall(rest.accounts, accounts_, rows.accounts);
    from_memory_ = {.any = orders || deliveries || accounts, .accounts = accounts};
    if (writers_ == Writers::one) recall_settings(rest, rows);
    return session_->load(rest, rows);
  }

  CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) override {
    CommitResult result = session_->commit(rows, ids);
    if (result.outcome == CommitOutcome::ok) {
      if (backoff_.is_over()) cache(rows);
      if (from_memory_.any) backoff_.record_success();
      if (from_memory_.accounts) accounts_backoff_.record_success();
    } else {
      drop_all();
      // Another session writes the same rows. A load takes row locks and waits for that session; cached rows would
      // conflict again. Usually each order is handled by one session, and sessions share only the merchant's accounts.
      // Therefore accounts bypass the cache first, and all rows if conflicts continue.
      if (result.outcome == CommitOutcome::conflict && from_memory_.any)
        (from_memory_.accounts ? accounts_backoff_ : backoff_).begin();
    }
    return result;
  }

  bool has_failed_in_part() const override { return session_->has_failed_in_part(); }
  Result<std::vector<StorePart>> parts_of(const std::vector<MerchantId>& merchants) override {
    return session_->parts_of(merchants);
  }
  void discard() override { session_->discard(); }
  Result<std::unique_ptr<Flusher>> flush_apart() override { return session_->flush_apart(); }
  Result<void> lease() override {
    drop_all();
    return session_->lease();
  }
  CommitResult renew() override { return session_->renew(); }
  /// Leaves the cache unchanged: expire() deletes only rows that are never cached.
  Expired expire(const ExpireStep& step) override { return session_->expire(step); }
  std::int64_t node() const override { return session_->node(); }
  Time ids_not_before() const override { return session_->ids_not_before(); }

 private:
  /// Whether the current batch uses cached rows that another session may have changed: any rows, and accounts.
  struct FromMemory {
    bool any = false;
    bool accounts = false;
  };

  // Resolves payment ids and natural keys from the cache, and adds the orders and accounts that they name to `rest`.
  // Removes the resolved ids and keys from `rest`. They never map to another object, so they need no version check.
  void recall_names(ReadSet& rest, WorkingSet& rows) {
    std::erase_if(rest.payments, [&](PaymentId id) {
      const OrderId* order = order_of_payment_.find(id);
      if (order == nullptr) return false;
      if (!rows.order_of_payment.loaded(id)) rows.order_of_payment.load(id, *order);
      rest.orders.push_back(*order);
      return true;
    });
    std::erase_if(rest.keys, [&](const KeyRead& read) {
      const Key* key = read.follow == ObjectType::account ? account_keys_.find(read.hash) : nullptr;
      if (key == nullptr) return false;
      if (!rows.keys.loaded(read.hash)) rows.keys.load(read.hash, *key);
      rest.accounts.push_back(AccountId{key->id});
      return true;
    });
  }

  // Moves rows out of the cache instead of copying them, because copies of large rows are slow. A commit caches the
  // rows that it changed; unchanged rows are reloaded when needed. Returns whether a moved row may be outdated.
  template <class AnId, class T>
  bool recall(std::vector<AnId>& ids, LruCache<AnId, T>& from, SlotMap<AnId, T>& to) {
    bool any = false;
    std::erase_if(ids, [&](AnId id) {
      if (to.loaded(id)) return true;
      std::optional<T> row = from.take(id);
      if (!row) return false;
      if (writers_ == Writers::one) {
        to.load(id, std::move(row));
      } else {
        to.recall(id, std::move(*row));
        any = true;
      }
      return true;
    });
    return any;
  }

  void recall_settings(ReadSet& rest, WorkingSet& rows) {
    std::erase_if(rest.merchants, [&](MerchantId id) {
      if (rows.merchants.loaded(id)) return true;
      const Merchant* merchant = merchants_.find(id);
      const auto* endpoints = endpoints_.find(id);
      const auto* fees = fees_.find(id);
      if (merchant == nullptr || endpoints == nullptr || fees == nullptr) return false;
      rows.merchants.load(id, *merchant);
      rows.endpoints.load(id, *endpoints);
      rows.fees.load(id, *fees);
      return true;
    });
  }

  // Caches the aggregates whose version the commit raised. An aggregate with an unchanged version is dropped: at most
  // its due_at was written. Accounts are cached even if they were not written.
  void cache(const WorkingSet& rows) {
    cache_aggregates(rows.orders, orders_);
    cache_aggregates(rows.deliveries, deliveries_);
    rows.orders.each([this](const OrderId& id, const auto&, const auto& now) {
      if (!now || !orders_.has(id)) return;
      for (const Payment& payment : now->payments) order_of_payment_.put(payment.id, id);
    });
    rows.keys.each([this, &rows](const Hash16& hash, const auto&, const auto& now) {
      if (now && rows.accounts.loaded(AccountId{now->id}) && !account_keys_.has(hash)) account_keys_.put(hash, *now);
    });
    if (accounts_backoff_.is_over()) cache_roots(rows.accounts, accounts_);
    if (writers_ == Writers::several) return;
    cache_merchants(rows);
    cache_lists(rows.endpoints, endpoints_);
    cache_lists(rows.fees, fees_);
  }

  template <class AnId, Aggregate T>
  static void cache_aggregates(const SlotMap<AnId, T>& from, LruCache<AnId, T>& to) {
    from.each([&to](const AnId& id, const auto& base, const auto& now) {
      if (now && is_in_use(*now) && (!base || root_of(*base).version != root_of(*now).version))
        to.put(id, *now);
      else
        to.forget(id);
    });
  }

  template <class AnId, class Row>
  static void cache_roots(const SlotMap<AnId, Row>& from, LruCache<AnId, Row>& to) {
    from.each([&](const AnId& id, const auto& base, const auto& now) {
      if (now) to.put(id, base && base->version == now->version ? *base : *now);
    });
  }

  // Caches merchants, also unchanged ones: they rarely change, and with Writers::one no other session writes them.
  void cache_merchants(const WorkingSet& rows) {
    rows.merchants.each([this](const MerchantId& id, const auto& base, const auto& now) {
      const bool same = base && now && base->version == now->version;
      if (now && !(same && merchants_.has(id))) merchants_.put(id, same ? *base : *now);
    });
  }

  // Caches unchanged lists only. A changed list is reloaded, because the store omits deleted endpoints when it loads.
  template <class Row>
  static void cache_lists(const SlotMap<MerchantId, std::vector<Row>>& from,
                          LruCache<MerchantId, std::vector<Row>>& to) {
    from.each([&](const MerchantId& id, const auto& base, const auto& now) {
      if (!base || !now || !std::ranges::equal(*base, *now, {}, &Row::version, &Row::version))
        to.forget(id);
      else if (!to.has(id))
        to.put(id, *base);
    });
  }

  void drop_all() {
    orders_.clear();
    order_of_payment_.clear();
    deliveries_.clear();
    account_keys_.clear();
    accounts_.clear();
    merchants_.clear();
    endpoints_.clear();
    fees_.clear();
  }

  std::unique_ptr<Session> session_;
  const Writers writers_;
  const std::size_t rows_max_;
  FromMemory from_memory_;
  Backoff backoff_;
  Backoff accounts_backoff_;
  LruCache<OrderId, OrderAggregate> orders_{rows_max_};
  LruCache<PaymentId, OrderId> order_of_payment_{rows_max_};
  LruCache<DeliveryId, DeliveryAggregate> deliveries_{rows_max_};
  LruCache<Hash16, Key, Hash16Hasher> account_keys_{rows_max_};
  LruCache<AccountId, Account> accounts_{rows_max_};
  LruCache<MerchantId, Merchant> merchants_{rows_max_};
  LruCache<MerchantId, std::vector<WebhookEndpoint>> endpoints_{rows_max_};
  LruCache<MerchantId, std::vector<Fee>> fees_{rows_max_};
};

}  // namespace

std::unique_ptr<Session> cache_rows(std::unique_ptr<Session> session, Writers writers, std::size_t rows_max) {
  return std::make_unique<CachingSession>(std::move(session), writers, rows_max);
}

}  // namespace finality::store
