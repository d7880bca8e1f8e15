// Checks that requests explain the reported balances of each account.
//
// A snapshot is a reported balance with its version; versions order the snapshots. A segment is the interval between
// two consecutive snapshots. A change of the account may belong to every segment that overlaps its time window. The
// search assigns changes to segments so that the sum of each segment equals the difference of its snapshots. The order
// of changes within a segment does not affect the sum.
//
// The search is a depth-first search over the segments in order. It tries changes in the order of their windows, prunes
// by the sums that the remaining changes can reach, and memoizes failed sets of assigned changes.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "history/money.h"

namespace finality::history {
namespace {

constexpr std::int64_t kStepsMax = 20'000'000;  // maximum search steps per account, about two seconds
constexpr int kBeyond = std::numeric_limits<int>::max();

/// One version of the account with its reported balance.
struct Snapshot {
  std::int64_t version = 0;
  Amounts amounts;
  std::int64_t begun_before = kNever;  // upper bound of the time at which the version became current
  std::int64_t ended_after = 0;        // lower bound of the time at which the version stopped being current
  std::size_t place = 0;
};

/// Segments to which a change may belong, first to last. Segment s ends with snapshot s. `last` is kBeyond if the
/// change may have happened after the last snapshot or not at all.
struct Range {
  int first = 0;
  int last = kBeyond;
};

std::vector<Snapshot> snapshots_of(const Object& account) {
  std::vector<Snapshot> snapshots;
  for (const Observation& observation : account.observations) {
    const auto balance = number(*observation.fields, "balance"), held = number(*observation.fields, "held");
    if (!balance || !held) continue;
    if (snapshots.empty() || snapshots.back().version != observation.version)
      snapshots.push_back({.version = observation.version,
                           .amounts = {*balance, *held, observation.version},
                           .place = observation.request->place});
    snapshots.back().begun_before = std::min(snapshots.back().begun_before, observation.window().until);
    snapshots.back().ended_after = std::max(snapshots.back().ended_after, observation.window().from);
  }
  // Versions are consecutive in time, so times known for one version also bound the times of its neighbors: a version
  // began before every newer version, and ended after every older version.
  for (std::size_t i = snapshots.size(); i-- > 1;)
    snapshots[i - 1].begun_before = std::min(snapshots[i - 1].begun_before, snapshots[i].begun_before);
  for (std::size_t i = 1; i < snapshots.size(); ++i)
    snapshots[i].ended_after = std::max(snapshots[i].ended_after, snapshots[i - 1].ended_after);
  return snapshots;
}

Range range_of(const Window& window, bool certain, const std::vector<Snapshot>& snapshots) {
  const auto first = std::ranges::partition_point(
      snapshots, [&](const Snapshot& snapshot) { return snapshot.begun_before <= window.from; });
  const auto last = std::ranges::partition_point(
      snapshots, [&](const Snapshot& snapshot) { return snapshot.ended_after < window.until; });
  const int first_segment = static_cast<int>(first - snapshots.begin());
  const int last_segment = certain && last != snapshots.end() ? static_cast<int>(last - snapshots.begin()) : kBeyond;
  return {first_segment, last_segment};
}

// Lower and upper bound of the effect of a change that the search may assign or omit.
Amounts least_of(const Amounts& by) {
  return {std::min<std::int64_t>(by.balance, 0), std::min<std::int64_t>(by.held, 0), 0};
}
Amounts most_of(const Amounts& by) {
  return {std::max<std::int64_t>(by.balance, 0), std::max<std::int64_t>(by.held, 0), by.changes};
}
bool is_between(const Amounts& sum, const Amounts& least, const Amounts& most) {
  return least.balance <= sum.balance && sum.balance <= most.balance && least.held <= sum.held &&
         sum.held <= most.held && least.changes <= sum.changes && sum.changes <= most.changes;
}

enum class Found : std::uint8_t { yes, no, too_long };

/// Memoized subset sums of the changes that the search may assign to one segment. Ignores the constraints Delta::group
/// and Delta::after, so it may only overestimate the reachable sums.
class Sums {
 public:
  /// `free` contains the indexes in `moves` of the changes, in the order in which the search tries them.
  Sums(const std::vector<Delta>& moves, std::vector<std::size_t> free) : moves_(moves), free_(std::move(free)) {
    least_.resize(free_.size() + 1);
    most_.resize(free_.size() + 1);
    for (std::size_t i = free_.size(); i-- > 0;) {
      const Amounts& by = moves[free_[i]].by;
      least_[i] = least_[i + 1] + least_of(by);
      most_[i] = most_[i + 1] + most_of(by);
    }
  }
  const std::vector<std::size_t>& free() const { return free_; }
  /// Frees the memory of the memoized results. Later calls of can_reach() compute them again.
  void release_memo() { memo_ = {}; }
  /// Returns whether a subset of the changes from index `place` in free() has the sum `sum`. Decrements `steps` and
  /// returns true if no steps are left.
  bool can_reach(std::size_t place, const Amounts& sum, std::int64_t& steps) {
    if (sum == Amounts{}) return true;
    if (place == free_.size() || !is_between(sum, least_[place], most_[place])) return false;
    const Key key{place, sum};
    if (const auto memoized = memo_.find(key); memoized != memo_.end()) return memoized->second;
    if (--steps < 0) return true;
    const bool found = can_reach(place + 1, sum - moves_[free_[place]].by, steps) || can_reach(place + 1, sum, steps);
    return memo_[key] = found;
  }

 private:
  struct Key {
    std::size_t place;
    Amounts sum;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = key.place * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(key.sum.balance);
      hash = (hash ^ (hash >> 29)) * 0xBF58476D1CE4E5B9u + static_cast<std::uint64_t>(key.sum.held);
      hash = (hash ^ (hash >> 31)) * 0xD6E8FEB86659FD93u + static_cast<std::uint64_t>(key.sum.changes);
      return (hash ^ (hash >> 32)) * 0x94D049BB133111EBu;
    }
  };

  const std::vector<Delta>& moves_;
  std::vector<std::size_t> free_;
  std::vector<Amounts> least_, most_;
  std::unordered_map<Key, bool, Hash> memo_;
};

/// Searches for an assignment of changes to the segments between snapshots `from` and `to`. Uses an explicit stack
/// instead of recursion, because the number of segments can equal the number of requests.
class Search {
 public:
  Search(const std::vector<Snapshot>& snapshots, const std::vector<Delta>& moves, const std::vector<Range>& ranges,
         int groups, int from, int to, std::int64_t& steps)
      : snapshots_(snapshots),
        moves_(moves),
        ranges_(ranges),
        from_(from),
        to_(to),
        taken_(moves.size()),
        group_taken_(static_cast<std::size_t>(groups)),
        short_(static_cast<std::size_t>(to) + 1),
        steps_(steps) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const auto [first, last] = ranges[i];
      if (last <= from) taken_[i] = true;
      if (last <= from || first > to) continue;
      if (std::min(last, to) - first > kLongRange)
        long_.push_back(i);
      else
        for (int segment = first; segment <= std::min(last, to); ++segment)
          short_[static_cast<std::size_t>(segment)].push_back(i);
    }
  }

  Found run() {
    enter(from_ + 1);
    while (!stack_.empty() && furthest_ <= to_) {
      if (--steps_ < 0) return Found::too_long;
      Segment& top = stack_.back();
      if (!enter_next(top) && !take_next(top) && !undo_last(top)) leave();
    }
    return furthest_ > to_ ? Found::yes : Found::no;
  }
  /// Returns the index of the first snapshot that no tried assignment explains.
  int stuck_at() const { return furthest_; }

 private:
  static constexpr int kLongRange = 32;

  struct Segment {
    int number;
    std::uint64_t mark;  // hash of the changes assigned when the segment was entered
    std::vector<std::size_t> forced;
    Sums sums;
    Amounts need;  // difference of the two snapshots minus the sum of the assigned changes
    bool is_possible = true;
    std::vector<std::size_t> chosen = {};  // indexes in sums.free() of the assigned changes
    std::size_t next = 0;
    bool has_entered_next = false;
  };

  std::uint64_t mark_of(int segment) const {
    return hash_ ^ (static_cast<std::uint64_t>(segment) * 0x9E3779B97F4A7C15u);
  }
  bool may_be_in(std::size_t move, int segment) const {
    return !taken_[move] && ranges_[move].first <= segment && ranges_[move].last >= segment;
  }
  // Returns whether the change must be assigned to the segment, its last possible segment. A change that may have
  // happened before the snapshot `from_` is never forced.
  bool must_be_in(std::size_t move, int segment) const {
    return ranges_[move].last == segment && ranges_[move].first > from_;
  }

  void enter(int number) {
    furthest_ = std::max(furthest_, number);
    if (number > to_) return;
    std::vector<std::size_t> forced, free;
    for (const auto* list : {&long_, &short_[static_cast<std::size_t>(number)]})
      for (const std::size_t i : *list)
        if (may_be_in(i, number)) (must_be_in(i, number) ? forced : free).push_back(i);
    put_in_order(free);
    const auto at = static_cast<std::size_t>(number);
    const Amounts need = snapshots_[at].amounts - snapshots_[at - 1].amounts;
    stack_.push_back({number, mark_of(number), std::move(forced), Sums(moves_, std::move(free)), need});
    Segment& top = stack_.back();
    for (const std::size_t i : top.forced) take(i, top.need);
    top.is_possible = std::ranges::all_of(top.forced, [&](std::size_t i) { return is_after(i); });
  }
  void leave() {
    const Segment& top = stack_.back();
    for (const std::size_t i : top.forced) mark(i, false);
    failed_.insert(top.mark);
    stack_.pop_back();
  }

  // Enters the next segment if the sum of the assigned changes equals the difference of the segment's snapshots.
  bool enter_next(Segment& top) {
    if (top.has_entered_next || top.need != Amounts{} || !top.is_possible) return false;
    top.has_entered_next = true;
    top.sums.release_memo();
    if (failed_.contains(mark_of(top.number + 1))) return false;
    enter(top.number + 1);
    return true;
  }
  bool take_next(Segment& top) {
    const std::vector<std::size_t>& free = top.sums.free();
    if (!top.is_possible) return false;
    for (; top.next < free.size(); ++top.next) {
      const std::size_t move = free[top.next];
      if (!may_take(move) || has_untaken_duplicate(free, top.next) ||
          !top.sums.can_reach(top.next + 1, top.need - moves_[move].by, steps_))
        continue;
      take(move, top.need);
      top.chosen.push_back(top.next++);
      top.has_entered_next = false;
      return true;
    }
    return false;
  }
  bool undo_last(Segment& top) {
    if (top.chosen.empty()) return false;
    const std::size_t place = top.chosen.back();
    const std::size_t move = top.sums.free()[place];
    top.chosen.pop_back();
    top.need = top.need + moves_[move].by;
    mark(move, false);
    top.next = place + 1;
    top.has_entered_next = true;
    return true;
  }

  // Sorts changes that certainly happened before all others, and then by the start of their windows, because a server
  // usually executes requests in order of arrival. Changes with equal amounts and no constraints are interchangeable;
  // among them, the change with the earliest end of its window comes first.
  void put_in_order(std::vector<std::size_t>& free) const {
    std::ranges::sort(free, {},
                      [&](std::size_t i) { return std::tuple(!moves_[i].certain, moves_[i].window.from, i); });
    std::map<std::tuple<std::int64_t, std::int64_t>, std::vector<std::size_t>> alike;
    for (const std::size_t i : free)
      if (is_alone(i)) alike[{moves_[i].by.balance, moves_[i].by.held}].push_back(i);
    for (auto& [by, same] : alike) std::ranges::sort(same, std::greater{}, [&](std::size_t i) { return urgency(i); });
    for (std::size_t& i : free) {
      if (!is_alone(i)) continue;
      auto& same = alike[{moves_[i].by.balance, moves_[i].by.held}];
      i = same.back();
      same.pop_back();
    }
  }
  bool has_untaken_duplicate(const std::vector<std::size_t>& free, std::size_t place) const {
    const std::size_t move = free[place];
    return is_alone(move) &&
           std::any_of(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(place), [&](auto other) {
             return moves_[other].by == moves_[move].by && is_alone(other) && !taken_[other];
           });
  }
  std::tuple<int, std::int64_t, std::size_t> urgency(std::size_t i) const {
    return {ranges_[i].last, moves_[i].window.until, i};
  }
  bool is_alone(std::size_t i) const { return moves_[i].after < 0 && moves_[i].group < 0 && !moves_[i].is_needed; }
  bool is_after(std::size_t i) const {
    if (moves_[i].after < 0) return true;
    const auto before = static_cast<std::size_t>(moves_[i].after);
    return taken_[before] || ranges_[before].first <= from_;
  }
  bool may_take(std::size_t i) const {
    return is_after(i) && (moves_[i].group < 0 || !group_taken_[static_cast<std::size_t>(moves_[i].group)]);
  }
  void take(std::size_t i, Amounts& need) {
    need = need - moves_[i].by;
    mark(i, true);
  }
  void mark(std::size_t i, bool taken) {
    taken_[i] = taken;
    if (moves_[i].group >= 0) group_taken_[static_cast<std::size_t>(moves_[i].group)] = taken;
    std::uint64_t hash = (i + 1) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
    hash_ ^= hash ^ (hash >> 27);
  }

  const std::vector<Snapshot>& snapshots_;
  const std::vector<Delta>& moves_;
  const std::vector<Range>& ranges_;
  int from_, to_;
  std::vector<bool> taken_, group_taken_;
  std::vector<std::vector<std::size_t>> short_;  // by segment: the changes that may belong to it, without long_
  std::vector<std::size_t> long_;                // changes that may belong to more than kLongRange segments
  std::vector<Segment> stack_;
  std::uint64_t hash_ = 0;
  std::int64_t& steps_;  // remaining steps
  int furthest_ = 0;
  std::unordered_set<std::uint64_t> failed_;
};

class AccountCheck {
 public:
  AccountCheck(std::string_view id, const Object& account, AccountModel& book, Findings& findings)
      : id_(id),
        book_(book),
        snapshots_(snapshots_of(account)),
        findings_(findings),
        overdraft_(number(*account.observations.front().fields, "overdraft").value_or(0)) {
    is_observed_since_creation_ =
        !snapshots_.empty() && snapshots_.front().amounts.balance == 0 && snapshots_.front().amounts.held == 0 &&
        std::ranges::any_of(account.observations, [&](const Observation& observation) {
          return observation.version == snapshots_.front().version && observation.request->posts({"accounts"});
        });
    for (Delta& move : book.moves) {
      if (move.after >= 0) come_after(move, book.moves[static_cast<std::size_t>(move.after)]);
      ranges_.push_back(range_of(move.window, move.certain, snapshots_));
      ranges_.back().first = std::max(ranges_.back().first, 1);  // snapshot 0 is the creation of the account
    }
  }

  void run() {
    for (const Delta& move : book_.moves)
      if (move.certain && !move.requested)
        findings_.add(id_, "every movement has a request", {move.reported_at}, "{} moved {} without a request",
                      move.what, move.by.balance);
    if (!is_observed_since_creation_ || book_.unknown) return;
    findings_.report().accounts += 1;
    check_sums();
    check_limits();
    check_shortages();
  }

 private:
  // Records that `earlier` must precede `later`. Moves the start of the window of `later`, because the search tries
  // changes in the order of these starts.
  static void come_after(Delta& later, Delta& earlier) {
    earlier.is_needed = true;
    later.window.from = std::max(later.window.from, earlier.window.from);
  }

  void check_sums() {
    const int last = static_cast<int>(snapshots_.size()) - 1;
    std::int64_t steps = kStepsMax;
    Search search(snapshots_, book_.moves, ranges_, book_.groups, 0, last, steps);
    const Found found = search.run();
    if (found == Found::no) return report_unexplained(search.stuck_at());
    if (found == Found::too_long) findings_.report().undecided += 1;
    if (found == Found::too_long) check_bounds();
  }

  // Reports the shortest sequence of consecutive snapshots that ends with snapshot `to` and has no explanation.
  void report_unexplained(int to) {
    int from = to - 1;
    for (std::int64_t steps = kStepsMax; from > 0; from = steps > 0 ? from - 1 : 0)
      if (Search(snapshots_, book_.moves, ranges_, book_.groups, from, to, steps).run() == Found::no) break;
    const Snapshot& before = snapshots_[static_cast<std::size_t>(from)];
    const Snapshot& after = snapshots_[static_cast<std::size_t>(to)];
    std::vector<std::size_t> shown{before.place, after.place};
    for (std::size_t i = 0; i < ranges_.size(); ++i)
      if (ranges_[i].first <= to && ranges_[i].last > from && (book_.moves[i].certain || ranges_[i].first > from))
        shown.insert(shown.end(), {book_.moves[i].requested_at, book_.moves[i].reported_at});
    findings_.add(id_, "balances match the requests", std::move(shown),
                  "no changes lead from balance {} held {} at version {} to balance {} held {} at version {}",
                  before.amounts.balance, before.amounts.held, before.version, after.amounts.balance,
                  after.amounts.held, after.version);
  }

  // Fallback if the search reaches kStepsMax: each balance must be between the smallest and the largest possible sum of
  // the changes up to its snapshot.
  void check_bounds() {
    for (std::size_t at = 0; at < snapshots_.size(); ++at) {
      Amounts least, most;
      for (std::size_t i = 0; i < ranges_.size(); ++i) {
        if (ranges_[i].first > static_cast<int>(at)) continue;
        const Amounts& by = book_.moves[i].by;
        const bool sure = ranges_[i].last <= static_cast<int>(at);
        least = least + (sure ? by : least_of(by));
        most = most + (sure ? by : most_of(by));
      }
      const Amounts reported = snapshots_[at].amounts - Amounts{0, 0, snapshots_.front().version};
      if (!is_between(reported, least, most))
        findings_.add(id_, "balances match the requests", {snapshots_[at].place},
                      "balance {} held {}, but the changes explain only balance {} to {}, held {} to {}",
                      reported.balance, reported.held, least.balance, most.balance, least.held, most.held);
    }
  }

  bool contains(const Range& range, int segment) const { return range.first <= segment && segment <= range.last; }

  // Checks that the available balance was never below the overdraft limit: in each snapshot, and after each debit. At
  // the debit, the balance of the preceding snapshot plus all possible later credits must cover all certain debits.
  void check_limits() {
    for (const Snapshot& snapshot : snapshots_)
      if (snapshot.amounts.available() + overdraft_ < 0)
        findings_.add(id_, "an account stays within its limit", {snapshot.place},
                      "balance {}, held {}, but the limit is {}", snapshot.amounts.balance, snapshot.amounts.held,
                      -overdraft_);
    for (std::size_t i = 0; i < ranges_.size(); ++i)
      if (book_.moves[i].certain && book_.moves[i].by.available() < 0) check_debit(book_.moves[i], ranges_[i].first);
  }
  void check_debit(const Delta& debit, int segment) {
    const std::int64_t by = debit.window.until;
    const Snapshot& before = snapshots_[static_cast<std::size_t>(segment) - 1];
    std::int64_t most = before.amounts.available() + overdraft_;
    std::vector<std::size_t> shown{before.place};
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const Delta& other = book_.moves[i];
      const std::int64_t amount = other.by.available();
      const bool may_have_come = amount > 0 && other.window.from < by && ranges_[i].last >= segment;
      const bool has_left = amount < 0 && other.certain && other.window.until <= by && ranges_[i].first >= segment;
      if (!may_have_come && !has_left) continue;
      most += amount;
      shown.push_back(other.reported_at);
    }
    if (most < 0)
      findings_.add(id_, "an account stays within its limit", std::move(shown),
                    "when {} was reported, the debits exceeded the available amount by at least {}", debit.what, -most);
  }

  void check_shortages() {
    for (const Shortage& shortage : book_.shortages) {
      const Range range = range_of(shortage.window, true, snapshots_);
      // If the whole window is within the lifetime of one snapshot, range.last is less than range.first. Segment
      // range.first then begins with this snapshot, and is the only segment to check.
      const int last = std::min(std::max(range.last, range.first), static_cast<int>(snapshots_.size()));
      std::int64_t least = kNever;
      for (int segment = std::max(range.first, 1); segment <= last; ++segment)
        least = std::min(least, least_available(shortage, segment));
      if (least >= shortage.amount)
        findings_.add(id_, "a refusal has a reason", {shortage.place},
                      "insufficient_balance for {}, but at least {} was always available", shortage.amount, least);
    }
  }
  // Returns a lower bound of the available balance in the segment. Computes one bound from the snapshot before the
  // segment and one from the snapshot after it, and returns the larger bound.
  std::int64_t least_available(const Shortage& shortage, int segment) const {
    const auto at = static_cast<std::size_t>(segment);
    std::int64_t onwards = snapshots_[at - 1].amounts.available() + overdraft_;
    std::int64_t backwards = at < snapshots_.size() ? snapshots_[at].amounts.available() + overdraft_ : 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (!contains(ranges_[i], segment)) continue;
      const Delta& move = book_.moves[i];
      const std::int64_t amount = move.by.available();
      const bool sure =
          move.certain && ranges_[i].first == segment && (ranges_[i].last == segment || at == snapshots_.size());
      if (shortage.is_of(move)) {  // the refused hold was created later; an existing hold would have been returned
        if (amount > 0 || sure) backwards -= amount;
        continue;
      }
      if (amount < 0 && move.window.from < shortage.window.until) onwards += amount;
      if (amount > 0 && sure && move.window.until < shortage.window.from) onwards += amount;
      if (amount > 0 && move.window.until > shortage.window.from) backwards -= amount;
      if (amount < 0 && sure && move.window.from > shortage.window.until) backwards -= amount;
    }
    return at < snapshots_.size() ? std::max(onwards, backwards) : onwards;
  }

  std::string_view id_;
  AccountModel& book_;
  std::vector<Snapshot> snapshots_;
  std::vector<Range> ranges_;
  Findings& findings_;
  std::int64_t overdraft_;
  bool is_observed_since_creation_ = false;
};

}  // namespace

void check_accounts(const Reading& reading, Findings& findings) {
  auto books = books_of(reading);
  check_entries(reading, books, findings);
  for (auto& [id, book] : books)
    if (const auto at = reading.objects.find(id); at != reading.objects.end())
      AccountCheck(id, at->second, book, findings).run();
}

}  // namespace finality::history
