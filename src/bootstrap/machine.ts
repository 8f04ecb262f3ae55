import { execFile } from 'node:child_process';
import { connect as tcp } from 'node:net';
import type { Surroundings } from './preflight/reach';

const SECONDS = 5;

/** This machine: its kubectl, and what it reaches. */
export const MACHINE: Surroundings = {
  kubectl: () =>
    new Promise((resolve) => {
      execFile('kubectl', ['version', '--client', '--output=json'], { timeout: SECONDS * 1000 }, (error, stdout) => {
        try {
          const { clientVersion } = JSON.parse(stdout) as { clientVersion?: { gitVersion?: string } };
          resolve(error ? undefined : clientVersion?.gitVersion);
        } catch {
          resolve(undefined);
        }
      });
    }),
  connect: (url) =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(url);
      const socket = tcp({ host: hostname, port: port === '' ? 443 : Number(port), timeout: SECONDS * 1000 });
      const end = (reached: boolean, why?: string): void => {
        socket.destroy();
        resolve({ reached, ...(why !== undefined && { why }) });
      };
      socket.on('connect', () => end(true));
      socket.on('timeout', () => end(false, `no answer in ${SECONDS} s`));
      socket.on('error', (error: NodeJS.ErrnoException) => end(false, error.code ?? error.message));
    }),
};
