// The safety net: reads the rows that are due from the store, again and again, and submits a claim for each. The
// claim's commit hands out the effect; what a crash or a full queue lost comes back this way.
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

/// One thread's. Replies to its claims may come after it is gone.
class DueScan {
 public:
  /// `served`: the channel accounts that this server can send requests to. `counters` is kept alive by the claims that
  /// count in it. REQUIRES: the others outlive this object.
  DueScan(Engine& engine, Store& store, std::unique_ptr<Reader> reader, const Clock& clock,
          std::set<ChannelAccountId> served, std::shared_ptr<InFlightEffects> in_flight,
          std::shared_ptr<WorkerCounters> counters);

  /// Submits the claims of one page of due rows of each type. A row whose claim is still queued is left alone, and so
  /// is one whose effect would find no slot, or for limits::kOtherNodesFirst one of an account that another server may
  /// serve: the page that follows begins behind such rows, until all have been looked
  /// at. While a page holds no other rows the scan reads the next one, limits::kDuePagesPerScan in all. A busy engine
  /// ends the scan. True when a page was full and some of its rows were submitted: there may be more.
  bool scan();

  /// Waits `at_most`; when `more`, only until the claims are decided: true then, unless none of them was carried out.
  /// Returns at once when a stop is asked for.
  bool rest(Duration at_most, bool more, const std::stop_token& stop);

 private:
  struct Claims {
    std::mutex mutex;
    std::condition_variable_any decided;
    std::set<ObjectRef> queued;
    std::map<SlotKey, std::size_t> slots;  // that the effects of these will take
    bool engine_busy = false;
    bool progress = false;  // since the last scan some claim was carried out: the rows behind it have moved up
  };

  /// The rows of one type that were read together.
  struct Page {
    std::size_t rows = 0;
    std::size_t submitted = 0;
    DuePlace last;

    bool full() const { return rows >= limits::kDueRowsPerScan; }
  };
  using Pages = std::map<ObjectType, Page>;

  /// Submits the claims of one page of each type. Empty when the store failed or the engine is busy.
  Pages submit_page();
  Result<std::vector<DueRow>> read_due();
  bool is_left_to_others(const DueRow& due) const;
  bool has_room_for(const SlotKey& key);
  void look_past(const Pages& pages);
  void submit(const DueRow& due, const std::optional<SlotKey>& key);
  bool engine_busy();

  Engine& engine_;
  Store& store_;
  std::unique_ptr<Reader> reader_;  // null after it failed: opened anew
  const Clock& clock_;
  std::set<ChannelAccountId> served_;
  std::shared_ptr<InFlightEffects> in_flight_;
  std::shared_ptr<WorkerCounters> counters_;
  DueBehind behind_;  // rows up to there were looked at, and some of them have to wait
  std::shared_ptr<Claims> claims_ = std::make_shared<Claims>();
};

}  // namespace finality
