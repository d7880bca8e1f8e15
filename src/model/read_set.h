// ReadSet: the rows that a command reads. The engine loads the union of the read sets of a batch.
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

/// A natural key to read (model/natural_key.h).
struct KeyRead {
  Hash16 hash{};
  /// Also loads the object of this type that the key names, as if its id were in the read set.
  std::optional<ObjectType> follow{};
};

struct ReadSet {
  /// The merchants that own the rows. A sharded store reads only their shards, or all shards when the list is empty.
  /// It may omit rows of other merchants.
  std::vector<MerchantId> owners;

  std::vector<KeyRead> keys;
  std::vector<OrderId> orders;         // the whole aggregate
  std::vector<PaymentId> payments;     // the aggregate of their order
  std::vector<DeliveryId> deliveries;  // the whole aggregate
  std::vector<AccountId> accounts;
  std::vector<TransferId> transfers;  // with their accounts
  std::vector<HoldId> holds;          // with their accounts
  std::vector<PriceId> prices;
  std::vector<MerchantId> merchants;  // with their webhook endpoints and fees
  std::vector<ApiKeyId> api_keys;
  std::vector<ChannelAccountId> channel_accounts;
  std::vector<Hash16> idempotency_records;  // by idempotency key
};
/// The lists of rows to read. `owners` is excluded because it only selects shards.
BOOST_DESCRIBE_STRUCT(ReadSet, (),
                      (keys, orders, payments, deliveries, accounts, transfers, holds, prices, merchants, api_keys,
                       channel_accounts, idempotency_records))

/// Calls visit(type, ids) for each list of ids of objects of that type.
template <class ANeeds, class Visit>
void for_each_ids(ANeeds& reads, Visit visit) {
  const auto visit_ids = [&]<class List>(List& list) {
    if constexpr (requires { List::value_type::type; }) visit(List::value_type::type, list);
  };
  boost::mp11::mp_for_each<boost::describe::describe_members<ReadSet, boost::describe::mod_public>>(
      [&](auto member) { visit_ids(reads.*member.pointer); });
}

/// Adds the object's id. REQUIRES: the read set has a list for its type.
inline void add_id(ReadSet& reads, ObjectRef object) {
  bool is_added = false;
  for_each_ids(reads, [&](ObjectType type, auto& ids) {
    if (type != object.type) return;
    ids.push_back({object.value});
    is_added = true;
  });
  FINALITY_CHECK(is_added, "the read set has no list for objects of this type");
}

/// The hashes of the keys whose `follow` is that type; empty: of those that follow no object.
inline std::vector<Hash16> hashes_of(const ReadSet& reads, std::optional<ObjectType> follow) {
  std::vector<Hash16> hashes;
  for (const KeyRead& key : reads.keys)
    if (key.follow == follow) hashes.push_back(key.hash);
  return hashes;
}

}  // namespace finality
