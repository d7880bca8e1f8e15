// Masks exchanges with channels for the timeline: hides secrets and the identity of the payer, shows everything else.
// Pure.
//
// Masking is by field name, in JSON and form bodies, in the query of the URL, and in the queries of URLs within a body.
// Headers are never shown. Text that is neither JSON nor a form cannot be masked, so only its size is shown.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "channel/channel.h"

namespace finality {

struct ChannelKind;

/// Field names that a channel hides or shows in addition to the common ones; from `hidden_fields` and `shown_fields` of
/// a ChannelKind.
struct FieldNames {
  std::vector<std::string> hidden;
  std::vector<std::string> shown;
};
/// The union over the given kinds.
FieldNames field_names_of(std::span<const ChannelKind* const> kinds);

/// Immutable, so threads may share it. The default mask has the common names only.
class Mask {
 public:
  Mask() = default;
  explicit Mask(const FieldNames& of_channels);

  /// True if a field of that name is hidden: signatures, keys, tokens, payment codes, and the identity of the payer.
  /// Everything inside an object or an array of that name is hidden too.
  bool is_hidden(std::string_view name) const;

  /// Returns the body as JSON text: an object, an array or a string. A body longer than limits::kExchangeTextMax
  /// becomes a string cut at that length.
  std::string shown_body(std::string_view body) const;

  /// Returns the path and the masked query of a URL.
  std::string shown_target(std::string_view url) const;

  /// Returns `{"request":{"method","path","body"},"response":{"status","body"}}`. Omits empty bodies, and `response` if
  /// none arrived.
  std::string shown_exchange(const UpstreamRequest& request, const UpstreamResponse& response) const;

 private:
  FieldNames of_channels_;  // in the normalized form
};

}  // namespace finality
