import { CpuArchitecture, VllmImage, type VllmImageOptions, VllmVersion } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { expectError } from '../common/errors';

const { ARM64, X86_64 } = CpuArchitecture;
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const version = VllmVersion.of('0.31.0');

describe('VllmImage', () => {
  test('the published build follows the architecture of the node', () => {
    expect(VllmImage.cpu('0.31.0').reference(ARM64)).toBe('vllm/vllm-openai-cpu:v0.31.0-arm64');
    expect(VllmImage.cpu('v0.31.0').reference(X86_64)).toBe('vllm/vllm-openai-cpu:v0.31.0-x86_64');
  });

  test('every option has its effect', () => {
    const options: Required<VllmImageOptions> = { like: '0.32.0', digest };
    const image = VllmImage.cpu('0.40.0', options);
    expect(image.reference(ARM64)).toBe(`vllm/vllm-openai-cpu:v0.40.0-arm64@${digest}`);
    expect(image.version.judgedAs).toBe('0.32.0');
  });

  test.each(['mirror.example/hub', 'mirror.example:5000', 'localhost:5000/a/b'])('%s stands in front', (registry) => {
    expect(VllmImage.cpu('0.31.0').reference(ARM64, registry)).toBe(`${registry}/vllm/vllm-openai-cpu:v0.31.0-arm64`);
  });

  test.each(['', 'https://mirror.example', 'mirror.example/hub/', 'a b', 'mirror.example//hub'])(
    "'%s' is no registry",
    (registry) => {
      expectError(
        () => VllmImage.cpu('0.31.0').reference(ARM64, registry),
        `imageRegistry is '${registry}'`,
        'a host and a path',
        "without 'https://'",
      );
    },
  );

  test('an image of your own has its registry in its name', () => {
    expectError(
      () => VllmImage.custom('mirror.example/vllm:arm', version).reference(ARM64, 'other.example'),
      "imageRegistry is 'other.example'",
      'the image is one of your own',
      'write the registry into its reference',
    );
  });

  test.each(['mirror.example:5000/vllm:arm', `mirror.example/vllm@${digest}`])('%s is fixed', (reference) => {
    expect(VllmImage.custom(reference, version).reference(ARM64)).toBe(reference);
  });

  test.each(['vllm', 'mirror.example:5000/vllm', 'mirror.example/vllm:latest', 'a b:1', ''])(
    "'%s' may change by itself",
    (reference) => {
      expectError(() => VllmImage.custom(reference, version), `image is '${reference}'`, 'fixed tag or a digest');
    },
  );

  test.each(['sha256:abc', digest.toUpperCase(), digest.slice(7)])("'%s' is no digest", (wrong) => {
    expectError(
      () => VllmImage.cpu('0.31.0', { digest: wrong }),
      `image digest is '${wrong}'`,
      '64 hexadecimal digits',
    );
  });
});
