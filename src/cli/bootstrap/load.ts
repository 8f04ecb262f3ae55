import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Bootstrap from '../../bootstrap';

/**
 * The module `cdk8s-vllm/bootstrap`, by the package's own name: a file of its own with the AWS SDK in it, which no other command
 * loads. The name is no literal, so that no bundler takes it in.
 */
export function loadBootstrap(): typeof Bootstrap {
  const name = ['cdk8s-vllm', 'bootstrap'].join('/');
  return createRequire(join(__dirname, 'cli.cjs'))(name) as typeof Bootstrap;
}
