/** The page of `--html FILE`. That it can be written is checked before a run of a minute, not after. */

import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '@holdfast/example-common';

export function checkHtmlFile(file: string | undefined): void {
  if (file === undefined) return;
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isDirectory()) throw new Error('it is a folder');
    accessSync(there ? file : dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    throw new UsageError(`--html: ${file} cannot be written: ${(error as Error).message}.`, 2);
  }
}

export function writeHtmlFile(file: string | undefined, page: () => string): void {
  if (file === undefined) return;
  writeFileSync(file, page());
  process.stderr.write(`The page is in ${file}\n`);
}
