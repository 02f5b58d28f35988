/* The quorum semaphore: LIMIT slots, each a quorum lock; a lease of k permits is k slots.

   Each of CLIENTS makes attempts without end, at slots of its choice; client 0 wants PERMITS of them, the others one. A vote is
   one step for all its slots. What a lock's model shows (quorum-lock) is not repeated: a vote of an attempt that is not over
   stays; whatever else keeps a slot shut is a vote that does not land yet.

   Property: never more permits held than LIMIT, no slot held twice.

   -DPERMITS=n
   Wrong on purpose:
   -DCOUNTS=1    nodes count: each takes any LIMIT holders, in the order in which they come; a majority of nodes is enough
   Not here: fences (quorum-fence, one for each slot), the choice of slots, waiting (quorum-wait), setLimit (quorum-limit). */
#ifndef NODES
#define NODES 3
#endif
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#ifndef PERMITS
#define PERMITS 1
#endif
#ifndef COUNTS
#define COUNTS 0
#endif
#define MAJ (NODES / 2 + 1)
#define AT(x, n) ((x) * NODES + (n))
#define wants(c, s) ((want[c] >> (s)) & 1)

byte slot[LIMIT * NODES];        /* 0 free, else client + 1 */
bool sent[CLIENTS * NODES];
byte want[CLIENTS];              /* the slots of the attempt or the lease: a bit for each; 0 = none */
bool holds[CLIENTS];

/* Whether every slot that c wants has a majority (COUNTS: whether a majority of nodes counts c in). */
inline won(c, s, n, votes, all) {
  all = true; votes = 0;
  for (s : 0 .. LIMIT - 1) {
    votes = (COUNTS -> votes : 0);
    for (n : 0 .. NODES - 1) { votes = votes + (slot[AT(s, n)] == c + 1) };
    all = all && (COUNTS || !wants(c, s) || votes >= MAJ)
  };
  all = all && (!COUNTS || votes >= MAJ);
  s = 0; n = 0; votes = 0
}

active [CLIENTS] proctype client() {
  byte c = _pid; byte s; byte n; byte votes; bool all; byte sum;
end: do
  :: atomic { want[c] == 0 ->                                    /* an attempt */
       if
       :: c != 0 || PERMITS == 1 -> select (s : 0 .. LIMIT - 1); want[c] = 1 << s
       :: c == 0 && PERMITS == 2 -> want[c] = 3
       :: c == 0 && PERMITS == 2 && LIMIT > 2 -> want[c] = 5
       :: c == 0 && PERMITS == 2 && LIMIT > 2 -> want[c] = 6
       fi;
       for (n : 0 .. NODES - 1) { sent[AT(c, n)] = true };
       s = 0; n = 0 }
  :: d_step { want[c] != 0 && !holds[c] ->
       won(c, s, n, votes, all);
       holds[c] = all; all = false;
       for (n : 0 .. CLIENTS - 1) { sum = sum + (holds[n] -> (n == 0 -> PERMITS : 1) : 0) };
       assert(sum <= LIMIT);
       sum = 0; n = 0 }
  :: d_step { want[c] != 0 ->                                    /* failed, released, or over by its own clock */
       want[c] = 0; holds[c] = false;
       for (n : 0 .. NODES - 1) {
         sent[AT(c, n)] = false;
         for (s : 0 .. LIMIT - 1) { slot[AT(s, n)] = (slot[AT(s, n)] == c + 1 -> 0 : slot[AT(s, n)]) }
       };
       s = 0; n = 0 }
  od
}

active [CLIENTS * NODES] proctype node() {
  byte c = (_pid - CLIENTS) / NODES; byte n = (_pid - CLIENTS) % NODES; byte s; bool in;
end: do
  :: d_step { sent[AT(c, n)] ->
       sent[AT(c, n)] = false;
       for (s : 0 .. LIMIT - 1) {
         if
         :: slot[AT(s, n)] == 0 && (COUNTS -> !in : wants(c, s)) -> slot[AT(s, n)] = c + 1; in = true
         :: else
         fi
       };
       s = 0; in = false }
  od
}
