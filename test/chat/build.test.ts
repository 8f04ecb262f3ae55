import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Yaml } from 'cdk8s';
import { afterEach, describe, expect, it } from 'vitest';
import { SERVER_FILE } from './harness';

const root = join(__dirname, '../..');
const built = readFileSync(SERVER_FILE, 'utf8');

let clone: string | undefined;
afterEach(() => {
  if (clone) rmSync(clone, { recursive: true });
  clone = undefined;
});

describe('lib/chat/server.mjs', () => {
  it('has the same bytes wherever it is built', () => {
    clone = mkdtempSync(join(tmpdir(), 'chat-build-'));
    const there = join(clone, 'some/where');
    mkdirSync(there, { recursive: true });
    for (const part of ['chat', 'scripts', 'package.json'])
      cpSync(join(root, part), join(there, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(there, 'node_modules'));
    execFileSync(process.execPath, ['scripts/build-chat.mjs'], { cwd: there });
    expect(readFileSync(join(there, 'lib/chat/server.mjs'), 'utf8')).toBe(built);
    expect(built).not.toContain(root);
  });

  it('is readable as it is in a manifest', () => {
    const manifest = Yaml.stringify({ kind: 'ConfigMap', data: { 'server.mjs': built } });
    const block = built.replace(/^(?=.)/gm, '    ');
    expect(manifest).toContain(`  server.mjs: |\n${block}`);
  });

  it('stays far below what kubectl apply can carry', () => {
    expect(Buffer.byteLength(built)).toBeLessThan(100_000);
  });

  it('holds the licence of the library in its page', () => {
    expect(built).toContain('Permission is hereby granted, free of charge');
    expect(built).toContain('Damian Tarnawski');
  });
});
