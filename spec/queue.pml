/* The queue and the hand-off on one server.

   WAITERS calls of acquire() that wait, each alone in its process. A script is one step; asks, releases and messages are
   on their way for as long as they like and overtake each other. A waiter has one ask under way at most. `live[c]` is the
   token of the lease of c that is not over by c's own clock; the server's key runs out only when that lease is over by
   its holder's clock, or its holder does not know of it, or is dead. It runs out silently. Tokens only tell grants apart.

   Properties: one holder at a time, by what each may trust; no invalid end state: nobody waits for ever (at a free
   lock, behind a dead or departed waiter, for a message that does not come).

   -DTIMER=0     no timer behind the messages. Else it asks when that can help: the lock is free, or mine, or my place is gone
   -DLOSS=n      n messages get lost
   -DLATES=n     n leases end before their holder has heard of them (then they are given back, and asked for again) or has
                 released them. Else a lease ends by itself only when nothing about it is on its way
   -DGIVEUPS=n   n waiters give up, at any moment of the wait
   -DCRASH=n     n waiters or holders die
   -DDEAF=n      n subscriptions break and are made again; what comes meanwhile is lost; then the waiter asks anew
   -DORDERED=1   releases do not overtake the ask before them (one connection, the scripts known to the server)
   Wrong on purpose:
   -DLEAVEONLY=1 who gives up leaves the queue, and does not release what it may have been granted meanwhile
   -DFORGETS=1   a grant message for somebody who gave up is ignored
   -DTIDY=0      a grant reply for somebody who gave up is ignored
   -DBYHOLDER=1  a late grant is given back by holderId instead of by token
   -DTRUST=1     a grant message is believed without looking whether its lease is over
   -DANEW=0      nobody asks after a subscription was made again
   -DLISTENS=0   the hand-off does not ask whether the waiter's process listens
   Not here: the claim's length, tickets of equal rank, the bound of 500 dead waiters a call, one timer for many waiters of
   one process (group.ts), another library's lock, a user without the right to publish, sharded messages. */
#ifndef WAITERS
#define WAITERS 3
#endif
#ifndef TIMER
#define TIMER 1
#endif
#ifndef LOSS
#define LOSS 0
#endif
#ifndef LATES
#define LATES 0
#endif
#ifndef GIVEUPS
#define GIVEUPS 0
#endif
#ifndef CRASH
#define CRASH 0
#endif
#ifndef DEAF
#define DEAF 0
#endif
#ifndef ORDERED
#define ORDERED 0
#endif
#ifndef LEAVEONLY
#define LEAVEONLY 0
#endif
#ifndef FORGETS
#define FORGETS 0
#endif
#ifndef TIDY
#define TIDY 1
#endif
#ifndef BYHOLDER
#define BYHOLDER 0
#endif
#ifndef TRUST
#define TRUST 0
#endif
#ifndef ANEW
#define ANEW 1
#endif
#ifndef LISTENS
#define LISTENS 1
#endif
#define QUEUED 254
#define ANY 255              /* by holderId, whatever the token */
#define NOBODY 99

byte owner = 0; byte ownToken = 0; byte last = 0;   /* the key: holder + 1 and token; the last token */
byte ticket[WAITERS]; byte tail = 0;                /* the queue; 0 = not in it */
bool deaf[WAITERS];                                 /* PUBSUB NUMSUB says nobody */
int msgs[WAITERS];                                  /* grant messages on their way: a bit for each token */

bool again[WAITERS];         /* will ask as soon as no ask is under way */
bool asks[WAITERS];          /* an ask on its way to the server … */
byte reply[WAITERS];         /* … and its answer on the way back: QUEUED or a token */
byte back[WAITERS];          /* a release on its way: a token, or ANY */
bool leaves[WAITERS];        /* the release of one that gives up, with its member */

byte live[WAITERS]; byte held[WAITERS];
bool waits[WAITERS]; bool dead[WAITERS];
byte losses = 0; byte lates = 0; byte giveUps = 0; byte crashes = 0; byte breaks = 0;

#define asking(c) (asks[c] || reply[c] != 0)
#define inOrder(c) (!ORDERED || !asks[c])
#define trusts(c) (held[c] != 0 && live[c] == held[c])
#define helps(c) (owner == 0 || owner == c + 1 || ticket[c] == 0)
#define knows(c) (held[c] != 0 || asking(c) || msgs[c] != 0 || back[c] != 0 || leaves[c] || again[c] || (waits[c] && deaf[c]))

/* Messages keep their order, so the lowest token is first. */
inline take(c, t) {
  t = 1;
  do
  :: (msgs[c] >> t) % 2 == 0 -> t++
  :: else -> break
  od;
  msgs[c] = msgs[c] - (1 << t)
}
inline grantTo(c) { last++; assert(last < 30); owner = c + 1; ownToken = last; live[c] = last }

/* parts/hand-off.lua. `to`: who got it; `self` when the caller was first; NOBODY when the queue is empty. */
inline handOff(self, to, i) {
  to = 0;
  do
  :: to != 0 -> break
  :: to == 0 ->
     for (i : 0 .. WAITERS - 1) {
       if
       :: ticket[i] != 0 && (to == 0 || ticket[i] < ticket[to - 1]) -> to = i + 1
       :: else
       fi
     };
     if
     :: to == 0 -> to = NOBODY
     :: to != 0 && to != NOBODY ->
        ticket[to - 1] = 0;
        if
        :: to - 1 == self
        :: to - 1 != self && (!deaf[to - 1] || !LISTENS) ->
           grantTo(to - 1);
           if
           :: !deaf[to - 1] -> msgs[to - 1] = msgs[to - 1] + (1 << last)
           :: else
           fi
        :: else -> to = 0
        fi
     fi
  od;
  i = 0
}

/* release.lua, the way out once the value has matched */
inline passOn(to, i) {
  handOff(NOBODY, to, i);
  if
  :: to == NOBODY -> owner = 0; ownToken = 0
  :: else
  fi;
  to = 0
}

/* The server, the network and the clocks, as far as they are about c. */
active [WAITERS] proctype world() {
  byte c = _pid; byte to; byte i; byte place;
end: do
  :: d_step { asks[c] ->                                     /* acquire.lua */
       asks[c] = false;
       if
       :: owner == c + 1 -> ticket[c] = 0; reply[c] = ownToken; live[c] = ownToken
       :: else ->
          if
          :: owner == 0 ->
             if :: place != 0 && ticket[c] == 0 -> ticket[c] = place :: else fi;
             handOff(c, to, i);
             if
             :: to == NOBODY || to == c + 1 -> grantTo(c); ticket[c] = 0; reply[c] = last
             :: else
             fi
          :: else
          fi;
          if
          :: owner != c + 1 ->                               /* parts/join.lua */
             if :: place == 0 -> tail++; place = tail :: else fi;
             if :: ticket[c] == 0 -> ticket[c] = place :: else fi;
             reply[c] = QUEUED
          :: else
          fi
       fi;
       if :: dead[c] -> reply[c] = 0 :: else fi;
       to = 0 }
  :: d_step { back[c] != 0 && inOrder(c) ->                              /* release.lua */
       if
       :: owner == c + 1 && (back[c] == ANY || back[c] == ownToken) -> passOn(to, i)
       :: else
       fi;
       back[c] = 0 }
  :: d_step { leaves[c] && inOrder(c) ->                            /* release.lua with a member */
       leaves[c] = false; ticket[c] = 0;
       if
       :: owner == c + 1 && !LEAVEONLY -> passOn(to, i)
       :: else
       fi }
  :: d_step { live[c] != 0 && (!knows(c) || lates < LATES) ->    /* that lease is over by c's clock … */
       lates = lates + (knows(c) -> 1 : 0); live[c] = 0 }
  :: d_step { owner == c + 1 && live[c] != ownToken ->       /* … and then on the server */
       owner = 0; ownToken = 0 }
#if LOSS
  :: d_step { losses < LOSS && msgs[c] != 0 -> take(c, to); to = 0; losses++ }
#endif
#if DEAF
  :: d_step { !deaf[c] && waits[c] && breaks < DEAF ->
       breaks++; deaf[c] = true; msgs[c] = 0 }
#endif
  od
}

active [WAITERS] proctype waiter() {
  byte me = _pid - WAITERS; byte token; byte declined; byte i; byte n;
  atomic { waits[me] = true; asks[me] = true };
  do
  :: d_step { reply[me] == QUEUED -> reply[me] = 0 }
  :: atomic {
       if
       :: reply[me] != 0 && reply[me] != QUEUED -> token = reply[me]; reply[me] = 0
       :: msgs[me] != 0 -> take(me, token)
       fi;
       if
       :: token <= declined
       :: token > declined && (live[me] == token || TRUST) ->
          live[me] = token; held[me] = token; waits[me] = false;
          for (i : 0 .. WAITERS - 1) { n = n + (trusts(i) -> 1 : 0) };
          assert(n <= 1);
          n = 0; i = 0; again[me] = false; break
       :: else ->                                            /* over already */
          declined = token; back[me] == 0;
          back[me] = (BYHOLDER -> ANY : token);
          again[me] = true
       fi;
       token = 0
     }
  :: d_step { again[me] && !asking(me) -> again[me] = false; asks[me] = true }
#if TIMER
  :: d_step { !asking(me) && helps(me) -> asks[me] = true }
#endif
#if DEAF
  :: d_step { deaf[me] -> deaf[me] = false; again[me] = ANEW }
#endif
#if GIVEUPS
  :: d_step { giveUps < GIVEUPS -> giveUps++; waits[me] = false; again[me] = false; leaves[me] = true }; goto gaveUp
#endif
#if CRASH
  :: crashes < CRASH -> goto crash
#endif
  od;
  if
  :: atomic { token = held[me]; held[me] = 0; back[me] == 0 -> back[me] = token }      /* release */
#if CRASH
  :: crashes < CRASH -> goto crash
#endif
  fi;
  /* What arrives now is nobody's, unless it is the grant that was held. */
end1: do
  :: atomic { reply[me] != 0 && back[me] == 0 ->
       back[me] = (reply[me] == QUEUED || reply[me] == token -> 0 : reply[me]); reply[me] = 0 }
  :: d_step { msgs[me] != 0 -> take(me, n); n = 0 }
  od;
gaveUp:
end2: do
  :: atomic { reply[me] != 0 && back[me] == 0 ->
       back[me] = (reply[me] == QUEUED || !TIDY -> 0 : reply[me]); reply[me] = 0 }
  :: atomic { msgs[me] != 0 && back[me] == 0 -> take(me, token); back[me] = (FORGETS -> 0 : ANY) }
  od;
crash:
  atomic {
    crashes++; dead[me] = true; deaf[me] = true; waits[me] = false; again[me] = false;
    held[me] = 0; live[me] = 0; reply[me] = 0; msgs[me] = 0
  }
}
