// Endpoint for captures: GET /v1/captures/{id}
// authorizations.cpp has POST /v1/authorizations/{id}/captures.
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

void get_capture(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<CaptureId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("capture"));
    return shown(query::show_capture(reader, exchange->principal().merchant_id, *id));
  });
}

}  // namespace

void add_captures(Api& api) { add_route(api, "GET", "/v1/captures/{id}", Access::merchant, Role::viewer, get_capture); }

}  // namespace finality::http
