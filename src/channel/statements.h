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

/// Call for the statement (对账单) of one day.
struct BillCall {
  BillKind kind = BillKind::trades;
  std::string date;  // yyyy-MM-dd, in the time zone of the channel
};

/// Link to a statement, valid for a short time. The caller sends `download` and passes the response to
/// Statements::bill_of().
struct BillLink {
  UpstreamRequest download;
  std::string sha1;  // hash of the unpacked file in hexadecimal; empty if the channel does not report it
};

/// Download of statements. Pure and thread safe, like Channel.
class Statements {
 public:
  /// Returns the signed request for the link to the statement of a day. Returns an error, a message for operators, if
  /// the date of the call is invalid.
  virtual Result<UpstreamRequest> request_of(const BillCall& call, Time now) const = 0;
  /// Returns the link in the response to `call`. Empty if the channel reports that no statement exists for that day.
  /// The caller may call again later, because channels create a statement on the next morning. After an error, it is
  /// unknown whether a statement exists.
  virtual Result<std::optional<BillLink>> bill_link_of(const BillCall& call, const UpstreamResponse& response,
                                                       Time asked_at) const = 0;
  /// Unpacks the downloaded statement and verifies its hash if `link` has one. Returns an error if the download failed
  /// or the file is corrupt.
  virtual Result<std::string> bill_of(const BillLink& link, const UpstreamResponse& response) const = 0;

 protected:
  ~Statements() = default;
};

}  // namespace finality
