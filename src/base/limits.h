// All limits of Finality. The first block is part of the API contract; its limits are never lowered.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time/time.h"

namespace finality::limits {

using namespace std::chrono_literals;

// The API contract.
inline constexpr std::size_t kBodyBytesMax = 1 << 20;
inline constexpr std::size_t kHeaderBytesMax = 16 << 10;
inline constexpr std::size_t kJsonDepthMax = 32;
inline constexpr std::int64_t kAmountMax = 1'000'000'000'000'000;
inline constexpr std::int64_t kVersionMax = 9'007'199'254'740'991;  // of an object; exact in every JSON number
inline constexpr std::size_t kMerchantNumberMax = 64;    // characters of merchant_order_no, merchant_refund_no, …
inline constexpr std::size_t kSubjectMax = 256;          // characters
inline constexpr std::size_t kUrlMax = 2048;             // bytes
inline constexpr std::size_t kIdempotencyKeyMax = 255;   // bytes, printable ASCII
inline constexpr std::size_t kOrderMethodsMax = 20;      // methods of an order that the checkout page offers
inline constexpr std::size_t kBrandingNameMax = 64;      // characters
inline constexpr std::size_t kBrandingSupportMax = 128;  // characters
inline constexpr std::size_t kLogoBytesMax =
    32 * 1024;                                        // the logo is a column of the merchant, which many requests read
inline constexpr std::int64_t kLogoPixelsMax = 1024;  // width and height
inline constexpr std::size_t kMetadataPairsMax = 50;
inline constexpr std::size_t kMetadataKeyMax = 40;     // characters
inline constexpr std::size_t kMetadataValueMax = 500;  // characters
inline constexpr std::size_t kListLimitDefault = 10;
inline constexpr std::size_t kListLimitMax = 100;
inline constexpr std::size_t kTimelineLimitMax = 1000;
inline constexpr std::int64_t kExpiresInDefaultSeconds = 3600;
inline constexpr std::int64_t kExpiresInMaxSeconds = 2'592'000;
inline constexpr std::int64_t kCaptureWithinMaxSeconds = 2'592'000;
inline constexpr std::int64_t kAttemptsMax = 100;         // payments per order; upper bound of its field `attempts`
inline constexpr std::size_t kRefundsMax = 1000;          // refunds per order
inline constexpr std::int64_t kCapturesMax = 100;         // own captures per order
inline constexpr std::size_t kReturnsMax = 1000;          // returned refunds per order; a further one opens a case
inline constexpr std::size_t kExternalRefundsMax = 1000;  // external refunds per order; a further one opens a case
inline constexpr std::size_t kWebhookTypesMax = 50;
inline constexpr std::size_t kWebhookEndpointsMax = 16;  // endpoints per merchant
inline constexpr std::int64_t kQuantityMax = 1'000'000'000;
inline constexpr std::int64_t kBasisPointsMax = 10'000;  // of a fee or a channel rate: 100 % of the amount
inline constexpr std::size_t kNameMax = 128;       // characters of the name of an account, a merchant or an API key
inline constexpr std::size_t kReferenceMax = 128;  // characters of a reference, a source or an owner
inline constexpr std::size_t kInfoMax = 1024;      // characters of a transfer's info
inline constexpr std::int64_t kLockSecondsMax = 86'400;
inline constexpr std::int64_t kHoldExpiresInMaxSeconds = 2'592'000;
inline constexpr std::size_t kCaseNoteMax = 2000;          // characters of the note of a proposal to resolve a case
inline constexpr std::size_t kPreviewStepsMax = 5000;      // commands that the preview of a resolution decides
inline constexpr Duration kAnswerWait = 2s;                // maximum time that a POST waits for the channel's reply
inline constexpr Duration kIdempotencyKept = 24h;          // minimum retention of idempotency records
inline constexpr Duration kReturnAskedAgainAfter = 1s;     // per payment, between two queries when the payer returns
inline constexpr std::size_t kReturnsRemembered = 16'384;  // cached payments for kReturnAskedAgainAfter
inline constexpr Duration kQueryPause = 1s;                // per payment, between two queries through the API
inline constexpr std::size_t kQueriesRemembered = 16'384;  // cached payments for kQueryPause

// The HTTP server.
inline constexpr std::size_t kConnectionsMax = 4096;       // lower if the system allows fewer open files
inline constexpr std::size_t kClientConnectionsMax = 512;  // per client address; default `connections_per_client`
inline constexpr Duration kReceivingMin = 1s;              // until an incomplete request may give way to a connection
inline constexpr Duration kConnectionIdleMax = 60s;        // between two requests on one connection
inline constexpr Duration kRequestReadMax = 15s;           // from the first byte of a request to its last byte
inline constexpr Duration kLargeBodyReadMax = 120s;        // the same for a request with a large body
inline constexpr std::size_t kLargeBodyBytesMax = 256 << 20;  // of all large bodies; default `uploads.total_mib`
inline constexpr std::size_t kLargeBodyRateMin = 16 << 10;    // bytes per second; default `uploads.rate_min_kib`
inline constexpr Duration kLargeBodyRateWindow = 10s;         // in which a large body has at least that rate
inline constexpr std::size_t kPipelinedRequestsMax = 64;      // requests without a response, per connection
inline constexpr std::size_t kHeaderFieldsMax = 128;          // fields of one request
// Memory of requests and of responses that their clients have not read. Beyond a limit no further request is read;
// beyond twice the limit of a client or of all clients, the connection with most of it is closed.
inline constexpr std::size_t kConnectionBytesMax = 1 << 20;      // per connection
inline constexpr std::size_t kClientBytesMax = 16 << 20;         // per client address
inline constexpr std::size_t kServerBytesMax = 128 << 20;        // in total
inline constexpr std::size_t kClientBytesShare = 1 << 20;        // per client although others exhaust the total
inline constexpr std::size_t kBytesUnit = 16 << 10;              // the bytes of a connection are counted in this unit
inline constexpr std::size_t kRequestOverheadBytes = 1 << 10;    // of one request, besides its header and body
inline constexpr std::size_t kExpectedResponseBytes = 64 << 10;  // assumed before a connection's first response
inline constexpr std::size_t kChunkedBodyBytes = 64 << 10;       // assumed for a body of unknown length
inline constexpr std::size_t kUncheckedBodyBytesMax = 16 << 10;  // a longer body is read only after its key is checked
inline constexpr Duration kStalledMax = 3s;                      // over a limit: until an inactive client is closed
inline constexpr Duration kReliefEvery = 50ms;                   // between two checks while a limit is exceeded
inline constexpr std::size_t kDiscardedBytesMax = 8 << 20;       // input discarded before closing, to avoid a TCP reset
inline constexpr Duration kLingerMax = 2s;                       // maximum time for discarding that input
inline constexpr std::size_t kReadsWaitingMax = 4096;      // requests waiting for a read connection; more get `busy`
inline constexpr std::size_t kReadsPerClientMax = 256;     // of these, GET requests of one merchant or address
inline constexpr Duration kMetricsKept = 1s;               // requests within this time get the same metrics
inline constexpr Duration kReadinessWaitMax = 2s;          // for the store's reply; then /readyz returns 503
inline constexpr std::size_t kHealthConnectionsMax = 256;  // of the listener for health and metrics
inline constexpr std::size_t kApiKeysCachedMax = 16'384;   // entries per cache: valid keys, unknown keys, merchants
inline constexpr Duration kApiKeysCachedFor = 3s;          // lifetime of the entries of unknown keys and merchants
inline constexpr Duration kValidKeysCachedFor = 750ms;     // lifetime of those of valid keys, from before the read
inline constexpr Duration kRevokedKeyMax = 1s;             // after a revocation, until all servers refuse the key
inline constexpr std::size_t kRateBucketsMax = 65'536;     // callers that one rate limit remembers, until refilled
inline constexpr Duration kRateBurst = 2s;                 // requests of this time may arrive at once
inline constexpr Duration kFailedKeyBurst = 5s;            // the same for failed authentications
inline constexpr Duration kDrainMax = 15s;                 // maximum wait at shutdown for open connections to close
inline constexpr Duration kDrainIdleMax = 100ms;   // the same for an idle connection; its next request can be near
inline constexpr std::size_t kLogValueMax = 1024;  // bytes of one value in a log line; longer values are cut

// The HTTP client: connections to channels and webhook endpoints.
inline constexpr std::size_t kIdleConnectionsPerOriginMax = 256;  // one commit can start many calls to one origin
inline constexpr std::size_t kIdleConnectionsMax = 1024;
inline constexpr Duration kIdleConnectionAgeMax = 30s;
inline constexpr std::uint32_t kResponseHeadBytesMax = 64 << 10;
inline constexpr int kInterimResponsesMax = 8;              // 1xx responses before the final response
inline constexpr Duration kLookupTimeMax = 2500ms;          // one look-up of a host name, over all name servers
inline constexpr Duration kLookupTryTime = 700ms;           // before the next name server is asked; doubled per round
inline constexpr int kLookupTries = 2;                      // queries to each name server
inline constexpr std::size_t kLookupsPerMerchantMax = 16;   // host names that one merchant chose, at a time
inline constexpr std::size_t kForeignLookupsMax = 256;      // host names that all merchants chose, at a time
inline constexpr std::size_t kLookupsRememberedMax = 4096;  // entries per cache of addresses or failures
inline constexpr Duration kAddressesKept = 5s;              // cached addresses, unless their TTL is shorter
inline constexpr Duration kLookupFailureKept = 10s;         // cached failure of a host name that a merchant chose

// The engine.
inline constexpr std::size_t kBatchCommandsMax = 512;
inline constexpr std::size_t kLaneQueueMax = 8192;       // commands waiting per lane; further commands get `busy`
inline constexpr std::size_t kUnflushedBatchesMax = 16;  // batches committed but not yet flushed to disk, per lane
inline constexpr int kConflictTriesMax = 8;
inline constexpr std::size_t kRowsRememberedMax = 65'536;  // entries of the row cache, per row type and lane
inline constexpr std::int64_t kUnrememberedMin = 64;       // batches without the row cache after a conflict
inline constexpr std::int64_t kUnrememberedMax = 8192;     // upper bound of kUnrememberedMin doubled by conflicts
inline constexpr Duration kLeaseRenewedAfter = 5s;         // an idle lane renews its lease after this time
inline constexpr std::size_t kAwaitedAnswersMax = 8192;    // API requests waiting for a channel's reply, per lane
inline constexpr Duration kDeliveriesKept = 720h;          // default `delivery_retention` of finished deliveries
inline constexpr Duration kStatementFilesKept = 9600h;     // default `keep_files_days` of files of statements
inline constexpr std::size_t kExpiredFilesPerStep = 8;     // files of statements examined per deletion step
inline constexpr std::size_t kExpiredPerStep = 1000;       // rows examined per row type and deletion step
inline constexpr Duration kExpireEvery = 1s;               // between two deletion steps of a lane
inline constexpr Duration kExpireAgainAfter = 60s;         // pause after all expired rows have been examined
inline constexpr Duration kExpireMargin = 60s;             // added to the retention, because clocks of servers differ

// The clock.
inline constexpr Duration kClockStepMax = 1s;    // difference of wall clock and monotonic clock that is no jump
inline constexpr Duration kClockJumpLasts = 5s;  // a jump of the wall clock is followed after this time
inline constexpr Duration kClockLeadMax = 10s;   // of the time over the clock of a PostgreSQL database

// The worker.
// Channel calls share slots and queue entries by channel account, then by merchant; deliveries share them by merchant.
// One account or merchant may use at most as many as remain free for the others, so it gets at most half.
inline constexpr std::size_t kChannelCallsInFlightMax = 2048;  // of these, 1024 per channel account, 512 per merchant
inline constexpr std::size_t kDeliveriesInFlightMax = 512;     // of these, 256 per merchant
inline constexpr std::size_t kEffectsQueuedMax = 8192;         // per type; calls: 4096 per account, 2048 per merchant
inline constexpr std::size_t kEffectQueueLowWater = 64;        // below this length a queue accepts due rows
inline constexpr Duration kEffectQueueWaitMax = 1s;            // maximum time in the queue; then the row is due again
inline constexpr std::size_t kDueRowsPerScan = 512;            // rows per object type in one page
inline constexpr std::size_t kDuePagesPerScan = 16;            // pages per scan while no row of a page can start
inline constexpr Duration kDueScanEvery = 200ms;
inline constexpr Duration kOtherNodesFirst = 1min;  // servers with the channel account take due rows first
// A request to a channel is due again at most 10 s after it was sent, even if the sending node has failed.
inline constexpr Duration kEffectMargin = 1500ms;  // from the effect's deadline until the row is due again
inline constexpr Duration kChannelTimeout = 8s;
inline constexpr Duration kWebhookTimeout = 15s;
inline constexpr Duration kRetryAfterMax = 24h;      // upper bound of a webhook endpoint's Retry-After
inline constexpr int kResultTriesMax = 10;           // tries to submit a result to a busy engine
inline constexpr Duration kResultPauseFirst = 50ms;  // before the second try; doubled for each further try
inline constexpr Duration kResultPauseMax = 2s;
inline constexpr std::size_t kUpstreamBodyMax = 256 << 10;
inline constexpr std::size_t kStatementBytesMax = 64 << 20;      // a statement's file as received, mostly compressed
inline constexpr std::size_t kStatementUnpackedMax = 2ul << 30;  // the same file, unpacked
// Limits of base/parse_budget.h for the parser of a file.
inline constexpr std::size_t kParseOutputBase = 16 << 20;  // bytes that a file of any size may unpack to
inline constexpr std::size_t kParseOutputPerByte = 100;    // further bytes per byte of the file as received
inline constexpr std::uint64_t kParseWorkPerByte = 8;      // work units per byte of this output
inline constexpr std::uint64_t kParseStepWork = 16;        // work units of a line, an element or a replaced byte
inline constexpr std::size_t kZipEntriesMax = 1000;        // files in a ZIP file
inline constexpr std::size_t kStatementLinesMax = 5'000'000;
inline constexpr std::size_t kStatementLineBytesMax = 64 << 10;
// Defaults of the quotas in [statements], per channel account.
inline constexpr std::int64_t kStatementFilesPerDay = 5000;  // an operator may import the statements of years
inline constexpr std::int64_t kStatementMibPerDay = 4096;
inline constexpr std::int64_t kStatementMibStored = 65'536;
inline constexpr std::size_t kStatementPartBytes = 512 << 10;      // of a StatementPart
inline constexpr std::size_t kStatementCommandsInFlightMax = 512;  // of one comparison
inline constexpr std::size_t kChangedOrdersMax = 500;              // changes that the identity job checks in one round
inline constexpr std::size_t kDisagreeingOrdersMax = 1'000;    // orders with a case `identity` that are checked again
inline constexpr std::size_t kNoncesRememberedMax = 65'536;    // per channel, for ten minutes, to detect replays
inline constexpr std::size_t kExchangeTextMax = 1024;          // bytes of a masked URL or body in the timeline
inline constexpr Duration kMaintenanceEvery = 1s;              // between two maintenance checks of a channel
inline constexpr Duration kMaintenancePauseMax = 60s;          // upper bound of the pause after failed maintenance
inline constexpr Duration kConfigWarningInterval = 600s;       // between equal log warnings about a channel's settings
inline constexpr std::size_t kBreakerConsecutiveFailures = 8;  // consecutive failed calls that open the breaker
inline constexpr std::size_t kBreakerTrades = 3;               // minimum number of trades among the failed calls
inline constexpr std::size_t kBreakerCalls = 64;               // maximum number of calls in the sliding window
inline constexpr Duration kBreakerWindow = 30s;                // maximum age of a call in the sliding window
inline constexpr std::size_t kBreakerCallsMin = 20;            // minimum number of calls to compute a failure rate
inline constexpr std::size_t kBreakerFailurePercent = 50;      // failure rate of the window that opens the breaker
inline constexpr Duration kBreakerPauseFirst = 1s;             // before the first probe; doubled when a probe fails
inline constexpr Duration kBreakerPauseMax = 30s;
inline constexpr Duration kBreakerForgottenAfter = 120s;  // without a probe for this time, the channel counts as up

// The store.
inline constexpr std::size_t kReaders = 4;                      // read connections; one client uses at most two
inline constexpr std::size_t kKeyReaders = 2;                   // the same for API keys and merchants
inline constexpr Duration kStatementTimeMax = 10s;              // one PostgreSQL statement; never a COMMIT
inline constexpr Duration kRowLockWaitMax = 5s;                 // for a row that another transaction has locked
inline constexpr Duration kIdleTransactionMax = 8s;             // before PostgreSQL ends an idle transaction
inline constexpr Duration kStoreSilenceMax = 30s;               // without a reply the connection counts as broken
inline constexpr Duration kReconnectMax = 5s;                   // then the commands are refused
inline constexpr Duration kCommitOutcomeWaitMax = 60s;          // for the outcome of a COMMIT without a reply
inline constexpr Duration kNodeLease = 30s;                     // of a node number, from its last commit or renewal
inline constexpr Duration kStoreProbeEvery = 1s;                // while the store refuses writes
inline constexpr std::int64_t kStoreRoomBytes = 1 << 20;        // free space from which SQLite writes again
inline constexpr Duration kStorePartRefusedFor = 5s;            // commands and reads of a failed part; then one probe
inline constexpr Duration kStorePartProbeMax = 1s;              // one PostgreSQL statement while a part has failed
inline constexpr int kLoadTriesMax = 5;                         // of a batch whose connection to PostgreSQL fails
inline constexpr std::size_t kCaseEvidenceBytesMax = 32 << 10;  // per exception case; further evidence is dropped
inline constexpr std::size_t kChannelAccountsMax = 1000;        // rows, including accounts no longer configured
inline constexpr std::size_t kChannelRatesMax = 10'000;         // rows of a store
inline constexpr Duration kArchivedAfter = 720h;                // minimum age of an archived order without --even-young
inline constexpr std::int64_t kRefundWindowDays = 365;          // default `--refund-window` of `finality archive`
inline constexpr std::int64_t kRefundWindowDaysMax = 36'500;    // maximum of `--refund-window`
inline constexpr std::size_t kRestoresQueuedMax = 1000;         // archived orders that wait for their restore
inline constexpr std::size_t kArchivedPerStep = 50;             // orders read or removed per transaction

}  // namespace finality::limits
