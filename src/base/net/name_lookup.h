// Names to addresses, on threads of its own: the system's look-up blocks, and cannot be cut short.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace finality::net {

struct LookupAnswer {
  std::vector<std::string> addresses;  // literals, in the order the system prefers
  std::string failure;                 // when there are none: why
};

class NameLookup {
 public:
  /// Whoever chooses the name of a `kForeign` host could answer slowly on purpose; they have threads apart, so they
  /// cannot hold up the hosts the operator chose.
  enum class Trust { operator_, foreign };
  using Instant = std::chrono::steady_clock::time_point;

  NameLookup();
  /// Waits for the look-ups that run; drops those that wait.
  ~NameLookup();

  /// `done` runs on one of the look-up threads. After `deadline` a look-up that has not begun is dropped without a
  /// word. The queue is as long as its callers let it grow. Thread safe.
  void look_up(Trust trust, std::string host, Instant deadline, std::function<void(LookupAnswer)> done);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace finality::net
