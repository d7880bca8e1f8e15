#include "decide/exception/preview_resolution.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "decide/channel/channel_operation.h"
#include "decide/decide.h"
#include "decide/invariants.h"

namespace finality {
namespace {

// Ids of the preview are greater than those of all loaded rows, so they are equal to none of them.
constexpr Time kIdsNotBefore{time_of_id(kLargestId).ms - 1000};

ProposeResolution proposal_of(const ApproveResolution& approval) {
  return {.merchant_id = approval.merchant_id,
          .root = approval.root,
          .case_id = approval.case_id,
          .resolution = *approval.resolution,
          .note = {},
          .proposed_by = "proposer",
          .assign_to = approval.assign_to};
}

ApproveResolution approval_by_another(ApproveResolution approval, const WorkingSet& rows) {
  approval.approved_by = "approver";
  approval.reviewed_merchant = approval.assign_to;
  approval.version = find_child<Case>(rows, approval.root, approval.case_id)->version;
  return approval;
}

template <class Call>
PreviewedRequest request_with(const Call& call, ChannelRequestKind kind, MinorUnits amount, Currency currency) {
  const bool has_amount = kind != ChannelRequestKind::query && kind != ChannelRequestKind::close;
  return {.channel = channel_of(call),
          .kind = kind,
          .amount = has_amount ? std::optional(amount) : std::nullopt,
          .currency = currency};
}

PreviewedRequest describe(const ChannelCall& call) {
  constexpr ChannelRequestKind kKinds[] = {ChannelRequestKind::payment, ChannelRequestKind::query,
                                           ChannelRequestKind::close};
  static_assert(std::size(kKinds) == kCount<ChannelCallKind>);
  return request_with(call, kKinds[static_cast<std::size_t>(call.kind)], call.payment.amount, call.payment.currency);
}

PreviewedRequest describe(const RefundCall& call) {
  constexpr ChannelRequestKind kKinds[] = {ChannelRequestKind::refund, ChannelRequestKind::query};
  static_assert(std::size(kKinds) == kCount<RefundCallKind>);
  return request_with(call, kKinds[static_cast<std::size_t>(call.kind)], call.amount, call.currency);
}

PreviewedRequest describe(const AuthorizationCall& call) {
  constexpr ChannelRequestKind kKinds[] = {ChannelRequestKind::authorization, ChannelRequestKind::query,
                                           ChannelRequestKind::close, ChannelRequestKind::release};
  static_assert(std::size(kKinds) == kCount<AuthorizationCallKind>);
  const Authorization& row = call.authorization;
  const ChannelRequestKind kind = kKinds[static_cast<std::size_t>(call.kind)];
  return request_with(call, kind, kind == ChannelRequestKind::release ? row.release_amount : row.amount, row.currency);
}

PreviewedRequest describe(const CaptureCall& call) {
  constexpr ChannelRequestKind kKinds[] = {ChannelRequestKind::capture, ChannelRequestKind::query};
  static_assert(std::size(kKinds) == kCount<CaptureCallKind>);
  return request_with(call, kKinds[static_cast<std::size_t>(call.kind)], call.capture.amount, call.capture.currency);
}

// Returns the command that records the success of the request; empty if the success posts nothing.
std::optional<Command> success_of(const ChannelCall&, Time) { return std::nullopt; }
std::optional<Command> success_of(const AuthorizationCall&, Time) { return std::nullopt; }
std::optional<Command> success_of(const RefundCall& call, Time at) {
  if (is_query(call)) return std::nullopt;
  RefundEvidence evidence{.kind = RefundEvidenceKind::refunded, .source = source_of(call), .asked_at = at};
  return record_of(call, std::move(evidence));
}
std::optional<Command> success_of(const CaptureCall& call, Time at) {
  if (is_query(call)) return std::nullopt;
  const Capture& capture = call.capture;
  if (channel_of(call) == kWallet)
    return SettleWalletHold{capture.merchant_id, capture.order_id, capture.id, capture.currency};
  Evidence evidence{.kind = EvidenceKind::paid, .source = source_of(call), .asked_at = at};
  evidence.channel_trade_no = capture.out_trade_no;  // the channel assigns another number, which changes no posting
  evidence.amount = capture.amount;
  evidence.currency = capture.currency;
  evidence.paid_at = at;
  return record_of(call, std::move(evidence));
}

// When a row makes its next request without a further command.
struct DueRow {
  ObjectRef row;
  std::optional<Time> at;
  bool is_send = false;
};

std::vector<DueRow> due_rows_of(const WorkingSet& rows, ObjectRef root) {
  std::vector<DueRow> due;
  if (root.type != ObjectType::order) return due;
  const OrderAggregate* aggregate = rows.orders.find(OrderId{root.value});
  if (aggregate == nullptr) return due;
  boost::mp11::mp_for_each<boost::mp11::mp_transform<std::type_identity, ChannelOperationRows>>(
      [&]<class Row>(std::type_identity<Row>) {
        for (const Row& row : children_in<Row>(*aggregate)) due.push_back({row.id, row.due_at, is_to_be_sent(row)});
      });
  return due;
}

class Previewer {
 public:
  Previewer(const ApproveResolution& approval, WorkingSet& rows, const Policy& policy)
      : approval_(approval), rows_(rows), policy_(policy) {}

  /// Decides a command and accepts its changes. Returns its refusal, or that of its violation of an invariant, which
  /// the engine undoes.
  std::optional<Refusal> carry_out(const Command& command, Time at) {
    const std::vector<DueRow> before = due_rows_of(rows_, approval_.root);
    const Cause cause{.kind = CauseKind::operator_};
    std::vector<Effect> effects;
    std::vector<std::string> findings;
    Context context{rows_, ids_, policy_, at, cause, effects, findings};
    const Decision decision = decide(command, context);
    if (findings.empty()) findings = broken_invariants(rows_);
    if (!findings.empty())
      return Refusal{RefusalCode::illegal_transition, "The approval would violate an invariant of the ledger.", {}, {}};
    if (!decision) return decision.error();
    keep_entries();
    keep_requests(effects, at);
    // A claim without an effect has postponed its row, which waits for a result that is not previewed.
    if (!std::holds_alternative<ClaimRequest>(command) || !effects.empty()) keep_due_rows(before, effects, at);
    rows_.accept();
    return std::nullopt;
  }

  /// Further entries follow the result of a request.
  void begin_results() { after_result_ = true; }

  const std::vector<std::pair<Command, Time>>& following() const { return following_; }
  ResolutionPreview& preview() { return preview_; }

 private:
  void keep_entries() {
    for (std::size_t i = rows_.entries_accepted(); i < rows_.entries.size(); ++i)
      preview_.entries.push_back({rows_.entries[i], *rows_.accounts.find(rows_.entries[i].account_id), after_result_});
  }

  void keep_requests(const std::vector<Effect>& effects, Time at) {
    for (const Effect& effect : effects) {
      if (auto request = request_of(effect)) preview_.requests.push_back(*std::move(request));
      std::visit(
          [&](const auto& call) {
            if constexpr (requires { success_of(call, at); })
              if (auto result = success_of(call, at)) following_.emplace_back(*std::move(result), at);
          },
          effect);
    }
  }

  // Claims the request of each row that the command made due, if no effect of the command makes the request.
  void keep_due_rows(const std::vector<DueRow>& before, const std::vector<Effect>& effects, Time at) {
    for (const DueRow& due : due_rows_of(rows_, approval_.root)) {
      const auto was = std::ranges::find(before, due.row, &DueRow::row);
      if (!due.at || (was != before.end() && was->at == due.at && was->is_send == due.is_send)) continue;
      if ((*due.at > at && !due.is_send) || has_request_of(effects, due.row)) continue;
      following_.emplace_back(ClaimRequest{approval_.merchant_id, OrderId{approval_.root.value}, due.row, *due.at},
                              std::max(at, *due.at));
    }
  }

  static bool has_request_of(const std::vector<Effect>& effects, ObjectRef row) {
    return std::ranges::any_of(effects, [&](const Effect& effect) {
      return std::visit(
          [&](const auto& call) {
            if constexpr (requires { row_of(call); })
              return row_of(call) == row;
            else
              return false;
          },
          effect);
    });
  }

  const ApproveResolution& approval_;
  WorkingSet& rows_;
  const Policy& policy_;
  IdGenerator ids_{0, kIdsNotBefore};
  bool after_result_ = false;
  ResolutionPreview preview_;
  std::vector<std::pair<Command, Time>> following_;
};

}  // namespace

std::optional<PreviewedRequest> request_of(const Effect& effect) {
  return std::visit(
      [](const auto& call) -> std::optional<PreviewedRequest> {
        if constexpr (requires { describe(call); })
          return describe(call);
        else
          return std::nullopt;
      },
      effect);
}

void add_reads_of_preview(const PreviewSteps& steps, ReadSet& reads) {
  reads.owners.push_back(steps.approval.merchant_id);
  add_reads(proposal_of(steps.approval), reads);
  add_reads(steps.approval, reads);
  for (const auto& [command, at] : steps.following) add_reads(command, reads);
}

std::optional<ResolutionPreview> preview_resolution(PreviewSteps& steps, WorkingSet& rows, const Policy& policy,
                                                    Time now) {
  const std::string resolution = *steps.approval.resolution;
  const ProposeResolution proposal = proposal_of(steps.approval);
  Previewer previewer(steps.approval, rows, policy);
  if (auto refusal = previewer.carry_out(proposal, now))
    return ResolutionPreview{.resolution = resolution, .refusal = std::move(refusal)};
  if (auto refusal = previewer.carry_out(approval_by_another(steps.approval, rows), now))
    return ResolutionPreview{.resolution = resolution, .refusal = std::move(refusal)};
  previewer.begin_results();
  for (std::size_t i = 0; i < previewer.following().size(); ++i) {
    if (i == limits::kPreviewStepsMax) {
      previewer.preview().is_incomplete = true;
      break;
    }
    if (i == steps.following.size()) {
      steps.following = previewer.following();
      return std::nullopt;
    }
    const auto [command, at] = previewer.following()[i];  // a copy: carry_out() adds commands
    if (previewer.carry_out(command, at)) {
      previewer.preview().is_incomplete = true;
      break;
    }
  }
  previewer.preview().resolution = resolution;
  return std::move(previewer.preview());
}

}  // namespace finality
