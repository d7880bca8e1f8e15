// Resolves host names on dedicated threads, because the system's resolver blocks and cannot be cancelled.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace finality::net {

struct LookupResult {
  std::vector<std::string> addresses;  // IP literals, in the system's order of preference
  std::string failure;                 // reason of the failure if `addresses` is empty
};

class NameLookup {
 public:
  /// The party that chose the host name. A third party could choose `foreign` names that resolve slowly on purpose.
  /// Their look-ups have separate threads, so they cannot delay names that the operator chose.
  enum class Trust { operator_, foreign };
  using Instant = std::chrono::steady_clock::time_point;

  NameLookup();
  /// Waits for running look-ups; drops queued look-ups.
  ~NameLookup();

  /// `done` runs on a look-up thread. A look-up that has not started by `deadline` is dropped without calling `done`.
  /// The queue has no limit; callers must limit their look-ups. Thread safe.
  void look_up(Trust trust, std::string host, Instant deadline, std::function<void(LookupResult)> done);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace finality::net
