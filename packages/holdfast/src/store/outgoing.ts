/**
 * What goes to one server, in the order of the calls. The first call of a busy moment goes out at once; those that follow while it is not
 * answered are gathered until the code that runs now is done, and travel as one script call: one command to write, to run and to parse, where
 * there were many. Each call is answered by itself, an error too. Nothing waits for a timer or a socket.
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
  scripts.take,
  scripts.acquire,
  scripts.release,
  scripts.semaphoreAcquire,
  scripts.semaphoreRelease,
  scripts.readWriteAcquire,
  scripts.readWriteRelease,
];

const JOINABLE = [...RENEWALS, ...OTHERS];
const NUMBERS = new Map(JOINABLE.map((script, i) => [script, i]));

/** The server does nothing else meanwhile, about a fifth of a millisecond. */
const MOST_RENEWALS = 100;
/** Few, since the server runs some while the client makes the next. */
const MOST_OTHERS = 16;

/** The number of a script, of keys or of arguments, as one character of a plan. */
const digit = (n: number) => String.fromCharCode(48 + n);

/** ARGV[1]: for each call which script, how many keys, how many arguments; then all arguments. Returns for each {1, reply} or {0, error}. */
const JOINED = `local scripts = {}
${JOINABLE.map(({ body }, i) => `scripts[${i}] = function(KEYS, ARGV)\n${body}\nend`).join('\n')}
local plan, replies, key, at = ARGV[1], {}, 0, 1
for i = 1, #plan, 3 do
local script, keys, args = string.byte(plan, i, i + 2)
keys, args = key + keys - 48, at + args - 48
local done, reply = pcall(scripts[script - 48], { unpack(KEYS, key + 1, keys) }, { unpack(ARGV, at + 1, args) })
if not done and type(reply) == 'table' then reply = reply.err end
replies[#replies + 1] = { done and 1 or 0, reply }
key, at = keys, args
end
return replies`;

interface Waiting {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly alone: () => Promise<unknown>;
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

export class Outgoing {
  private waiting: Waiting[] = [];
  private unanswered = 0;
  /** Known to the server, as far as we know: it forgets its scripts when it starts again. */
  private known = false;
  private apart: boolean;

  constructor(private readonly client: Client) {
    this.apart = client.cluster;
  }

  send(command: Command): Promise<unknown> {
    this.flush();
    return this.sent(this.client.send(command));
  }

  /** A script by its SHA; rejects with NOSCRIPT when the server does not know it. */
  call(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.together(script, keys, args, () => this.client.send(bySha(script.sha, keys, args)));
  }

  /** @param alone sends what does the same as the script, when nobody else travels */
  together(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    alone: () => Promise<unknown>,
  ): Promise<unknown> {
    const most = this.most(script);
    if (most === 0) {
      this.flush();
      return this.sent(alone());
    }
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) process.nextTick(flush, this);
      this.waiting.push({ script, keys, args, alone, resolve, reject });
      if (this.waiting.length >= most) this.flush();
    });
  }

  /** With how many others a call of this script may travel now. */
  private most(script: Script): number {
    if (this.apart || this.unanswered === 0) return 0;
    if (RENEWALS.includes(script)) return MOST_RENEWALS;
    return OTHERS.includes(script) ? MOST_OTHERS : 0;
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
    for (const { alone, resolve, reject } of calls) this.sent(alone()).then(resolve, reject);
  }

  private async sendJoined(calls: readonly Waiting[]): Promise<void> {
    const keys: string[] = [];
    const args = [''];
    let plan = '';
    for (const call of calls) {
      plan += digit(NUMBERS.get(call.script) ?? 0) + digit(call.keys.length) + digit(call.args.length);
      keys.push(...call.keys);
      args.push(...call.args);
    }
    args[0] = plan;
    const command = this.known ? bySha(joinedSha(), keys, args) : byBody(JOINED, keys, args);
    try {
      const replies = (await this.sent(this.client.send(command))) as [done: unknown, reply: unknown][];
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

  private sent<T>(reply: Promise<T>): Promise<T> {
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
