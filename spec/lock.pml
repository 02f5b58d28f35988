/* The lock on one server: acquire, renew, release, expiry, and the fencing token.

   ACQUIRES calls of acquire(), each with a holderId of its own and up to ASKS asks. A script is one step of the
   server; between any two steps the clock may tick, so that requests, replies and programs are as slow as they like:
   a paused holder is one whose next step comes late. `rem` is what is left of the key's ttl on the server, `left[c]` what c
   trusts by its own clock, counted from before its request. Both clocks run at the same speed (drift is taken off in
   validity.ts). Time is relative, so the model has no last moment. `us` is the server's wall clock, which tokens come from.

   Properties: one holder at a time, by what each may trust; no write reaches the resource after one with a greater
   token; each grant's token is greater than that of every grant before it (with RESTARTS: than that of every grant that
   was answered before this one was asked for); no invalid end state (nobody waits for ever).

   -DPAIR=1      an ask may take the short way: SET NX GET and ZADD XX GT CH, two steps, the script when not both said yes
   -DCRASH=1     a holder may die
   -DRESTARTS=n  the server restarts without its data (then two may hold: not asserted)
   Wrong on purpose:
   -DFENCED=0    the resource does not look at the token
   -DCOMPARE=0   release is a plain DEL
   -DEXPIRY=0    the key has no ttl
   -DFROMREPLY=1 validity counts from the reply instead of from before the request
   -DLATE=1      a grant that outlived its own lease is used
   -DBYHOLDER=1  … is given back by holderId instead of by token
   -DBLIND=1     the pair is accepted although its ZADD did not raise the fence
   -DSWAPPED=1   the pair's two commands in the other order
   -DCOUNTER=1   token = last + 1, without the clock
   -DBACK=1      the server's clock steps back in a restart that loses the data (documented as not covered)
   Not here: the queue (queue), aborts of a try (like BYHOLDER, but nothing follows), drift, fail-over. */
#ifndef ACQUIRES
#define ACQUIRES 2
#endif
#ifndef ASKS
#define ASKS 2
#endif
#ifndef PAIR
#define PAIR 0
#endif
#ifndef CRASH
#define CRASH 0
#endif
#ifndef RESTARTS
#define RESTARTS 0
#endif
#ifndef FENCED
#define FENCED 1
#endif
#ifndef COMPARE
#define COMPARE 1
#endif
#ifndef EXPIRY
#define EXPIRY 1
#endif
#ifndef FROMREPLY
#define FROMREPLY 0
#endif
#ifndef LATE
#define LATE 0
#endif
#ifndef BYHOLDER
#define BYHOLDER 0
#endif
#ifndef BLIND
#define BLIND 0
#endif
#ifndef SWAPPED
#define SWAPPED 0
#endif
#ifndef COUNTER
#define COUNTER 0
#endif
#ifndef BACK
#define BACK 0
#endif
#define TTL 2
#define ANY 255           /* a release by holderId alone */

byte owner = 0; byte ownToken = 0; byte rem = 0;  /* the key: holder + 1, its token, what is left of the ttl */
byte fence = 0; byte us = 1;
byte left[ACQUIRES];      /* of the lease, or of the ask under way, by c's clock */
byte renewed[ACQUIRES];   /* of the renewal under way */
bool holds[ACQUIRES];
byte undo[ACQUIRES];      /* a release on its way: a token, or ANY */
byte done = 0;            /* highest token of a grant that was used */
byte seen = 0;            /* the resource: highest token that wrote */
byte restarts = 0;

#define free() (owner == 0)
#define mine() (owner == me + 1)
#define exactly(t) (mine() && ownToken == t)
#define running(c) (left[c] > 0 || renewed[c] > 0)
#define max(a, b) ((a) > (b) -> (a) : (b))

inline set(token) { owner = me + 1; ownToken = token; rem = TTL }
inline del() { owner = 0; ownToken = 0; rem = 0 }
inline oneHolder(c, n) {
  n = 0;
  for (c : 0 .. ACQUIRES - 1) { n = n + (holds[c] && left[c] > 0 -> 1 : 0) };
#if !RESTARTS
  assert(n <= 1);
#endif
  c = 0; n = 0
}

active proctype clock() {
  byte c;
end: do
  :: d_step { (rem > 0 && EXPIRY) || running(0) || running(1) || running(ACQUIRES - 1) ->
       for (c : 0 .. ACQUIRES - 1) {
         left[c] = (left[c] > 0 -> left[c] - 1 : 0);
         renewed[c] = (renewed[c] > 0 -> renewed[c] - 1 : 0)
       };
       c = 0;
       if
       :: rem > 1 && EXPIRY -> rem--
       :: rem == 1 && EXPIRY -> del()
       :: else
       fi }
#if RESTARTS
  :: d_step { restarts < RESTARTS ->
       restarts++; del(); fence = 0; us = (BACK -> 1 : us + 1) }
#endif
  od
}

active [ACQUIRES] proctype acquire() {
  byte me = _pid - 1; byte asks = ASKS; byte token; byte floor; byte c; byte n;
  bool set_; bool raised; bool may = true;
ask:
  atomic {
    if
    :: asks > 1 -> asks--                              /* may find it taken */
    :: asks == 1 && free() -> asks--                   /* waits */
    :: asks == 0 -> goto done_
    fi;
    left[me] = TTL; floor = done; us++
  };
#if PAIR
  if
  :: select (token : 1 .. us);                         /* the stamp: any lower bound of the server's clock */
#if SWAPPED
     atomic { raised = (fence != 0 && token > fence); fence = (raised -> token : fence) };
#endif
     atomic { set_ = free(); if :: set_ -> set(token) :: else fi };
#if !SWAPPED
     atomic { raised = (fence != 0 && token > fence); fence = (raised -> token : fence) };
#endif
     if
     :: set_ && (raised || BLIND) -> set_ = false; raised = false; goto answered
     :: set_ && !(raised || BLIND) -> set_ = false; raised = false
     :: !set_ -> raised = false; token = 0; left[me] = 0; goto ask   /* busy */
     fi
  :: skip
  fi;
#endif
  d_step {                                             /* acquire.lua */
    if
    :: free() || mine() ->
       token = (COUNTER -> fence + 1 : max(us, fence + 1));
       fence = token; set(token)
    :: else -> token = 0
    fi
  };
  if
  :: token == 0 -> left[me] = 0; goto ask              /* busy */
  :: else
  fi;
answered:
  if
  :: d_step { left[me] > 0 || LATE || FROMREPLY ->
       left[me] = (FROMREPLY || left[me] == 0 -> TTL : left[me]);
       holds[me] = true;
       oneHolder(c, n);
#if RESTARTS
       assert(token > floor);
#else
       assert(token > done);
#endif
       done = max(token, done); floor = 0; asks = 0
     }
  :: left[me] == 0 && !LATE && !FROMREPLY && undo[me] == 0 -> undo[me] = (BYHOLDER -> ANY : token); goto ask
  fi;
  do
  :: left[me] > 0 ->                                   /* looks at its lease, then writes: a pause in between */
     if
     :: d_step { (!FENCED || token >= seen) -> assert(token >= seen); seen = max(token, seen) }
     :: (FENCED && token < seen)                       /* refused */
     fi;
     break
  :: may && left[me] > 0 ->                            /* renew.lua */
     d_step { renewed[me] = TTL; may = false };
     d_step { set_ = exactly(token); if :: set_ -> rem = TTL :: else fi };
     d_step {
       if
       :: set_ && left[me] > 0 ->
          left[me] = (FROMREPLY -> TTL : renewed[me]);
          oneHolder(c, n)
       :: else -> left[me] = 0                         /* lost, or over before the answer came */
       fi;
       renewed[me] = 0; set_ = false
     }
  :: left[me] == 0 -> break
#if CRASH
  :: d_step { holds[me] = false; left[me] = 0; token = 0; may = false }; goto done_
#endif
  od;
  atomic { holds[me] = false; left[me] = 0; may = false };
  d_step { if :: exactly(token) || !COMPARE -> del() :: else fi; token = 0 };   /* release.lua */
done_:
  skip
}

/* Releases that nobody waits for: each arrives some time. */
active [ACQUIRES] proctype giveBack() {
  byte me = _pid - 1 - ACQUIRES;
end: do
  :: d_step { undo[me] != 0 ->
       if :: mine() && (undo[me] == ANY || undo[me] == ownToken) -> del() :: else fi;
       undo[me] = 0 }
  od
}
