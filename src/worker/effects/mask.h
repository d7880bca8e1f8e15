// Masks requests to channels and their responses for the timeline: replaces secrets and the identity of the payer by
// `***` and keeps all other data. Pure.
//
// Fields are masked by name, in JSON and form bodies, in the query of the URL, and in the queries of URLs in a body.
// Headers are omitted. Text that is neither JSON nor a form cannot be masked, so it is replaced by its size.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "channel/channel.h"

namespace finality {

struct ChannelKind;

/// Field names that are hidden or shown in addition to the built-in names, from `hidden_fields` and `shown_fields` of a
/// ChannelKind.
struct FieldNames {
  std::vector<std::string> hidden;
  std::vector<std::string> shown;
};
/// Returns the field names of all given kinds together.
FieldNames field_names_of(std::span<const ChannelKind* const> kinds);

/// Set of hidden field names. Immutable, so threads may share it. A default mask has only the built-in names.
class Mask {
 public:
  Mask() = default;
  explicit Mask(const FieldNames& of_channels);

  /// Returns whether fields with that name are hidden. Hidden are signatures, keys, tokens, payment codes and the
  /// identity of the payer. If the field contains an object or array, all of it is hidden, except an authorization of
  /// an amount, whose fields are masked.
  bool is_hidden(std::string_view name) const;

  /// Returns the masked body as JSON text: an object, an array or a string. If the JSON would be longer than
  /// limits::kExchangeTextMax, returns a string cut at that length.
  std::string shown_body(std::string_view body) const;

  /// Returns the path of the URL with the masked query.
  std::string shown_target(std::string_view url) const;

  /// Returns `{"request":{"method","path","body"},"response":{"status","body"}}` as JSON text. Omits empty bodies, and
  /// `response` if no response arrived.
  std::string shown_exchange(const UpstreamRequest& request, const UpstreamResponse& response) const;

 private:
  FieldNames of_channels_;  // names in lower case, without "_" and "-"
};

}  // namespace finality
