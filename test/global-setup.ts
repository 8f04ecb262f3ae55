import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The ConfigMap holds the built chat server, so the tests must never see an old build of it. */
export default function setup(): void {
  execFileSync(process.execPath, [join(__dirname, '..', 'scripts', 'build-chat.mjs')], { stdio: 'inherit' });
}
