/** Exit codes: those of sysexits.h where they fit, and of the shell for the command that `run` starts. Documented in docs/cli.md. */
export const EXIT = {
  ok: 0,
  /** `audit`: something never comes back; `doctor`: locks are not safe here; `release`: nothing was released. */
  found: 1,
  usage: 64,
  /** The key holds something else. */
  wrongType: 65,
  /** No server, no answer, not installed. */
  unavailable: 69,
  software: 70,
  busy: 75,
  lost: 76,
  /** The server's ACL or password says no. */
  noPermission: 77,
  cannotRun: 126,
  notFound: 127,
  /** And the signal's number. */
  signal: 128,
} as const;
