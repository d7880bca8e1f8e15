// DueScan polls the store for due rows and submits a claim for each row. The commit of a claim produces the effect. The
// scan also recovers effects that were lost in a crash or dropped because of a full queue.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>

#include "engine/engine.h"
#include "store/store.h"
#include "worker/in_flight/in_flight_effects.h"
#include "worker/worker_counters.h"

namespace finality {

/// Not thread safe. Replies to claims may arrive on other threads, also after the destruction of this object.
class DueScan {
 public:
  /// `served`: the channel accounts that are configured on this server. REQUIRES: engine, store and clock outlive this
  /// object. `counters` is shared with claims whose reply is outstanding.
  DueScan(Engine& engine, Store& store, std::unique_ptr<Reader> reader, const Clock& clock,
          std::set<ChannelAccountId> served, std::shared_ptr<InFlightEffects> in_flight,
          std::shared_ptr<WorkerCounters> counters);

  /// Reads one page of due rows of each type and submits a claim for each row. Skips rows whose claim is still queued,
  /// rows whose effect would get no slot, and rows of channel accounts that are not served here (for the first
  /// limits::kOtherNodesFirst). Reads another page, up to limits::kDuePagesPerScan, while full pages contain only
  /// skipped rows. Ends if the engine is busy or the store cannot be read. Returns true if a full page had submitted
  /// rows, so that more rows are probably due.
  bool scan();

  /// Waits until the next scan should start, at most for `at_most`. With `more`, the result of scan(), returns true as
  /// soon as the engine has replied to all queued claims and executed at least one of them. Otherwise returns false
  /// after `at_most`, or immediately if `stop` is requested.
  bool rest(Duration at_most, bool more, const std::stop_token& stop);

 private:
  struct Claims {
    std::mutex mutex;
    std::condition_variable_any decided;
    std::set<ObjectRef> queued;
    std::map<SlotKey, std::size_t> slots;  // number of queued claims by the slot key of their effect
    bool engine_busy = false;
    bool progress = false;  // a claim was executed since the last scan, so its row is no longer due
  };

  /// Statistics of one page: the due rows of one type that one query returned.
  struct Page {
    std::size_t rows = 0;
    std::size_t submitted = 0;
    DuePlace last;

    bool full() const { return rows >= limits::kDueRowsPerScan; }
  };
  using Pages = std::map<ObjectType, Page>;

  /// Reads one page of each type and submits its claims. Returns no pages if the read failed or the engine is busy.
  Pages submit_page();
  Result<std::vector<DueRow>> read_due();
  bool is_reserved_for_others(const DueRow& due) const;
  bool has_room_for(const SlotKey& key);
  void look_past(const Pages& pages);
  void submit(const DueRow& due, const std::optional<SlotKey>& key);
  bool engine_busy();

  Engine& engine_;
  Store& store_;
  std::unique_ptr<Reader> reader_;  // null after a failed read; the next scan opens a new reader
  const Clock& clock_;
  std::set<ChannelAccountId> served_;
  std::shared_ptr<InFlightEffects> in_flight_;
  std::shared_ptr<WorkerCounters> counters_;
  DueBehind behind_;  // by type, the last row of a page with skipped rows; the next page starts after it
  std::shared_ptr<Claims> claims_ = std::make_shared<Claims>();
};

}  // namespace finality
