// Renders the typed results of decisions into the texts that are stored and returned. The engine knows no format; the
// implementation is src/wire/json_renderer.h.
#pragma once

#include <string>
#include <string_view>

#include "decide/context.h"

namespace finality {

/// Inputs of an object's text besides its rows.
struct RenderOptions {
  const Policy& policy;
  Time now;
};

/// Pure and thread safe: all lanes share one instance.
class Renderer {
 public:
  virtual ~Renderer() = default;

  /// Renders the `detail` of a command's events; empty if there is nothing to show.
  virtual std::string detail(const Cause& cause, const Detail& detail) const = 0;
  /// Adds the exchange with a channel to `detail`. REQUIRES: `exchange` is not empty.
  virtual std::string with_exchange(std::string_view detail, std::string_view exchange) const = 0;
  /// Appends one item to a case's evidence (empty for a new case). Returns it unchanged if the item does not fit.
  virtual std::string with_evidence(std::string_view evidence, std::string_view detail) const = 0;
  /// Renders the body of a notification. REQUIRES: for an order, its merchant is loaded.
  virtual std::string notification(const Notice& notice, const WorkingSet& rows,
                                   const RenderOptions& options) const = 0;
  /// Renders the reply of an executed command, including the secrets of an object that the command created. REQUIRES:
  /// the object is in `rows`.
  virtual std::string reply(const WorkingSet& rows, const CommandResult& done, MerchantId merchant,
                            const RenderOptions& options) const = 0;
  /// Renders the body of a refusal.
  virtual std::string problem(const Refusal& refusal, std::string_view request_id) const = 0;
};

}  // namespace finality
