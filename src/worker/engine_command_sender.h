// Submits the commands of a background service to the engine of the server. Has many of them in flight, because each
// commit waits for the disk, and gives way to other work of the engine.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <string_view>

#include "base/time/time.h"
#include "engine/engine.h"
#include "worker/command_sender.h"

namespace finality {

/// At most limits::kStatementCommandsInFlightMax commands are in flight.
class EngineCommandSender final : public CommandSender {
 public:
  /// Waits for that time; returns true, at once, if the server stops.
  using Pause = std::function<bool(Duration)>;

  /// `engine` must outlive the sender, and all that `pause` refers to. `cause`: of the commands.
  EngineCommandSender(Engine& engine, Pause pause, CauseKind cause);

  Result<Reply> submit(Command command, MerchantId merchant) override;
  Result<void> send(Command command, MerchantId merchant) override;
  Result<void> settle() override;
  Result<void> give_way() override;

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
