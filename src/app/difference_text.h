// Differences between statements and the books as a table for the terminal. Pure.
#pragma once

#include <boost/json/array.hpp>

#include <string>

namespace finality::app {

/// Returns a table with one line per difference. `differences` and `channel_accounts` are objects of the API; a channel
/// account that is not among them is shown by its id. Missing fields are shown as `-`.
std::string difference_table(const boost::json::array& differences, const boost::json::array& channel_accounts);

}  // namespace finality::app
