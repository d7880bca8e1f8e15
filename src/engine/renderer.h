// Makes the texts that a command stores and replies with, of what deciding left typed. The engine knows no format:
// src/wire/json_renderer.h is the implementation.
#pragma once

#include <string>
#include <string_view>

#include "decide/context.h"

namespace finality {

/// What an object's text depends on beside its rows.
struct RenderOptions {
  const Policy& policy;
  Time now;
};

/// Pure, and thread safe: all lanes share one.
class Renderer {
 public:
  virtual ~Renderer() = default;

  /// What a command's events store as `detail`; empty when nothing is known.
  virtual std::string detail(const Cause& cause, const Detail& detail) const = 0;
  /// `detail` with what was asked of a channel and answered. REQUIRES: `exchange` is not empty.
  virtual std::string with_exchange(std::string_view detail, std::string_view exchange) const = 0;
  /// A case's evidence, empty for a new case, with one more item; unchanged when the item does not fit.
  virtual std::string with_evidence(std::string_view evidence, std::string_view detail) const = 0;
  /// The body of a notification. REQUIRES: of an order, its merchant was loaded.
  virtual std::string notification(const Notice& notice, const WorkingSet& rows,
                                   const RenderOptions& options) const = 0;
  /// The reply of a command that was carried out. It shows the secrets of an object that the command made.
  /// REQUIRES: the object was loaded or made in `rows`.
  virtual std::string reply(const WorkingSet& rows, const CommandResult& done, MerchantId merchant,
                            const RenderOptions& options) const = 0;
  /// The body of a refusal.
  virtual std::string problem(const Refusal& refusal, std::string_view request_id) const = 0;
};

}  // namespace finality
