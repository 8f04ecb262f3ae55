import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a container engine reads of an image beside its files. */
export interface ImageConfig {
  readonly Entrypoint?: readonly string[];
  readonly Env: readonly string[];
}

const TOOLS =
  'sh cat ls ps ip ping wget nslookup sleep httpd nc echo hostname env head grep sed awk date top kill mkdir df mount timeout';

/**
 * Writes an archive with several images, as `docker save` does. All of them are the same few folders and busybox: what their
 * names promise comes from this machine when a container starts.
 */
export function writeImages(target: string, work: string, images: Readonly<Record<string, ImageConfig>>): void {
  const root = join(work, 'root');
  makeRoot(root);
  const sorted = ['--sort=name', '--mtime=@0', '--numeric-owner', '--owner=0', '--group=0'];
  execFileSync('tar', [...sorted, '-C', root, '-cf', join(work, 'layer.tar'), '.']);
  const layer = createHash('sha256')
    .update(readFileSync(join(work, 'layer.tar')))
    .digest('hex');
  const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'];
  const entries = Object.entries(images).map(([name, config], i) => {
    const file = `config-${i}.json`;
    const rootfs = { type: 'layers', diff_ids: [`sha256:${layer}`] };
    writeFileSync(join(work, file), JSON.stringify({ architecture, os: 'linux', config, rootfs }));
    return { Config: file, RepoTags: [name], Layers: ['layer.tar'] };
  });
  writeFileSync(join(work, 'manifest.json'), JSON.stringify(entries));
  execFileSync('tar', [
    '-C',
    work,
    '-cf',
    target,
    'manifest.json',
    'layer.tar',
    ...entries.map(({ Config }) => Config),
  ]);
}

function makeRoot(root: string): void {
  for (const folder of ['busybox', 'usr', 'etc', 'tmp', 'proc', 'sys', 'dev', 'root', 'run', 'var/tmp']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  chmodSync(join(root, 'tmp'), 0o1777);
  chmodSync(join(root, 'var/tmp'), 0o1777);
  const busybox = ['/usr/bin/busybox', '/bin/busybox'].find(existsSync)!;
  copyFileSync(busybox, join(root, 'busybox/busybox'));
  for (const tool of TOOLS.split(' ')) {
    symlinkSync('busybox', join(root, 'busybox', tool));
  }
  for (const folder of ['bin', 'sbin', 'lib', 'lib64']) {
    symlinkSync(`usr/${folder}`, join(root, folder));
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');
  // Where programs of /usr/local find the libraries that are installed there.
  if (existsSync('/etc/ld.so.cache')) {
    copyFileSync('/etc/ld.so.cache', join(root, 'etc/ld.so.cache'));
  }
}
