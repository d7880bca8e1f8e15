#include "decide/authorization/create_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "decide/add_row.h"
#include "decide/authorization/authorization_times.h"
#include "decide/authorization/held.h"
#include "decide/channel/channel_operation.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

// Returns the existing capture for a repeated request, or the refusal `merchant_capture_no_conflict`. `same`: the
// order's capture with that merchant_capture_no; null if a capture of another order has it.
Decision answer_again(const CreateCapture& command, const Capture* same) {
  const bool equal = same != nullptr && same->authorization_id == command.authorization_id &&
                     (!command.amount || *command.amount == same->amount) && same->is_final == command.is_final;
  if (equal) return CommandResult{.object = same->id, .home = same->order_id};
  return refuse(RefusalCode::merchant_capture_no_conflict,
                "This merchant_capture_no belongs to a capture with other fields. Use a new merchant_capture_no.",
                "merchant_capture_no");
}

std::int64_t own_captures(const OrderAggregate& aggregate) {
  return std::ranges::count_if(aggregate.captures,
                               [](const Capture& row) { return row.origin != CaptureOrigin::channel; });
}

/// Why nothing can be captured from an authorization, and the client's next step. Without a reason, something can.
struct Obstacle {
  std::string_view reason;
  std::string_view next_step;
};

constexpr std::string_view kWaitForHold = "Wait until it is authorized, and capture with a new Idempotency-Key.";
constexpr std::string_view kStartAnother = "Start another authorization, or create a new order if the order is final.";
constexpr std::string_view kNewOrder = "Create a new order to collect more.";

// Indexed by AuthorizationState.
constexpr Obstacle kObstacles[] = {
    {"its request is not sent yet", kWaitForHold},                     // created
    {"the channel has not confirmed it yet", kWaitForHold},            // processing
    {"the payer has not authorized it yet", kWaitForHold},             // pending
    {},                                                                // authorized
    {"what it holds is being released", kNewOrder},                    // releasing
    {"it has ended with its captures", kNewOrder},                     // captured
    {"what it held has been released", kStartAnother},                 // released
    {"the channel has refused it, and holds nothing", kStartAnother},  // failed
    {"it was closed before anything was held", kStartAnother},         // closed
};
static_assert(std::size(kObstacles) == kCount<AuthorizationState>);

Obstacle obstacle_to_captures(const OrderAggregate& aggregate, const Authorization& authorization, Time now) {
  const Obstacle& of_state = kObstacles[static_cast<std::size_t>(authorization.state)];
  if (!of_state.reason.empty()) return of_state;
  if (authorization.end_reason) return {"what it holds is to be released", kNewOrder};
  if (aggregate.order.close_requested) return {"its order is being closed", kNewOrder};
  if (aggregate.order.parked)
    return {"its order is parked", "Ask the operator to resolve its case, and capture with a new Idempotency-Key."};
  if (has_passed_deadline(authorization, now)) return {"its capture_before has passed", kNewOrder};
  if (own_captures(aggregate) >= limits::kCapturesMax)
    return {"its order has the maximum number of captures",
            "Release the rest, and create a new order to collect more."};
  return {};
}

// Refuses a request that the terms of the channel do not allow. `held`: amount that the authorization holds.
std::expected<void, Refusal> check_terms(const AuthorizationTerms& terms, const OrderAggregate& aggregate,
                                         const CreateCapture& command, const Authorization& authorization,
                                         MinorUnits held) {
  const std::string state(name_of(authorization.state));
  if (!terms.is_partial && command.amount && *command.amount < held)
    return refuse(RefusalCode::partial_capture_unsupported,
                  fmt::format("{} captures only the whole amount of {}. Omit amount.", authorization.channel,
                              format_money(held, authorization.currency)),
                  "amount", state);
  if (terms.is_multiple) return {};
  const bool is_further = std::ranges::any_of(aggregate.captures, [&](const Capture& row) {
    return row.authorization_id == authorization.id && row.state == CaptureState::succeeded;
  });
  if (!command.is_final || is_further)
    return refuse(RefusalCode::multiple_captures_unsupported,
                  fmt::format("{} accepts one capture per authorization, which must be final. {}",
                              authorization.channel, is_further ? kNewOrder : "Set final to true."),
                  is_further ? std::nullopt : std::optional<std::string>("final"), state);
  return {};
}

}  // namespace

void add_reads(const CreateCapture& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
  reads.keys.push_back({key_of_capture_no(command.merchant_id, command.merchant_capture_no)});
}

Decision decide(const CreateCapture& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const Authorization* known = found == nullptr ? nullptr : find_row(found->authorizations, command.authorization_id);
  if (known == nullptr || known->merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The authorization does not exist.", "authorization");
  // The order can contain the capture although its key was not loaded, as for refunds.
  const auto same = std::ranges::find(found->captures, command.merchant_capture_no, &Capture::merchant_capture_no);
  if (same != found->captures.end()) return answer_again(command, &*same);
  const Hash16 key = key_of_capture_no(command.merchant_id, command.merchant_capture_no);
  if (context.rows.keys.find(key) != nullptr) return answer_again(command, nullptr);

  const std::string state(name_of(known->state));
  const auto [reason, next_step] = obstacle_to_captures(*found, *known, context.now);
  if (!reason.empty())
    return refuse(RefusalCode::authorization_not_capturable,
                  fmt::format("Nothing can be captured from the authorization: {}. {}", reason, next_step), {}, state);
  if (open_capture_of(*found, known->id) != nullptr)
    return refuse(RefusalCode::capture_in_progress,
                  "The result of another capture of the authorization is not known yet. Repeat the request.", {},
                  state);
  const MinorUnits held = held_of(*found, *known);
  if (const AuthorizationTerms* terms = context.policy.terms_of(known->channel))
    if (auto allowed = check_terms(*terms, *found, command, *known, held); !allowed)
      return std::unexpected(std::move(allowed.error()));
  const MinorUnits amount = command.amount.value_or(held);
  if (amount > held || held == 0)
    return refuse(RefusalCode::capture_exceeds_authorized,
                  fmt::format("The held amount is {}. {}", format_money(held, known->currency),
                              held == 0 ? kNewOrder : "Reduce amount."),
                  "amount", state);

  OrderWriter writer(context, command.order_id);
  const CaptureFields fields{CaptureOrigin::merchant, command.merchant_capture_no, amount, command.is_final};
  const CaptureId id =
      add_capture(writer, *find_row(writer.aggregate().authorizations, command.authorization_id), fields);
  return CommandResult{.object = id, .created = true, .home = command.order_id};
}

CaptureId add_capture(OrderWriter& writer, const Authorization& authorization, const CaptureFields& fields) {
  Context& context = writer.context();
  Capture capture;
  capture.id = context.next_id<CaptureId>();
  capture.order_id = authorization.order_id;
  capture.authorization_id = authorization.id;
  capture.merchant_id = authorization.merchant_id;
  capture.channel_account_id = authorization.channel_account_id;
  capture.origin = fields.origin;
  capture.merchant_capture_no = fields.merchant_capture_no;
  capture.ordinal = static_cast<std::int64_t>(writer.aggregate().captures.size()) + 1;
  capture.amount = fields.amount;
  capture.currency = authorization.currency;
  capture.is_final = fields.is_final;
  capture.out_trade_no = out_capture_no(capture.merchant_id, capture.order_id, capture.ordinal);
  capture.created_at = context.now;
  if (fields.origin == CaptureOrigin::merchant) {
    const Hash16 key = key_of_capture_no(capture.merchant_id, capture.merchant_capture_no);
    context.rows.keys.insert(key, {key, capture.merchant_id, capture.id.value});
  }
  writer.created(capture.id, name_of(capture.state));
  Capture& added = add_row(writer.aggregate().captures, std::move(capture));
  const CaptureId id = added.id;
  claim_send(writer, added);
  return id;
}

}  // namespace finality
