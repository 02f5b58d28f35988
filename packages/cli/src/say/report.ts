/** Tells on stderr why the program ends: one line, or one JSON document. Never a stack. */
import { failureOf } from './failure.ts';
import { redact } from './redact.ts';

/** Resolves with the exit code. */
export function report(error: unknown, json: boolean): number {
  const { message, exitCode } = failureOf(error);
  const line = redact(message).replace(/\s*\n\s*/g, ' ');
  process.stderr.write(
    json ? `${JSON.stringify({ error: { message: line, exitCode } })}\n` : `holdfast: ${line}\n`,
  );
  return exitCode;
}

/** What is no failure, but should be known. */
export function note(text: string, json = false): void {
  const line = redact(text);
  process.stderr.write(json ? `${JSON.stringify({ note: line })}\n` : `holdfast: ${line}\n`);
}
