// Submits the commands of one server's work on a statement to its simulated engine. While it waits for a reply, the
// other tasks of the simulation run: requests, crashes, and the work of other engines.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "sim/world/client.h"
#include "worker/command_sender.h"

namespace finality::sim {

/// Commands in flight reach the engine in random order. A command can arrive twice, the second time at another engine.
class SimCommandSender : public CommandSender {
 public:
  /// The work ends when `engine` crashes: all functions then fail. REQUIRES: the arguments outlive this object.
  SimCommandSender(SimScheduler& scheduler, Client& client, SimEngine& engine)
      : scheduler_(scheduler), client_(client), engine_(engine), life_(engine.life()) {}

  Result<Reply> submit(Command command, MerchantId merchant) override;
  Result<void> send(Command command, MerchantId merchant) override;
  Result<void> settle() override;
  Result<void> give_way() override;

  bool is_alive() const { return engine_.is_running() && engine_.life() == life_; }
  /// Lets time pass, in which the other tasks of the simulation run. Ends early if the engine crashes.
  void wait(Time until);

 protected:
  SimScheduler& scheduler() { return scheduler_; }

 private:
  struct InFlight {
    Request request;
    std::shared_ptr<std::optional<Reply>> answer;
  };

  InFlight start(Request request, Duration way);
  Result<Reply> reply_of(InFlight sent);
  Result<void> settle_first();

  SimScheduler& scheduler_;
  Client& client_;
  SimEngine& engine_;
  const int life_;
  std::deque<InFlight> in_flight_;
};

/// The commands of a comparison, which an injected bug can change or omit. The work sometimes pauses before them.
class ComparisonSender final : public SimCommandSender {
 public:
  /// `bug` may be null. REQUIRES: the arguments outlive this object.
  ComparisonSender(SimScheduler& scheduler, Client& client, SimEngine& engine, Auditor& auditor, const Bug* bug)
      : SimCommandSender(scheduler, client, engine), auditor_(auditor), bug_(bug) {}

  Result<Reply> submit(Command command, MerchantId merchant) override;
  Result<void> send(Command command, MerchantId merchant) override;

 private:
  bool prepare(Command& command);

  Auditor& auditor_;
  const Bug* bug_;
};

}  // namespace finality::sim
