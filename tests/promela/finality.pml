/* One order, its payments, refunds and reversals; two engines on one store; a channel that loses, delays and duplicates
 * messages; a clock; crashes at any point. README.md describes the scope. The program generates tables.pml.
 *
 * The -D options choose a world: the number of objects, and the behavior of the channel.
 */
#ifndef PAYMENTS
#define PAYMENTS 1   /* maximum number of payments */
#endif
#ifndef TRADES
#define TRADES PAYMENTS  /* one more than payments: the channel makes two trades of the first payment */
#endif
#ifndef REFUNDS
#define REFUNDS 0
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 0   /* payments that may fail before the order does; 0: any number */
#endif
#ifndef LOCAL
#define LOCAL false  /* the close policy: `local` rather than `ask` */
#endif
#ifndef LATE
#define LATE false   /* failed and closed trades may be paid later */
#endif
#ifndef FALSE_RESULTS
#define FALSE_RESULTS false   /* responses to queries may be false, but never report a payment that was not made */
#endif
#ifndef REFUSALS
#define REFUSALS false  /* the channel may refuse refunds, temporarily or permanently */
#endif
#ifndef WRONG
#define WRONG false  /* the payer may pay a wrong amount */
#endif
#ifndef BY_HAND
#define BY_HAND false  /* queries on demand, although no row is due */
#endif
#ifndef OPERATORS
#define OPERATORS false   /* operators decide about wrong amounts, retry blocked reversals, or settle them offline */
#endif
/* Protections. Without any one of them the model must fail; engine.pml has others. */
#ifdef WITHOUT_AMOUNT
#define amounts_are_compared false
#else
#define amounts_are_compared true
#endif
#ifdef WITHOUT_WAIT
#define reviews_are_waited_for false
#else
#define reviews_are_waited_for true
#endif
#define AMOUNT 2
#define BACKS (REFUNDS + TRADES)  /* rows that return money: refunds, then one reversal per trade */

#include "tables.pml"

/* Evidence of payments and of returned money. */
mtype = { waiting, paid, failed, closed, not_found, refunded, unknown, accepted, not_now, try_again, refused }
/* Further states of receipts, trades and refunds at the channel. 0: does not exist. */
mtype = { in_suspense, returned, done, dead }
mtype = { sending, asking, closing, sending_back, asking_back }
mtype = { start_payment, close_order, expire_order, claim_payment, query_payment, record_evidence, create_refund,
          claim_back, record_back, accept_mismatch, refund_mismatch, retry_reversal, settle_offline }

/* The store ----------------------------------------------------------------------------------------------------- */

typedef Order { mtype state; bool close_requested; bool due }
typedef Payment { mtype state; bool outstanding; bool close_pending; bool due }
typedef Back { mtype state; bool due; bool numbered; byte amount }
typedef Aggregate { Order order; Payment payment[PAYMENTS]; mtype receipt[TRADES]; Back back[BACKS] }

Aggregate db;

#include "engine.pml"

/* Time: only whether deadlines have passed. */
bool expired;
bool send_over[PAYMENTS];  /* the deadline of the last send has passed */
bool back_over[BACKS];

/* The channel. */
mtype trade[TRADES];       /* 0, waiting, paid, failed, closed */
bool is_wrong[TRADES];     /* paid with a wrong amount */
bool reported_dead[TRADES];    /* the channel reported that the trade will not be paid */
mtype upstream[BACKS];     /* 0, accepted, done, refused, dead: the refund under the row's current number */

/* Operators. */
bool is_approved[TRADES];  /* they decided to accept the wrong amount */

/* Kinds of requests, and a flag of queries. */
#define is_send 1
#define is_query 2
#define is_close 3
#define is_back_send 4
#define is_back_query 5
#define BEFORE_EXPIRY 256

#define payment_of(trade_no) ((trade_no) % PAYMENTS)
#define is_sibling(trade_no) (TRADES > PAYMENTS && payment_of(trade_no) == 0)
#define is_refund(back_no) ((back_no) < REFUNDS)
#define reversal_of(trade_no) (REFUNDS + (trade_no))

/* Used within one step only, so not part of the state. */
hidden byte pay_no, trade_no, back_no, count, total;
hidden short question;
hidden mtype word, event, posted_event;
hidden byte receipt_known, has_winner, has_open, has_soft, ends, ends_chase, disputed;
hidden byte effect_send[PAYMENTS], effect_query[PAYMENTS], effect_close[PAYMENTS];
hidden byte effect_back_send[BACKS], effect_back_query[BACKS], renumbered[BACKS];
hidden byte next_turn, calm_steps, case_no;
hidden mtype decision;  /* of operators in the calm phase: accept_mismatch, refund_mismatch; 0: none */

inline copy_order(to, from) { to.state = from.state; to.close_requested = from.close_requested; to.due = from.due }

inline copy_payment(to, from) {
  to.state = from.state; to.outstanding = from.outstanding; to.close_pending = from.close_pending; to.due = from.due
}

inline copy_back(to, from) {
  to.state = from.state; to.due = from.due; to.numbered = from.numbered; to.amount = from.amount
}

#define same_order(a, b) (a.state == b.state && a.close_requested == b.close_requested && a.due == b.due)

inline copy(to, from) {
  copy_order(to.order, from.order);
  for (nth : 0 .. PAYMENTS - 1) { copy_payment(to.payment[nth], from.payment[nth]) }
  for (nth : 0 .. TRADES - 1) { to.receipt[nth] = from.receipt[nth] }
  for (nth : 0 .. BACKS - 1) { copy_back(to.back[nth], from.back[nth]) }
}


/* Clears a loaded aggregate that can only lead to a conflict, so that it does not create separate states. */
inline forget(loaded) {
  loaded.order.state = 0; loaded.order.close_requested = false; loaded.order.due = false;
  for (mth : 0 .. PAYMENTS - 1) {
    loaded.payment[mth].state = 0; loaded.payment[mth].outstanding = false; loaded.payment[mth].close_pending = false;
    loaded.payment[mth].due = false
  }
  for (mth : 0 .. TRADES - 1) { loaded.receipt[mth] = 0 }
  for (mth : 0 .. BACKS - 1) {
    loaded.back[mth].state = 0; loaded.back[mth].due = false; loaded.back[mth].numbered = false;
    loaded.back[mth].amount = 0
  }
}

/* Decisions: each follows its file in src/decide/ ---------------------------------------------------------------- */

#define is_under_review(s) ((s) == payment_under_review)
#define is_soft(s) ((s) == payment_created || (s) == payment_processing || is_under_review(s))
#define is_there(s) ((s) != 0)
#define is_open(s) (is_there(s) && !payment_is_final(s))
#define is_unreturned(all, one) \
  (all.receipt[one] == in_suspense && !is_there(all.back[reversal_of(one)].state))
#define counted(row) (is_there(row.state) && row.state != refund_failed -> row.amount : 0)

inline summarize_payments() {
  has_winner = false; has_open = false; has_soft = false; count = 0;
  for (nth : 0 .. PAYMENTS - 1) {
    has_winner = has_winner || work.payment[nth].state == payment_succeeded;
    has_open = has_open || is_open(work.payment[nth].state);
    has_soft = has_soft || is_soft(work.payment[nth].state);
    count = count + (is_there(work.payment[nth].state) -> 1 : 0)
  }
}

/* settle_order.cpp */
inline ask_to_close(q) {
  if
  :: !work.payment[q].close_pending -> work.payment[q].close_pending = true; work.payment[q].due = true
  :: else
  fi
}

inline schedule(q) {
  work.payment[q].due = !(payment_due_nothing(work.payment[q].state) ||
                       (payment_due_chase(work.payment[q].state) && !work.payment[q].close_pending))
}

inline settle_order() {
  summarize_payments();
  ends = false;
  if
  :: order_is_final(work.order.state) -> skip
  :: else ->
    event = (has_winner -> order_on_paid :
             (!has_open && work.order.close_requested -> order_on_closed :
              (!has_open && ATTEMPTS > 0 && count >= ATTEMPTS -> order_on_attempts_used_up :
               (has_soft -> order_on_result_outstanding : order_on_result_received))));
    put_order(work.order.state, event);
    if
    :: event == order_on_result_outstanding || event == order_on_result_received -> skip
    :: else ->
      work.order.due = false;
      ends = true
    fi
  fi;
  for (nth : 0 .. PAYMENTS - 1) {
    if
    :: is_under_review(work.payment[nth].state) && order_is_final(work.order.state) ->
      put_payment(work.payment[nth].state, payment_on_close_locally)
    :: ends && is_open(work.payment[nth].state) && !is_under_review(work.payment[nth].state) -> ask_to_close(nth)
    :: else
    fi
  }
}

/* claim_request.cpp, for a payment */
inline claim_send(q) {
  put_payment(work.payment[q].state, payment_on_send);
  work.payment[q].outstanding = true; work.payment[q].due = true;
  effect_send[q] = true; bumped = true
}

inline decide_claim_payment() {
  if
  :: !work.payment[pay_no].due -> skip
  :: work.payment[pay_no].due && !payment_due_send(work.payment[pay_no].state) -> effect_query[pay_no] = true
  :: work.payment[pay_no].due && payment_due_send(work.payment[pay_no].state) ->
    if
    :: work.payment[pay_no].close_pending || work.order.close_requested ->
      put_payment(work.payment[pay_no].state, payment_on_not_found_while_closing);
      work.payment[pay_no].close_pending = false; work.payment[pay_no].outstanding = false;
      schedule(pay_no);
      bumped = true;
      settle_order()
    :: else ->
      disputed = false;  /* the result of another payment is outstanding or under review */
      for (nth : 0 .. PAYMENTS - 1) {
        disputed = disputed || (is_under_review(work.payment[nth].state) && reviews_are_waited_for) ||
                   (nth != pay_no && is_there(work.payment[nth].state) && payment_due_query(work.payment[nth].state))
      }
      if
      :: disputed -> skip
      :: else -> claim_send(pay_no)
      fi
    fi
  fi
}

/* start_payment.cpp */
inline decide_start_payment() {
  summarize_payments();
  put_order(work.order.state, order_on_payment_started);
  if
  :: (cell & CELL_REFUSES) || work.order.close_requested || expired || count >= PAYMENTS ||
     (ATTEMPTS > 0 && count >= ATTEMPTS) ->
    bumped = false; copy(work, engine[self].base)
  :: else ->
    work.payment[count].state = payment_created;
    pay_no = count;
    claim_send(pay_no)
  fi
}

/* close_order.cpp, begin_close.cpp */
inline decide_close() {
  if
  :: order_is_final(work.order.state) || work.order.close_requested -> skip
  :: else ->
    put_order(work.order.state, order_on_close_requested);
    bumped = true;
    work.order.close_requested = true; work.order.due = false;
    for (nth : 0 .. PAYMENTS - 1) {
      if
      :: is_under_review(work.payment[nth].state) && LOCAL ->
        put_payment(work.payment[nth].state, payment_on_close_locally)
      :: is_open(work.payment[nth].state) && !is_under_review(work.payment[nth].state) && LOCAL ->
        put_payment(work.payment[nth].state, payment_on_close_locally);
        work.payment[nth].close_pending = true; work.payment[nth].due = true
      :: is_open(work.payment[nth].state) && !is_under_review(work.payment[nth].state) && !LOCAL -> ask_to_close(nth)
      :: else
      fi
    }
    settle_order();
    for (nth : 0 .. PAYMENTS - 1) {
      effect_query[nth] = is_there(work.payment[nth].state) && work.payment[nth].due && work.payment[nth].close_pending &&
                        work.payment[nth].state != payment_created
    }
  fi
}

/* classify_evidence.cpp */
inline classify() {
  receipt_known = (receipts_have_keys && trade_no < TRADES -> work.receipt[trade_no] != 0 : false);
  if
  :: word == paid || word == refunded ->  /* paid, and fully refunded: only by our own refunds in these worlds */
    event = (receipt_known -> payment_on_already_known :
             (is_wrong[trade_no] && amounts_are_compared -> payment_on_paid_mismatch :
             (work.payment[pay_no].state == payment_failed -> payment_on_paid_after_failure :
              (!payment_is_final(work.payment[pay_no].state) && !order_is_final(work.order.state) -> payment_on_paid :
               payment_on_paid_unexpectedly))))
  :: else ->
    event = ((question & STALE) -> payment_on_already_known :
             (word == waiting -> payment_on_waiting :
              (word == failed -> payment_on_failed :
               (word == closed -> payment_on_closed :
                (word == unknown -> payment_on_unknown :
                 ((question & EARLY) && work.payment[pay_no].state == payment_processing -> payment_on_unknown :
                  (work.payment[pay_no].close_pending || work.order.close_requested -> payment_on_not_found_while_closing :
                   payment_on_not_found)))))))
  fi;
  event = (!unknown_is_soft && event == payment_on_unknown && word == unknown -> payment_on_failed : event);
  event = (!absent_waits && event == payment_on_unknown && word == not_found -> payment_on_not_found : event)
}

/* record_evidence.cpp. All evidence counts as new. */
inline decide_evidence() {
  classify();
  posted_event = event;
  bumped = true;
  if
  :: event == payment_on_paid -> book_receipt(accepted)
  :: event == payment_on_paid_unexpectedly || event == payment_on_paid_after_failure || event == payment_on_paid_mismatch ->
    book_receipt(in_suspense)
  :: else
  fi;
  put_payment(work.payment[pay_no].state, posted_event);
  disputed = (cell & CELL_REVERSES) != 0;
  if
  :: word == unknown ->
    work.payment[pay_no].outstanding = work.payment[pay_no].outstanding ||
                                       work.payment[pay_no].state == payment_processing
  :: word != unknown && posted_event != payment_on_unknown && posted_event != payment_on_already_known &&
     work.payment[pay_no].state != payment_created -> work.payment[pay_no].outstanding = false
  :: else
  fi;
  ends_chase = work.payment[pay_no].state == payment_closed && work.payment[pay_no].close_pending &&
               (word == closed || word == failed || word == paid || word == refunded ||
                (word == not_found && !(question & EARLY) && !(question & BEFORE_EXPIRY)));
  work.payment[pay_no].close_pending = work.payment[pay_no].close_pending && !ends_chase;
  if
  :: disputed -> start_reversal()
  :: else
  fi;
  schedule(pay_no);
  summarize_payments();
  effect_close[pay_no] = work.payment[pay_no].due && !has_soft && work.payment[pay_no].close_pending && word == waiting &&
                    kind_of(question) == is_query;
  settle_order()
}

/* book_receipt.cpp: the receipt's key is unique. */
inline book_receipt(how) {
  work.receipt[trade_no] = (work.receipt[trade_no] == 0 -> how : work.receipt[trade_no])
}

inline start_reversal() {
  back_no = reversal_of(trade_no);
  work.back[back_no].state = reversal_pending;
  work.back[back_no].amount = AMOUNT;
  send_back(back_no)
}

/* claim_request.cpp, for returned money */
inline send_back(r) {
  work.back[r].numbered = true;
  if
  :: is_refund(r) -> put_refund(work.back[r].state, refund_on_send)
  :: else -> put_reversal(work.back[r].state, reversal_on_send)
  fi;
  work.back[r].due = true;
  effect_back_send[r] = true; bumped = true
}

inline decide_claim_back() {
  if
  :: !work.back[back_no].due -> skip
  :: work.back[back_no].due && (is_refund(back_no) -> refund_due_send(work.back[back_no].state) :
                                                      reversal_due_send(work.back[back_no].state)) ->
    send_back(back_no)
  :: else -> effect_back_query[back_no] = true
  fi
}

/* create_refund.cpp */
inline decide_create_refund() {
  summarize_payments();
  total = 0;
  for (nth : 0 .. REFUNDS - 1) {
    total = total + counted(work.back[nth])
  }
  if
  :: !has_winner || is_there(work.back[back_no].state) || total + engine[self].amount > AMOUNT -> skip
  :: else ->
    work.back[back_no].state = refund_pending;
    work.back[back_no].amount = engine[self].amount;
    send_back(back_no)
  fi
}

/* record_refund.cpp */
inline decide_back() {
  word = (word == not_found && (question & EARLY) -> unknown : word);
  if
  :: (question & STALE) && word != refunded -> skip  /* about an earlier number */
  :: else ->
    if
    :: is_refund(back_no) -> record_refund_evidence()
    :: else -> record_reversal_evidence()
    fi
  fi
}

inline record_refund_evidence() {
  event = (word == accepted -> refund_on_accepted : (word == refunded -> refund_on_refunded :
           (word == not_now -> refund_on_not_now : (word == try_again -> refund_on_try_again :
            (word == refused -> refund_on_refused : (word == not_found -> refund_on_not_found : refund_on_unknown))))));
  put_refund(work.back[back_no].state, event);
  bumped = cell_moves || (cell & CELL_OPENS_CASE);
  renumbered[back_no] = cell_moves && event == refund_on_try_again;
  work.back[back_no].numbered = work.back[back_no].numbered && !renumbered[back_no];
  work.back[back_no].due = (bumped -> !refund_due_nothing(work.back[back_no].state) : work.back[back_no].due)
}

inline record_reversal_evidence() {
  event = (word == accepted -> reversal_on_accepted : (word == refunded -> reversal_on_refunded :
           (word == not_now -> reversal_on_not_now : (word == try_again -> reversal_on_try_again :
            (word == refused -> reversal_on_refused :
             (word == not_found -> reversal_on_not_found : reversal_on_unknown))))));
  put_reversal(work.back[back_no].state, event);
  bumped = cell_moves || (cell & CELL_OPENS_CASE);
  renumbered[back_no] = cell_moves && (event == reversal_on_try_again || event == reversal_on_refused);
  work.back[back_no].numbered = work.back[back_no].numbered && !renumbered[back_no];
  work.back[back_no].due = (bumped -> !reversal_due_nothing(work.back[back_no].state) : work.back[back_no].due);
  if
  :: cell_moves && work.back[back_no].state == reversal_succeeded -> work.receipt[back_no - REFUNDS] = returned
  :: else
  fi
}

/* resolution_actions.cpp. Operators accept the only receipt of a payment, or return its receipts in suspense. */
inline decide_mismatch(how) {
  event = 0; count = 0;
  for (mth : 0 .. TRADES - 1) {
    count = count + (payment_of(mth) == pay_no && work.receipt[mth] != 0 -> 1 : 0);
    if
    :: how == refund_mismatch && payment_of(mth) == pay_no && is_unreturned(work, mth) ->
      trade_no = mth; start_reversal()
    :: else
    fi
  }
  if
  :: !is_under_review(work.payment[pay_no].state) -> skip
  :: is_under_review(work.payment[pay_no].state) && how == refund_mismatch -> event = payment_on_mismatch_rejected
  :: else ->
    if
    :: count == 1 && is_unreturned(work, trade_no) ->
      work.receipt[trade_no] = accepted;
      event = payment_on_mismatch_accepted
    :: else
    fi
  fi;
  if
  :: event != 0 ->
    put_payment(work.payment[pay_no].state, event);
    bumped = true;
    settle_order()
  :: else
  fi
}

inline decide_blocked(how) {
  if
  :: work.back[back_no].state == reversal_blocked ->
    put_reversal(work.back[back_no].state,
                 (how == retry_reversal -> reversal_on_retry : reversal_on_settled_offline));
    work.back[back_no].due = !reversal_due_nothing(work.back[back_no].state);
    work.receipt[back_no - REFUNDS] = (how == settle_offline -> returned : in_suspense);
    bumped = true
  :: else
  fi
}

inline decide() {
  copy(work, engine[self].base);
  for (nth : 0 .. PAYMENTS - 1) { effect_send[nth] = false; effect_query[nth] = false; effect_close[nth] = false }
  for (nth : 0 .. BACKS - 1) { effect_back_send[nth] = false; effect_back_query[nth] = false; renumbered[nth] = false }
  bumped = false;
  pay_no = engine[self].on; back_no = engine[self].on; trade_no = engine[self].trade; word = engine[self].word;
  question = engine[self].question;
  if
  :: engine[self].does == start_payment -> decide_start_payment()
  :: engine[self].does == close_order -> decide_close()
  :: engine[self].does == expire_order -> if :: work.order.due -> decide_close() :: else fi
  :: engine[self].does == claim_payment -> decide_claim_payment()
  :: engine[self].does == record_evidence -> decide_evidence()
  :: engine[self].does == create_refund -> decide_create_refund()
  :: engine[self].does == claim_back -> decide_claim_back()
  :: engine[self].does == record_back -> decide_back()
  :: engine[self].does == query_payment -> effect_query[pay_no] = work.payment[pay_no].state != payment_created
  :: engine[self].does == accept_mismatch || engine[self].does == refund_mismatch -> decide_mismatch(engine[self].does)
  :: engine[self].does == retry_reversal || engine[self].does == settle_offline -> decide_blocked(engine[self].does)
  fi
}

/* The commit ------------------------------------------------------------------------------------------------------ */

/* Defined without the tables. */
#define order_has_ended(s) ((s) == order_succeeded || (s) == order_failed || (s) == order_closed)
#define payment_has_ended(s) ((s) == payment_succeeded || (s) == payment_failed || (s) == payment_closed)
#define payment_has_result(s) (payment_has_ended(s) || (s) == payment_under_review)
#define back_has_ended(s) \
  ((s) == refund_succeeded || (s) == refund_failed || (s) == reversal_succeeded || (s) == reversal_settled_offline)

#define same_payment(a, b) \
  (a.state == b.state && a.outstanding == b.outstanding && a.close_pending == b.close_pending && a.due == b.due)
#define same_back(a, b) \
  (a.state == b.state && a.due == b.due && a.numbered == b.numbered && a.amount == b.amount)

/* Writes the rows that differ from the loaded ones. */
inline write_rows() {
  if
  :: !same_order(work.order, engine[self].base.order) ->
    assert(final_kept(db.order.state, work.order.state, order_has_ended(db.order.state)));
    copy_order(db.order, work.order)
  :: else
  fi;
  for (nth : 0 .. PAYMENTS - 1) {
    if
    :: !same_payment(work.payment[nth], engine[self].base.payment[nth]) -> write_payment(nth)
    :: else
    fi
  }
  for (nth : 0 .. TRADES - 1) {
    if
    :: work.receipt[nth] != engine[self].base.receipt[nth] -> db.receipt[nth] = work.receipt[nth]
    :: else
    fi
  }
  for (nth : 0 .. BACKS - 1) {
    if
    :: !same_back(work.back[nth], engine[self].base.back[nth]) ->
      assert(final_kept(db.back[nth].state, work.back[nth].state, back_has_ended(db.back[nth].state)));
      copy_back(db.back[nth], work.back[nth])
    :: else
    fi
  }
}

inline write_payment(q) {
  assert(final_kept(db.payment[q].state, work.payment[q].state, payment_has_ended(db.payment[q].state)));
  if
  :: payment_has_result(work.payment[q].state) && !payment_has_result(db.payment[q].state) -> mark_payment(q, STALE)
  :: else
  fi;
  copy_payment(db.payment[q], work.payment[q])
}

/* Marks the requests and commands about that payment, or row of returned money, that are in flight. */
inline mark_payment(q, flag) { mark(is_send, is_close, q, record_evidence, flag) }
inline mark_back(r, flag) { mark(is_back_send, is_back_query, r, record_back, flag) }

#define asked_flags(over) (((over) -> 0 : EARLY) + (expired -> 0 : BEFORE_EXPIRY))

inline perform_effects() {
  for (nth : 0 .. PAYMENTS - 1) {
    if
    :: effect_send[nth] -> mark_payment(nth, EARLY); send_over[nth] = false; enqueue(is_send, nth, EARLY)
    :: else
    fi;
    if
    :: effect_query[nth] -> enqueue(is_query, nth, asked_flags(send_over[nth]))
    :: else
    fi;
    if
    :: effect_close[nth] -> enqueue(is_close, nth, asked_flags(send_over[nth]))
    :: else
    fi
  }
  for (nth : 0 .. BACKS - 1) {
    if
    :: renumbered[nth] -> mark_back(nth, STALE); upstream[nth] = 0
    :: else
    fi;
    if
    :: effect_back_send[nth] -> mark_back(nth, EARLY); back_over[nth] = false; enqueue(is_back_send, nth, EARLY)
    :: else
    fi;
    if
    :: effect_back_query[nth] -> enqueue(is_back_query, nth, (back_over[nth] -> 0 : EARLY))
    :: else
    fi
  }
  sort_pool()
}

inline find_key_conflict() {
  for (nth : 0 .. TRADES - 1) {
    conflict = conflict || (receipts_have_keys && work.receipt[nth] != 0 && engine[self].base.receipt[nth] == 0 &&
                            db.receipt[nth] != 0)
  }
}

inline print_commit() {
  printf("engine %d: %e of %d commits: order %e, payment 0 %e, payment 1 %e\n", self, engine[self].does,
         engine[self].on, work.order.state, work.payment[0].state,
         (PAYMENTS > 1 -> work.payment[PAYMENTS - 1].state : 0))
}

/* Values that no further query depends on are made equal, so that they do not create separate states. */
inline forget_irrelevant_values() {
  find_due_payments();
  expired = expired || (order_has_ended(db.order.state) && !has_open);
  for (nth : 0 .. PAYMENTS - 1) {
    send_over[nth] = send_over[nth] || (payment_has_result(db.payment[nth].state) && !db.payment[nth].due)
  }
  for (nth : 0 .. TRADES - 1) { reported_dead[nth] = reported_dead[nth] && db.receipt[nth] == 0 }
  for (nth : 0 .. BACKS - 1) { back_over[nth] = back_over[nth] || back_has_ended(db.back[nth].state) }
}

inline find_due_payments() {
  has_open = false;
  for (nth : 0 .. PAYMENTS - 1) { has_open = has_open || db.payment[nth].due }
}

/* Invariants, defined without the tables --------------------------------------------------------------------------- */

hidden byte winners, accepted_of, refunds_of_the_winner, has_review;
hidden int net_payment, expected_net_payment;

#define has_open_case(one) (is_wrong[one] && is_unreturned(db, one))
#define has_case_about(q) (has_open_case(q) || (TRADES > PAYMENTS && (q) == 0 && has_open_case(TRADES - 1)))

inline check_store() {
  winners = 0;
  for (nth : 0 .. PAYMENTS - 1) {
    winners = winners + (db.payment[nth].state == payment_succeeded -> 1 : 0);
    accepted_of = 0;
    for (mth : 0 .. TRADES - 1) {
      accepted_of = accepted_of + (payment_of(mth) == nth && db.receipt[mth] == accepted -> 1 : 0)
    }
    assert(accepted_of == (db.payment[nth].state == payment_succeeded -> 1 : 0));
    assert(!((db.order.state == order_closed || db.order.state == order_failed) && is_there(db.payment[nth].state) &&
             !payment_has_ended(db.payment[nth].state)));
    assert(db.payment[nth].state != payment_under_review || has_case_about(nth));
    assert(db.payment[nth].state != payment_under_review || !order_has_ended(db.order.state));
    assert(db.payment[nth].state != payment_under_review || !db.payment[nth].due)
  }
  assert(winners == (db.order.state == order_succeeded -> 1 : 0));
  for (mth : 0 .. TRADES - 1) {
    assert(db.receipt[mth] == 0 || trade[mth] == paid);
    assert(db.receipt[mth] != in_suspense || is_there(db.back[reversal_of(mth)].state) || is_wrong[mth]);
    assert(db.receipt[mth] != accepted || !is_wrong[mth] || is_approved[mth]);
    assert(db.receipt[mth] != accepted || !is_there(db.back[reversal_of(mth)].state))
  }
  refunds_of_the_winner = 0;
  for (nth : 0 .. REFUNDS - 1) {
    refunds_of_the_winner = refunds_of_the_winner +
      (is_there(db.back[nth].state) && db.back[nth].state != refund_failed -> db.back[nth].amount : 0)
  }
  assert(refunds_of_the_winner <= (winners == 1 -> AMOUNT : 0))
}

/* While the result of one payment is outstanding or under review, only queries are sent for another payment. Nothing is
 * sent for an order that is closing or final. A result that became outstanding in the same commit does not count. */
#define is_undecided(s) ((s) == payment_processing || (s) == payment_under_review)

inline check_effects() {
  for (nth : 0 .. PAYMENTS - 1) {
    assert(!effect_send[nth] || !(work.order.close_requested || order_has_ended(work.order.state)));
    for (mth : 0 .. PAYMENTS - 1) {
      assert(!(effect_send[nth] || effect_close[nth]) || nth == mth || !is_undecided(work.payment[mth].state) ||
             !is_undecided(engine[self].base.payment[mth].state))
    }
  }
}

/* The payer's net payment at the channel, over all trades. No trade may return more than it received. */
inline count_money() {
  net_payment = 0;
  for (mth : 0 .. TRADES - 1) {
    total = 0;
    for (nth : 0 .. REFUNDS - 1) {
      total = total + (db.receipt[mth] == accepted && upstream[nth] == done -> db.back[nth].amount : 0)
    }
    total = total + (upstream[reversal_of(mth)] == done -> AMOUNT : 0) +
            (db.back[reversal_of(mth)].state == reversal_settled_offline -> AMOUNT : 0);
    assert(total <= (trade[mth] == paid -> AMOUNT : 0));
    net_payment = net_payment + (trade[mth] == paid -> AMOUNT : 0) - total
  }
}

inline find_review() {
  has_review = false;
  for (nth : 0 .. PAYMENTS - 1) { has_review = has_review || db.payment[nth].state == payment_under_review }
}

/* Without a decision of operators the order stays open while a payment is under review, and the trades of its other
 * payments are not closed. An order that is closed locally ends without a decision. */
inline check_quiet() {
  assert(!has_review || (!LOCAL && decision == 0));
  assert(order_has_ended(db.order.state) == !has_review);
  expected_net_payment = (db.order.state == order_succeeded -> AMOUNT : 0);
  for (nth : 0 .. PAYMENTS - 1) {
    assert(!is_there(db.payment[nth].state) || (payment_has_result(db.payment[nth].state) && !db.payment[nth].due) ||
           (has_review && db.payment[nth].state != payment_under_review && db.payment[nth].close_pending))
  }
  for (nth : 0 .. BACKS - 1) {
    assert(!is_there(db.back[nth].state) || (back_has_ended(db.back[nth].state) && !db.back[nth].due));
    expected_net_payment = expected_net_payment -
      (is_refund(nth) && db.back[nth].state == refund_succeeded -> db.back[nth].amount : 0)
  }
  for (mth : 0 .. TRADES - 1) {
    assert(db.receipt[mth] != in_suspense || (has_open_case(mth) && decision == 0));
    expected_net_payment = expected_net_payment + (has_open_case(mth) -> AMOUNT : 0)
  }
  count_money();
  assert(net_payment == expected_net_payment)
}

/* The engines' commands -------------------------------------------------------------------------------------------- */

/* The trade that the channel's response is about: the paid one, or else the first. */
#define trade_of(q) (TRADES > PAYMENTS && (q) == 0 && trade[TRADES - 1] == paid && trade[0] != paid -> TRADES - 1 : (q))

inline truth_of_payment(q) {
  trade_no = trade_of(q);
  count_money_of(trade_no);
  word = (trade[trade_no] == 0 -> not_found : (trade[trade_no] == paid && total == AMOUNT -> refunded : trade[trade_no]))
}

inline count_money_of(one) {
  total = (upstream[reversal_of(one)] == done -> AMOUNT : 0);
  for (nth : 0 .. REFUNDS - 1) {
    total = total + (db.receipt[one] == accepted && upstream[nth] == done -> db.back[nth].amount : 0)
  }
}

inline truth_of_back(r) {
  word = (upstream[r] == 0 -> not_found : (upstream[r] == accepted -> accepted : (upstream[r] == done -> refunded :
          (upstream[r] == refused -> refused : try_again))))
}

/* Records the trades that were reported as unpaid: the channel must send a notification if they are paid later. */
inline remember_report(q) {
  if
  :: word == failed || word == closed || word == not_found ->
    for (mth : 0 .. TRADES - 1) {
      reported_dead[mth] = reported_dead[mth] || (db.receipt[mth] == 0 && payment_of(mth) == q && trade[mth] != 0)
    }
  :: else
  fi
}

#define is_question(x) (kind_of(x) == is_query || kind_of(x) == is_back_query)
#define is_answerable(x) ((x) != 0 && (is_question(x) || ((x) & ARRIVED)))
#define is_of_payment(x) (kind_of(x) <= is_close)
#define is_on_its_way(x) ((x) != 0 && !((x) & ARRIVED) && !is_question(x))
#define pays_back(x) (is_on_its_way(x) && kind_of(x) == is_back_send)
/* The channel refuses the refund temporarily: it has no effect, and its number stays valid. */
#define is_not_now(x) (REFUSALS && pays_back(x) && !((x) & STALE) && upstream[about(x)] == 0)

inline receive(k) {  /* the evidence is in `word` */
  engine[self].does = (is_of_payment(pool[k]) -> record_evidence : record_back);
  engine[self].on = about(pool[k]);
  engine[self].word = word;
  engine[self].question = (kind_of(pool[k]) == is_query || is_of_payment(pool[k]) == false ->
                         pool[k] & ~ARRIVED : (pool[k] & ~ARRIVED & ~7) | is_send);
  engine[self].trade = (is_of_payment(pool[k]) && word != not_found && word != unknown -> trade_no : TRADES);
  load()
}

inline true_evidence(k) {
  if
  :: is_of_payment(pool[k]) -> truth_of_payment(about(pool[k])); remember_report(about(pool[k]))
  :: else ->
    truth_of_back(about(pool[k]));
    word = ((pool[k] & STALE) -> try_again : word)  /* an invalid number stays invalid */
  fi
}

inline notified_of(one) {
  engine[self].does = record_evidence; engine[self].on = payment_of(one); engine[self].trade = one;
  engine[self].word = trade[one]; engine[self].question = 0;
  load()
}

#define may_be_false(k) \
  (idle(id) && FALSE_RESULTS && pool[k] != 0 && kind_of(pool[k]) == is_query && trade[trade_of(about(pool[k]))] != 0)

#define receives(k) \
  :: d_step { idle(id) && is_answerable(pool[k]) -> self = id; true_evidence(k); receive(k); forget_request(k); skip } \
  :: d_step { idle(id) && is_answerable(pool[k]) -> self = id; true_evidence(k); receive(k); skip } \
  :: d_step { idle(id) && pool[k] != 0 -> self = id; word = unknown; receive(k); forget_request(k); skip } \
  :: d_step { idle(id) && is_not_now(pool[k]) -> self = id; word = not_now; receive(k); forget_request(k); skip } \
  :: d_step { may_be_false(k) -> self = id; false_evidence(k, failed); skip } \
  :: d_step { may_be_false(k) -> self = id; false_evidence(k, closed); skip } \
  :: d_step { may_be_false(k) -> self = id; false_evidence(k, not_found); skip } \
  :: d_step { may_be_false(k) -> self = id; false_evidence(k, waiting); skip }

inline false_evidence(k, what) {
  word = what; trade_no = trade_of(about(pool[k]));
  remember_report(about(pool[k]));
  receive(k); forget_request(k)
}

#define start_command(what, whom, how_much) \
  self = id; \
  engine[self].does = what; engine[self].on = whom; engine[self].trade = TRADES; engine[self].amount = how_much; \
  load()

#define claims_payment(q) \
  :: d_step { idle(id) && BY_HAND && is_there(db.payment[q].state) -> start_command(query_payment, q, 0); skip } \
  :: d_step { idle(id) && db.payment[q].due -> start_command(claim_payment, q, 0); skip }
#define claims_back(r) :: d_step { idle(id) && db.back[r].due -> start_command(claim_back, r, 0); skip }
#define is_unreported_payment(one) (trade[one] == paid && (!receipts_have_keys || db.receipt[one] == 0))
#define is_notified(one) \
  :: d_step { idle(id) && is_unreported_payment(one) -> self = id; notified_of(one); skip } \
  :: d_step { idle(id) && trade[one] == failed -> self = id; remember_report_of(one); notified_of(one); skip }
#define may_refund(r) (idle(id) && db.order.state == order_succeeded && db.back[r].state == 0)
#define refunds_some(r) \
  :: d_step { may_refund(r) -> start_command(create_refund, r, 1); skip } \
  :: d_step { may_refund(r) -> start_command(create_refund, r, AMOUNT); skip }


#define may_accept(one) (has_open_case(one) && db.payment[payment_of(one)].state == payment_under_review)
#define is_blocked(one) (db.back[reversal_of(one)].state == reversal_blocked)
#define operators_act(one) \
  :: d_step { idle(id) && OPERATORS && may_accept(one) -> \
       is_approved[one] = true; \
       start_command(accept_mismatch, payment_of(one), 0); engine[id].trade = one; skip } \
  :: d_step { idle(id) && OPERATORS && has_open_case(one) -> \
       start_command(refund_mismatch, payment_of(one), 0); skip } \
  :: d_step { idle(id) && OPERATORS && is_blocked(one) -> start_command(retry_reversal, reversal_of(one), 0); skip } \
  :: d_step { idle(id) && OPERATORS && is_blocked(one) -> start_command(settle_offline, reversal_of(one), 0); skip }

inline remember_report_of(one) { word = trade[one]; remember_report(payment_of(one)) }

proctype EngineProcess(byte id) provided (!is_calm) {
end:
  do
  :: atomic {
       if
       :: d_step { idle(id) && db.order.state == order_pending && !db.order.close_requested && !expired &&
                   db.payment[PAYMENTS - 1].state == 0 -> start_command(start_payment, 0, 0); skip }
       :: d_step { idle(id) && !expired && db.order.due -> start_command(close_order, 0, 0); skip }
       :: d_step { idle(id) && expired && db.order.due -> start_command(expire_order, 0, 0); skip }
       claims_payment(0)
#if PAYMENTS > 1
       claims_payment(1)
#endif
       claims_back(0)
#if BACKS > 1
       claims_back(1)
#endif
#if BACKS > 2
       claims_back(2)
#endif
       receives(0)
#if REQUESTS > 1
       receives(1)
#endif
#if REQUESTS > 2
       receives(2)
#endif
       operators_act(0)
#if TRADES > 1
       operators_act(1)
#endif
       is_notified(0)
#if TRADES > 1
       is_notified(1)
#endif
#if TRADES > 2
       is_notified(2)
#endif
#if REFUNDS > 0
       refunds_some(0)
#endif
#if REFUNDS > 1
       refunds_some(1)
#endif
       fi;
       commits_unless_slow(id)
     }
  executes_its_command(id)
  od
}

/* Channel and clock ------------------------------------------------------------------------------------------------ */

inline arrive(k) {
  if
  :: kind_of(pool[k]) == is_send ->
    count = about(pool[k]);
    trade[count] = (trade[count] == 0 -> waiting : trade[count]);
    if
    :: TRADES > PAYMENTS && count == 0 && trade[TRADES - 1] == 0 -> trade[TRADES - 1] = waiting
    :: else
    fi
  :: kind_of(pool[k]) == is_close ->
    for (mth : 0 .. TRADES - 1) {
      trade[mth] = (payment_of(mth) == about(pool[k]) && trade[mth] == waiting -> closed : trade[mth])
    }
  :: else -> skip
  fi;
  pool[k] = pool[k] | ARRIVED;
  sort_pool()
}


#define arrives(k) \
  :: d_step { is_on_its_way(pool[k]) && !pays_back(pool[k]) -> \
       printf("channel: %e %d arrives\n", name_of_kind[kind_of(pool[k])], about(pool[k])); arrive(k); skip } \
  :: d_step { pays_back(pool[k]) -> refund_arrives(k, done); skip } \
  :: d_step { pays_back(pool[k]) -> refund_arrives(k, accepted); skip } \
  :: d_step { REFUSALS && pays_back(pool[k]) -> refund_arrives(k, refused); skip } \
  :: d_step { REFUSALS && pays_back(pool[k]) -> refund_arrives(k, dead); skip } \
  :: d_step { pool[k] != 0 -> \
       printf("crash: the response to %e %d is lost\n", name_of_kind[kind_of(pool[k])], \
              about(pool[k])); \
       forget_request(k); skip }

inline refund_arrives(k, becomes) {
  count = about(pool[k]);
  upstream[count] = (upstream[count] == 0 && !(pool[k] & STALE) -> becomes : upstream[count]);
  printf("channel: a refund arrives, row %d: %e\n", count, upstream[count]);
  count_money();
  arrive(k)
}

#define payer_acts(one) \
  :: d_step { trade[one] == waiting -> trade[one] = paid; printf("payer: pays trade %d\n", one); skip } \
  :: d_step { trade[one] == waiting -> trade[one] = failed; printf("payer: declines trade %d\n", one); skip } \
  :: d_step { WRONG && trade[one] == waiting -> \
       trade[one] = paid; is_wrong[one] = true; printf("payer: pays trade %d with a wrong amount\n", one); skip } \
  :: d_step { LATE && (trade[one] == closed || trade[one] == failed) -> \
       trade[one] = paid; printf("channel: trade %d is paid late\n", one); skip }

#define refund_ends(r) \
  :: d_step { upstream[r] == accepted -> \
       upstream[r] = done; printf("channel: the money of row %d is returned\n", r); count_money(); skip } \
  :: d_step { REFUSALS && upstream[r] == accepted -> \
       upstream[r] = refused; printf("channel: refuses row %d\n", r); skip }

proctype Channel() provided (!is_calm) {
end:
  do
  :: atomic {
       if
       arrives(0)
#if REQUESTS > 1
       arrives(1)
#endif
#if REQUESTS > 2
       arrives(2)
#endif
       payer_acts(0)
#if TRADES > 1
       payer_acts(1)
#endif
#if TRADES > 2
       payer_acts(2)
#endif
       refund_ends(0)
#if BACKS > 1
       refund_ends(1)
#endif
#if BACKS > 2
       refund_ends(2)
#endif
       fi
     }
  od
}

inline end_sending(q) { send_over[q] = true; drop_requests(is_send, q) }
inline end_back(r) { back_over[r] = true; drop_requests(is_back_send, r) }

#define send_ends(q) \
  :: d_step { is_there(db.payment[q].state) && !send_over[q] -> \
       printf("clock: the deadline of sending %d passes\n", q); end_sending(q); skip }
#define back_ends(r) \
  :: d_step { is_there(db.back[r].state) && !back_over[r] -> \
       printf("clock: the deadline of row %d passes\n", r); end_back(r); skip }

proctype Clock() provided (!is_calm) {
end:
  do
  :: atomic {
       if
       :: d_step { !expired -> expired = true; printf("clock: the order expires\n"); skip }
       send_ends(0)
#if PAYMENTS > 1
       send_ends(1)
#endif
       back_ends(0)
#if BACKS > 1
       back_ends(1)
#endif
#if BACKS > 2
       back_ends(2)
#endif
       fi
     }
  od
}

/* Calm: no further faults, and due work is done in turn, in one step of the model. It may start in every state in which
 * no request or command is in flight: earlier ones have arrived or are lost. -- */

inline pass_time() {
  expired = true;
  for (nth : 0 .. PAYMENTS - 1) { send_over[nth] = is_there(db.payment[nth].state) }
  for (nth : 0 .. BACKS - 1) { back_over[nth] = is_there(db.back[nth].state) }
}

/* Claims the next due row after the last one, so that no row starves: payments first, then rows that return money. */
inline claim_due_row() {
  count = 0;
  do
  :: count <= PAYMENTS + BACKS && !(next_turn < PAYMENTS -> db.payment[next_turn % PAYMENTS].due :
                                db.back[(next_turn + BACKS - PAYMENTS % BACKS) % BACKS].due) ->
     next_turn = (next_turn + 1) % (PAYMENTS + BACKS); count++
  :: else -> break
  od;
  if
  :: count > PAYMENTS + BACKS -> skip
  :: else ->
    pass_time();
    engine[0].does = (next_turn < PAYMENTS -> claim_payment : claim_back);
    engine[0].on = (next_turn < PAYMENTS -> next_turn : next_turn - PAYMENTS);
    engine[0].trade = TRADES;
    next_turn = (next_turn + 1) % (PAYMENTS + BACKS);
    load()
  fi
}

/* Finds a trade for which the channel must send a notification; TRADES if there is none. */
inline find_unreported_payment() {
  trade_no = 0;
  do
  :: trade_no < TRADES && !(trade[trade_no] == paid && db.receipt[trade_no] == 0 &&
                            (reported_dead[trade_no] || is_sibling(trade_no))) -> trade_no++
  :: else -> break
  od
}

/* Finds a wrong amount about which operators decide; TRADES if there is none. */
inline find_case() {
  case_no = (decision == 0 -> TRADES : 0);
  do
  :: case_no < TRADES && !has_open_case(case_no) -> case_no++
  :: else -> break
  od
}

#define has_other_receipt(one) (is_sibling(one) && db.receipt[TRADES - 1 - (one)] != 0)

/* Operators return what they cannot accept. */
inline decide_case() {
  engine[0].does = (decision == accept_mismatch && may_accept(case_no) && !has_other_receipt(case_no) ->
                    accept_mismatch : refund_mismatch);
  engine[0].on = payment_of(case_no); engine[0].trade = case_no;
  is_approved[case_no] = is_approved[case_no] || engine[0].does == accept_mismatch;
  load()
}

inline calm_answer() {
  if
  :: kind_of(pool[0]) == is_back_send && !(pool[0] & STALE) ->
    count = about(pool[0]);
    upstream[count] = (upstream[count] == 0 || upstream[count] == accepted -> done : upstream[count])
  :: kind_of(pool[0]) == is_back_query ->
    count = about(pool[0]);
    upstream[count] = (upstream[count] == accepted -> done : upstream[count])
  :: else
  fi;
  if
  :: is_on_its_way(pool[0]) -> arrive(0)
  :: else
  fi;
  true_evidence(0); receive(0); forget_request(0)
}

#define CALM_STEPS_MAX 60

inline run_calm_phase() {
  self = 0; next_turn = 0; calm_steps = 0; count = 0;
  do
  :: calm_steps >= CALM_STEPS_MAX || count > PAYMENTS + BACKS -> break
  :: else ->
    calm_steps++;
    count = 0;
    find_unreported_payment();
    find_case();
    if
    :: pool[0] != 0 -> calm_answer()
    :: pool[0] == 0 && db.order.due -> pass_time(); engine[0].does = expire_order; load()
    :: pool[0] == 0 && !db.order.due && trade_no < TRADES -> notified_of(trade_no)
    :: pool[0] == 0 && !db.order.due && trade_no == TRADES && case_no < TRADES -> decide_case()
    :: else -> claim_due_row()
    fi;
    if
    :: !idle(0) -> commit(); count = 0
    :: else -> count = PAYMENTS + BACKS + 1  /* no row is due */
    fi
  od;
  find_review();
  assert(calm_steps < CALM_STEPS_MAX || (has_review && PAYMENTS > 1));
  check_quiet()
}

#define becomes_calm(if_allowed, what) \
  :: d_step { !is_calm && idle(0) && idle(1) && pool[0] == 0 && if_allowed -> \
       is_calm = true; decision = what; \
       printf("calm: no further faults\n"); \
       run_calm_phase(); \
       printf("calm: order %e, the payer's net payment is %d\n", db.order.state, net_payment); skip \
     }

proctype Calm() {
end:
  do
  becomes_calm(true, 0)
  becomes_calm(OPERATORS, accept_mismatch)
  becomes_calm(OPERATORS, refund_mismatch)
  od
}

init {
  d_step {
    name_of_kind[is_send] = sending; name_of_kind[is_query] = asking; name_of_kind[is_close] = closing;
    name_of_kind[is_back_send] = sending_back; name_of_kind[is_back_query] = asking_back;
    fill_tables(); report_at_the_end;
    db.order.state = order_pending;
    db.order.due = true; skip
  };
  atomic { run EngineProcess(0); run EngineProcess(1); run Channel(); run Clock(); run Calm() }
}
