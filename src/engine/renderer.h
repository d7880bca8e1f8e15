// Interface that renders the typed results of decisions as the texts that are stored and returned. The implementation
// for JSON is src/wire/json_renderer.h; the engine does not depend on a format.
#pragma once

#include <string>
#include <string_view>

#include "decide/context.h"

namespace finality {

/// Settings and time that the text of an object depends on, in addition to its rows.
struct RenderOptions {
  const Policy& policy;
  Time now;
};

/// The body of the reply to an executed command.
struct RenderedReply {
  std::string body;
  /// The body for repeated requests, without the secrets of an object that the command created. Empty if `body`
  /// contains no secret; repeated requests then get `body`.
  std::string replay;
};

/// Implementations are pure and thread safe: all lanes share one instance.
class Renderer {
 public:
  virtual ~Renderer() = default;

  /// Renders the `detail` of a command's events. Returns an empty text if cause and detail have no content to render.
  virtual std::string detail(const Cause& cause, const Detail& detail) const = 0;
  /// Adds the recorded request and response of a channel to `detail`. REQUIRES: `exchange` is not empty.
  virtual std::string with_exchange(std::string_view detail, std::string_view exchange) const = 0;
  /// Appends `detail` as one item to a case's evidence (empty for a new case). Returns `evidence` unchanged if the item
  /// would exceed the size limit.
  virtual std::string with_evidence(std::string_view evidence, std::string_view detail) const = 0;
  /// Renders the body of a notification. REQUIRES: for a notification about an order, `rows` contains its merchant.
  virtual std::string notification(const Notice& notice, const WorkingSet& rows,
                                   const RenderOptions& options) const = 0;
  /// Renders the reply of an executed command. REQUIRES: the object is in `rows`.
  virtual RenderedReply reply(const WorkingSet& rows, const CommandResult& done, MerchantId merchant,
                              const RenderOptions& options) const = 0;
  /// Renders the body of a refusal (RFC 9457).
  virtual std::string problem(const Refusal& refusal, std::string_view request_id) const = 0;
};

}  // namespace finality
