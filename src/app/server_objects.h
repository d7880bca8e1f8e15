// Reads JSON objects and lists of the API of a running server, for commands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "app/admin_client.h"
#include "base/limits.h"
#include "base/result.h"

namespace finality::app {

/// All channel accounts of a server: those that are counted, and the wallet.
inline constexpr std::size_t kChannelAccountsReadMax = limits::kChannelAccountsMax + 1;

/// Query parameters with their values. Parameters without a value are omitted.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// Returns the path with the encoded parameters.
std::string url_of(std::string path, const Parameters& parameters);

/// Parses a response of the API, which must be a JSON object.
Result<boost::json::object> object_in(Result<std::string> response);

/// Returns the objects in the field `data` of a list. Fails if the object is not a list.
Result<boost::json::array> data_of(const boost::json::object& list);

/// Returns the value of the field for the terminal: its text, or its JSON; `-` if it is missing. Control characters are
/// escaped, because the value can contain text of a channel.
std::string text_of(const boost::json::object& object, std::string_view name);

/// Returns the objects of the list at `path`, page by page, at most `limit`.
Result<boost::json::array> list_all(const AdminServer& server, const std::string& path, Parameters parameters,
                                    std::size_t limit);

/// Returns the channel account of that name, preferably the enabled one. The error suggests the accounts of the server
/// that have statements.
Result<boost::json::object> find_channel_account(const AdminServer& server, const std::string& channel);

}  // namespace finality::app
