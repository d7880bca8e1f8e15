#include "store/audit/questions.h"

namespace finality::audit {

void add_approvals_questions(Questions& questions) {
  questions.push_back({"7 a case is resolved by two keys, or settled by none", "exception_case", R"sql(
    SELECT id, state || ', resolution ' || coalesce(resolution, 'none') || ', proposed by '
      || coalesce(proposed_by, 'no key') || ', approved by ' || coalesce(approved_by, 'no key')
    FROM cases WHERE (approved_by IS NOT NULL) <> (state = 'resolved' AND coalesce(resolution, '') <> 'settled')
      OR (proposed_by IS NOT NULL) <> (state = 'proposed' OR approved_by IS NOT NULL)
      OR (resolution IS NOT NULL) <> (state <> 'open') OR coalesce(approved_by = proposed_by, FALSE))sql"});
  questions.push_back({"7 an adjustment is posted by two keys", "adjustment", R"sql(
    SELECT id, state || ', proposed by ' || proposed_by || ', decided by ' || coalesce(decided_by, 'no key')
    FROM adjustments WHERE CASE state WHEN 'proposed' THEN decided_by IS NOT NULL
      WHEN 'posted' THEN coalesce(decided_by, proposed_by) = proposed_by ELSE decided_by IS NULL END)sql"});
}

}  // namespace finality::audit
