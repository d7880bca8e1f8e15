// Interface to submit the commands of a background service: to the engine of a server, or to one of a simulation.
#pragma once

#include <string_view>

#include <utility>

#include "base/result.h"
#include "engine/request.h"

namespace finality {

/// The error of work that ends because the server stops.
inline constexpr std::string_view kServerStops = "the server stops";

/// Not thread safe. One object serves one comparison of a statement, or one thread: commands in flight when it is
/// destroyed are carried out, but their replies are dropped.
class CommandSender {
 public:
  virtual ~CommandSender() = default;

  /// Submits a command in the lane of the merchant and waits for the reply, which can be a refusal. Repeats the command
  /// while the engine is busy. Fails if the server stops.
  virtual Result<Reply> submit(Command command, MerchantId merchant) = 0;
  /// As submit(), but a refusal is an error.
  Result<Reply> require(Command command, MerchantId merchant) {
    return without_refusal(submit(std::move(command), merchant));
  }
  /// Submits a command that the engine must not refuse, without waiting for the reply, unless too many commands are in
  /// flight. Commands may be carried out in another order. An error can be of an earlier command.
  virtual Result<void> send(Command command, MerchantId merchant) = 0;
  /// Waits for all commands in flight. An error is of any of them.
  virtual Result<void> settle() = 0;
  /// Call regularly during long work. Pauses if the engine has had much other work since the last pause, so that
  /// payments keep most of their rate. Fails if the server stops.
  virtual Result<void> give_way() = 0;

 protected:
  static Result<Reply> without_refusal(Result<Reply> reply) {
    return reply && reply->refusal ? fail(reply->refusal->detail) : std::move(reply);
  }
};

}  // namespace finality
