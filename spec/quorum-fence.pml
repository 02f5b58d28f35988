/* The quorum's fencing token, without any assumption about time.

   Each of CLIENTS makes attempts without end, with any stamp from 1 to STAMPS. A node takes a vote only if its key is free
   or the voter's own and the stamp is above its fence, which it then raises. A majority of votes = acquired, token = stamp. A key
   runs out at any time at any node. Votes that land after their attempt, and pairs that find the lock taken, do one
   thing of interest, they raise a fence: any node's fence may rise to anything at any time.

   Properties: an acquisition that starts after another was complete has a greater token; no two have the same.
   With TIMED: no renewal succeeds when somebody with a greater token has acquired since.

   -DTIMED=1     the vote of an attempt or lease that is not over goes by a restart only
   -DPAIR=n      the first n nodes may be asked the short way: SET NX, then ZADD GT CH, two steps; then vote.lua unless both
                 said yes (XX, that the fence is there, only makes it say no more often)
   -DTOPUP=1     a holder renews, and a node that has nobody is topped up if a majority renewed: key := its value,
                 fence := max(fence, token). A round of renewals is one step
   -DTOPUP=2     … and the top-up is on its way for as long as it likes
   -DRESTARTS=n  nodes restart without their key …
   -DKEPT=1      … but with their fence
   Wrong on purpose:
   -DSTRICT=0    a node also takes a stamp that equals its fence
   -DOWN=1       the script behind the pair takes its own value that it finds for a vote, whatever the fence
   -DRELEARN=1   a restarted node takes the highest fence of the others for its own
   -DAWAY=1      a restarted node has forgotten its fence, but stays away until nobody holds or tries
   -DTOPUP=3     nodes are topped up without a majority
   -DTOPUP=4     nodes are topped up during an attempt, and counted as votes
   -DLOWERS=1    a top-up sets the fence to its token
   Not here: mutual exclusion (quorum-lock), where stamps come from (any stamp will do), a fence that expires (a day). */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef STAMPS
#define STAMPS 3
#endif
#ifndef PAIR
#define PAIR 0
#endif
#ifndef TOPUP
#define TOPUP 0
#endif
#ifndef TIMED
#define TIMED 0
#endif
#ifndef RESTARTS
#define RESTARTS 0
#endif
#ifndef KEPT
#define KEPT 0
#endif
#ifndef STRICT
#define STRICT 1
#endif
#ifndef OWN
#define OWN 0
#endif
#ifndef RELEARN
#define RELEARN 0
#endif
#ifndef AWAY
#define AWAY 0
#endif
#ifndef LOWERS
#define LOWERS 0
#endif
#define NODES 3
#define AT(c, n) ((c) * NODES + (n))
#define value(c, t) ((c) * (STAMPS + 1) + (t) + 1)
#define isFor(n, c) (key[n] == 0 || (key[n] - 1) / (STAMPS + 1) == c)      /* free, or its own */
#define above(t, n) ((t) > fence[n] || (!STRICT && (t) == fence[n]))
#define max(a, b) ((a) > (b) -> (a) : (b))
#define majority(bits) ((bits) == 3 || (bits) > 4)
#define SENT 1
#define TAKEN 2                  /* the pair's SET has said yes */
#define DECIDE 3                 /* … and its ZADD no: the script is on its way */

byte key[NODES]; byte fence[NODES];
byte vote[CLIENTS * NODES];
bool top[CLIENTS * NODES];       /* a top-up on its way */
byte stamp[CLIENTS];             /* of the attempt or the lease; 0 = none */
byte floor[CLIENTS];             /* `done` when it started */
byte yes[CLIENTS];               /* a bit for each node */
bool holds[CLIENTS];
byte done = 0;                   /* highest token of a complete acquisition */
bool used[STAMPS + 1];
byte restarts = 0;

inline ends(c, n) {
  stamp[c] = 0; floor[c] = 0; yes[c] = 0; holds[c] = false;
  for (n : 0 .. NODES - 1) { vote[AT(c, n)] = 0; top[AT(c, n)] = false };
  n = 0
}
inline said(c, n) { yes[c] = (holds[c] -> 0 : yes[c] | (1 << n)) }
inline topUp(c, n) {
  key[n] = value(c, stamp[c]);
  fence[n] = (LOWERS -> stamp[c] : max(fence[n], stamp[c]))
}

active [CLIENTS] proctype client() {
  byte c = _pid; byte n; byte t; byte count;
end: do
  :: stamp[c] == 0 ->
     select (t : 1 .. STAMPS);
     atomic {
       stamp[c] = t; floor[c] = done; t = 0;
       for (n : 0 .. NODES - 1) { vote[AT(c, n)] = SENT };
       n = 0
     }
  :: d_step { majority(yes[c]) ->
       assert(stamp[c] > floor[c]);
       assert(!used[stamp[c]]);
       used[stamp[c]] = true; holds[c] = true; done = max(done, stamp[c]); yes[c] = 0; floor[c] = 0 }
  :: d_step { stamp[c] != 0 -> ends(c, n) }                      /* failed, or released */
#if TOPUP
  :: d_step { holds[c] || TOPUP == 4 && yes[c] > 0 ->            /* renew.lua at every node */
       for (n : 0 .. NODES - 1) { count = count + (key[n] == value(c, stamp[c])) };
       if
       :: count >= 2 || TOPUP >= 3 ->
#if TIMED
          assert(!holds[c] || count < 2 || done == stamp[c]);
#endif
          for (n : 0 .. NODES - 1) {
            if
            :: key[n] == 0 && (TOPUP == 1 || TOPUP == 3) -> topUp(c, n)
            :: key[n] == 0 && TOPUP == 2 -> top[AT(c, n)] = true
            :: key[n] == 0 && TOPUP == 4 -> topUp(c, n); said(c, n)
            :: else
            fi
          }
       :: else -> ends(c, n)                                     /* lost */
       fi;
       n = 0; count = 0 }
#endif
  od
}

active [CLIENTS * NODES] proctype node() {
  byte c = (_pid - CLIENTS) / NODES; byte n = (_pid - CLIENTS) % NODES; byte i;
end: do
  :: d_step { vote[AT(c, n)] == SENT && isFor(n, c) && above(stamp[c], n) ->          /* vote.lua */
       key[n] = value(c, stamp[c]); fence[n] = stamp[c]; said(c, n); vote[AT(c, n)] = 0 }
#if PAIR
  :: d_step { n < PAIR && vote[AT(c, n)] == SENT && key[n] == 0 ->                                /* SET NX GET */
       key[n] = value(c, stamp[c]); vote[AT(c, n)] = TAKEN }
  :: d_step { vote[AT(c, n)] == TAKEN ->                                              /* ZADD GT CH */
       if
       :: stamp[c] > fence[n] -> fence[n] = stamp[c]; said(c, n); vote[AT(c, n)] = 0
       :: else -> vote[AT(c, n)] = DECIDE
       fi }
  :: d_step { vote[AT(c, n)] == DECIDE && isFor(n, c) && (above(stamp[c], n) || (OWN && key[n] != 0)) ->
       key[n] = value(c, stamp[c]); fence[n] = max(fence[n], stamp[c]); said(c, n); vote[AT(c, n)] = 0 }
#endif
#if TOPUP == 2
  :: d_step { top[AT(c, n)] && key[n] == 0 -> topUp(c, n); top[AT(c, n)] = false }
#endif
  :: d_step { key[n] != 0 && isFor(n, c) && (!TIMED || key[n] != value(c, stamp[c])) -> key[n] = 0 }
  :: d_step { c == 0 && fence[n] < STAMPS -> fence[n]++ }
#if RESTARTS
  :: d_step { c == 0 && restarts < RESTARTS && (!AWAY || (stamp[0] == 0 && stamp[1] == 0)) ->
       restarts++; key[n] = 0; fence[n] = (KEPT -> fence[n] : 0);
       for (i : 0 .. NODES - 1) { fence[n] = (RELEARN -> max(fence[n], fence[i]) : fence[n]) };
       i = 0 }
#endif
  od
}
