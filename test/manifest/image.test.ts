import { describe, expect, test } from 'vitest';
import { parseImage } from '../../src/manifest';

describe('an image reference', () => {
  test.each([
    ['vllm/vllm-openai:v0.28.0', ['docker.io', 'vllm/vllm-openai', 'cuda', undefined, '0.28.0']],
    ['vllm/vllm-openai-cpu:v0.31.0', ['docker.io', 'vllm/vllm-openai-cpu', 'cpu', undefined, '0.31.0']],
    ['vllm/vllm-openai-cpu:v0.31.0-arm64', ['docker.io', 'vllm/vllm-openai-cpu', 'cpu', 'arm64', '0.31.0']],
    ['vllm/vllm-openai-cpu:v0.31.0-x86_64', ['docker.io', 'vllm/vllm-openai-cpu', 'cpu', 'amd64', '0.31.0']],
    ['vllm/vllm-openai:latest', ['docker.io', 'vllm/vllm-openai', 'cuda', undefined, undefined]],
    ['vllm/vllm-openai', ['docker.io', 'vllm/vllm-openai', 'cuda', undefined, undefined]],
    ['vllm/vllm-openai:nightly', ['docker.io', 'vllm/vllm-openai', 'cuda', undefined, undefined]],
    ['vllm/vllm-openai:v0.31.0rc1', ['docker.io', 'vllm/vllm-openai', 'cuda', undefined, undefined]],
    ['vllm/vllm-openai:v0.31.10', ['docker.io', 'vllm/vllm-openai', 'cuda', undefined, '0.31.10']],
    ['vllm/vllm-openai:v0.8.5.post1', ['docker.io', 'vllm/vllm-openai', 'cuda', undefined, '0.8.5']],
    [
      'public.ecr.aws/q9t5s3a7/vllm-arm64-cpu-release-repo:v0.20.0',
      ['public.ecr.aws', 'q9t5s3a7/vllm-arm64-cpu-release-repo', 'cpu', 'arm64', '0.20.0'],
    ],
    [
      'mirror.example:5000/hub/vllm/vllm-openai-cpu:v0.31.0',
      ['mirror.example:5000', 'hub/vllm/vllm-openai-cpu', 'cpu', undefined, '0.31.0'],
    ],
    ['localhost/vllm/vllm-openai:v0.31.0', ['localhost', 'vllm/vllm-openai', 'cuda', undefined, '0.31.0']],
    // Tags of others follow their own numbers.
    ['lmcache/vllm-openai:v0.3.9', ['docker.io', 'lmcache/vllm-openai', 'cuda', undefined, undefined]],
    ['team/vllm-custom:0.3.1-cu128', ['docker.io', 'team/vllm-custom', 'cuda', undefined, undefined]],
    ['vllm/vllm-openai-rocm:v0.31.0', ['docker.io', 'vllm/vllm-openai-rocm', 'other', undefined, '0.31.0']],
    ['registry.example/vllm', ['registry.example', 'vllm', undefined, undefined, undefined]],
  ])('%s', (text, [registry, repository, backend, architecture, version]) => {
    const image = parseImage(text);
    expect([image.registry, image.repository, image.backend, image.architecture, image.version]).toEqual([
      registry,
      repository,
      backend,
      architecture,
      version,
    ]);
    expect(image.isVllm).toBe(true);
    expect(image.versionWhy === undefined).toBe(version !== undefined);
  });

  test('with a digest keeps tag and digest apart', () => {
    const image = parseImage('vllm/vllm-openai:v0.31.0@sha256:abc');
    expect([image.tag, image.digest, image.version]).toEqual(['v0.31.0', 'sha256:abc', '0.31.0']);
    const pinned = parseImage('vllm/vllm-openai@sha256:abc');
    expect([pinned.tag, pinned.version, pinned.versionWhy]).toEqual([undefined, undefined, 'the image has no tag']);
  });

  test.each([
    'nginx:1.27',
    'acme/web-ui:2.3.0',
    'lmcache/lmstack-router:latest',
    'acme/vllm-router:v1',
    'acme/vllm-bench:1',
    '',
  ])('%s does not run the engine', (text) => {
    expect(parseImage(text).isVllm).toBe(false);
  });
});
