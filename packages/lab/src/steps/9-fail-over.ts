/**
 * What no order of commands on one server shows: the server itself goes, or a client stands still. Real servers, a real link, real
 * processes. A majority is here twice: made by hand, and the library's quorum.
 */
import type { Step } from '../explore/scenario.ts';
import { majorityFailOver, majorityForgets } from './fail-over/majority.ts';
import { handMadeFailOver, holdfastFailOver } from './fail-over/one-master.ts';
import { pausedClient } from './fail-over/paused-client.ts';
import { quorumFailOver, quorumForgets, quorumKilled } from './fail-over/quorum.ts';

export const failOver: Step = {
  id: '9',
  name: 'fail-over',
  about:
    'A lock on one master with an asynchronous replica is lost with the master, and then two hold it. A majority of several servers helps, as long as none forgets. A client that stands still may always come too late: only the resource can refuse it, by a fencing token.',
  scenarios: [],
  dramas: [
    {
      ...handMadeFailOver,
      name: 'one master, its replica is promoted',
      about:
        'A acquires the lock of step 3 on a master whose replica does not hear of it, and B on the promoted replica.',
      expects: 'bug',
    },
    {
      ...holdfastFailOver,
      name: 'Holdfast on one master, its replica is promoted',
      about:
        'The same with the library on one server: two leases too. The token of B is greater, so a resource that looks at tokens tells them apart.',
      expects: 'bug',
    },
    {
      ...pausedClient(false),
      name: 'a paused client, no fencing token',
      about: 'A looks at its lease and is then stopped, B gets the lock and writes, A goes on and writes.',
      expects: 'bug',
    },
    {
      ...pausedClient(true),
      name: 'a paused client, a fencing token',
      about: 'The same; the resource refuses a token that is older than one it has seen.',
      expects: 'no bug',
    },
    {
      ...majorityFailOver,
      name: 'a majority of three by hand, one fails over',
      about:
        'A has the lock on three servers; one is replaced by its replica that is behind; B asks all three.',
      expects: 'no bug',
    },
    {
      ...majorityForgets,
      name: 'a majority of three by hand, one forgets',
      about:
        'A has the lock on two of three servers, the third was down; one of the two restarts without its data; B asks all three.',
      expects: 'bug',
    },
    {
      ...quorumFailOver(3),
      name: 'Holdfast over three servers, one fails over',
      about:
        'A has a lease of all three servers; one is replaced by its replica that is behind; B asks, and A renews.',
      expects: 'no bug',
    },
    {
      ...quorumKilled(3),
      name: 'Holdfast over three servers, one is killed',
      about: 'A has a lease of all three servers; one is killed; B asks the others, and A renews.',
      expects: 'no bug',
    },
    {
      ...quorumForgets(3),
      name: 'Holdfast over three servers, one forgets',
      about:
        'A has a lease of two of three servers and cannot reach the third; one of the two restarts without its data; B asks all three. Two leases: the token of B is greater.',
      expects: 'bug',
    },
    {
      ...quorumFailOver(5),
      name: 'Holdfast over five servers, one fails over',
      about:
        'A has a lease of all five servers; one is replaced by its replica that is behind; B asks, and A renews.',
      expects: 'no bug',
    },
    {
      ...quorumKilled(5),
      name: 'Holdfast over five servers, two are killed',
      about: 'A has a lease of all five servers; two are killed; B asks the others, and A renews.',
      expects: 'no bug',
    },
    {
      ...quorumForgets(5),
      name: 'Holdfast over five servers, one forgets',
      about:
        'A has a lease of three of five servers and cannot reach the others; one of the three restarts without its data; B asks all five. Two leases: the token of B is greater.',
      expects: 'bug',
    },
  ],
};
