import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kubectl } from '../../../src/operate/kubectl/kubectl';

/**
 * A kubectl in a folder that does what a script says: it has one context, `c`, and works in the folder.
 * @param cases of a shell's `case` over its words, in their order: `*watch=true*) exec sleep 100 ;;`
 */
export async function scriptedKubectl(folder: string, cases: string): Promise<Kubectl> {
  const config = { 'current-context': 'c', contexts: [{ name: 'c', context: { namespace: 'vllm' } }] };
  const file = join(folder, 'kubectl');
  writeFileSync(
    file,
    `#!/bin/sh
cd '${folder}'
case "$*" in
  *'config view'*) echo '${JSON.stringify(config)}' ;;
${cases}
esac
`,
  );
  chmodSync(file, 0o755);
  return await Kubectl.open({ path: folder });
}
