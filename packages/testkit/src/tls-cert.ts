import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onPath } from './server-binary.ts';

const run = promisify(execFile);

export interface Certificate {
  /** Path of the self-signed certificate, which is its own authority. */
  certFile: string;
  keyFile: string;
  /** The certificate's text (PEM), to be trusted by a client. */
  ca: string;
}

/** A certificate for localhost and 127.0.0.1. Made by the `openssl` program: node itself cannot sign one. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const openssl = onPath('openssl');
  if (!openssl)
    throw new Error('a TLS server needs the openssl program to make its certificate; it is not on PATH');
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  await run(openssl, ['req', '-x509', ...key, ...names, '-days', '30', '-out', certFile]);
  return { certFile, keyFile, ca: readFileSync(certFile, 'utf8') };
}
