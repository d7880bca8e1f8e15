// Optional interface of a channel: download of statements (对账单).
#pragma once

#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time/time.h"
#include "channel/upstream.h"

namespace finality {

enum class BillKind : std::uint8_t { trades, funds };
BOOST_DESCRIBE_ENUM(BillKind, trades, funds)

/// Request for a day's statement (对账单).
struct BillCall {
  BillKind kind = BillKind::trades;
  std::string date;  // yyyy-MM-dd, in the channel's own time zone
};

/// Short-lived link to a statement. The caller sends `download` and passes the response to `bill_of`.
struct BillLink {
  UpstreamRequest download;
  std::string sha1;  // hash of the unpacked file, hex; empty when the channel does not report it
};

/// Pure and thread safe, like Channel.
class Statements {
 public:
  /// The request for a day's statement. The error message is for operators.
  virtual Result<UpstreamRequest> request_of(const BillCall& call, Time now) const = 0;
  /// The link to the statement. Empty: the channel reports that no statement exists for that day, which may also mean
  /// that it has not been made yet (channels make it the next morning). An error: unknown whether a statement exists.
  virtual Result<std::optional<BillLink>> bill_link_of(const BillCall& call, const UpstreamResponse& response,
                                                       Time asked_at) const = 0;
  /// The unpacked file, after its checksum has been verified where the link has one.
  virtual Result<std::string> bill_of(const BillLink& link, const UpstreamResponse& response) const = 0;

 protected:
  ~Statements() = default;
};

}  // namespace finality
