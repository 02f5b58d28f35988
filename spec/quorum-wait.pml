/* Waiting at a quorum: what wakes a waiter, and how often it asks in vain while the lock is somebody's.

   K holds nodes 1 and 2 of three; node 0 is free: it was away when K voted, or its fence was ahead of K's stamp.
   WAITERS want the lock. A vote is one step of its node (vote.lua); a failed attempt is released with "stay" and is
   back in the queue at its ticket; a node reserves for the first of its queue and sends `ask` (hand-off, kind q).
   A reservation ends at any time. With HELD=1, K never lets go.

   Properties: HELD=1: nobody makes more than MOST attempts (no storm of commands that cannot win anything).
               HELD=0: no invalid end state (nobody waits for ever at a free lock).

   -DWAITERS=n
   -DWAKE=n     wakes up when n nodes have sent `ask` (1: the first one is enough, after a few ms)
   -DSTAY=0     a failed attempt goes back into the queue and frees the node: nothing else
   -DSTAY=1     … and the node reserves for the first of its queue, whoever that is
   -DSTAY=2     … for the first other one
   -DTIMER=0    no timer at the end of the lease in the way
   Not here: fences and stamps (quorum-fence), restarts and votes in flight (quorum-lock), lost messages (queue). */
#ifndef WAITERS
#define WAITERS 2
#endif
#ifndef WAKE
#define WAKE 2
#endif
#ifndef STAY
#define STAY 0
#endif
#ifndef TIMER
#define TIMER 1
#endif
#ifndef HELD
#define HELD 0
#endif
#ifndef MOST
#define MOST 4
#endif
#define NODES 3
#define MAJ 2
#define K 9
#define NOBODY 99
#define I(w, n) ((w) * NODES + (n))

byte key[NODES];              /* 0 free, K, or w+1 */
bool reserved[NODES];         /* … which is a reservation, no vote */
bool queued[WAITERS * NODES];
bool asked[WAITERS * NODES];  /* the node's `ask` has arrived */
bool kHolds = true;
byte holding = 0;

/* The first of the queue by its ticket (here: its number), but not `but`. */
inline serve(n, but, i) {
  for (i : 0 .. WAITERS - 1) {
    if
    :: key[n] == 0 && queued[I(i, n)] && i != but ->
       queued[I(i, n)] = false; key[n] = i + 1; reserved[n] = true; asked[I(i, n)] = true
    :: else
    fi
  };
  i = 0
}

#define woken(w) (asked[I(w, 0)] + asked[I(w, 1)] + asked[I(w, 2)] >= WAKE)
#define taken(n, w) (key[n] != 0 && key[n] != w + 1 && !reserved[n])

proctype reservation(byte n) {
end: do
  :: d_step { reserved[n] -> key[n] = 0; reserved[n] = false }
  od
}

proctype waiter(byte w) {
  byte n; byte i; byte yes; byte no; byte tries;
attempt:
  if
  :: HELD -> tries++; assert(tries <= MOST)
  :: else
  fi;
  d_step { yes = 0; no = 0; asked[I(w, 0)] = false; asked[I(w, 1)] = false; asked[I(w, 2)] = false };
  for (n : 0 .. NODES - 1) {
    d_step {
      if
      :: key[n] == 0 ->
         queued[I(w, n)] = true;
         serve(n, NOBODY, i);               /* reserves for whoever is first; that may be the one who asks */
         asked[I(w, n)] = (key[n] != w + 1 && asked[I(w, n)])
      :: else
      fi;
      if
      :: key[n] == w + 1 -> reserved[n] = false; queued[I(w, n)] = false; yes++
      :: else -> queued[I(w, n)] = true; no = no + (taken(n, w) -> 1 : 0)
      fi
    }
  };
  if
  :: yes >= MAJ -> goto held
  :: else
  fi;
  for (n : 0 .. NODES - 1) {
    d_step {
      if
      :: key[n] == w + 1 && !reserved[n] ->
         key[n] = 0; queued[I(w, n)] = true;
         if
         :: STAY == 1 -> serve(n, NOBODY, i)
         :: STAY == 2 -> serve(n, w, i)
         :: else
         fi
      :: else
      fi
    }
  };
  yes = 0;
  if
  :: no < MAJ -> no = 0; goto attempt       /* split: again after a random delay */
  :: else -> no = 0
  fi;
#if HELD
end:
#endif
  if
  :: woken(w) -> goto attempt
#if TIMER
  :: !kHolds && holding == 0 -> goto attempt
#endif
  fi;
held:
  holding++;
  assert(holding <= 1);
  holding--;
  yes = 0; no = 0;
  for (n : 0 .. NODES - 1) {
    d_step {
      if
      :: key[n] == w + 1 && !reserved[n] -> key[n] = 0; serve(n, w, i)
      :: else
      fi
    }
  }
}

init {
  byte n; byte i;
  atomic {
    key[1] = K; key[2] = K;
    for (n : 0 .. NODES - 1) { run reservation(n) };
    for (n : 0 .. WAITERS - 1) { run waiter(n) }
  };
#if !HELD
  kHolds = false;
  for (n : 1 .. 2) { d_step { key[n] = 0; serve(n, NOBODY, i) } }
#endif
}
