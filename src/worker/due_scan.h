// Finds due rows in the store by polling and submits a claim for each. The commit of a claim produces the effect.
// Effects lost in a crash or dropped from a full queue are recovered this way.
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

/// Used by one thread. Replies to its claims may arrive after its destruction.
class DueScan {
 public:
  /// `served`: the channel accounts to which this server can send requests. Claims share ownership of `counters`.
  /// REQUIRES: the other references outlive this object.
  DueScan(Engine& engine, Store& store, std::unique_ptr<Reader> reader, const Clock& clock,
          std::set<ChannelAccountId> served, std::shared_ptr<InFlightEffects> in_flight,
          std::shared_ptr<WorkerCounters> counters);

  /// Submits the claims of one page of due rows of each type. Skips rows whose claim is still queued, rows whose effect
  /// would find no slot, and, for limits::kOtherNodesFirst, rows of an account that another server may serve. The next
  /// page starts after the skipped rows, until all rows have been examined. While a page contains only skipped rows,
  /// the scan reads the next one, up to limits::kDuePagesPerScan pages. A busy engine ends the scan. Returns true if a
  /// page was full and some of its rows were submitted, so there may be more.
  bool scan();

  /// Waits up to `at_most`. With `more`, returns true as soon as the engine has answered all queued claims and has
  /// executed at least one of them. Otherwise returns false after `at_most`, or immediately on a stop request.
  bool rest(Duration at_most, bool more, const std::stop_token& stop);

 private:
  struct Claims {
    std::mutex mutex;
    std::condition_variable_any decided;
    std::set<ObjectRef> queued;
    std::map<SlotKey, std::size_t> slots;  // slots that the effects of the queued claims will take
    bool engine_busy = false;
    bool progress = false;  // a claim was carried out since the last scan, so later rows have moved up
  };

  /// The rows of one type read by one query.
  struct Page {
    std::size_t rows = 0;
    std::size_t submitted = 0;
    DuePlace last;

    bool full() const { return rows >= limits::kDueRowsPerScan; }
  };
  using Pages = std::map<ObjectType, Page>;

  /// Submits the claims of one page of each type. Returns no pages if the store failed or the engine is busy.
  Pages submit_page();
  Result<std::vector<DueRow>> read_due();
  bool is_reserved_for_others(const DueRow& due) const;
  bool has_room_for(const SlotKey& key);
  void look_past(const Pages& pages);
  void submit(const DueRow& due, const std::optional<SlotKey>& key);
  bool engine_busy();

  Engine& engine_;
  Store& store_;
  std::unique_ptr<Reader> reader_;  // null after a failure; the next scan opens a new one
  const Clock& clock_;
  std::set<ChannelAccountId> served_;
  std::shared_ptr<InFlightEffects> in_flight_;
  std::shared_ptr<WorkerCounters> counters_;
  DueBehind behind_;  // end of the rows already examined, some of which must wait
  std::shared_ptr<Claims> claims_ = std::make_shared<Claims>();
};

}  // namespace finality
