// Receiver of a stream of bytes. The stages that unpack, decode and split a file pass chunks to each other.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"

namespace finality {

/// Receives the next bytes of a stream, in chunks of any size; the view is valid during the call. An error stops the
/// sender, which returns it.
using ByteSink = std::function<Result<void>(std::string_view)>;

}  // namespace finality
