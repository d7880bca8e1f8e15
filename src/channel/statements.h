// Optional interface of a channel: its statements (对账单) can be downloaded.
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

/// A day's statement (对账单).
struct BillCall {
  BillKind kind = BillKind::trades;
  std::string date;  // yyyy-MM-dd, a day of the channel's own time zone
};

/// Where a statement lies for a short while. What came for `download` goes to `bill_of`.
struct BillLink {
  UpstreamRequest download;
  std::string sha1;  // of the unpacked file, hex; empty where the channel does not say
};

/// As pure and as thread safe as the channel that has it.
class Statements {
 public:
  /// Asks for a day's statement. An error is in words for an operator.
  virtual Result<UpstreamRequest> request_of(const BillCall& call, Time now) const = 0;
  /// Where it lies. Empty: the channel says that there is no statement of that day, which it also may until it has made
  /// it (the morning after). An error is everything else: whether there is one is not known.
  virtual Result<std::optional<BillLink>> bill_link_of(const BillCall& call, const UpstreamResponse& response,
                                                       Time asked_at) const = 0;
  /// The unpacked file, once it is what the link promised.
  virtual Result<std::string> bill_of(const BillLink& link, const UpstreamResponse& response) const = 0;

 protected:
  ~Statements() = default;
};

}  // namespace finality
