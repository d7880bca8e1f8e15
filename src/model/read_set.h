// ReadSet: the rows that a command may read. The engine loads the rows of all commands of a batch together.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <optional>
#include <vector>

#include "base/crypto/crypto.h"
#include "model/ids.h"

namespace finality {

/// A natural key to look up (model/natural_key.h).
struct KeyRead {
  Hash16 hash{};
  /// If set, the object to which the key refers is loaded too. It must have this type.
  std::optional<ObjectType> follow{};
};

struct ReadSet {
  /// The merchants that own the rows. A sharded store reads only the shards of these merchants, or all shards if the
  /// list is empty. It may omit rows of all merchants that are not in the list.
  std::vector<MerchantId> owners;

  std::vector<KeyRead> keys;
  std::vector<OrderId> orders;                     // loads the complete aggregate
  std::vector<PaymentId> payments;                 // loads the aggregate of the payment's order
  std::vector<DeliveryId> deliveries;              // loads the complete aggregate
  std::vector<UnknownReceiptId> unknown_receipts;  // loads the complete aggregate
  std::vector<StatementId> statements;             // loads the complete aggregate
  std::vector<DifferenceId> differences;           // loads the complete aggregate
  std::vector<std::int64_t> statement_matches;     // document_id of each match
  std::vector<std::int64_t> funds_matches;         // document_id of each match
  std::vector<AccountId> accounts;
  std::vector<TransferId> transfers;  // also loads both accounts
  std::vector<HoldId> holds;          // also loads both accounts
  std::vector<PriceId> prices;
  std::vector<AdjustmentId> adjustments;
  std::vector<MerchantId> merchants;  // also loads the merchant's webhook endpoints and fees
  std::vector<ApiKeyId> api_keys;
  std::vector<ChannelAccountId> channel_accounts;
  std::vector<ChannelRateId> channel_rates;
  std::vector<IdentityCheckId> identity_checks;
  std::vector<Hash16> idempotency_records;  // key_hash of each record
};
/// Describes the lists of rows to read. `owners` is excluded, because it selects shards instead of rows.
BOOST_DESCRIBE_STRUCT(ReadSet, (),
                      (keys, orders, payments, deliveries, unknown_receipts, statements, differences, statement_matches,
                       funds_matches, accounts, transfers, holds, prices, adjustments, merchants, api_keys,
                       channel_accounts, channel_rates, identity_checks, idempotency_records))

/// Calls visit(type, ids) for each list of ids, with the object type of these ids.
template <class ANeeds, class Visit>
void for_each_ids(ANeeds& reads, Visit visit) {
  const auto visit_ids = [&]<class List>(List& list) {
    if constexpr (requires { List::value_type::type; }) visit(List::value_type::type, list);
  };
  boost::mp11::mp_for_each<boost::describe::describe_members<ReadSet, boost::describe::mod_public>>(
      [&](auto member) { visit_ids(reads.*member.pointer); });
}

/// Adds the object's id to the list for its type. REQUIRES: the read set has such a list.
void add_id(ReadSet& reads, ObjectRef object);

/// Returns the hashes of all keys whose `follow` equals the parameter, which may be empty.
std::vector<Hash16> hashes_of(const ReadSet& reads, std::optional<ObjectType> follow);

}  // namespace finality
