import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The ConfigMap holds the built chat server, so the tests must never see an old build of it. */
export default function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build-chat.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
}
