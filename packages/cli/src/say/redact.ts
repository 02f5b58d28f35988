/** Passwords are never printed, wherever a message comes from. */

const secrets = new Set<string>();

/** Up to the last `@` of a URL; several may stand behind commas. */
const LOGIN = /(\w+:\/\/)(?:(?!,[\w+-]+:\/\/)[^\s[\]])+(?=@)/g;

/** Remembers a password as it was written, and as it is meant. */
export function keepSecret(...forms: (string | undefined)[]): void {
  for (const form of forms) if (form !== undefined && form !== '') secrets.add(form);
}

export function redact(text: string): string {
  let safe = text;
  // Of two passwords one may be the beginning of the other.
  for (const secret of [...secrets].sort((a, b) => b.length - a.length))
    safe = safe.replaceAll(secret, '***');
  return safe.replace(LOGIN, '$1***').replace(/([?&](?:password|pass|auth)=)[^&\s]+/gi, '$1***');
}
