// The channels' signatures: HMAC-SHA256 under a shared secret, as lower-case hex, beside the time of signing.
//
//   request                    METHOD \n TARGET \n TIMESTAMP \n BODY     TARGET: path and query as on the wire
//   response and notification  TIMESTAMP \n BODY
//
// TIMESTAMP is in seconds since 1970, in decimal. Pure.
#pragma once

#include "base/net/http_message.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality::sandbox {

inline constexpr const char* kTimestampHeader = "Sandbox-Timestamp";
inline constexpr const char* kSignatureHeader = "Sandbox-Signature";

/// Signatures older or newer than this are refused.
inline constexpr Duration kTimestampTolerance = std::chrono::seconds(300);

/// The signature of a request to a channel.
std::string request_signature(const Secret& secret, std::string_view method, std::string_view target,
                              std::string_view timestamp, std::string_view body);

/// The signature of what a channel says: a response or a notification.
std::string message_signature(const Secret& secret, std::string_view timestamp, std::string_view body);

/// Whether a request is signed, rightly, and within the tolerance of `now`.
bool is_signed(const Secret& secret, const net::HttpRequest& request, Time now);

/// Adds both headers for a body that a channel sends at `now`.
void sign_message(const Secret& secret, Time now, std::string_view body, net::Headers& headers);

}  // namespace finality::sandbox
