#include "base/net/name_lookup.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/expiring_cache.h"
#include "base/net/host_query.h"
#include "base/thread_name.h"

namespace finality::net {
namespace {

using Instant = HostQuery::Instant;

// The caches expire by the steady clock, so that a changed wall clock neither extends nor ends an entry.
Time cache_time(Instant now) { return {std::chrono::duration_cast<Duration>(now.time_since_epoch()).count()}; }

/// Wakes a thread that waits in poll(). signal() is thread safe.
class WakeUp {
 public:
  WakeUp() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    FINALITY_CHECK(descriptor_ >= 0, "the process has a free file descriptor when it starts");
  }
  ~WakeUp() { ::close(descriptor_); }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  pollfd to_poll() const { return {.fd = descriptor_, .events = POLLIN, .revents = 0}; }
  void signal() { ::eventfd_write(descriptor_, 1); }
  void reset() {
    eventfd_t count = 0;
    ::eventfd_read(descriptor_, &count);
  }

 private:
  int descriptor_;
};

/// Queries in flight for names that third parties chose, in total and of each party. Not thread safe.
class Quota {
 public:
  /// A party may use limits::kLookupsPerMerchantMax queries, and at most as many as remain free for the others.
  bool has_room(std::int64_t owner) const {
    const auto own = of_owner_.find(owner);
    const std::size_t room = std::min(limits::kLookupsPerMerchantMax, limits::kForeignLookupsMax - total_);
    return (own == of_owner_.end() ? 0 : own->second) < room;
  }
  void acquire(std::int64_t owner) {
    ++of_owner_[owner];
    ++total_;
  }
  void release(std::int64_t owner) {
    const auto own = of_owner_.find(owner);
    if (--own->second == 0) of_owner_.erase(own);
    --total_;
  }

 private:
  std::map<std::int64_t, std::size_t> of_owner_;
  std::size_t total_ = 0;
};

}  // namespace

class NameLookup::Loop {
 public:
  explicit Loop(NameLookupOptions options) : options_(std::move(options)), thread_([this] { run(); }) {}
  ~Loop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_up_.signal();
  }

  void add(std::optional<std::int64_t> owner, std::string host, Done done) {
    {
      const std::lock_guard lock(mutex_);
      added_.push_back({owner, std::move(host), std::move(done)});
    }
    wake_up_.signal();
  }

 private:
  struct Wanted {
    std::optional<std::int64_t> owner;
    std::string host;
    Done done;
  };
  struct Running {
    Running(const Wanted& wanted, const NameLookupOptions& options, Instant now)
        : query(wanted.host, options, now), owner(wanted.owner) {}

    HostQuery query;
    std::optional<std::int64_t> owner;  // of the look-up that started the query
    std::vector<Done> waiting{};
    std::size_t first_socket = 0;  // of the polled sockets
    std::size_t socket_count = 0;
  };
  /// The names that the operator chose, or those that third parties chose.
  struct Names {
    std::map<std::string, Running> running{};  // keyed by the host
    ExpiringCache<std::string, LookupResult> addresses{limits::kLookupsRememberedMax, limits::kAddressesKept};
  };

  void run();
  void wait(std::vector<pollfd>& polled);
  void process(std::span<const pollfd> polled);
  bool take_added();
  void start(Wanted wanted, Instant now);
  std::optional<LookupResult> known(const Names& names, const Wanted& wanted, Instant now) const;
  void end(Names& names, std::map<std::string, Running>::iterator ended, Instant now);
  void remember(Names& names, const std::string& host, const Running& ended, Instant now);
  void fail_all();

  const NameLookupOptions options_;
  WakeUp wake_up_;
  std::mutex mutex_;
  std::vector<Wanted> added_;
  bool stopping_ = false;

  // Used only by the thread.
  Names operator_names_;
  Names foreign_names_;
  ExpiringCache<std::string, LookupResult> failures_{limits::kLookupsRememberedMax, limits::kLookupFailureKept};
  Quota quota_;

  std::jthread thread_;  // last: ends before the members that it uses
};

void NameLookup::Loop::run() {
  name_thread("lookup");
  std::vector<pollfd> polled;
  do {
    wait(polled);
    process(polled);
  } while (take_added());
  fail_all();
}

// Waits until a socket is ready, a query is due, or wake_up_ is signalled. Stores the sockets with their events.
void NameLookup::Loop::wait(std::vector<pollfd>& polled) {
  const Instant now = std::chrono::steady_clock::now();
  polled.assign(1, wake_up_.to_poll());
  std::optional<Instant> due_at;
  for (Names* names : {&operator_names_, &foreign_names_}) {
    for (auto& [host, running] : names->running) {
      running.first_socket = polled.size();
      running.query.add_sockets(polled);
      running.socket_count = polled.size() - running.first_socket;
      const Instant due = running.query.due_at(now);
      due_at = std::min(due_at.value_or(due), due);
    }
  }
  const Duration timeout =
      due_at ? std::max(std::chrono::ceil<Duration>(*due_at - now), Duration::zero()) : Duration(-1);  // -1: no limit
  ::poll(polled.data(), polled.size(), static_cast<int>(timeout.count()));
}

void NameLookup::Loop::process(std::span<const pollfd> polled) {
  const Instant now = std::chrono::steady_clock::now();
  if (polled[0].revents != 0) wake_up_.reset();
  for (Names* names : {&operator_names_, &foreign_names_}) {
    for (auto at = names->running.begin(); at != names->running.end();) {
      const auto here = at++;
      Running& running = here->second;
      running.query.process(polled.subspan(running.first_socket, running.socket_count), now);
      if (running.query.is_finished()) end(*names, here, now);
    }
  }
}

// Starts the added look-ups. Returns false if the thread must end.
bool NameLookup::Loop::take_added() {
  std::vector<Wanted> added;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    added.swap(added_);
  }
  const Instant now = std::chrono::steady_clock::now();
  for (Wanted& wanted : added) start(std::move(wanted), now);
  return true;
}

std::optional<LookupResult> NameLookup::Loop::known(const Names& names, const Wanted& wanted, Instant now) const {
  std::optional<LookupResult> found = names.addresses.get(wanted.host, cache_time(now));
  if (!found && wanted.owner) found = failures_.get(wanted.host, cache_time(now));
  return found;
}

void NameLookup::Loop::start(Wanted wanted, Instant now) {
  Names& names = wanted.owner ? foreign_names_ : operator_names_;
  if (auto found = known(names, wanted, now)) return wanted.done(std::move(*found));
  if (const auto running = names.running.find(wanted.host); running != names.running.end())
    return running->second.waiting.push_back(std::move(wanted.done));
  if (wanted.owner && !quota_.has_room(*wanted.owner))
    return wanted.done({.addresses = {}, .failure = "too many look-ups of host names in progress", .over_limit = true});

  if (wanted.owner) quota_.acquire(*wanted.owner);
  const auto [started, is_new] =
      names.running.emplace(std::piecewise_construct, std::forward_as_tuple(wanted.host),
                            std::forward_as_tuple(wanted, options_, now));  // built in place: c-ares keeps its address
  started->second.waiting.push_back(std::move(wanted.done));
  if (started->second.query.is_finished()) end(names, started, now);
}

void NameLookup::Loop::end(Names& names, std::map<std::string, Running>::iterator ended, Instant now) {
  remember(names, ended->first, ended->second, now);
  if (ended->second.owner) quota_.release(*ended->second.owner);
  const LookupResult result = ended->second.query.result();
  const std::vector<Done> waiting = std::move(ended->second.waiting);
  names.running.erase(ended);
  for (const Done& done : waiting) done(result);
}

void NameLookup::Loop::remember(Names& names, const std::string& host, const Running& ended, Instant now) {
  const LookupResult& result = ended.query.result();
  if (!result.addresses.empty()) {
    if (ended.query.time_to_live() >= limits::kAddressesKept) names.addresses.put(host, result, cache_time(now));
  } else if (ended.owner) {
    failures_.put(host, result, cache_time(now));
  }
}

void NameLookup::Loop::fail_all() {
  std::vector<Done> waiting;
  for (Names* names : {&operator_names_, &foreign_names_}) {
    for (auto& [host, running] : names->running) std::ranges::move(running.waiting, std::back_inserter(waiting));
    names->running.clear();
  }
  {
    const std::lock_guard lock(mutex_);
    for (Wanted& wanted : added_) waiting.push_back(std::move(wanted.done));
    added_.clear();
  }
  for (const Done& done : waiting) done({.addresses = {}, .failure = "the client has been closed"});
}

NameLookup::NameLookup(NameLookupOptions options) : loop_(std::make_unique<Loop>(std::move(options))) {}

NameLookup::~NameLookup() = default;

void NameLookup::look_up(std::optional<std::int64_t> owner, std::string host, Done done) {
  loop_->add(owner, std::move(host), std::move(done));
}

}  // namespace finality::net
