// Work of a batch that is performed after its commit is durable: effects and replies.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/request.h"
#include "model/effect.h"

namespace finality {

struct PostCommitWork {
  struct ReadyReply {
    std::function<void(Reply)> reply;
    Reply with;
  };
  /// The notification of a caller whose reply is held until the channel's result is recorded (Request::committed).
  struct Held {
    std::function<void(ObjectRef object, int status)> committed;
    ObjectRef object;
    int status;
  };

  std::vector<Effect> effects;
  std::vector<Held> held;
  std::vector<ReadyReply> replies;

  bool empty() const { return effects.empty() && held.empty() && replies.empty(); }
};

/// Starts the effects, then calls the callers' `committed` and `reply` functions. The effects run while the callers are
/// answered.
inline void perform_work(PostCommitWork work, const std::function<void(std::vector<Effect>)>& perform) {
  if (!work.effects.empty() && perform) perform(std::move(work.effects));
  for (const PostCommitWork::Held& held : work.held) held.committed(held.object, held.status);
  for (PostCommitWork::ReadyReply& ready : work.replies) ready.reply(std::move(ready.with));
}

}  // namespace finality
