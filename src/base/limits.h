// All limits of Finality. The first block is part of the API contract; its limits are never lowered.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time/time.h"

namespace finality::limits {

using namespace std::chrono_literals;

// The wire contract.
inline constexpr std::size_t kBodyBytesMax = 1 << 20;
inline constexpr std::size_t kHeaderBytesMax = 16 << 10;
inline constexpr std::size_t kJsonDepthMax = 32;
inline constexpr std::int64_t kAmountMax = 1'000'000'000'000'000;
inline constexpr std::size_t kMerchantNumberMax = 64;   // characters of merchant_order_no, merchant_refund_no, …
inline constexpr std::size_t kSubjectMax = 256;         // characters
inline constexpr std::size_t kUrlMax = 2048;            // bytes
inline constexpr std::size_t kIdempotencyKeyMax = 255;  // bytes, printable ASCII
inline constexpr std::size_t kMetadataPairsMax = 50;
inline constexpr std::size_t kMetadataKeyMax = 40;     // characters
inline constexpr std::size_t kMetadataValueMax = 500;  // characters
inline constexpr std::size_t kListLimitDefault = 10;
inline constexpr std::size_t kListLimitMax = 100;
inline constexpr std::size_t kTimelineLimitMax = 1000;
inline constexpr std::int64_t kExpiresInDefaultSeconds = 3600;
inline constexpr std::int64_t kExpiresInMaxSeconds = 2'592'000;
inline constexpr std::int64_t kAttemptsMax = 100;         // `attempts` of an order, and payments of any order
inline constexpr std::size_t kRefundsMax = 1000;          // per order
inline constexpr std::size_t kReturnsMax = 1000;          // per order; each further return opens an exception case
inline constexpr std::size_t kExternalRefundsMax = 1000;  // per order; each further refund opens an exception case
inline constexpr std::size_t kWebhookTypesMax = 50;
inline constexpr std::size_t kWebhookEndpointsMax = 16;  // per merchant
inline constexpr std::int64_t kQuantityMax = 1'000'000'000;
inline constexpr std::size_t kNameMax = 128;       // characters of the name of an account, a merchant or an API key
inline constexpr std::size_t kReferenceMax = 128;  // characters of a reference, a source or an owner
inline constexpr std::size_t kInfoMax = 1024;      // characters of a transfer's info
inline constexpr std::int64_t kLockSecondsMax = 86'400;
inline constexpr std::int64_t kHoldExpiresInMaxSeconds = 2'592'000;
inline constexpr std::size_t kCaseNoteMax = 2000;          // characters of a proposal's note
inline constexpr Duration kAnswerWait = 2s;                // maximum wait of a POST for the channel
inline constexpr Duration kIdempotencyKept = 24h;          // minimum retention of idempotency records
inline constexpr Duration kReturnAskedAgainAfter = 1s;     // between two channel queries caused by a return link
inline constexpr std::size_t kReturnsRemembered = 16'384;  // payments remembered for this interval
inline constexpr Duration kQueryPause = 1s;                // between two queries of one payment through the API
inline constexpr std::size_t kQueriesRemembered = 16'384;  // payments remembered for this interval

// The HTTP server.
inline constexpr std::size_t kConnectionsMax = 4096;        // lower if the system allows fewer
inline constexpr Duration kConnectionIdleMax = 60s;         // between two requests on one connection
inline constexpr Duration kRequestReadMax = 15s;            // from a request's first byte to its last (slow clients)
inline constexpr std::size_t kPipelinedRequestsMax = 64;    // per connection, without a response yet
inline constexpr std::size_t kDiscardedBytesMax = 8 << 20;  // read after the last request so that the reply arrives
inline constexpr Duration kLingerMax = 2s;                  // maximum time of this read
inline constexpr std::size_t kReadsWaitingMax = 4096;       // for a read connection; beyond it: `busy`
inline constexpr std::size_t kApiKeysCachedMax = 16'384;    // each for known keys, unknown keys and merchants
inline constexpr Duration kApiKeysCachedFor = 3s;           // maximum time a revoked key stays accepted
inline constexpr Duration kDrainMax = 15s;                  // at shutdown, until open connections are closed
inline constexpr std::size_t kLogValueMax = 1024;           // bytes of one value in a log line; longer values are cut

// The HTTP client: connections to channels and webhook endpoints.
inline constexpr std::size_t kIdleConnectionsPerOriginMax = 256;  // a commit starts many calls together, often to one
inline constexpr std::size_t kIdleConnectionsMax = 1024;
inline constexpr Duration kIdleConnectionAgeMax = 30s;
inline constexpr std::uint32_t kResponseHeadBytesMax = 64 << 10;
inline constexpr int kInterimResponsesMax = 8;  // 1xx responses before the final response

// The engine.
inline constexpr std::size_t kBatchCommandsMax = 512;
inline constexpr std::size_t kLaneQueueMax = 8192;       // beyond it: `busy`
inline constexpr std::size_t kUnflushedBatchesMax = 16;  // committed but not yet on disk; per lane
inline constexpr int kConflictTriesMax = 8;
inline constexpr std::size_t kRowsRememberedMax = 65'536;  // per row type and lane
inline constexpr std::int64_t kUnrememberedMin = 64;       // batches without the row cache after a conflict,
inline constexpr std::int64_t kUnrememberedMax = 8192;     // doubled up to this number while conflicts continue
inline constexpr Duration kLeaseRenewedAfter = 5s;         // of a lane without commits
inline constexpr std::size_t kAwaitedAnswersMax = 8192;    // clients waiting for a channel's reply, per lane
inline constexpr Duration kDeliveriesKept = 720h;          // finished deliveries, unless `delivery_retention` is set
inline constexpr std::size_t kExpiredPerStep = 1000;       // rows of a type examined per deletion step
inline constexpr Duration kExpireEvery = 1s;               // between two deletion steps of a lane
inline constexpr Duration kExpireAgainAfter = 60s;         // between two deletion rounds
inline constexpr Duration kExpireMargin = 60s;             // added to retention, since clocks may differ

// The worker.
// At each level of a SlotPool, a channel account or merchant may use as many slots and queue entries as it leaves free
// for the other accounts or merchants of the level.
inline constexpr std::size_t kChannelCallsInFlightMax = 2048;  // 1024 per channel account, 512 per merchant on it
inline constexpr std::size_t kDeliveriesInFlightMax = 512;     // 256 per merchant
inline constexpr std::size_t kEffectsQueuedMax = 8192;         // per type: 4096 per account, 2048 per merchant on it
inline constexpr std::size_t kEffectQueueLowWater = 64;        // below this length a queue accepts due rows
inline constexpr Duration kEffectQueueWaitMax = 1s;            // maximum time in the queue; then the row is due again
inline constexpr std::size_t kDueRowsPerScan = 512;            // per type, in one page
inline constexpr std::size_t kDuePagesPerScan = 16;            // further pages while all rows of a page must wait
inline constexpr Duration kDueScanEvery = 200ms;
inline constexpr Duration kOtherNodesFirst = 1min;  // delay for rows of channel accounts not served here
// A request to a channel is due again at most 10 s after it was sent, even if the sending node has failed.
inline constexpr Duration kEffectMargin = 1500ms;  // after the effect's deadline, until the row is due again
inline constexpr Duration kChannelTimeout = 8s;
inline constexpr Duration kWebhookTimeout = 15s;
inline constexpr Duration kRetryAfterMax = 24h;      // upper bound of a webhook endpoint's Retry-After
inline constexpr int kResultTriesMax = 10;           // for a result rejected because the engine is busy
inline constexpr Duration kResultPauseFirst = 50ms;  // between these tries; doubled by each
inline constexpr Duration kResultPauseMax = 2s;
inline constexpr std::size_t kUpstreamBodyMax = 256 << 10;
inline constexpr std::size_t kBillBytesMax = 256 << 20;        // a channel's statement, uncompressed
inline constexpr std::size_t kNoncesRememberedMax = 65'536;    // per channel, for ten minutes
inline constexpr std::size_t kExchangeTextMax = 1024;          // bytes of a masked URL or body in the timeline
inline constexpr Duration kMaintenanceEvery = 1s;              // between two checks for maintenance requests
inline constexpr Duration kMaintenancePauseMax = 60s;          // between failed tries
inline constexpr Duration kConfigWarningInterval = 600s;       // between equal log warnings about a channel's settings
inline constexpr std::size_t kBreakerConsecutiveFailures = 8;  // consecutive failures that open the breaker,
inline constexpr std::size_t kBreakerTrades = 3;               // if they affect at least this many trades
inline constexpr std::size_t kBreakerCalls = 64;               // calls in the sliding window,
inline constexpr Duration kBreakerWindow = 30s;                // and its duration;
inline constexpr std::size_t kBreakerCallsMin = 20;            // with at least this many calls,
inline constexpr std::size_t kBreakerFailurePercent = 50;      // this failure rate opens the breaker
inline constexpr Duration kBreakerPauseFirst = 1s;             // until a probe; doubled by each failed probe
inline constexpr Duration kBreakerPauseMax = 30s;
inline constexpr Duration kBreakerForgottenAfter = 120s;  // the channel counts as up after this time without a probe

// The store.
inline constexpr std::size_t kReaders = 2;                      // read connections
inline constexpr Duration kStatementTimeMax = 10s;              // one PostgreSQL statement; never a COMMIT
inline constexpr Duration kRowLockWaitMax = 5s;                 // for a row that another transaction has locked
inline constexpr Duration kIdleTransactionMax = 8s;             // before PostgreSQL ends an idle transaction
inline constexpr Duration kStoreSilenceMax = 30s;               // without a reply the connection counts as broken
inline constexpr Duration kReconnectMax = 5s;                   // then the commands are refused
inline constexpr Duration kCommitOutcomeWaitMax = 60s;          // for the outcome of a COMMIT without a reply
inline constexpr Duration kNodeLease = 30s;                     // of a node number, from its last commit or renewal
inline constexpr int kLoadTriesMax = 5;                         // of a batch whose connection to PostgreSQL fails
inline constexpr std::size_t kCaseEvidenceBytesMax = 32 << 10;  // per case; further evidence is dropped
inline constexpr std::size_t kChannelAccountsMax = 1000;        // rows, including accounts configured in the past
inline constexpr Duration kArchivedAfter = 720h;                // a younger order needs a second, explicit request
inline constexpr std::size_t kArchivedPerStep = 50;             // orders read or removed per transaction

}  // namespace finality::limits
