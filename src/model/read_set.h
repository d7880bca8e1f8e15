// What a command must have before it can be decided. The engine loads the union over a batch.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <optional>
#include <vector>

#include "base/check.h"
#include "base/crypto/crypto.h"
#include "model/ids.h"

namespace finality {

/// A natural key to be read (model/natural_key.h).
struct KeyRead {
  Hash16 hash{};
  /// Where it names an object of that type, that is loaded too, as if it had been asked for by its id.
  std::optional<ObjectType> follow{};
};

struct ReadSet {
  /// The merchants that all of this belongs to: a store on several shards asks theirs, and all of them where none is
  /// named. What is another merchant's need not be found.
  std::vector<MerchantId> owners;

  std::vector<KeyRead> keys;
  std::vector<OrderId> orders;         // the whole aggregate
  std::vector<PaymentId> payments;     // the aggregate of the order they belong to
  std::vector<DeliveryId> deliveries;  // the whole aggregate
  std::vector<AccountId> accounts;
  std::vector<TransferId> transfers;  // with the accounts they name
  std::vector<HoldId> holds;          // with the accounts they name
  std::vector<PriceId> prices;
  std::vector<MerchantId> merchants;  // with their webhook endpoints and fees
  std::vector<ApiKeyId> api_keys;
  std::vector<ChannelAccountId> channel_accounts;
  std::vector<Hash16> idempotency_records;  // by idempotency key
};
/// What is to be read; `owners` only says where.
BOOST_DESCRIBE_STRUCT(ReadSet, (),
                      (keys, orders, payments, deliveries, accounts, transfers, holds, prices, merchants, api_keys,
                       channel_accounts, idempotency_records))

/// Calls visit(type, ids) for each list of ids, which are of objects of that type.
template <class ANeeds, class Visit>
void for_each_ids(ANeeds& reads, Visit visit) {
  const auto visit_ids = [&]<class List>(List& list) {
    if constexpr (requires { List::value_type::type; }) visit(List::value_type::type, list);
  };
  boost::mp11::mp_for_each<boost::describe::describe_members<ReadSet, boost::describe::mod_public>>(
      [&](auto member) { visit_ids(reads.*member.pointer); });
}

/// Asks for the object by its id. REQUIRES: there is a list for its type.
inline void add_id(ReadSet& reads, ObjectRef object) {
  bool is_added = false;
  for_each_ids(reads, [&](ObjectType type, auto& ids) {
    if (type != object.type) return;
    ids.push_back({object.value});
    is_added = true;
  });
  FINALITY_CHECK(is_added, "an object that cannot be asked for by its id");
}

/// The hashes of the keys that are to be followed to an object of that type; empty: to none.
inline std::vector<Hash16> hashes_of(const ReadSet& reads, std::optional<ObjectType> follow) {
  std::vector<Hash16> hashes;
  for (const KeyRead& key : reads.keys)
    if (key.follow == follow) hashes.push_back(key.hash);
  return hashes;
}

}  // namespace finality
