import type { KubernetesObject } from '../../rules/finding';
import { filesOf, readText } from '../check/files';
import { Read, readFile } from '../check/reader';
import { WrongInput } from '../terminal';

/** The objects of a bundle, read as `check` reads them. */
export function readBundle(args: readonly string[]): readonly KubernetesObject[] {
  const read = new Read();
  const { files, failed } = filesOf(args);
  for (const file of files) {
    const content = readText(file);
    if ('why' in content) {
      failed.push({ name: file.name, why: content.why });
    } else {
      readFile(file, content, read);
    }
  }
  const [first] = failed;
  if (first !== undefined) {
    throw new WrongInput(`${first.name} cannot be read: ${first.why}`);
  }
  const [unread] = read.unread;
  if (unread !== undefined) {
    throw new WrongInput(`${unread.file}:${unread.line}: ${unread.message}; \`cdk8s-vllm check\` says more`);
  }
  if (read.objects.length === 0) {
    throw new WrongInput(`there is no Kubernetes object in ${args.join(', ')}`);
  }
  return read.objects.map(({ object }) => object);
}
