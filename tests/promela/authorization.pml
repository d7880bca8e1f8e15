/* One order with manual capture, its authorizations and captures; two engines on one store; a channel that loses,
 * delays and duplicates messages, ends holds and captures without a request; a clock; crashes at any point. README.md
 * describes the scope. The program generates tables.pml.
 *
 * The -D options choose a world: the number of objects, and the behavior of the channel.
 */
#ifndef AUTHORIZATIONS
#define AUTHORIZATIONS 1   /* maximum number of authorizations */
#endif
#ifndef CAPTURES
#define CAPTURES 2   /* maximum number of own captures */
#endif
#ifndef CONSOLE
#define CONSOLE 0    /* 1: somebody at the channel captures once, and releases a part of the hold */
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 0   /* authorizations that may fail before the order does; 0: any number */
#endif
#ifndef LOCAL
#define LOCAL false  /* the close policy: `local` rather than `ask` */
#endif
#ifndef LAPSE
#define LAPSE false  /* the channel may end a hold at any time */
#endif
#ifndef LATE
#define LATE false   /* failed and closed authorizations may be held later */
#endif
#ifndef LATE_CAPTURES
#define LATE_CAPTURES false   /* refused captures may be made later */
#endif
#ifndef REFUSALS
#define REFUSALS false  /* the channel may refuse captures and releases, temporarily or permanently */
#endif
#ifndef FALSE_RESULTS
#define FALSE_RESULTS false   /* responses to queries may be false, but never report a hold that was not made */
#endif
#ifndef TOTALS
#define TOTALS false  /* the channel reports the captured total of an authorization, not its captures */
#endif
#ifndef FINAL_FLAG
#define FINAL_FLAG true  /* a final capture releases the rest */
#endif
#ifndef KEEPS_REST
#define KEEPS_REST false  /* the channel may keep the rest after a final capture */
#endif
#ifndef CAPTURES_AT_DEADLINE
#define CAPTURES_AT_DEADLINE false  /* what is still held at the deadline is captured, not released */
#endif
#ifndef BY_HAND
#define BY_HAND false  /* queries on demand, although no row is due */
#endif
/* Protections, in addition to those of engine.pml. Without any one of them the model must fail. */
#ifdef WITHOUT_WAITING
#define captures_block_release false
#else
#define captures_block_release true
#endif
#ifdef WITHOUT_STATE
#define may_capture_in(s) ((s) == authorization_authorized || (s) == authorization_releasing)
#else
#define may_capture_in(s) ((s) == authorization_authorized)
#endif
#ifdef DEADLINE_REVERSED
#define is_past_deadline(a) (!deadline_over[a])
#else
#define is_past_deadline(a) (deadline_over[a])
#endif
#define HOLD 2
#define ROWS (CAPTURES + CONSOLE)   /* captures: own ones, then the external one */

#include "tables.pml"

/* Evidence of authorizations and captures, and states of both at the channel. 0: does not exist. */
mtype = { waiting, held, ended, failed, closed, not_found, unknown, release_again, release_refused,
          accepted, captured, refused, not_now, done, dead }
/* Receipts, and why an authorization ends: `ending` stands for every reason except `late`. */
mtype = { in_suspense, ending, late }
mtype = { sending, asking, closing, releasing, capturing, asking_capture }
mtype = { start_authorization, close_order, expire_order, claim_authorization, query_authorization,
          record_authorization, create_capture, release_authorization, claim_capture, record_capture }

/* The store ----------------------------------------------------------------------------------------------------- */

/* `is_known`: a hold was reported. `release_amount`: of the current number of a release request; 0: no number. */
typedef Order { mtype state; bool close_requested; bool due }
typedef Authorization { mtype state; bool is_known; byte released; mtype reason; byte release_amount;
                        bool close_pending; bool due }
typedef Capture { mtype state; byte owner; byte amount; bool is_final; mtype receipt; bool is_returned; bool due }
typedef Aggregate { Order order; Authorization authorization[AUTHORIZATIONS]; Capture capture[ROWS] }

Aggregate db;

/* In a command that records evidence about an authorization, `trade` is the set of the captures that the channel
 * reports, a bit each, and `amount` is the released total. In create_capture, `trade` is 1 for a final capture. */
#include "engine.pml"

/* Time: only whether deadlines have passed. */
bool expired;
bool deadline_over[AUTHORIZATIONS];  /* the deadline of captures */
bool send_over[AUTHORIZATIONS];      /* the deadline of the last send or release */
bool capture_over[ROWS];

/* The channel. */
mtype hold[AUTHORIZATIONS];          /* 0, waiting, held, ended, failed, closed */
byte given_back[AUTHORIZATIONS];     /* released to the payer */
mtype release_no[AUTHORIZATIONS];    /* 0, done, dead: the release under the row's current number */
mtype taken[ROWS];                   /* 0, accepted, done, refused */
byte console_amount;                 /* of the external capture */
byte console_of;                     /* its authorization */
bool reported_dead[AUTHORIZATIONS];  /* the channel reported that nothing will be held */

/* Kinds of requests, and flags. */
#define is_send 1
#define is_query 2
#define is_close 3
#define is_release 4
#define is_capture 5
#define is_capture_query 6
#define BEFORE_END 1024    /* requested before the last own capture ended */
#define OLD_NUMBER 2048    /* a release under an earlier number */

/* Used within one step only, so not part of the state. */
hidden byte auth_no, capture_no, ith, jth, count, bits, given, excess;
hidden short question;
hidden mtype word, event, posted_event;
hidden byte has_open, has_soft, has_holder, has_captured, was_final, is_usable, settles;
hidden byte collected_of[AUTHORIZATIONS], accepted_of[AUTHORIZATIONS], left_of[AUTHORIZATIONS];  /* see measure() */
hidden byte has_open_capture[AUTHORIZATIONS];
hidden byte books[ROWS], ends[AUTHORIZATIONS], releases[AUTHORIZATIONS], requests_end[AUTHORIZATIONS];
hidden byte effect_send[AUTHORIZATIONS], effect_query[AUTHORIZATIONS], effect_close[AUTHORIZATIONS];
hidden byte effect_release[AUTHORIZATIONS], renumbered[AUTHORIZATIONS], capture_ended[AUTHORIZATIONS];
hidden byte is_over[AUTHORIZATIONS];  /* evidence about an ended authorization: nothing is held any more */
hidden byte effect_capture[ROWS], effect_capture_query[ROWS];
hidden byte next_turn, calm_steps;

inline copy_order(to, from) { to.state = from.state; to.close_requested = from.close_requested; to.due = from.due }

inline copy_authorization(to, from) {
  to.state = from.state; to.is_known = from.is_known; to.released = from.released; to.reason = from.reason;
  to.release_amount = from.release_amount; to.close_pending = from.close_pending; to.due = from.due
}

inline copy_capture(to, from) {
  to.state = from.state; to.owner = from.owner; to.amount = from.amount; to.is_final = from.is_final;
  to.receipt = from.receipt; to.is_returned = from.is_returned; to.due = from.due
}

inline copy(to, from) {
  copy_order(to.order, from.order);
  for (nth : 0 .. AUTHORIZATIONS - 1) { copy_authorization(to.authorization[nth], from.authorization[nth]) }
  for (nth : 0 .. ROWS - 1) { copy_capture(to.capture[nth], from.capture[nth]) }
}

/* Clears a loaded aggregate that can only lead to a conflict, so that it does not create separate states. */
inline forget(loaded) {
  loaded.order.state = 0; loaded.order.close_requested = false; loaded.order.due = false;
  for (mth : 0 .. AUTHORIZATIONS - 1) {
    loaded.authorization[mth].state = 0; loaded.authorization[mth].is_known = false;
    loaded.authorization[mth].released = 0; loaded.authorization[mth].reason = 0;
    loaded.authorization[mth].release_amount = 0; loaded.authorization[mth].close_pending = false;
    loaded.authorization[mth].due = false
  }
  for (mth : 0 .. ROWS - 1) {
    loaded.capture[mth].state = 0; loaded.capture[mth].owner = 0; loaded.capture[mth].amount = 0;
    loaded.capture[mth].is_final = false; loaded.capture[mth].receipt = 0; loaded.capture[mth].is_returned = false;
    loaded.capture[mth].due = false
  }
}

/* Decisions: each follows its file in src/decide/ ----------------------------------------------------------------
 *
 * A decision about one row sets flags: the captures to book, the authorizations to end or to release. decide() then
 * carries them out in one place, in the order of record_authorization.cpp, because spin limits the length of a step. */

#define is_there(s) ((s) != 0)
#define is_soft(s) ((s) == authorization_created || (s) == authorization_processing)
#define is_before_hold(s) (is_soft(s) || (s) == authorization_pending)
#define is_open(s) (is_there(s) && !authorization_is_final(s))
#define is_holder(row) \
  (row.state == authorization_authorized || (row.state == authorization_releasing && row.reason != late))

/* held.cpp. left_of: what is still held, as far as is known. */
inline measure() {
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    collected_of[nth] = 0; accepted_of[nth] = 0; has_open_capture[nth] = false
  }
  for (nth : 0 .. ROWS - 1) {
    count = work.capture[nth].owner;
    if
    :: is_there(work.capture[nth].state) ->
      collected_of[count] = collected_of[count] + (work.capture[nth].receipt != 0 -> work.capture[nth].amount : 0);
      accepted_of[count] = accepted_of[count] + (work.capture[nth].receipt == accepted -> work.capture[nth].amount : 0);
      has_open_capture[count] = has_open_capture[count] || !capture_is_final(work.capture[nth].state)
    :: else
    fi
  }
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    count = collected_of[nth] + work.authorization[nth].released;
    left_of[nth] = (work.authorization[nth].is_known && count < HOLD -> HOLD - count : 0)
  }
}

/* settle_order.cpp */
inline ask_to_close(a) { work.authorization[a].close_pending = true }

inline ask_others_to_close() {
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    if
    :: is_before_hold(work.authorization[nth].state) -> ask_to_close(nth)
    :: else
    fi
  }
}

inline summarize_authorizations() {
  has_open = false; has_soft = false; has_holder = false; has_captured = false; count = 0;
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    has_open = has_open || is_open(work.authorization[nth].state);
    has_soft = has_soft || is_soft(work.authorization[nth].state);
    has_holder = has_holder || is_holder(work.authorization[nth]);
    has_captured = has_captured || work.authorization[nth].state == authorization_captured;
    count = count + (is_there(work.authorization[nth].state) -> 1 : 0)
  }
}

inline settle_order() {
  summarize_authorizations();
  if
  :: work.order.state == order_authorized && !has_holder && !has_captured && !work.order.close_requested ->
    put_order(work.order.state, order_on_close_requested);
    work.order.close_requested = true; work.order.due = false;
    ask_others_to_close()
  :: else
  fi;
  event = (has_captured -> order_on_paid :
           (has_holder -> order_on_authorized :
            (!has_open && work.order.close_requested -> order_on_closed :
             (!has_open && ATTEMPTS > 0 && count >= ATTEMPTS -> order_on_attempts_used_up :
              (has_soft -> order_on_result_outstanding : order_on_result_received)))));
  put_order(work.order.state, event);
  if
  :: event == order_on_result_outstanding || event == order_on_result_received -> skip
  :: else -> work.order.due = false; ask_others_to_close()
  fi
}

/* start_authorization.cpp, claim_request.cpp */
inline claim_send(a) {
  put_authorization(work.authorization[a].state, authorization_on_send);
  effect_send[a] = true; bumped = true
}

inline decide_start() {
  put_order(work.order.state, order_on_payment_started);
  if
  :: (cell & CELL_REFUSES) || work.order.close_requested || expired || count >= AUTHORIZATIONS ||
     (ATTEMPTS > 0 && count >= ATTEMPTS) ->
    copy(work, engine[self].base)
  :: else ->
    auth_no = count;
    work.authorization[auth_no].state = authorization_created;
    claim_send(auth_no)
  fi
}

inline decide_claim_authorization() {
  if
  :: !work.authorization[auth_no].due -> skip
  :: work.authorization[auth_no].due && authorization_due_send(work.authorization[auth_no].state) ->
    if
    :: work.authorization[auth_no].close_pending || work.order.close_requested ->
      put_authorization(work.authorization[auth_no].state, authorization_on_not_found_while_closing);
      work.authorization[auth_no].close_pending = false;
      bumped = true; settles = true
    :: else ->
      has_soft = false;  /* the result of another authorization is outstanding */
      for (nth : 0 .. AUTHORIZATIONS - 1) {
        has_soft = has_soft || (nth != auth_no && work.authorization[nth].state == authorization_processing)
      }
      if
      :: has_soft -> skip
      :: else -> claim_send(auth_no)
      fi
    fi
  :: work.authorization[auth_no].due && authorization_due_watch(work.authorization[auth_no].state) ->
    act_on_authorized()
  :: else -> effect_query[auth_no] = true
  fi
}

/* claim_authorized.cpp */
inline act_on_authorized() {
  if
  :: !is_past_deadline(auth_no) || work.authorization[auth_no].reason != 0 -> effect_query[auth_no] = true
  :: is_past_deadline(auth_no) && work.authorization[auth_no].reason == 0 ->
    if
    :: has_open_capture[auth_no] -> skip
    :: !has_open_capture[auth_no] && CAPTURES_AT_DEADLINE && left_of[auth_no] > 0 && capture_no < CAPTURES ->
      work.authorization[auth_no].reason = ending;  /* if the capture fails, what is held is released */
      add_capture(auth_no, left_of[auth_no], true)
    :: else -> requests_end[auth_no] = true; settles = true
    fi
  fi
}

/* close_order.cpp, begin_close.cpp */
inline close_authorization(a) {
  if
  :: is_before_hold(work.authorization[a].state) && !LOCAL -> ask_to_close(a)
  :: LOCAL && (is_before_hold(work.authorization[a].state) ||
               (work.authorization[a].state == authorization_authorized && accepted_of[a] == 0 &&
                !has_open_capture[a])) ->
    put_authorization(work.authorization[a].state, authorization_on_close_locally);
    work.authorization[a].reason = (cell & CELL_RELEASES -> ending : 0);
    releases[a] = (cell & CELL_RELEASES) != 0;
    work.authorization[a].close_pending = true
  :: work.authorization[a].state == authorization_authorized &&
     !(LOCAL && accepted_of[a] == 0 && !has_open_capture[a]) ->
    requests_end[a] = true
  :: else
  fi
}

inline decide_close() {
  if
  :: order_is_final(work.order.state) || work.order.close_requested -> skip
  :: else ->
    put_order(work.order.state, order_on_close_requested);
    work.order.close_requested = true; work.order.due = false;
    for (nth : 0 .. AUTHORIZATIONS - 1) {
      close_authorization(nth);
      effect_query[nth] = work.authorization[nth].close_pending && !releases[nth] &&
                          work.authorization[nth].state != authorization_created
    }
    bumped = true; settles = true
  fi
}

/* release_authorization.cpp */
inline decide_release() {
  if
  :: work.authorization[auth_no].state != authorization_authorized ||
     (captures_block_release && has_open_capture[auth_no]) -> skip
  :: else -> requests_end[auth_no] = true; settles = true
  fi
}

/* create_capture.cpp: `capture_no` is the next own capture. */
inline claim_capture_send(c) {
  put_capture(work.capture[c].state, capture_on_send);
  work.capture[c].due = true;
  effect_capture[c] = true; bumped = true
}

inline add_capture(a, how_much, is_last) {
  work.capture[capture_no].state = capture_pending;
  work.capture[capture_no].owner = a; work.capture[capture_no].amount = how_much;
  work.capture[capture_no].is_final = is_last;
  claim_capture_send(capture_no)
}

inline find_free_capture() {
  capture_no = 0;
  do
  :: capture_no < CAPTURES && is_there(work.capture[capture_no].state) -> capture_no++
  :: else -> break
  od
}

inline decide_create_capture() {
  if
  :: may_capture_in(work.authorization[auth_no].state) && capture_no < CAPTURES && !has_open_capture[auth_no] &&
     engine[self].amount <= left_of[auth_no] && !deadline_over[auth_no] &&
     ((work.authorization[auth_no].reason == 0 && !work.order.close_requested) ||
      work.authorization[auth_no].state == authorization_releasing) ->
    add_capture(auth_no, engine[self].amount, engine[self].trade)
  :: else
  fi
}

/* claim_request.cpp, for a capture */
inline decide_claim_capture() {
  if
  :: !work.capture[capture_no].due -> skip
  :: work.capture[capture_no].due && capture_due_send(work.capture[capture_no].state) -> claim_capture_send(capture_no)
  :: else -> effect_capture_query[capture_no] = true
  fi
}

/* classify_capture.cpp: evidence that the channel has captured. */
inline book_capture(c) {
  event = (receipts_have_keys && work.capture[c].receipt != 0 -> capture_on_already_known :
           (work.capture[c].state == capture_failed -> capture_on_captured_after_failure :
            (work.capture[c].state != capture_succeeded && is_holder(work.authorization[work.capture[c].owner]) ->
               capture_on_captured : capture_on_captured_unexpectedly)));
  put_capture(work.capture[c].state, event);
  work.capture[c].receipt = (work.capture[c].receipt != 0 -> work.capture[c].receipt :
                             (event == capture_on_captured -> accepted : in_suspense));
  work.capture[c].is_returned = work.capture[c].is_returned || (cell & CELL_REVERSES)
}

/* record_capture.cpp */
inline decide_capture_evidence() {
  bumped = true; settles = true;
  if
  :: word == captured -> books[capture_no] = true
  :: else ->
    event = (word == accepted -> capture_on_accepted : (word == refused -> capture_on_refused :
             (word == not_now -> capture_on_not_now :
              (word == unknown -> (unknown_is_soft -> capture_on_unknown : capture_on_refused) :
               (absent_waits && (question & EARLY) -> capture_on_unknown : capture_on_not_found)))));
    put_capture(work.capture[capture_no].state, event)
  fi
}

/* end_capture.cpp */
inline end_capture(c) {
  work.capture[c].due = false;
  count = work.capture[c].owner;
  capture_ended[count] = capture_ended[count] || c < CAPTURES;
  if
  :: !is_holder(work.authorization[count]) || has_open_capture[count] -> skip
  :: is_holder(work.authorization[count]) && !has_open_capture[count] ->
    if
    :: work.capture[c].state == capture_succeeded &&
       (left_of[count] == 0 || (work.capture[c].is_final && FINAL_FLAG)) ->
      ends[count] = true
    :: else ->
      requests_end[count] = work.authorization[count].state == authorization_authorized &&
                            (work.authorization[count].reason == ending ||
                             (work.capture[c].state == capture_succeeded && work.capture[c].is_final))
    fi
  fi
}

/* classify_authorization.cpp */
#define is_wanted (!order_is_final(work.order.state) && !work.order.close_requested && !has_holder)

inline classify() {
  if
  :: word == held || word == ended ->
    event = (work.authorization[auth_no].state == authorization_authorized ||
             work.authorization[auth_no].state == authorization_releasing -> authorization_on_authorized :
             (is_before_hold(work.authorization[auth_no].state) ->
               (is_wanted -> authorization_on_authorized : authorization_on_authorized_unexpectedly) :
              (work.authorization[auth_no].state == authorization_failed && !work.authorization[auth_no].is_known ->
                authorization_on_authorized_after_failure :
               (word == held && left_of[auth_no] == 0 &&
                !(work.authorization[auth_no].is_known && (question & STALE)) ->
                 authorization_on_authorized_unexpectedly : authorization_on_already_known))))
  :: word == release_again || word == release_refused ->
    event = ((question & OLD_NUMBER) -> authorization_on_already_known :
             (word == release_again -> authorization_on_release_again : authorization_on_release_refused))
  :: else ->
    event = ((question & STALE) -> authorization_on_already_known :
             (word == waiting -> authorization_on_waiting :
              (word == failed -> authorization_on_failed :
               (word == closed -> authorization_on_closed :
                (word == unknown -> (unknown_is_soft -> authorization_on_unknown : authorization_on_failed) :
                 (absent_waits && (question & EARLY) && work.authorization[auth_no].state == authorization_processing ->
                   authorization_on_unknown :
                  (work.authorization[auth_no].close_pending || work.order.close_requested ->
                    authorization_on_not_found_while_closing : authorization_on_not_found)))))))
  fi
}

/* book_reported_captures.cpp */
#define is_reported(c) (engine[self].trade & (1 << (c)))
#define amount_at_channel(c) ((c) < CAPTURES -> db.capture[c].amount : console_amount)

inline find_reported_captures() {
  excess = 0;
  for (nth : 0 .. ROWS - 1) {
    excess = excess + (is_reported(nth) -> amount_at_channel(nth) : 0);
    books[nth] = !TOTALS && is_reported(nth) && work.capture[nth].receipt == 0
  }
  excess = (excess > collected_of[auth_no] -> excess - collected_of[auth_no] : 0);
  is_usable = !TOTALS || excess == 0 || (!has_open_capture[auth_no] && !(question & BEFORE_END));
  books[ROWS - 1] = books[ROWS - 1] || (TOTALS && is_usable && excess > 0);
  if
  :: books[ROWS - 1] && !is_there(work.capture[ROWS - 1].state) ->
    assert(CONSOLE > 0);
    work.capture[ROWS - 1].state = capture_pending;
    work.capture[ROWS - 1].owner = auth_no;
    work.capture[ROWS - 1].amount = (TOTALS -> excess : console_amount)
  :: else
  fi
}

/* record_authorization.cpp. All evidence counts as new. */
inline decide_authorization_evidence() {
  bumped = true; settles = true;
  classify();
  posted_event = event;
  was_final = authorization_is_final(work.authorization[auth_no].state);
  put_authorization(work.authorization[auth_no].state, posted_event);
  releases[auth_no] = (cell & CELL_RELEASES) != 0;
  if
  :: releases[auth_no] && was_final -> work.authorization[auth_no].close_pending = true
  :: releases[auth_no] && !was_final ->
    work.authorization[auth_no].reason = late; work.authorization[auth_no].close_pending = false
  :: else
  fi;
  if
  :: word == held || word == ended ->
    work.authorization[auth_no].is_known = true;
    /* A hold after the end shows that less was released than was concluded at the end. */
    work.authorization[auth_no].released =
      ((was_final && releases[auth_no]) || engine[self].amount > work.authorization[auth_no].released ->
         engine[self].amount : work.authorization[auth_no].released);
    find_reported_captures();
    ends[auth_no] = word == ended && is_usable;
    is_over[auth_no] = was_final && word == ended;
    work.authorization[auth_no].close_pending =
      (authorization_is_final(work.authorization[auth_no].state) ->
         !is_usable || (work.authorization[auth_no].close_pending && word == held) :
         work.authorization[auth_no].close_pending && is_before_hold(work.authorization[auth_no].state))
  :: posted_event == authorization_on_release_again ->
    work.authorization[auth_no].release_amount = 0; renumbered[auth_no] = true
  :: else ->  /* the end of a chase of an authorization that was never held */
    work.authorization[auth_no].close_pending = work.authorization[auth_no].close_pending &&
      !(authorization_is_final(work.authorization[auth_no].state) && !work.authorization[auth_no].is_known &&
        (word == closed || word == failed || (word == not_found && !(question & EARLY))))
  fi;
  releases[auth_no] = word == held &&
    (work.authorization[auth_no].state == authorization_releasing || work.authorization[auth_no].close_pending) &&
    (releases[auth_no] || (kind_of(question) == is_query &&
                           (work.authorization[auth_no].release_amount == 0 || !(question & EARLY))));
  summarize_authorizations();
  effect_close[auth_no] = work.authorization[auth_no].close_pending && !has_soft && word == waiting &&
                          kind_of(question) == is_query
}

/* request_end.cpp */
inline finish_authorization(a) {
  if
  :: requests_end[a] ->
    work.authorization[a].reason = (work.authorization[a].reason == 0 -> ending : work.authorization[a].reason);
    bumped = true;
    if
    :: captures_block_release && has_open_capture[a] -> skip
    :: else ->
      put_authorization(work.authorization[a].state, authorization_on_release);
      ends[a] = left_of[a] == 0; releases[a] = left_of[a] > 0
    fi
  :: else
  fi;
  if
  :: ends[a] && is_open(work.authorization[a].state) && !has_open_capture[a] ->
    put_authorization(work.authorization[a].state,
                      (accepted_of[a] > 0 -> authorization_on_captured : authorization_on_released));
    work.authorization[a].reason = (work.authorization[a].reason == 0 -> ending : work.authorization[a].reason);
    work.authorization[a].released = (cell_moves -> HOLD - collected_of[a] : work.authorization[a].released)
  :: !ends[a] && releases[a] && left_of[a] > 0 && !(captures_block_release && has_open_capture[a]) ->
    work.authorization[a].release_amount =
      (work.authorization[a].release_amount == 0 -> left_of[a] : work.authorization[a].release_amount);
    effect_release[a] = true; bumped = true
  :: else
  fi;
  work.authorization[a].due = is_there(work.authorization[a].state) &&
                              !authorization_due_nothing(work.authorization[a].state) &&
                              (!authorization_due_chase(work.authorization[a].state) ||
                               work.authorization[a].close_pending)
}

inline decide() {
  copy(work, engine[self].base);
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    effect_send[nth] = false; effect_query[nth] = false; effect_close[nth] = false; effect_release[nth] = false;
    renumbered[nth] = false; capture_ended[nth] = false; is_over[nth] = false;
    ends[nth] = false; releases[nth] = false; requests_end[nth] = false
  }
  for (nth : 0 .. ROWS - 1) { effect_capture[nth] = false; effect_capture_query[nth] = false; books[nth] = false }
  bumped = false; settles = false;
  measure();
  find_free_capture();
  summarize_authorizations();
  auth_no = engine[self].on; word = engine[self].word; question = engine[self].question;
  capture_no =
    (engine[self].does == claim_capture || engine[self].does == record_capture -> engine[self].on : capture_no);
  if
  :: engine[self].does == start_authorization -> decide_start()
  :: engine[self].does == close_order || (engine[self].does == expire_order && work.order.due) -> decide_close()
  :: engine[self].does == expire_order && !work.order.due -> skip
  :: engine[self].does == claim_authorization -> decide_claim_authorization()
  :: engine[self].does == query_authorization ->
    effect_query[auth_no] = work.authorization[auth_no].state != authorization_created
  :: engine[self].does == record_authorization -> decide_authorization_evidence()
  :: engine[self].does == release_authorization -> decide_release()
  :: engine[self].does == create_capture -> decide_create_capture()
  :: engine[self].does == claim_capture -> decide_claim_capture()
  :: engine[self].does == record_capture -> decide_capture_evidence()
  fi;
  for (jth : 0 .. ROWS - 1) {
    if
    :: books[jth] -> book_capture(jth)
    :: else
    fi
  }
  measure();
  for (jth : 0 .. ROWS - 1) {
    if
    :: capture_is_final(work.capture[jth].state) && !capture_is_final(engine[self].base.capture[jth].state) ->
      end_capture(jth)
    :: else
    fi
  }
  for (jth : 0 .. AUTHORIZATIONS - 1) { finish_authorization(jth) }
  if
  :: settles && !order_is_final(work.order.state) -> settle_order()
  :: else
  fi
}

/* The commit ------------------------------------------------------------------------------------------------------ */

/* Defined without the tables. */
#define order_has_ended(s) ((s) == order_succeeded || (s) == order_failed || (s) == order_closed)
#define authorization_has_ended(s) \
  ((s) == authorization_captured || (s) == authorization_released || (s) == authorization_failed || \
   (s) == authorization_closed)
#define capture_has_ended(s) ((s) == capture_succeeded || (s) == capture_failed)
#define capture_is_open(s) (is_there(s) && !capture_has_ended(s))

#define same_order(a, b) (a.state == b.state && a.close_requested == b.close_requested && a.due == b.due)
#define same_authorization(a, b) \
  (a.state == b.state && a.is_known == b.is_known && a.released == b.released && a.reason == b.reason && \
   a.release_amount == b.release_amount && a.close_pending == b.close_pending && a.due == b.due)
#define same_capture(a, b) \
  (a.state == b.state && a.owner == b.owner && a.amount == b.amount && a.is_final == b.is_final && \
   a.receipt == b.receipt && a.is_returned == b.is_returned && a.due == b.due)

/* Writes the rows that differ from the loaded ones. */
inline write_rows() {
  if
  :: !same_order(work.order, engine[self].base.order) ->
    assert(final_kept(db.order.state, work.order.state, order_has_ended(db.order.state)));
    copy_order(db.order, work.order)
  :: else
  fi;
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    if
    :: !same_authorization(work.authorization[nth], engine[self].base.authorization[nth]) -> write_authorization(nth)
    :: else
    fi
  }
  for (nth : 0 .. ROWS - 1) {
    if
    :: !same_capture(work.capture[nth], engine[self].base.capture[nth]) ->
      assert(final_kept(db.capture[nth].state, work.capture[nth].state, capture_has_ended(db.capture[nth].state)));
      copy_capture(db.capture[nth], work.capture[nth])
    :: else
    fi
  }
}

inline write_authorization(a) {
  assert(final_kept(db.authorization[a].state, work.authorization[a].state,
                    authorization_has_ended(db.authorization[a].state)));
  if
  :: authorization_has_ended(work.authorization[a].state) && !authorization_has_ended(db.authorization[a].state) ->
    mark_authorization(a, STALE)
  :: else
  fi;
  copy_authorization(db.authorization[a], work.authorization[a])
}

/* Marks the requests and commands about that authorization, or that capture, that are in flight. */
inline mark_authorization(a, flag) { mark(is_send, is_release, a, record_authorization, flag) }
inline mark_capture(c, flag) { mark(is_capture, is_capture_query, c, record_capture, flag) }

inline perform_effects() {
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    if
    :: capture_ended[nth] -> mark_authorization(nth, BEFORE_END)
    :: else
    fi;
    if
    :: is_over[nth] -> mark_authorization(nth, STALE)
    :: else
    fi;
    if
    :: renumbered[nth] -> mark(is_release, is_release, nth, record_authorization, OLD_NUMBER); release_no[nth] = 0
    :: else
    fi;
    if
    :: effect_send[nth] -> mark_authorization(nth, EARLY); send_over[nth] = false; enqueue(is_send, nth, EARLY)
    :: else
    fi;
    if
    :: effect_release[nth] -> mark_authorization(nth, EARLY); send_over[nth] = false; enqueue(is_release, nth, EARLY)
    :: else
    fi;
    if
    :: effect_query[nth] -> enqueue(is_query, nth, (send_over[nth] -> 0 : EARLY))
    :: else
    fi;
    if
    :: effect_close[nth] -> enqueue(is_close, nth, (send_over[nth] -> 0 : EARLY))
    :: else
    fi
  }
  for (nth : 0 .. CAPTURES - 1) {
    if
    :: effect_capture[nth] -> mark_capture(nth, EARLY); capture_over[nth] = false; enqueue(is_capture, nth, EARLY)
    :: else
    fi;
    if
    :: effect_capture_query[nth] -> enqueue(is_capture_query, nth, (capture_over[nth] -> 0 : EARLY))
    :: else
    fi
  }
  sort_pool()
}

inline find_key_conflict() {
  for (nth : 0 .. ROWS - 1) {
    conflict = conflict || (receipts_have_keys && work.capture[nth].receipt != 0 &&
                            engine[self].base.capture[nth].receipt == 0 && db.capture[nth].receipt != 0)
  }
}

inline print_commit() {
  printf("engine %d: %e of %d commits: order %e, authorization 0 %e, last authorization %e, capture 0 %e\n", self,
         engine[self].does, engine[self].on, work.order.state, work.authorization[0].state,
         work.authorization[AUTHORIZATIONS - 1].state, work.capture[0].state)
}

/* Values that no further decision depends on are made equal, so that they do not create separate states. */
inline forget_irrelevant_values() {
  expired = expired || !db.order.due;
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    send_over[nth] = send_over[nth] || (authorization_has_ended(db.authorization[nth].state) &&
                                        !db.authorization[nth].due);
    deadline_over[nth] = deadline_over[nth] && db.authorization[nth].state == authorization_authorized;
    reported_dead[nth] = reported_dead[nth] && !db.authorization[nth].is_known
  }
  for (nth : 0 .. ROWS - 1) {
    capture_over[nth] = capture_over[nth] || capture_has_ended(db.capture[nth].state)
  }
}

/* Invariants, defined without the tables --------------------------------------------------------------------------- */

hidden byte holders, collectors, all_accepted, open_captures, collected;
hidden short own_taken, all_taken, rest;

#define still_holds(row) \
  (row.state == authorization_authorized || (row.state == authorization_releasing && row.reason != late))

inline check_store() {
  holders = 0; collectors = 0; all_accepted = 0;
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    holders = holders + (still_holds(db.authorization[nth]) -> 1 : 0);
    collectors = collectors + (db.authorization[nth].state == authorization_captured -> 1 : 0);
    check_authorization(nth)
  }
  for (mth : 0 .. ROWS - 1) {
    all_accepted = all_accepted + (db.capture[mth].receipt == accepted -> db.capture[mth].amount : 0);
    check_capture(mth)
  }
  assert(holders + collectors <= 1);
  assert(collectors == (db.order.state == order_succeeded -> 1 : 0));
  assert(holders == 0 || db.order.state == order_authorized);
  /* After its hold has ended, an order that is closing waits for its other authorizations. */
  assert(holders == 1 || db.order.state != order_authorized || (db.order.close_requested && all_accepted == 0));
  assert(all_accepted == 0 || db.order.state == order_authorized || db.order.state == order_succeeded)
}

inline check_authorization(a) {
  collected = 0; open_captures = 0;
  for (mth : 0 .. ROWS - 1) {
    if
    :: is_there(db.capture[mth].state) && db.capture[mth].owner == a ->
      collected = collected + (db.capture[mth].receipt != 0 -> db.capture[mth].amount : 0);
      open_captures = open_captures + (capture_is_open(db.capture[mth].state) -> 1 : 0)
    :: else
    fi
  }
  assert(open_captures == 0 || (open_captures == 1 && db.authorization[a].state == authorization_authorized));
  assert(!((db.order.state == order_closed || db.order.state == order_failed) && is_there(db.authorization[a].state) &&
           !authorization_has_ended(db.authorization[a].state)));
  assert(db.authorization[a].released <= HOLD);
  assert(!authorization_has_ended(db.authorization[a].state) || !db.authorization[a].is_known ||
         collected + db.authorization[a].released >= HOLD ||
         (db.authorization[a].close_pending && db.authorization[a].due));
  assert(!db.authorization[a].is_known || hold[a] == held || hold[a] == ended);
  assert(!is_there(db.authorization[a].state) || authorization_has_ended(db.authorization[a].state) ||
         db.authorization[a].due)
}

inline check_capture(c) {
  assert((db.capture[c].receipt == accepted) == (db.capture[c].state == capture_succeeded));
  assert(db.capture[c].receipt == 0 || taken[c] == done);
  assert(db.capture[c].receipt == 0 || c < CAPTURES || db.capture[c].amount == console_amount);
  assert(db.capture[c].is_returned == (db.capture[c].receipt == in_suspense))
}

#define begins(row) (is_there(work.row.state) && !is_there(engine[self].base.row.state))
#define ends_as(row, as) (work.row.state == as && engine[self].base.row.state != as)

/* What a commit may request, and what it may conclude. The result of an authorization is outstanding if it was
 * outstanding before the commit too. */
inline check_effects() {
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    assert(!effect_send[nth] || !(work.order.close_requested || order_has_ended(work.order.state)));
    for (mth : 0 .. AUTHORIZATIONS - 1) {
      assert(!(effect_send[nth] || effect_close[nth]) || nth == mth ||
             work.authorization[mth].state != authorization_processing ||
             engine[self].base.authorization[mth].state != authorization_processing)
    }
    collected = 0;
    for (mth : 0 .. ROWS - 1) {
      if
      :: is_there(work.capture[mth].state) && work.capture[mth].owner == nth ->
        assert(!effect_release[nth] || !capture_is_open(work.capture[mth].state));
        collected = collected +
          (work.capture[mth].receipt != 0 && !begins(capture[mth]) -> work.capture[mth].amount : 0)
      :: else
      fi
    }
    for (mth : 0 .. CAPTURES - 1) {
      assert(!begins(capture[mth]) || work.capture[mth].owner != nth ||
             (work.authorization[nth].state == authorization_authorized && work.authorization[nth].is_known &&
              work.capture[mth].amount + collected + work.authorization[nth].released <= HOLD))
    }
    /* The deadline does not end a hold before it has passed. */
    assert(engine[self].does != claim_authorization || deadline_over[nth] ||
           !ends_as(authorization[nth], authorization_releasing));
    assert(!ends_as(authorization[nth], authorization_failed) || word == failed)
  }
  for (mth : 0 .. CAPTURES - 1) {
    assert(!ends_as(capture[mth], capture_failed) || word == refused || work.capture[mth].receipt == in_suspense);
    assert(engine[self].does != claim_authorization || !begins(capture[mth]) || deadline_over[engine[self].on])
  }
}

/* What the channel still holds of an authorization: `rest`. `own_taken`: captured by requests that have not failed. */
inline count_hold(a) {
  all_taken = 0; own_taken = 0;
  for (ith : 0 .. CAPTURES - 1) {
    if
    :: is_there(db.capture[ith].state) && db.capture[ith].owner == a &&
       (taken[ith] == done || taken[ith] == accepted) ->
      all_taken = all_taken + db.capture[ith].amount;
      own_taken = own_taken + (db.capture[ith].state != capture_failed -> db.capture[ith].amount : 0)
    :: else
    fi
  }
  all_taken = all_taken + (console_of == a -> console_amount : 0);
  rest = (hold[a] == held -> HOLD - all_taken - given_back[a] : 0)
}

inline check_quiet() {
  assert(order_has_ended(db.order.state));
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    assert(!is_there(db.authorization[nth].state) ||
           (authorization_has_ended(db.authorization[nth].state) && !db.authorization[nth].due));
    assert(hold[nth] != held)
  }
  all_accepted = 0;
  for (mth : 0 .. ROWS - 1) {
    assert(!is_there(db.capture[mth].state) || (capture_has_ended(db.capture[mth].state) && !db.capture[mth].due));
    assert(taken[mth] != accepted && (taken[mth] != done || db.capture[mth].receipt != 0));
    all_accepted = all_accepted + (db.capture[mth].receipt == accepted -> 1 : 0)
  }
  assert((all_accepted > 0) == (db.order.state == order_succeeded))
}

/* The engines' commands -------------------------------------------------------------------------------------------- */

inline truth_of_authorization(a) {
  word = (hold[a] == 0 -> not_found : hold[a]);
  bits = 0;
  for (ith : 0 .. ROWS - 1) {
    bits = bits + (taken[ith] == done && (ith < CAPTURES -> db.capture[ith].owner : console_of) == a -> 1 << ith : 0)
  }
  given = given_back[a]
}

inline truth_of_capture(c) {
  word = (taken[c] == 0 -> not_found : (taken[c] == done -> captured : taken[c]));
  bits = 0; given = 0
}

/* Records the authorizations that were reported as not held: the channel must send a notification of a later hold. */
inline remember_report(a) {
  reported_dead[a] = reported_dead[a] || (!db.authorization[a].is_known && hold[a] != 0 &&
                                          (word == failed || word == closed || word == not_found))
}

#define is_question(x) (kind_of(x) == is_query || kind_of(x) == is_capture_query)
#define is_of_authorization(x) (kind_of(x) <= is_release)
#define is_answerable(x) ((x) != 0 && (is_question(x) || ((x) & ARRIVED)))
#define is_on_its_way(x) ((x) != 0 && !((x) & ARRIVED) && !is_question(x))
/* The channel refuses the capture temporarily, or the release: it has no effect, and its number stays valid. */
#define is_refusable_capture(x) (REFUSALS && is_on_its_way(x) && kind_of(x) == is_capture && taken[about(x)] == 0)
#define is_refusable_release(x) \
  (REFUSALS && is_on_its_way(x) && kind_of(x) == is_release && !((x) & OLD_NUMBER) && release_no[about(x)] == 0)

inline receive(k) {  /* the evidence is in `word`, `bits` and `given` */
  engine[self].does = (is_of_authorization(pool[k]) -> record_authorization : record_capture);
  engine[self].on = about(pool[k]);
  engine[self].word = word;
  engine[self].question = (kind_of(pool[k]) == is_query || !is_of_authorization(pool[k]) ->
                         pool[k] & ~ARRIVED : (pool[k] & ~ARRIVED & ~7) | is_send);
  engine[self].trade = (word == held || word == ended -> bits : 0);
  engine[self].amount = (word == held || word == ended -> given : 0)
}

inline true_evidence(k) {
  if
  :: is_of_authorization(pool[k]) ->
    truth_of_authorization(about(pool[k]));
    word = (kind_of(pool[k]) == is_release && !(pool[k] & OLD_NUMBER) && release_no[about(pool[k])] == dead ->
              release_again : word);
    remember_report(about(pool[k]))
  :: else -> truth_of_capture(about(pool[k]))
  fi
}

inline simple_evidence(k, what) {
  word = what;
  receive(k); load(); forget_request(k)
}

inline false_evidence(k, what) {
  word = what;
  remember_report(about(pool[k]));
  receive(k); load(); forget_request(k)
}

inline notified_of_authorization(a) {
  truth_of_authorization(a);
  remember_report(a);
  engine[self].does = record_authorization; engine[self].on = a; engine[self].word = word;
  engine[self].trade = bits; engine[self].amount = given; engine[self].question = 0
}

inline notified_of_capture(c) {
  engine[self].does = record_capture; engine[self].on = c; engine[self].word = captured; engine[self].question = 0
}

#define may_be_false(k) \
  (idle(id) && FALSE_RESULTS && pool[k] != 0 && kind_of(pool[k]) == is_query && hold[about(pool[k])] != 0)

#define receives(k) \
  :: d_step { idle(id) && is_answerable(pool[k]) -> \
       self = id; true_evidence(k); receive(k); load(); forget_request(k); skip } \
  :: d_step { idle(id) && is_answerable(pool[k]) -> self = id; true_evidence(k); receive(k); load(); skip } \
  :: d_step { idle(id) && pool[k] != 0 -> self = id; simple_evidence(k, unknown); skip } \
  :: d_step { idle(id) && is_refusable_capture(pool[k]) -> self = id; simple_evidence(k, not_now); skip } \
  :: d_step { idle(id) && is_refusable_release(pool[k]) -> self = id; simple_evidence(k, release_refused); skip } \
  :: d_step { may_be_false(k) -> self = id; false_evidence(k, failed); skip } \
  :: d_step { may_be_false(k) -> self = id; false_evidence(k, closed); skip } \
  :: d_step { may_be_false(k) -> self = id; false_evidence(k, not_found); skip } \
  :: d_step { may_be_false(k) -> self = id; false_evidence(k, waiting); skip }

#define start_command(what, whom, how_much, is_last) \
  self = id; \
  engine[self].does = what; engine[self].on = whom; engine[self].amount = how_much; engine[self].trade = is_last; \
  load()

#define may_capture(a) \
  (idle(id) && may_capture_in(db.authorization[a].state) && !deadline_over[a] && db.capture[CAPTURES - 1].state == 0)

#define acts_on_authorization(a) \
  :: d_step { idle(id) && BY_HAND && is_there(db.authorization[a].state) -> \
       start_command(query_authorization, a, 0, 0); skip } \
  :: d_step { idle(id) && db.authorization[a].due -> start_command(claim_authorization, a, 0, 0); skip } \
  :: d_step { idle(id) && db.authorization[a].state == authorization_authorized -> \
       start_command(release_authorization, a, 0, 0); skip } \
  :: d_step { may_capture(a) -> start_command(create_capture, a, 1, 0); skip } \
  :: d_step { may_capture(a) -> start_command(create_capture, a, 1, 1); skip } \
  :: d_step { may_capture(a) -> start_command(create_capture, a, HOLD, 1); skip } \
  :: d_step { idle(id) && (hold[a] == held || hold[a] == ended || hold[a] == failed) -> \
       self = id; notified_of_authorization(a); load(); skip }

#define acts_on_capture(c) \
  :: d_step { idle(id) && db.capture[c].due -> start_command(claim_capture, c, 0, 0); skip } \
  :: d_step { idle(id) && taken[c] == done && (!receipts_have_keys || db.capture[c].receipt == 0) -> \
       self = id; notified_of_capture(c); load(); skip }

proctype EngineProcess(byte id) provided (!is_calm) {
end:
  do
  :: atomic {
       if
       :: d_step { idle(id) && db.order.state == order_pending && !db.order.close_requested && !expired &&
                   db.authorization[AUTHORIZATIONS - 1].state == 0 ->
                   start_command(start_authorization, 0, 0, 0); skip }
       :: d_step { idle(id) && !order_has_ended(db.order.state) && !db.order.close_requested ->
                   start_command(close_order, 0, 0, 0); skip }
       :: d_step { idle(id) && expired && db.order.due -> start_command(expire_order, 0, 0, 0); skip }
       acts_on_authorization(0)
#if AUTHORIZATIONS > 1
       acts_on_authorization(1)
#endif
       acts_on_capture(0)
#if CAPTURES > 1
       acts_on_capture(1)
#endif
       receives(0)
#if REQUESTS > 1
       receives(1)
#endif
       fi;
       commits_unless_slow(id)
     }
  executes_its_command(id)
  od
}

/* Channel and clock ------------------------------------------------------------------------------------------------ */

/* A hold of which nothing is left is over. */
inline end_empty_hold(a) {
  count_hold(a);
  for (ith : 0 .. CAPTURES - 1) {
    rest = rest + (taken[ith] == accepted && db.capture[ith].owner == a -> db.capture[ith].amount : 0)
  }
  hold[a] = (hold[a] == held && rest == 0 -> ended : hold[a])
}

inline give_back(a, how_much) { given_back[a] = given_back[a] + (how_much); end_empty_hold(a) }

inline arrive(k) {
  if
  :: kind_of(pool[k]) == is_send -> hold[about(pool[k])] = (hold[about(pool[k])] == 0 -> waiting : hold[about(pool[k])])
  :: kind_of(pool[k]) == is_close ->
    hold[about(pool[k])] = (hold[about(pool[k])] == waiting -> closed : hold[about(pool[k])])
  :: kind_of(pool[k]) == is_release -> release_arrives(k)
  :: else -> skip
  fi;
  pool[k] = pool[k] | ARRIVED;
  sort_pool()
}

inline release_arrives(k) {
  count = about(pool[k]);
  count_hold(count);
  if
  :: (pool[k] & OLD_NUMBER) || release_no[count] != 0 -> skip
  :: else ->
    if
    :: hold[count] == held && db.authorization[count].release_amount <= rest ->
      release_no[count] = done;
      give_back(count, db.authorization[count].release_amount)
    :: else -> release_no[count] = dead
    fi
  fi
}

/* A capture that the hold does not cover is refused. A request for more than the hold, or after a release by request,
 * is an error of the engines. */
inline capture_arrives(k, becomes, keeps) {
  count = about(pool[k]);
  if
  :: taken[count] == 0 ->
    count_hold(db.capture[count].owner);
    assert(own_taken + db.capture[count].amount <= HOLD);
    assert(release_no[db.capture[count].owner] != done);
    taken[count] = (hold[db.capture[count].owner] == held && db.capture[count].amount <= rest -> becomes : refused);
    if
    :: (taken[count] == done || taken[count] == accepted) && db.capture[count].is_final && FINAL_FLAG && !keeps ->
      give_back(db.capture[count].owner, rest - db.capture[count].amount)
    :: else -> end_empty_hold(db.capture[count].owner)
    fi
  :: else
  fi;
  printf("channel: capture %d arrives: %e\n", count, taken[count]);
  arrive(k)
}

#define captures_now(x) (is_on_its_way(x) && kind_of(x) == is_capture)

#define arrives(k) \
  :: d_step { is_on_its_way(pool[k]) && !captures_now(pool[k]) -> \
       printf("channel: %e %d arrives\n", name_of_kind[kind_of(pool[k])], about(pool[k])); arrive(k); skip } \
  :: d_step { captures_now(pool[k]) -> capture_arrives(k, done, false); skip } \
  :: d_step { captures_now(pool[k]) -> capture_arrives(k, accepted, false); skip } \
  :: d_step { KEEPS_REST && captures_now(pool[k]) -> capture_arrives(k, done, true); skip } \
  :: d_step { REFUSALS && captures_now(pool[k]) -> capture_arrives(k, refused, false); skip } \
  :: d_step { pool[k] != 0 -> \
       printf("crash: the response to %e %d is lost\n", name_of_kind[kind_of(pool[k])], about(pool[k])); \
       forget_request(k); skip }

inline end_hold(a) { count_hold(a); give_back(a, rest) }

inline capture_at_console(a, how_much) {
  count_hold(a);
  if
  :: rest >= how_much ->
    taken[ROWS - 1] = done; console_amount = how_much; console_of = a;
    end_empty_hold(a);
    printf("channel: the console captures %d of %d\n", how_much, a)
  :: else
  fi
}

inline release_at_console(a) {
  count_hold(a);
  if
  :: rest == HOLD -> give_back(a, 1); printf("channel: the console releases a part of %d\n", a)
  :: else
  fi
}

#define hold_changes(a) \
  :: d_step { hold[a] == waiting -> hold[a] = held; printf("payer: authorizes %d\n", a); skip } \
  :: d_step { hold[a] == waiting -> hold[a] = failed; printf("payer: declines %d\n", a); skip } \
  :: d_step { LATE && (hold[a] == closed || hold[a] == failed) -> \
       hold[a] = held; printf("channel: %d is held late\n", a); skip } \
  :: d_step { LAPSE && hold[a] == held -> \
       end_hold(a); printf("channel: the hold of %d ends: %e\n", a, hold[a]); skip } \
  :: d_step { CONSOLE && hold[a] == held -> release_at_console(a); skip } \
  :: d_step { CONSOLE && hold[a] == held && console_amount == 0 -> capture_at_console(a, 1); skip } \
  :: d_step { CONSOLE && hold[a] == held && console_amount == 0 -> capture_at_console(a, HOLD); skip }

inline capture_ends(c, becomes) {
  taken[c] = becomes;
  printf("channel: capture %d is %e\n", c, becomes);
  end_empty_hold(db.capture[c].owner)
}

inline capture_late(c) {
  count_hold(db.capture[c].owner);
  if
  :: rest >= db.capture[c].amount -> capture_ends(c, done)
  :: else
  fi
}

#define capture_changes(c) \
  :: d_step { taken[c] == accepted -> capture_ends(c, done); skip } \
  :: d_step { REFUSALS && taken[c] == accepted -> capture_ends(c, refused); skip } \
  :: d_step { LATE_CAPTURES && taken[c] == refused -> capture_late(c); skip }

proctype Channel() provided (!is_calm) {
end:
  do
  :: atomic {
       if
       arrives(0)
#if REQUESTS > 1
       arrives(1)
#endif
       hold_changes(0)
#if AUTHORIZATIONS > 1
       hold_changes(1)
#endif
       capture_changes(0)
#if CAPTURES > 1
       capture_changes(1)
#endif
       fi
     }
  od
}

inline end_sending(a) {
  send_over[a] = true;
  drop_requests(is_send, a); drop_requests(is_release, a)
}

inline end_capturing(c) { capture_over[c] = true; drop_requests(is_capture, c) }

#define deadlines_of_authorization(a) \
  :: d_step { is_there(db.authorization[a].state) && !send_over[a] -> \
       printf("clock: the deadline of the last request about authorization %d passes\n", a); end_sending(a); skip } \
  :: d_step { db.authorization[a].state == authorization_authorized && !deadline_over[a] -> \
       printf("clock: the deadline of captures of %d passes\n", a); deadline_over[a] = true; skip }
#define deadline_of_capture(c) \
  :: d_step { is_there(db.capture[c].state) && !capture_over[c] -> \
       printf("clock: the deadline of sending capture %d passes\n", c); end_capturing(c); skip }

proctype Clock() provided (!is_calm) {
end:
  do
  :: atomic {
       if
       :: d_step { !expired -> expired = true; printf("clock: the order expires\n"); skip }
       deadlines_of_authorization(0)
#if AUTHORIZATIONS > 1
       deadlines_of_authorization(1)
#endif
       deadline_of_capture(0)
#if CAPTURES > 1
       deadline_of_capture(1)
#endif
       fi
     }
  od
}

/* Calm: no further faults, and due work is done in turn, in one step of the model. It may start in every state in which
 * no request or command is in flight: earlier ones have arrived or are lost. -- */

inline pass_time() {
  expired = true;
  for (nth : 0 .. AUTHORIZATIONS - 1) {
    send_over[nth] = is_there(db.authorization[nth].state);
    deadline_over[nth] = db.authorization[nth].state == authorization_authorized
  }
  for (nth : 0 .. CAPTURES - 1) { capture_over[nth] = is_there(db.capture[nth].state) }
}

#define DUE_ROWS (AUTHORIZATIONS + CAPTURES)

/* Claims the next due row after the last one, so that no row starves: authorizations first, then captures. */
inline claim_due_row() {
  count = 0;
  do
  :: count <= DUE_ROWS && !(next_turn < AUTHORIZATIONS -> db.authorization[next_turn % AUTHORIZATIONS].due :
                            db.capture[(next_turn + DUE_ROWS - AUTHORIZATIONS) % DUE_ROWS % ROWS].due) ->
     next_turn = (next_turn + 1) % DUE_ROWS; count++
  :: else -> break
  od;
  if
  :: count > DUE_ROWS -> skip
  :: else ->
    pass_time();
    engine[0].does = (next_turn < AUTHORIZATIONS -> claim_authorization : claim_capture);
    engine[0].on = (next_turn < AUTHORIZATIONS -> next_turn : next_turn - AUTHORIZATIONS);
    next_turn = (next_turn + 1) % DUE_ROWS
  fi
}

/* Finds an authorization for which the channel must send a notification; AUTHORIZATIONS if there is none: it is held
 * although the channel had reported that nothing will be; or the row has ended, and the channel has kept the rest after
 * the final capture, or the console has captured. */
#define shows_more(a) \
  (((hold[a] == held || hold[a] == ended) && reported_dead[a]) || \
   (authorization_has_ended(db.authorization[a].state) && !db.authorization[a].due && \
    ((db.authorization[a].state == authorization_captured && hold[a] == held) || \
     (CONSOLE && console_amount > 0 && console_of == a && db.capture[ROWS - 1].receipt == 0))))

inline find_unreported() {
  auth_no = 0;
  do
  :: auth_no < AUTHORIZATIONS && !shows_more(auth_no) -> auth_no++
  :: else -> break
  od
}

/* Finds a capture that was made after the channel had refused it; CAPTURES if there is none. */
inline find_unreported_capture() {
  capture_no = 0;
  do
  :: capture_no < CAPTURES && !(taken[capture_no] == done && db.capture[capture_no].state == capture_failed &&
                                db.capture[capture_no].receipt == 0) -> capture_no++
  :: else -> break
  od
}

inline calm_answer() {
  if
  :: is_on_its_way(pool[0]) && kind_of(pool[0]) == is_capture -> capture_arrives(0, done, false)
  :: kind_of(pool[0]) == is_capture_query && taken[about(pool[0])] == accepted -> capture_ends(about(pool[0]), done)
  :: is_on_its_way(pool[0]) && kind_of(pool[0]) != is_capture -> arrive(0)
  :: else
  fi;
  true_evidence(0); receive(0); forget_request(0)
}

#define CALM_STEPS_MAX 60

inline run_calm_phase() {
  self = 0; next_turn = 0; calm_steps = 0; count = 0;
  do
  :: calm_steps >= CALM_STEPS_MAX || count > DUE_ROWS -> break
  :: else ->
    calm_steps++;
    count = 0;
    find_unreported();
    find_unreported_capture();
    if
    :: pool[0] != 0 -> calm_answer()
    :: pool[0] == 0 && db.order.due -> pass_time(); engine[0].does = expire_order
    :: pool[0] == 0 && !db.order.due && auth_no < AUTHORIZATIONS -> notified_of_authorization(auth_no)
    :: pool[0] == 0 && !db.order.due && auth_no >= AUTHORIZATIONS && capture_no < CAPTURES ->
      notified_of_capture(capture_no)
    :: else -> claim_due_row()
    fi;
    if
    :: !idle(0) -> load(); commit(); count = 0
    :: else -> count = DUE_ROWS + 1  /* no row is due */
    fi
  od;
  assert(calm_steps < CALM_STEPS_MAX);
  check_quiet()
}

proctype Calm() {
end:
  do
  :: d_step { !is_calm && idle(0) && idle(1) && pool[0] == 0 ->
       is_calm = true;
       printf("calm: no further faults\n");
       run_calm_phase();
       printf("calm: order %e\n", db.order.state); skip
     }
  od
}

init {
  d_step {
    name_of_kind[is_send] = sending; name_of_kind[is_query] = asking; name_of_kind[is_close] = closing;
    name_of_kind[is_release] = releasing; name_of_kind[is_capture] = capturing;
    name_of_kind[is_capture_query] = asking_capture;
    fill_tables(); report_at_the_end;
    db.order.state = order_pending;
    db.order.due = true; skip
  };
  atomic { run EngineProcess(0); run EngineProcess(1); run Channel(); run Clock(); run Calm() }
}
