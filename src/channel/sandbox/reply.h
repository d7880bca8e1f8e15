// A response of the sandbox whose signature was checked.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace finality::sandbox_channel {

/// `body` is empty if no verified response arrived; `code` and `message` then state the reason. Otherwise they are the
/// members of the body with these names, which only a refusal has.
struct SignedReply {
  int status = 0;
  std::optional<boost::json::object> body;
  std::string code;
  std::string message;
};

}  // namespace finality::sandbox_channel
