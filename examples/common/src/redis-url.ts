/* REDIS_URL as it may be shown: the password never is. */

/** Something the user can put right: shown as one sentence, without a stack. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** The address alone. Throws if it is none. */
export function withoutPassword(text: string): string {
  if (!isAddress(text))
    throw new UsageError('REDIS_URL: this is no address of the form redis://user:password@host:6379.');
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

function isAddress(text: string): boolean {
  try {
    const { protocol, username, password } = new URL(text);
    decodeURIComponent(username + password); // throws at a stray %
    return protocol === 'redis:' || protocol === 'rediss:';
  } catch {
    return false;
  }
}

export function withoutSecrets(message: string, url: string): string {
  const { password } = new URL(url);
  const secrets = [password, decodeURIComponent(password)].filter(Boolean);
  const clean = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message);
  return clean.replace(/\.$/, '');
}
