// The parts of a store that failed recently. Commands that use a failed part are refused without a try, so that a lane
// does not wait for the part again and again while it serves merchants of other parts.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "base/time/time.h"
#include "store/store.h"

namespace finality {

/// The parts that a command uses: sorted, without duplicates.
using StoreParts = std::vector<StorePart>;

/// Orders sets of parts: small sets first. The result of one part is thus known before that of commands which use
/// several parts.
struct FewerParts {
  bool operator()(const StoreParts& one, const StoreParts& other) const {
    return one.size() != other.size() ? one.size() < other.size() : one < other;
  }
};

/// Owned by one lane; not thread safe.
class FailedParts {
 public:
  enum class Access : std::uint8_t {
    open,     // no part has failed
    probe,    // a part has failed, and its pause has ended: try a batch that uses only these parts
    refused,  // a part has failed less than limits::kStorePartRefusedFor ago
  };

  /// Whether any part has failed and has not worked since. Forgets parts that no command has used for a minute: the
  /// shards of a part can move to other machines, and then no command uses the part again.
  bool any(Time now);
  Access access(const StoreParts& parts, Time now) const;
  /// Records that a batch which uses exactly these parts failed. For several parts it is unknown which one failed, so
  /// only commands that use all of them count as failed.
  void record_failure(const StoreParts& parts, Time now);
  /// Records that a batch which uses these parts was committed. Returns whether one of them had failed.
  bool record_success(const StoreParts& parts);

  /// Returns the parts that contain the rows of the merchants. Asks the session for merchants that are not known since
  /// the last failure. Returns the session's error.
  Result<StoreParts> parts_of(const std::vector<MerchantId>& merchants, Session& session);

 private:
  std::map<StoreParts, Time, FewerParts> failed_at_;
  std::unordered_map<MerchantId, StorePart> part_of_;  // cleared by each failure, because parts can move
};

}  // namespace finality
