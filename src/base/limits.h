// Every limit of Finality, in one place. The first block is promised in the API and never lowered.
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
inline constexpr std::size_t kMerchantNumberMax = 64;   // characters of merchant_order_no and its kin
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
inline constexpr std::size_t kRefundsMax = 1000;          // of an order
inline constexpr std::size_t kReturnsMax = 1000;          // of an order, and further ones are looked at by people
inline constexpr std::size_t kExternalRefundsMax = 1000;  // of an order, and further ones are looked at by people
inline constexpr std::size_t kWebhookTypesMax = 50;
inline constexpr std::size_t kWebhookEndpointsMax = 16;  // per merchant
inline constexpr std::int64_t kQuantityMax = 1'000'000'000;
inline constexpr std::size_t kAccountNameMax = 128;  // characters
inline constexpr std::size_t kReferenceMax = 128;    // characters of a reference, a source, an owner
inline constexpr std::size_t kInfoMax = 1024;        // characters of a transfer's info
inline constexpr std::int64_t kLockSecondsMax = 86'400;
inline constexpr std::int64_t kHoldExpiresInMaxSeconds = 2'592'000;
inline constexpr std::size_t kCaseNoteMax = 2000;          // characters of a proposal's note
inline constexpr Duration kAnswerWait = 2s;                // a POST that needs the channel waits this long at most
inline constexpr Duration kIdempotencyKept = 24h;          // at least
inline constexpr Duration kReturnAskedAgainAfter = 1s;     // a return link that is reloaded asks the channel no oftener
inline constexpr std::size_t kReturnsRemembered = 16'384;  // for that
inline constexpr Duration kQueryPause = 1s;                // between two queries of a payment through the API
inline constexpr std::size_t kQueriesRemembered = 16'384;  // payments remembered for that

// The HTTP server.
inline constexpr std::size_t kConnectionsMax = 4096;        // fewer where the system allows less
inline constexpr Duration kConnectionIdleMax = 60s;         // between two requests of one connection
inline constexpr Duration kRequestReadMax = 15s;            // from a request's first byte to its last (slow clients)
inline constexpr std::size_t kPipelinedRequestsMax = 64;    // of one connection, without a reply yet
inline constexpr std::size_t kDiscardedBytesMax = 8 << 20;  // read behind the last request, so a client gets its reply
inline constexpr Duration kLingerMax = 2s;                  // for that
inline constexpr std::size_t kReadsWaitingMax = 4096;       // for a read connection; beyond it: `busy`
inline constexpr std::size_t kApiKeysCachedMax = 16'384;    // known keys, unknown keys, and merchants: of each
inline constexpr Duration kApiKeysCachedFor = 3s;           // a revoked key is accepted this long at most
inline constexpr Duration kDrainMax = 15s;                  // at a stop, until open connections are cut
inline constexpr std::size_t kLogValueMax = 1024;           // bytes of one value in a log line; longer ones are cut

// The HTTP client: connections to channels and webhook endpoints.
inline constexpr std::size_t kIdleConnectionsPerOriginMax = 256;  // a commit starts many calls at once, often to one
inline constexpr std::size_t kIdleConnectionsMax = 1024;
inline constexpr Duration kIdleConnectionAgeMax = 30s;
inline constexpr std::uint32_t kResponseHeadBytesMax = 64 << 10;
inline constexpr int kInterimResponsesMax = 8;  // 1xx, before the response itself

// The engine.
inline constexpr std::size_t kBatchCommandsMax = 512;
inline constexpr std::size_t kLaneQueueMax = 8192;       // beyond it: `busy`
inline constexpr std::size_t kUnflushedBatchesMax = 16;  // committed, and not on the disk yet; per lane
inline constexpr int kConflictTriesMax = 8;
inline constexpr std::size_t kRowsRememberedMax = 65'536;  // of each kind, per lane
inline constexpr std::int64_t kUnrememberedMin = 64;       // batches that do without, after a conflict; doubled while
inline constexpr std::int64_t kUnrememberedMax = 8192;     // conflicts go on
inline constexpr Duration kLeaseRenewedAfter = 5s;         // of a lane that commits nothing
inline constexpr std::size_t kAwaitedAnswersMax = 8192;    // clients waiting for a channel's answer, per lane
inline constexpr Duration kDeliveriesKept = 720h;          // finished ones, unless `delivery_retention` says otherwise
inline constexpr std::size_t kExpiredPerStep = 1000;       // rows of a kind that one step of deleting looks at
inline constexpr Duration kExpireEvery = 1s;               // between two such steps of a lane
inline constexpr Duration kExpireAgainAfter = 60s;         // between two rounds of them
inline constexpr Duration kExpireMargin = 60s;             // kept longer by this, since clocks may differ

// The worker.
// Slots and lines are divided: a member has as many as it leaves free for the others of its level (SlotPool).
inline constexpr std::size_t kChannelCallsInFlightMax = 2048;  // 1024 of one channel account, 512 of one merchant on it
inline constexpr std::size_t kDeliveriesInFlightMax = 512;     // 256 of one merchant
inline constexpr std::size_t kEffectsQueuedMax = 8192;   // of each kind: 4096 of an account, 2048 of a merchant on it
inline constexpr std::size_t kEffectQueueLowWater = 64;  // rows that come due join a line that is shorter
inline constexpr Duration kEffectQueueWaitMax = 1s;      // for so long; then their rows come due again
inline constexpr std::size_t kDueRowsPerScan = 512;      // of each type, in a page
inline constexpr std::size_t kDuePagesPerScan = 16;      // further ones while all rows of a page have to wait
inline constexpr Duration kDueScanEvery = 200ms;
inline constexpr Duration kOtherNodesFirst = 1min;  // rows of a channel account that this server does not serve wait
// A request to a channel is due again at most 10 s after it was sent, whoever sent it and whatever became of them.
inline constexpr Duration kEffectMargin = 1500ms;  // due again this long after the effect's deadline
inline constexpr Duration kChannelTimeout = 8s;
inline constexpr Duration kWebhookTimeout = 15s;
inline constexpr Duration kRetryAfterMax = 24h;      // of what a webhook endpoint asks for; longer is cut
inline constexpr int kResultTriesMax = 10;           // of a result that the engine is too busy to take
inline constexpr Duration kResultPauseFirst = 50ms;  // between them, doubled by each
inline constexpr Duration kResultPauseMax = 2s;
inline constexpr std::size_t kUpstreamBodyMax = 256 << 10;
inline constexpr std::size_t kBillBytesMax = 256 << 20;      // a channel's statement, unpacked
inline constexpr std::size_t kNoncesRememberedMax = 65'536;  // of notifications of one channel, for ten minutes
inline constexpr std::size_t kExchangeTextMax = 1024;     // bytes of an address or a body in the timeline, once masked
inline constexpr Duration kMaintenanceEvery = 1s;         // between two looks at what an adapter has to ask for itself
inline constexpr Duration kMaintenancePauseMax = 60s;     // between tries that fail
inline constexpr Duration kConfigWarningInterval = 600s;  // the same warning about one channel's settings, in the log
inline constexpr std::size_t kBreakerConsecutiveFailures = 8;  // failures in a row that open it,
inline constexpr std::size_t kBreakerTrades = 3;     // of this many trades at least: one bad trade is no dead channel
inline constexpr std::size_t kBreakerCalls = 64;     // the last calls that are remembered,
inline constexpr Duration kBreakerWindow = 30s;      // for this long:
inline constexpr std::size_t kBreakerCallsMin = 20;  // from so many on,
inline constexpr std::size_t kBreakerFailurePercent = 50;  // so many failures open it
inline constexpr Duration kBreakerPauseFirst = 1s;         // until a probe; doubled by each that fails
inline constexpr Duration kBreakerPauseMax = 30s;
inline constexpr Duration kBreakerForgottenAfter = 120s;  // not probed for so long, it is taken to be up again

// The store.
inline constexpr std::size_t kReaders = 2;                      // read connections
inline constexpr int kLoadTriesMax = 5;                         // of a batch whose connection to PostgreSQL breaks
inline constexpr std::size_t kCaseEvidenceBytesMax = 32 << 10;  // of one case; further evidence is left out
inline constexpr std::size_t kChannelAccountsMax = 1000;        // rows: those that were configured once count too
inline constexpr Duration kArchivedAfter = 720h;                // younger orders are archived only when asked twice
inline constexpr std::size_t kArchivedPerStep = 50;             // orders read or removed in one transaction

}  // namespace finality::limits
