/* Shared by the models: two engines on one store, the requests in flight, version conflicts, crashes.
 *
 * A model defines before this file the type Aggregate and its instance db, and anywhere the inlines
 *   copy(to, from), forget(loaded)     of aggregates
 *   decide()                           changes `work`, a copy of the loaded aggregate, and sets `bumped` if the root's
 *                                      version increases
 *   find_key_conflict()                sets `conflict` if the decision inserts a unique key that the store contains
 *   print_commit(), write_rows()
 *   check_effects(), check_store()     the invariants
 *   perform_effects()                  adds the requests of the commit to the pool
 *   forget_irrelevant_values()
 */
#ifndef REQUESTS
#define REQUESTS 2   /* maximum of concurrent requests and responses, without notifications */
#endif
#ifndef SLOW_ENGINES
#define SLOW_ENGINES 2  /* of 2; the other engines load, decide and commit in one step */
#endif
/* Protections. Without any one of them the model must fail. */
#ifdef WITHOUT_VERSION
#define is_guarded false
#else
#define is_guarded true
#endif
#ifdef WITHOUT_RECEIPT_KEY
#define receipts_have_keys false
#else
#define receipts_have_keys true
#endif
#ifdef WITHOUT_UNKNOWN
#define unknown_is_soft false
#else
#define unknown_is_soft true
#endif
#ifdef WITHOUT_SEND_DEADLINE
#define absent_waits false
#else
#define absent_waits true
#endif
#define ENGINES 2

/* The engines. `base` is the loaded aggregate; `overtaken`: another commit has raised the root's version since then. */
typedef Engine {
  mtype does; byte on; byte trade; mtype word; short question; byte amount;  /* the command; does == 0: idle */
  bool overtaken; Aggregate base
}

Engine engine[ENGINES];

/* Requests in flight. A request with an effect must arrive first; a query is answered when its response is received.
 * The pool is sorted, so that two orders of the same requests are one state. A request is the sum of its kind (1 to 7,
 * defined by the model), the number of its row, and flags. */
#define about(x) (((x) >> 3) & 7)
#define kind_of(x) ((x) & 7)
#define ARRIVED 64
#define EARLY 128          /* requested before the deadline of the last send */
#define STALE 512          /* requested before the row's result; for a refund or release: under an earlier number */
short pool[REQUESTS];

bool is_calm;

#define idle(e) (engine[e].does == 0)
#define final_kept(before, after, is_final) (!(is_final) || (before) == (after))

/* Used within one step only, so not part of the state. */
hidden Aggregate work;        /* the working set, which a decision changes */
hidden byte self, nth, mth;
hidden short swapped;
hidden mtype name_of_kind[8];
hidden byte bumped, conflict;

/* If the pool is full, the request is lost, as by a crash between the commit and its effect. */
inline enqueue(kind, whom, flags) {
  mth = 0;
  do
  :: mth < REQUESTS && pool[mth] != 0 -> mth++
  :: else -> break
  od;
  if
  :: mth < REQUESTS -> pool[mth] = kind + ((whom) << 3) + (flags)
  :: else
  fi
}

inline sort_pool() {
  for (nth : 1 .. REQUESTS - 1) {
    for (mth : 1 .. REQUESTS - 1) {
      if
      :: pool[mth] > pool[mth - 1] -> swapped = pool[mth]; pool[mth] = pool[mth - 1]; pool[mth - 1] = swapped
      :: else
      fi
    }
  }
}

inline forget_request(k) { pool[k] = 0; sort_pool() }

/* Marks the requests of the kinds first to last about the row `whom` that are in flight, and the commands of other
 * engines that record a response to them. */
inline mark(first, last, whom, records, flag) {
  for (mth : 0 .. REQUESTS - 1) {
    if
    :: pool[mth] != 0 && kind_of(pool[mth]) >= first && kind_of(pool[mth]) <= last && about(pool[mth]) == whom ->
      pool[mth] = pool[mth] | flag
    :: else
    fi
  }
  for (mth : 0 .. ENGINES - 1) {
    if
    :: mth != self && engine[mth].does == records && engine[mth].on == whom ->
      engine[mth].question = engine[mth].question | flag
    :: else
    fi
  }
}

/* Removes the requests of a kind about a row that have not arrived: after their deadline they can no longer arrive. */
inline drop_requests(kind, whom) {
  for (mth : 0 .. REQUESTS - 1) {
    if
    :: pool[mth] != 0 && !(pool[mth] & ARRIVED) && kind_of(pool[mth]) == kind && about(pool[mth]) == whom ->
      pool[mth] = 0
    :: else
    fi
  }
  sort_pool()
}

inline load() {
  copy(engine[self].base, db);
  engine[self].overtaken = false;
  printf("engine %d: starts %e of %d, evidence %e\n", self, engine[self].does, engine[self].on, engine[self].word)
}

/* If the version has changed, the decision does not matter: the commit fails. A commit that would book a receipt twice
 * fails regardless of the versions, because the receipt's key is unique. */
inline commit() {
  conflict = is_guarded && engine[self].overtaken;
  if
  :: !conflict ->
    decide();
    find_key_conflict()
  :: else
  fi;
  if
  :: conflict ->
    printf("engine %d: %e has a conflict, loads and decides again\n", self, engine[self].does);
    copy(engine[self].base, db); engine[self].overtaken = false
  :: else ->
    print_commit();
    write_rows();
    check_effects();
    perform_effects();
    if
    :: bumped -> overtake()
    :: else
    fi;
    check_store();
    forget_irrelevant_values();
    release_command()
  fi
}

inline overtake() {
  for (nth : 0 .. ENGINES - 1) {
    if
    :: nth != self && !idle(nth) ->
      engine[nth].overtaken = true;
      if
      :: is_guarded -> forget(engine[nth].base)
      :: else
      fi
    :: else
    fi
  }
}

inline release_command() {
  engine[self].does = 0; engine[self].on = 0; engine[self].trade = 0; engine[self].word = 0; engine[self].question = 0;
  engine[self].amount = 0; engine[self].overtaken = false;
  forget(engine[self].base)
}

/* Steps of an engine with a command. */
#define executes_its_command(id) \
  :: d_step { !idle(id) -> self = id; commit(); skip } \
  :: d_step { !idle(id) -> self = id; printf("engine %d: crashes\n", id); release_command(); skip }

/* After the start of a command: an engine that is not slow commits in the same step. */
#define commits_unless_slow(id) \
  if \
  :: id >= SLOW_ENGINES -> d_step { self = id; commit(); skip } \
  :: else \
  fi
