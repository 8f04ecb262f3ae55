import type { EngineContainer } from '../../manifest';
import { CPU_POD, edit, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

/** Names that say where a repository is now, and not what is in it. */
const MOVING = new Set(['main', 'master', 'HEAD', 'latest']);
const FLAG = '--trust-remote-code';

/** What a model's name is followed to: a repository of the Hub, or files that are there already. */
function isOfHub(model: string): boolean {
  return /^[\w.-]+\/[\w.-]+$/.test(model) && !/^\.{1,2}\//.test(model);
}

function isOffline(engine: EngineContainer): boolean {
  return ['HF_HUB_OFFLINE', 'TRANSFORMERS_OFFLINE'].some((name) => {
    const value = engine.variable(name)?.text.value;
    return value !== undefined && /^(1|true|yes|on)$/i.test(value);
  });
}

/** Whether the code may be another one tomorrow; not where a revision may be hidden. */
function isUnpinned({ command, settings }: EngineContainer): boolean {
  return (
    ['--revision', '--code-revision'].every((name) => {
      const use = command.flag(name);
      return use === undefined ? command.isComplete : use.value !== undefined && MOVING.has(use.value);
    }) && settings?.trustRemoteCode.value === true
  );
}

function* check({ manifests }: RuleInput): Iterable<Report> {
  for (const { object, pods } of manifests.groups) {
    const seen = new Set<string>();
    for (const engine of pods.flatMap(({ engines }) => engines)) {
      const { settings } = engine;
      const model = settings?.model.value;
      if (
        settings === undefined ||
        model === undefined ||
        !isOfHub(model) ||
        isOffline(engine) ||
        !isUnpinned(engine)
      ) {
        continue;
      }
      const { path } = settings.trustRemoteCode;
      const revision = engine.command.flag('--revision')?.value;
      if (!seen.has(path)) {
        seen.add(path);
        yield {
          object,
          path,
          what:
            `${FLAG} runs the code of ${model}` +
            (revision === undefined ? ' without a revision' : ` at '${revision}', which moves`),
        };
      }
    }
  }
}

const bundle = (flags: string): string =>
  together(
    edit(CPU_POD, ['            - --dtype=bfloat16\n', `            - --dtype=bfloat16\n${flags}`]),
    POD_SERVICE,
  );

export const remoteCodeUnpinned: Rule = {
  id: 'security/remote-code-unpinned',
  severity: 'warning',
  title: "a model's own code is run at whatever revision its repository is",
  why: 'each pod runs the Python that the repository holds on the day it starts, with all that the pod may do',
  fix: 'pin the commit that you have read, with --revision and, where the code is in another repository, --code-revision',
  source: 'vllm/config/model.py: --trust-remote-code, --revision, --code-revision',
  get bad() {
    return bundle('            - --trust-remote-code\n');
  },
  get good() {
    return bundle(
      '            - --trust-remote-code\n            - --revision=c1899de289a04d12100db370d81485cdf75e47ca\n',
    );
  },
  check,
};
