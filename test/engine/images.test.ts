import { describe, expect, test } from 'vitest';
import { CPU_IMAGES, CUDA_IMAGE, imagePath, type ImageSource } from '../../src/engine/images';

describe('published images', () => {
  test.each<[ImageSource, string]>([
    [CPU_IMAGES.byArchitecture, 'vllm/vllm-openai-cpu:v0.31.0-arm64'],
    [CPU_IMAGES.multiArchitecture, 'vllm/vllm-openai-cpu:v0.31.0'],
    [CPU_IMAGES.ecrArm64, 'q9t5s3a7/vllm-arm64-cpu-release-repo:v0.31.0'],
    [CUDA_IMAGE, 'vllm/vllm-openai:v0.31.0'],
  ])('%o is %s', (source, path) => {
    expect(imagePath(source, '0.31.0', 'arm64')).toBe(path);
  });
});
