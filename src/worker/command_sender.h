// Submits the commands of a background service to the engine. Has many of them in flight, because each commit waits
// for the disk, and gives way to other work of the engine.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <string_view>

#include "base/result.h"
#include "base/time/time.h"
#include "engine/engine.h"

namespace finality {

/// The error of work that ends because the server stops.
inline constexpr std::string_view kServerStops = "the server stops";

/// Not thread safe. One object serves one comparison of a statement, or one thread: commands in flight when it is
/// destroyed are carried out, but their replies are dropped.
class CommandSender {
 public:
  /// Waits for that time; returns true, at once, if the server stops.
  using Pause = std::function<bool(Duration)>;

  /// `engine` must outlive the sender, and all that `pause` refers to. `cause`: of the commands.
  CommandSender(Engine& engine, Pause pause, CauseKind cause);

  /// Submits a command in the lane of the merchant and waits for the reply, which can be a refusal. Repeats the command
  /// while the engine is busy. Fails if the server stops.
  Result<Reply> submit(Command command, MerchantId merchant);
  /// As submit(), but a refusal is an error.
  Result<Reply> require(Command command, MerchantId merchant);
  /// Submits a command that the engine must not refuse, without waiting for the reply, unless
  /// limits::kStatementCommandsInFlightMax commands are in flight. Commands may be carried out in another order. An
  /// error can be of an earlier command.
  Result<void> send(Command command, MerchantId merchant);
  /// Waits for all commands in flight. An error is of any of them.
  Result<void> settle();
  /// Call regularly during long work. Pauses if the engine has had much other work since the last pause, so that
  /// payments keep most of their rate. Fails if the server stops.
  Result<void> give_way();

 private:
  using Instant = std::chrono::steady_clock::time_point;

  Request request_of(Command command, MerchantId merchant) const;
  std::future<Reply> start(Request request);
  Result<Reply> reply_of(std::future<Reply> reply);
  Result<void> settle_first();
  void observe();

  Engine& engine_;
  Pause pause_;
  CauseKind cause_;
  std::deque<std::future<Reply>> in_flight_;
  Instant observed_at_;              // of the two counters below
  std::uint64_t commands_seen_ = 0;  // of the engine
  std::uint64_t own_since_ = 0;      // own commands that the engine may have counted since
};

}  // namespace finality
