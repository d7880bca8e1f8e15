#include "decide/exception/resolution.h"

#include <algorithm>

#include "decide/exception/approve_difference.h"
#include "decide/exception/authorization_actions.h"

namespace finality {
namespace {

constexpr Resolution kResolutions[] = {
    {CaseKind::conflicting_result, "keep", nothing_moves},
    {CaseKind::conflicting_result, "write_off", write_off, ObjectType::payment},
    {CaseKind::conflicting_result, "write_off", write_off, ObjectType::capture},
    {CaseKind::amount_mismatch, "accept", accept_mismatch, ObjectType::payment},
    {CaseKind::amount_mismatch, "refund", refund_mismatch, ObjectType::payment},
    {CaseKind::amount_mismatch, "refund", refund_mismatch, ObjectType::capture},
    {CaseKind::amount_mismatch, "acknowledge", nothing_moves, ObjectType::authorization},
    {CaseKind::paid_after_failure, "acknowledge", nothing_moves},
    {CaseKind::external_refund, "accept", accept_external},
    {CaseKind::external_refund, "charge_platform", charge_platform, ObjectType::refund},
    {CaseKind::refunded_twice, "accept", nothing_moves},
    {CaseKind::refunded_twice, "charge_platform", charge_platform},
    {CaseKind::over_refunded, "accept", nothing_moves},
    {CaseKind::over_refunded, "charge_platform", charge_platform},
    {CaseKind::reversal_blocked, "retry", retry_reversal},
    {CaseKind::reversal_blocked, "settled_offline", settled_offline},
    {CaseKind::result_overdue, "keep_querying", nothing_moves},
    {CaseKind::result_overdue, "confirm_unpaid", confirm_unpaid, ObjectType::payment},
    {CaseKind::result_overdue, "confirm_unpaid", confirm_unheld, ObjectType::authorization},
    {CaseKind::result_overdue, "confirm_uncaptured", confirm_uncaptured, ObjectType::capture},
    {CaseKind::result_overdue, "send_again", send_again, ObjectType::authorization},
    {CaseKind::result_overdue, "send_again", send_again, ObjectType::capture},
    {CaseKind::not_accepted, "send_again", send_again},
    {CaseKind::not_accepted, "keep_querying", nothing_moves},
    {CaseKind::not_accepted, "confirm_unpaid", confirm_unpaid, ObjectType::payment},
    {CaseKind::not_accepted, "confirm_unpaid", confirm_unheld, ObjectType::authorization},
    {CaseKind::not_accepted, "confirm_uncaptured", confirm_uncaptured, ObjectType::capture},
    {CaseKind::invariant_violation, "release", release},
    {CaseKind::delivery_exhausted, "resend", nullptr},
    {CaseKind::delivery_exhausted, "give_up", nullptr},
    {CaseKind::unknown_receipt, "assign", nullptr, std::nullopt, true},
    {CaseKind::unknown_receipt, "keep", nullptr},
    {CaseKind::report_mismatch, "keep", nothing_moves},
    {CaseKind::difference, "keep", nullptr},
    {CaseKind::difference, "adjust", nullptr, std::nullopt, false, check_adjustment},
    {CaseKind::unknown_receipt, "cancel", nullptr},
    {CaseKind::identity, "keep", nothing_moves},
    {CaseKind::over_captured, "accept", nothing_moves},
    {CaseKind::external_capture, "accept", nothing_moves},
    {CaseKind::release_blocked, "retry", retry_release},
    {CaseKind::release_blocked, "confirm_released", confirm_released},
};

}  // namespace

std::span<const Resolution> all_resolutions() { return kResolutions; }

const Resolution* find_resolution(const Case& row, std::string_view name) {
  const auto* at = std::ranges::find_if(kResolutions,
                                        [&](const Resolution& one) { return one.exists_for(row) && one.name == name; });
  return at == std::end(kResolutions) ? nullptr : at;
}

std::vector<std::string_view> resolutions_of(const Case& row, const Difference* difference) {
  std::vector<std::string_view> names;
  for (const Resolution& one : kResolutions)
    if (one.exists_for(row) && one.check_difference(difference)) names.push_back(one.name);
  return names;
}

const Difference* difference_of_case(const WorkingSet& rows, ObjectRef root) {
  if (root.type != ObjectType::difference) return nullptr;
  const DifferenceAggregate* aggregate = rows.differences.find(DifferenceId{root.value});
  return aggregate == nullptr ? nullptr : &aggregate->difference;
}

}  // namespace finality
