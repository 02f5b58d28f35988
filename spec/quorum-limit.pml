/* setLimit of the quorum semaphore: a register of majority writes, ordered by stamp.

   The limit is 2 at first. WRITERS calls of setLimit(): the first wants 1, the others want 1 or 2; each with any stamp. Writes land at any time
   at any node, also after their caller has given up. A client tries, again and again, to get slot 1; a node takes its
   vote if its own limit is above 1.

   Properties: a write that starts after another was complete has a greater stamp, or does not become complete.
   An attempt that starts after a write was complete gets slot 1 only if that write or one with a greater stamp says 2.

   Wrong on purpose:
   -DLAST=1      a node keeps what came last, whatever the stamp
   -DSTRICT=0    … or a write with the same stamp
   -DMAJ=1       a write is complete when one node has it
   -DBELIEF=1    the client goes by the limit that some node once told it, and nodes do not check
   Not here: how long a node remembers (30 days), a node that forgets, who is woken by a greater limit. */
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef STAMPS
#define STAMPS 3
#endif
#ifndef LAST
#define LAST 0
#endif
#ifndef STRICT
#define STRICT 1
#endif
#ifndef BELIEF
#define BELIEF 0
#endif
#ifndef MAJ
#define MAJ 2
#endif
#define NODES 3
#define AT(w, n) ((w) * NODES + (n))
#define newer(t, n) ((t) > at[n] || LAST || (!STRICT && (t) == at[n]))
#define max(a, b) ((a) > (b) -> (a) : (b))

byte limit[NODES] = 2; byte at[NODES];      /* what a node knows, and its stamp */
byte wanted[WRITERS]; byte stamp[WRITERS];
bool sent[WRITERS * NODES]; byte acks[WRITERS];
byte done = 0;                              /* greatest stamp of a complete write */
byte most[STAMPS + 1];                      /* greatest limit of any write that was begun with this stamp */
bool vote[NODES]; byte yes = 0;

active [WRITERS] proctype writer() {
  byte w = _pid; byte n; byte floor; byte t;
  select (t : 1 .. STAMPS);
  atomic {
    if
    :: wanted[w] = 1
    :: w != 0 -> wanted[w] = 2
    fi;
    stamp[w] = t; floor = done; most[t] = max(most[t], wanted[w]);
    for (n : 0 .. NODES - 1) { sent[AT(w, n)] = true };
    n = 0; t = 0
  };
  if
  :: d_step { acks[w] >= MAJ -> assert(LAST || stamp[w] > floor); done = max(done, stamp[w]) }
  :: skip                                   /* no answer in time: unknown */
  fi
}

active [WRITERS * NODES] proctype write() {
  byte w = (_pid - WRITERS) / NODES; byte n = (_pid - WRITERS) % NODES;
end: do
  :: d_step { sent[AT(w, n)] ->
       sent[AT(w, n)] = false;
       if
       :: newer(stamp[w], n) -> limit[n] = wanted[w]; at[n] = stamp[w]; acks[w]++
       :: else
       fi }
  od
}

active proctype client() {
  byte n; byte floor; byte t; byte best; byte believed = 2;
end: do
  :: believed > 1 ->
     d_step {
       floor = done; yes = 0;
       for (n : 0 .. NODES - 1) { vote[n] = true };
       n = 0
     };
     do
     :: yes < 2 ->
        if
        :: d_step { vote[0] -> vote[0] = false; yes = yes + (limit[0] > 1 || BELIEF) }
        :: d_step { vote[1] -> vote[1] = false; yes = yes + (limit[1] > 1 || BELIEF) }
        :: d_step { vote[2] -> vote[2] = false; yes = yes + (limit[2] > 1 || BELIEF) }
        :: break
        fi
     :: d_step { yes >= 2 ->
          best = (floor == 0 -> 2 : 0);
          for (t : max(floor, 1) .. STAMPS) { best = max(best, most[t]) };
          assert(best > 1);
          t = 0; best = 0 };
        break
     od
#if BELIEF
  :: believed = limit[0]
#endif
  od
}
