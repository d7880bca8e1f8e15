// Signatures of the simple channels: HMAC-SHA256 with a shared secret, as lower-case hex. Signed texts, with newlines
// between the parts:
//
//   request                    METHOD \n TARGET \n TIMESTAMP \n BODY     TARGET: path and query as on the wire
//   response and notification  TIMESTAMP \n BODY
//
// TIMESTAMP is the time of the signature in seconds since 1970, in decimal. Pure.
#pragma once

#include "base/net/http_message.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality::sandbox {

inline constexpr const char* kTimestampHeader = "Sandbox-Timestamp";
inline constexpr const char* kSignatureHeader = "Sandbox-Signature";

/// Maximum difference between a signature's timestamp and the current time.
inline constexpr Duration kTimestampTolerance = std::chrono::seconds(300);

/// Returns the signature of a request to a channel.
std::string request_signature(const Secret& secret, std::string_view method, std::string_view target,
                              std::string_view timestamp, std::string_view body);

/// Returns the signature of a channel's response or notification.
std::string message_signature(const Secret& secret, std::string_view timestamp, std::string_view body);

/// Returns whether the request has a valid signature whose timestamp is within kTimestampTolerance of `now`.
bool is_signed(const Secret& secret, const net::HttpRequest& request, Time now);

/// Adds the headers kTimestampHeader and kSignatureHeader for a body that a channel sends at `now`.
void sign_message(const Secret& secret, Time now, std::string_view body, net::Headers& headers);

}  // namespace finality::sandbox
