// Checks invariant 20, parts of the store: while the part with the rows of one merchant fails, only requests that use
// these rows are refused.
#pragma once

#include <algorithm>
#include <map>

#include "base/limits.h"
#include "base/time/time.h"
#include "decide/decide.h"
#include "engine/request.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

/// Returns true if the refusal names an error of the store.
inline bool is_storage_refusal(const Reply& reply) {
  return reply.refusal && (reply.refusal->code == RefusalCode::storage_read_error ||
                           reply.refusal->code == RefusalCode::storage_write_error);
}

class StorageAuditor {
 public:
  explicit StorageAuditor(Findings& findings) : findings_(findings) {}

  /// Records that a load or a commit has failed because of the whole store.
  void store_failed(Time now) { store_failed_at_ = now; }
  /// Records that a load or a commit has failed because of the part with the merchant's rows.
  void part_failed(MerchantId merchant, Time now) { part_failed_at_[merchant] = now; }
  /// Checks a refusal that names an error of the store. Called when the batch of the request ends, at the instant of
  /// the failure.
  void refused(const Request& request, Time now) {
    ReadSet reads;
    add_reads(request.command, reads);
    reads.owners.push_back(request.merchant_id);
    const bool uses_failed_part = std::ranges::any_of(reads.owners, [&](MerchantId merchant) {
      const auto at = part_failed_at_.find(merchant);
      return at != part_failed_at_.end() && now <= at->second + kRefusedMax;
    });
    findings_.require(uses_failed_part || store_failed_at_ == now, "20 parts of the store",
                      "a request of {} was refused because of the store, but no part that it uses has failed",
                      to_text(request.merchant_id));
  }

 private:
  // An engine refuses the requests of a failed part for some time. Its clock can be set back meanwhile, even several
  // times.
  static constexpr Duration kRefusedMax = 12 * limits::kStorePartRefusedFor;

  Findings& findings_;
  Time store_failed_at_;                       // last failure
  std::map<MerchantId, Time> part_failed_at_;  // last failure of the part
};

}  // namespace finality::sim
