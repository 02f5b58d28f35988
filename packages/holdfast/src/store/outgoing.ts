/**
 * What goes to one server, in the order of the calls. The first call of a busy moment goes out at once; script calls that follow while it is not
 * answered are gathered until the code that runs now is done, and travel as one: one command to write, to run and to parse, where there were
 * many. Renewals always, and with a client that each command costs much the others as well. Each call is answered by itself, an error too.
 * Nothing waits for a timer or a socket.
 *
 * Not in a Cluster, where a script's keys share a slot; and no longer with a server that turns out to be several behind a proxy.
 */

import type { Client, Command } from '../client.ts';
import { crypto } from '../crypto.ts';
import { classify } from '../failure.ts';
import { scripts } from '../lua/generated.ts';

export interface Script {
  readonly sha: string;
  readonly body: string;
}

/** Whoever holds many leases renews many at once. */
const RENEWALS: readonly Script[] = [scripts.renew, scripts.semaphoreRenew, scripts.readWriteRenew];

const OTHERS: readonly Script[] = [
  scripts.acquire,
  scripts.release,
  scripts.semaphoreAcquire,
  scripts.semaphoreRelease,
  scripts.readWriteAcquire,
  scripts.readWriteRelease,
];

const JOINABLE = [...RENEWALS, ...OTHERS];

/** The server does nothing else meanwhile, about a fifth of a millisecond. */
const MOST_RENEWALS = 100;
/** Few, since the server runs some while the client makes the next. */
const MOST_OTHERS = 16;

/** ARGV: for each call which script, how many keys, how many arguments, the arguments. Returns for each {1, reply} or {0, error}. */
const JOINED = `local scripts = {}
${JOINABLE.map(({ body }, i) => `scripts['${i}'] = function(KEYS, ARGV)\n${body}\nend`).join('\n')}
local replies, key, at = {}, 0, 1
while at <= #ARGV do
local keys, args = {}, {}
for i = 1, ARGV[at + 1] do keys[i] = KEYS[key + i] end
for i = 1, ARGV[at + 2] do args[i] = ARGV[at + 2 + i] end
local done, reply = pcall(scripts[ARGV[at]], keys, args)
if not done and type(reply) == 'table' then reply = reply.err end
replies[#replies + 1] = { done and 1 or 0, reply }
key, at = key + #keys, at + 3 + #args
end
return replies`;

interface Waiting {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

export class Outgoing {
  private waiting: Waiting[] = [];
  private unanswered = 0;
  /** Known to the server, as far as we know: it forgets its scripts when it starts again. */
  private known = false;
  private apart: boolean;
  private readonly joinsAll: boolean;

  constructor(private readonly client: Client) {
    this.apart = client.cluster;
    this.joinsAll = client.joinsCalls === true;
  }

  /** All script calls made now travel together. */
  get joining(): boolean {
    return this.most(scripts.acquire) > 0;
  }

  send(command: Command): Promise<unknown> {
    this.flush();
    return this.sent(this.client.send(command));
  }

  /** Only for a client that has it. */
  sendPair(first: Command, second: Command): Promise<[unknown, unknown]> | undefined {
    this.flush();
    const both = this.client.sendPair?.(first, second);
    return both && this.sent(Promise.all(both));
  }

  /** A script by its SHA; rejects with NOSCRIPT when the server does not know it. */
  call(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const most = this.most(script);
    if (most === 0) {
      this.flush();
      return this.sent(
        this.client.send(bySha(script.sha, keys, args)),
        this.joinsAll || RENEWALS.includes(script),
      );
    }
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) process.nextTick(flush, this);
      this.waiting.push({ script, keys, args, resolve, reject });
      if (this.waiting.length >= most) this.flush();
    });
  }

  /** With how many others a call of this script may travel now. */
  private most(script: Script): number {
    if (this.apart || this.unanswered === 0) return 0;
    if (RENEWALS.includes(script)) return MOST_RENEWALS;
    return this.joinsAll && OTHERS.includes(script) ? MOST_OTHERS : 0;
  }

  /** @internal */
  flush(): void {
    if (this.waiting.length === 0) return;
    const calls = this.waiting;
    this.waiting = [];
    if (calls.length === 1) this.sendApart(calls);
    else void this.sendJoined(calls);
  }

  private sendApart(calls: readonly Waiting[]): void {
    for (const { script, keys, args, resolve, reject } of calls)
      this.sent(this.client.send(bySha(script.sha, keys, args)), true).then(resolve, reject);
  }

  private async sendJoined(calls: readonly Waiting[]): Promise<void> {
    const keys = calls.flatMap((call) => call.keys);
    const args = calls.flatMap(({ script, keys: its, args: own }) => [
      String(JOINABLE.indexOf(script)),
      String(its.length),
      String(own.length),
      ...own,
    ]);
    const command = this.known ? bySha(joinedSha(), keys, args) : byBody(JOINED, keys, args);
    try {
      const replies = (await this.sent(this.client.send(command), true)) as [done: unknown, reply: unknown][];
      this.known = true;
      for (const [i, { resolve, reject }] of calls.entries()) {
        const [done, reply] = replies[i] ?? [];
        if (Number(done) === 1) resolve(reply ?? null);
        else reject(refusal(String(reply)));
      }
    } catch (error) {
      this.failed(error, calls);
    }
  }

  private failed(error: unknown, calls: readonly Waiting[]): void {
    const { kind, word } = classify(error);
    if (kind === 'no script') this.known = false;
    // The keys of different calls are on different servers.
    if (word === 'CROSSSLOT') this.apart = true;
    // Refused before it ran, for one call's sake (its keys are another user's): the others are not to suffer for that.
    if (kind === 'refused') this.sendApart(calls);
    else for (const { reject } of calls) reject(error);
  }

  /** @param joins others wait for it, and travel together; with a client that joins all calls, they wait for any */
  private sent<T>(reply: Promise<T>, joins = this.joinsAll): Promise<T> {
    if (!joins) return reply;
    this.unanswered++;
    reply.then(this.answered, this.answered);
    return reply;
  }

  private readonly answered = (): void => {
    this.unanswered--;
  };
}

/** One function for all turns. */
function flush(outgoing: Outgoing): void {
  outgoing.flush();
}

function bySha(sha: string, keys: readonly string[], args: readonly string[]): Command {
  return { name: 'EVALSHA', head: [sha, String(keys.length)], keys, tail: args };
}

export function byBody(body: string, keys: readonly string[], args: readonly string[]): Command {
  return { name: 'EVAL', head: [body, String(keys.length)], keys, tail: args };
}

let sha: string | undefined;

function joinedSha(): string {
  sha ??= crypto().createHash('sha1').update(JOINED).digest('hex');
  return sha;
}

/** As if the server had answered that call alone. */
function refusal(text: string): Error {
  return new Error(/^-?[A-Z]{3,} /.test(text) ? text.replace(/^-/, '') : `ERR ${text}`);
}
