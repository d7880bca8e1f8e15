// Store contract tests, part 2: look-ups and lists of a Reader. Usage: store/contract/store_contract.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include "model/natural_key.h"
#include "store/contract/store_contract.h"

namespace finality::store_contract {

inline constexpr MerchantId kMerchant{77};
inline constexpr MerchantId kOtherMerchant{78};

class ReaderContract : public StoreContract {
 protected:
  /// Writes `count` orders of kMerchant, one second apart, interleaved with as many orders of kOtherMerchant. Returns
  /// the orders of kMerchant, oldest first.
  std::vector<OrderAggregate> write_orders(int count) {
    std::vector<OrderAggregate> orders;
    WorkingSet rows;
    for (int i = 0; i < count; ++i) {
      ids_->advance(kNow + std::chrono::seconds(i));
      orders.push_back(new_order(kMerchant, kNow + std::chrono::seconds(i)));
      rows.orders.insert(orders.back().order.id, orders.back());
      const OrderAggregate foreign = new_order(kOtherMerchant, kNow + std::chrono::seconds(i));
      rows.orders.insert(foreign.order.id, foreign);
    }
    FINALITY_CHECK(this->commit(rows) == CommitOutcome::ok, "orders were not written");
    return orders;
  }
  OrderAggregate new_order(MerchantId merchant, Time at) {
    OrderAggregate aggregate = make_aggregate<OrderAggregate>(filler_);
    aggregate.order.id = OrderId{ids_->next()};
    aggregate.order.merchant_id = merchant;
    aggregate.order.created_at = at;
    for (Payment& payment : aggregate.payments) {
      payment.order_id = aggregate.order.id;
      payment.merchant_id = merchant;
    }
    for_each_child_type<OrderAggregate>([&](std::string_view, auto member) {
      if constexpr (!std::is_same_v<ChildRow<decltype(member)>, Payment>) (aggregate.*member).clear();
    });
    aggregate.order.children = presence_of(aggregate);
    return aggregate;
  }
  Listed<OrderAggregate> orders(const OrderFilter& filter, const Page& page) {
    return must(this->reader_->orders(kMerchant, filter, page));
  }
  /// Lists the orders of kMerchant that match the filter, and returns their ids in the list's order.
  std::vector<OrderId> found(const OrderFilter& filter, const Page& page = {.limit = 100}) {
    std::vector<OrderId> ids;
    for (const OrderAggregate& aggregate : orders(filter, page).rows) ids.push_back(aggregate.order.id);
    return ids;
  }
};

/// Checks every possible page of `list`: with each limit, from the start, after each id and before each id. `all` holds
/// the expected ids of the whole list, in the list's order.
inline void expect_pages(const std::vector<std::int64_t>& all,
                         const std::function<std::pair<std::vector<std::int64_t>, bool>(const Page&)>& list) {
  using Ids = std::vector<std::int64_t>;
  const std::size_t count = all.size();
  const auto part = [&](std::size_t begin, std::size_t end) {
    return Ids(all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (std::size_t limit = 1; limit <= count + 1; ++limit) {
    for (std::size_t start = 0; start <= count; ++start) {
      Page page{.limit = limit};
      if (start > 0) page.after = all[start - 1];
      const std::pair<Ids, bool> expected(part(start, std::min(count, start + limit)), start + limit < count);
      EXPECT_EQ(list(page), expected) << "after " << start << " rows, limit " << limit;
    }
    for (std::size_t end = 0; end < count; ++end) {
      const std::size_t begin = end > limit ? end - limit : 0;
      const std::pair<Ids, bool> expected(part(begin, end), end > limit);
      EXPECT_EQ(list({.limit = limit, .before = all[end]}), expected) << "before row " << end << ", limit " << limit;
    }
  }
}

template <class Row, class IdOf>
std::pair<std::vector<std::int64_t>, bool> ids_of(const Listed<Row>& listed, IdOf id_of) {
  std::vector<std::int64_t> ids;
  for (const Row& row : listed.rows) ids.push_back(id_of(row).value);
  return {ids, listed.has_more};
}

}  // namespace finality::store_contract
