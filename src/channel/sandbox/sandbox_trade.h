// A trade as the sandbox's simple channel tells it, read into evidence. Pure. Whoever calls has verified the signature.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/evidence.h"

namespace finality::sandbox_channel {

struct Trade {
  std::string out_trade_no;
  Evidence evidence;  // `source` and `asked_at` are the caller's to set
};

/// Reads the member `trade` of `body`. The error says which field is missing, broken, or contradicts another one.
Result<Trade> read_trade(const boost::json::object& body, std::string_view channel);

/// The text of that name when it is there, a string, and has 1 to `bytes_max` bytes.
std::optional<std::string_view> text_field(const boost::json::object& body, std::string_view name,
                                           std::size_t bytes_max);

/// The body as an object; empty when it is none, or nested too deeply.
std::optional<boost::json::object> parse_object(std::string_view body);

}  // namespace finality::sandbox_channel
