import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readManifests } from '../../../src/cli/manifests';
import { engineChanges, podChanges, type Ports } from '../../../src/operate/rehearse/changes';
import { concrete } from '../../../src/operate/rehearse/environment';
import { groupOf } from '../../../src/operate/rehearse/group';
import { clusterValues, hostsOf, placesOf, serviceVariables } from '../../../src/operate/rehearse/places';
import { shims } from '../../../src/operate/rehearse/shim';
import { numbersOf } from '../../../src/operate/rehearse/numbers';
import { bundle, MACHINE, tiny, VLLM } from './reference';

function launched(rehearsed = bundle(), isolated = true) {
  const places = placesOf(rehearsed, isolated);
  return rehearsed.members.map((member, i) =>
    concrete(member, serviceVariables(rehearsed, member), clusterValues(rehearsed, places[i]!, isolated)),
  );
}

describe('what a rank is started with', () => {
  test('is the command of the bundle, its references filled in as LWS and the kubelet would', () => {
    const [leader, worker] = launched();
    expect(leader!.words.slice(0, 4)).toEqual(['vllm', 'serve', 'google/gemma-3-1b-it', '--dtype=bfloat16']);
    expect(leader!.words).toContain('--master-addr=vllm-gemma-0.vllm-gemma.vllm');
    expect(leader!.words).toContain('--node-rank=0');
    expect(worker!.words).toContain('--node-rank=1');
    expect(worker!.words).toContain('--headless');
  });

  test('is the environment of the bundle, with made-up Secrets that are the same for all', () => {
    const [leader, worker] = launched();
    expect(Object.fromEntries(leader!.variables)).toMatchObject({
      LWS_LEADER_ADDRESS: 'vllm-gemma-0.vllm-gemma.vllm',
      LWS_GROUP_SIZE: '2',
      LWS_WORKER_INDEX: '0',
      VLLM_HOST_IP: '10.244.0.10',
      VLLM_CPU_KVCACHE_SPACE: '4',
      VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS: '60',
      VLLM_API_KEY: 'rehearsal-vllm-api-key-key',
    });
    expect(worker!.variables.get('LWS_WORKER_INDEX')).toBe('1');
    expect(worker!.variables.get('VLLM_HOST_IP')).toBe('10.244.0.11');
    expect(worker!.variables.get('HF_TOKEN')).toBe(leader!.variables.get('HF_TOKEN'));
    expect(leader!.madeUp).toEqual(['secret hf-token/token', 'secret vllm-api-key/key']);
  });

  test('on loopback addresses the leader is one of them', () => {
    const [leader, worker] = launched(bundle(), false);
    expect(leader!.variables.get('LWS_LEADER_ADDRESS')).toBe('127.0.0.1');
    expect(worker!.variables.get('VLLM_HOST_IP')).toBe('127.0.0.2');
  });

  test('names resolve as in the cluster', () => {
    const rehearsed = bundle();
    const places = placesOf(rehearsed, true);
    expect(hostsOf(rehearsed, places, places[1]!).split('\n')).toEqual([
      '127.0.0.1 localhost',
      '::1 localhost',
      '10.244.0.10 vllm-gemma-0.vllm-gemma.vllm.svc.cluster.local vllm-gemma-0.vllm-gemma.vllm.svc vllm-gemma-0.vllm-gemma.vllm vllm-gemma-0.vllm-gemma',
      '10.244.0.11 vllm-gemma-0-1.vllm-gemma.vllm.svc.cluster.local vllm-gemma-0-1.vllm-gemma.vllm.svc vllm-gemma-0-1.vllm-gemma.vllm vllm-gemma-0-1.vllm-gemma vllm-gemma-0-1',
      '10.244.0.10 vllm-leader.vllm.svc.cluster.local vllm-leader.vllm.svc vllm-leader.vllm vllm-leader',
      '',
    ]);
  });

  test('variables of Services reach a pod that does not turn them off', () => {
    const rehearsed = bundle((text) => text.replaceAll('enableServiceLinks: false', 'enableServiceLinks: true'));
    const variables = serviceVariables(rehearsed, rehearsed.leader);
    expect(Object.fromEntries(variables)).toMatchObject({
      VLLM_LEADER_SERVICE_HOST: expect.stringMatching(/^10\.96\.0\.\d+$/) as string,
      VLLM_LEADER_SERVICE_PORT: '8000',
      VLLM_LEADER_PORT: expect.stringMatching(/^tcp:\/\/10\.96\.0\.\d+:8000$/) as string,
      VLLM_LEADER_PORT_8000_TCP_PROTO: 'tcp',
    });
    expect(serviceVariables(bundle(), bundle().leader).size).toBe(0);
  });
});

describe('what this machine changes', () => {
  const changesOf = (
    edit?: (text: string) => string,
    machine = MACHINE,
    vllm = VLLM,
    ports: Ports = { server: 8000, master: 29501 },
  ) => {
    const rehearsed = bundle(edit);
    const model = tiny();
    const needed = numbersOf(rehearsed, model, vllm.release)?.needed ?? 0;
    return engineChanges(rehearsed, { machine, vllm, model, modelPath: '/models/x', needed }, ports);
  };

  test('is sizes, model and what would go out, and nothing else', () => {
    const { changes, argumentsAdded, variables, cacheBytes } = changesOf();
    expect(
      changes.map(({ what, bundle: before, here }) => `${what} ${before ?? ''} ${what === 'model' ? '' : here}`.trim()),
    ).toEqual([
      'model google/gemma-3-1b-it',
      '--load-format  dummy',
      'vLLM 0.31.0 0.32.0+cpu',
      'processor arm64 amd64',
      'VLLM_CPU_KVCACHE_SPACE 4 1',
      'OMP_NUM_THREADS 5 1',
      'HF_HUB_OFFLINE  1',
      'VLLM_NO_USAGE_STATS  1',
    ]);
    expect(argumentsAdded).toEqual(['--load-format=dummy']);
    expect(variables.has('VLLM_CPU_OMP_THREADS_BIND')).toBe(false);
    expect(cacheBytes).toBe(2 ** 30);
  });

  test('what vLLM refuses is left to it', () => {
    const { variables } = changesOf((text) => text.replaceAll('value: "4"', 'value: 0.5'.replace('0.5', '"0.5"')));
    expect(variables.has('VLLM_CPU_KVCACHE_SPACE')).toBe(false);
  });

  test('threads by a list of cores become as many as there are; 0.20 cannot leave them unbound', () => {
    const list = (text: string) => text.replaceAll('value: nobind', 'value: 0-4');
    expect(changesOf(list).variables.get('VLLM_CPU_OMP_THREADS_BIND')).toBe('nobind');
    const old = { ...VLLM, version: '0.20.0+cpu', release: '0.20.0' };
    expect(changesOf(undefined, MACHINE, old).variables.get('VLLM_CPU_OMP_THREADS_BIND')).toBe('auto');
  });

  test('without a network of its own the server listens on the loopback interface alone', () => {
    const shared = { ...MACHINE, isIsolated: false };
    expect(changesOf(undefined, shared).argumentsAdded).toEqual(['--load-format=dummy', '--host=127.0.0.1']);
  });

  test('ports that somebody else has are others, unless ranks do not agree on them', () => {
    const shared = { ...MACHINE, isIsolated: false };
    const taken = { server: 40_001, master: 40_002 };
    expect(changesOf(undefined, shared, VLLM, taken).argumentsAdded.slice(-2)).toEqual([
      '--port=40001',
      '--master-port=40002',
    ]);
    const odd = (text: string) => {
      const at = text.lastIndexOf('--master-port=29501');
      return `${text.slice(0, at)}--master-port=29999${text.slice(at + 19)}`;
    };
    expect(changesOf(odd, shared, VLLM, taken).argumentsAdded.at(-1)).toBe('--port=40001');
  });

  test('limits and volumes of the pod are said', () => {
    const whats = podChanges(bundle().members, ['secret a/b'], ['X']).map(({ what }) => what);
    expect(whats).toEqual(['Secrets and ConfigMaps', 'X', 'limits', 'volumes']);
  });

  test('is put in on the way to vLLM, whatever a shell line sets', () => {
    const folder = mkdtempSync(join(tmpdir(), 'shim-'));
    try {
      const real = join(folder, 'real');
      writeFileSync(real, '#!/bin/sh\necho "$KV" "$@"\n');
      chmodSync(real, 0o755);
      const changes = {
        changes: [],
        cacheBytes: 0,
        variables: new Map([['KV', "1 'x'"]]),
        argumentsAdded: ['--load-format=dummy'],
        replaced: new Map([['/models/big', '/tiny']]),
      };
      for (const [name, text] of Object.entries(shims({ vllm: real, python: real }, changes))) {
        writeFileSync(join(folder, name), text);
        chmodSync(join(folder, name), 0o755);
      }
      const run = (line: string) =>
        spawnSync('/bin/sh', ['-c', line], {
          encoding: 'utf8',
          env: { PATH: `${folder}:/usr/bin:/bin` },
        }).stdout.trim();
      expect(run('KV=9 vllm serve /models/big "a b"')).toBe("1 'x' serve /tiny a b --load-format=dummy");
      expect(run('python3 -m vllm.entrypoints.openai.api_server --model=/models/big')).toBe(
        "1 'x' -m vllm.entrypoints.openai.api_server --model=/tiny --load-format=dummy",
      );
      expect(run('KV=9 python3 -I -c code')).toBe('9 -I -c code');
      expect(run('KV=9 vllm --version')).toBe('9 --version');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('what cannot be rehearsed is said', () => {
  const of = (text: string, name?: string) => () => groupOf(readManifests(text), name);
  const pod = (container: string) =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec:\n  containers:\n    - name: c\n${container}\n`;

  test.each([
    ['nothing that runs vLLM', pod('      image: nginx'), /nothing of this runs vLLM \(there is Pod a\)/],
    [
      'Ray',
      pod('      image: vllm/vllm-openai:v0.31.0\n      command: [sh, -c, "ray start --address=x --block"]'),
      /it starts Ray/,
    ],
    [
      'a script in the image',
      pod('      image: vllm/vllm-openai:v0.31.0\n      command: [/start.sh]'),
      /the script \/start.sh is in the container/,
    ],
    [
      'flags in a file',
      pod('      image: vllm/vllm-openai-cpu:v0.31.0\n      args: [a/b, --config=/etc/vllm.yaml]'),
      /the file of --config/,
    ],
  ])('%s', (_, text, why) => {
    expect(of(text)).toThrow(why);
  });

  test('a name that no group has, or several groups without a name', () => {
    const one = pod('      image: vllm/vllm-openai-cpu:v0.31.0\n      args: [a/b]');
    expect(of(one, 'b')).toThrow("no group is called 'b'");
    expect(of(`${one}---\n${one.replace('name: a', 'name: other')}`)).toThrow('--group takes one of a, other');
    const elsewhere = one.replace('name: a', 'name: a, namespace: b');
    expect(of(`${one}---\n${elsewhere}`)).toThrow('--group takes one of default/a, b/a');
    expect(of(`${one}---\n${elsewhere}`, 'a')).toThrow("no group is called 'a'");
    expect(of(`${one}---\n${elsewhere}`, 'b/a')().group.namespace).toBe('b');
  });
});
