// What the timeline shows of an exchange with a channel: everything but secrets and what tells who the payer is. Pure.
//
// What is masked goes by the names of fields, over JSON and form bodies and the query of an address, also of one in a
// body; headers are never shown. What is neither JSON nor a form cannot be masked, so only its size is shown.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "channel/channel.h"

namespace finality {

struct ChannelKind;

/// Names of fields that channels use for what is hidden, besides those that any channel may use; as `hidden_fields` and
/// `shown_fields` of a ChannelKind.
struct FieldNames {
  std::vector<std::string> hidden;
  std::vector<std::string> shown;
};
/// Those of all these kinds.
FieldNames field_names_of(std::span<const ChannelKind* const> kinds);

/// Unchanging, so that several threads may share it. By default it knows the common names only.
class Mask {
 public:
  Mask() = default;
  explicit Mask(const FieldNames& of_channels);

  /// Whether the value of a field of that name is hidden: signatures, keys, tokens, codes that pay, and the payer's
  /// person. Whatever an object or a list of that name holds is hidden with it.
  bool is_hidden(std::string_view name) const;

  /// The body as JSON text: an object or a list, or a string where it is longer than limits::kExchangeTextMax, cut
  /// there.
  std::string shown_body(std::string_view body) const;

  /// The path and the query of a URL.
  std::string shown_target(std::string_view url) const;

  /// `{"request":{"method","path","body"},"response":{"status","body"}}`; without a body where there is none, and
  /// without `response` when nothing came.
  std::string shown_exchange(const UpstreamRequest& request, const UpstreamResponse& response) const;

 private:
  FieldNames of_channels_;  // plain
};

}  // namespace finality
