/* The quorum lock: NODES independent servers, votes, reservations, restarts.

   Each of CLIENTS makes attempts without end. An attempt sends a vote to every node, which lands at any time. `live[c]`: c has
   an attempt or a lease whose validity is not over by its own clock. A key that is c's is a vote of that attempt
   (`vote[n]`), or it is not: a reservation, the vote of an attempt that is over, a vote that landed too late. The latter three
   only keep others out, so they are one thing here, and come and go at any time: more often than release, expiry,
   reservation and late votes would have it. A vote of a live attempt goes by a restart only.

   Property: one holder at a time, by what each may trust.

   -DRESTARTS=n  nodes restart …
   -DKEPT=1      … with their data (appendfsync always)
   -DAWAY=1      … without, but stay away until every lease that they had voted for is over
   Wrong on purpose:
   -DCOUNTED=1   a reservation's message counts as a vote
   -DBYHOLDER=1  a failed attempt is released by holderId instead of by its value
   -DSTRICT=0    a late vote of an earlier attempt overwrites that of the later one
   -DMAJ=n       so many votes are enough
   Not here: stamps and fences (quorum-fence), who is woken and when (quorum-wait), renewal, top-up (quorum-fence), drift. */
#ifndef NODES
#define NODES 3
#endif
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef MAJ
#define MAJ (NODES / 2 + 1)
#endif
#ifndef RESTARTS
#define RESTARTS 0
#endif
#ifndef KEPT
#define KEPT 0
#endif
#ifndef AWAY
#define AWAY 0
#endif
#ifndef COUNTED
#define COUNTED 0
#endif
#ifndef BYHOLDER
#define BYHOLDER 0
#endif
#ifndef STRICT
#define STRICT 1
#endif
#define AT(c, n) ((c) * NODES + (n))

byte key[NODES];                 /* 0 free, else client + 1 */
bool vote[NODES];                /* … and a vote of its live attempt */
byte away[NODES];                /* 0 up, else client + 1: for whose attempt it had voted */
bool sent[CLIENTS * NODES];      /* the attempt's vote is on its way */
bool undo[CLIENTS * NODES];      /* BYHOLDER: a release; STRICT=0: the vote of an earlier attempt */
bool asks[CLIENTS * NODES];      /* COUNTED: the message of a reservation */
bool live[CLIENTS]; bool holds[CLIENTS];
byte yes[CLIENTS];
byte restarts = 0;

inline ends(c, n) {
  live[c] = false; holds[c] = false; yes[c] = 0;
  for (n : 0 .. NODES - 1) {
    sent[AT(c, n)] = false;
    undo[AT(c, n)] = (BYHOLDER || !STRICT);
    vote[n] = (key[n] == c + 1 -> false : vote[n]);
    away[n] = (away[n] == c + 1 -> 0 : away[n])
  };
  n = 0
}

active [CLIENTS] proctype client() {
  byte c = _pid; byte n; byte sum;
end: do
  :: d_step { !live[c] ->                                        /* an attempt */
       live[c] = true;
       for (n : 0 .. NODES - 1) { sent[AT(c, n)] = true };
       n = 0 }
  :: d_step { live[c] && !holds[c] && yes[c] >= MAJ ->           /* won */
       holds[c] = true; yes[c] = 0;
       for (n : 0 .. CLIENTS - 1) { sum = sum + holds[n] };
       assert(sum <= 1);
       sum = 0; n = 0 }
  :: d_step { live[c] -> ends(c, n) }                            /* failed, released, or over by its own clock */
  od
}

active [CLIENTS * NODES] proctype node() {
  byte c = (_pid - CLIENTS) / NODES; byte n = (_pid - CLIENTS) % NODES;
end: do
  :: d_step { !away[n] && sent[AT(c, n)] ->                      /* vote.lua */
       sent[AT(c, n)] = false;
       if
       :: key[n] == 0 || key[n] == c + 1 -> key[n] = c + 1; vote[n] = true; yes[c] = yes[c] + !holds[c]
       :: else
       fi }
  :: d_step { !away[n] && key[n] == 0 -> key[n] = c + 1; asks[AT(c, n)] = COUNTED }     /* a reservation, a late vote */
  :: d_step { !away[n] && key[n] == c + 1 && !vote[n] -> key[n] = 0 }                   /* a release, an expiry */
#if COUNTED
  :: d_step { asks[AT(c, n)] -> asks[AT(c, n)] = false; yes[c] = yes[c] + (live[c] && !holds[c]) }
#endif
#if BYHOLDER || !STRICT
  :: d_step { undo[AT(c, n)] && !away[n] ->
       undo[AT(c, n)] = false;
       if
       :: key[n] == c + 1 && BYHOLDER -> key[n] = 0; vote[n] = false
       :: key[n] == c + 1 && !BYHOLDER -> vote[n] = false
       :: else
       fi }
#endif
#if RESTARTS
  :: d_step { c == 0 && !away[n] && restarts < RESTARTS ->
       restarts++;
       away[n] = (AWAY && vote[n] -> key[n] : 0);
       key[n] = (KEPT -> key[n] : 0); vote[n] = (KEPT && vote[n]) }
#endif
  od
}
