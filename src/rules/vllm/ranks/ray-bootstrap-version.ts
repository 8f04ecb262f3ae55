import type { EngineContainer } from '../../../manifest/index';
import type { Report, Rule, RuleInput } from '../../rule';
import { enginesOf, imageWords, isOlder, platformOf, oncePerObject, weakened } from './engines';
import { mayHaveRay, RAY_SINCE, rayPathOf, SCRIPT_BEFORE, SCRIPT_SINCE } from './ray';
import { rayGroup } from './ray-examples';

function* check(input: RuleInput): Iterable<Report> {
  for (const { group, engine } of enginesOf(input)) {
    // The CPU platform refuses Ray altogether.
    if (platformOf(engine) !== 'cpu') {
      for (const report of [...script(engine), ...missing(engine)]) {
        yield { object: group.object, ...report };
      }
    }
  }
}

function* script(engine: EngineContainer): Iterable<Omit<Report, 'object'>> {
  const { ray } = engine.command;
  const at = ray?.script;
  const isHidden = engine.mounts.some(({ mountPath }) => at?.startsWith(`${mountPath}/`) === true || at === mountPath);
  if (ray === undefined || (at !== SCRIPT_BEFORE && at !== SCRIPT_SINCE) || isHidden) {
    return;
  }
  const isBefore = isOlder(engine.image, RAY_SINCE.scriptMoved);
  const isVllm = engine.image?.isVllm === true;
  if (isBefore === (at === SCRIPT_BEFORE) || (isBefore === undefined && (!isVllm || at === SCRIPT_SINCE))) {
    return;
  }
  yield {
    path: ray.path,
    what:
      isBefore === undefined
        ? `${imageWords(engine.image)} does not say whether it has ${at}`
        : `${imageWords(engine.image)} has no ${at}`,
    why: `the script is in examples/ray_serving since ${RAY_SINCE.scriptMoved} and was in examples/online_serving before`,
    fix: `call ${at === SCRIPT_BEFORE ? SCRIPT_SINCE : SCRIPT_BEFORE}, or let the ranks meet by --nnodes and --master-addr`,
    ...weakened(isBefore !== undefined),
  };
}

function* missing(engine: EngineContainer): Iterable<Omit<Report, 'object'>> {
  const isBefore = isOlder(engine.image, RAY_SINCE.leftImage);
  const isPublished = engine.image?.backend === 'cuda';
  if (rayPathOf(engine) !== undefined && isPublished && isBefore === false && !mayHaveRay(engine)) {
    yield {
      path: `${engine.path}.image`,
      what: `${imageWords(engine.image)} is asked for Ray, which its image does not hold`,
      why: `Ray left the images with ${RAY_SINCE.leftImage}: the line fails, or vLLM ends with "Failed to import Ray"`,
      fix: "let the ranks meet by --nnodes and --master-addr, or run `pip install 'ray[cgraph]'` first",
    };
  }
}

const RAY_0_16 = (): string => rayGroup('vllm/vllm-openai:v0.16.0', SCRIPT_BEFORE);

export const rayBootstrapVersion: Rule = {
  id: 'vllm/ray-bootstrap-version',
  severity: 'error',
  title: 'the image does not have what the Ray recipe takes from it',
  why: 'the recipe is for other releases of vLLM',
  fix: 'let the ranks meet by --nnodes and --master-addr',
  holds: `Ray from ${RAY_SINCE.leftImage}, the script by its old path from ${RAY_SINCE.scriptMoved}`,
  source: 'vllm-project/vllm#36170, #40759',
  get bad() {
    return rayGroup('vllm/vllm-openai:v0.28.0', SCRIPT_BEFORE);
  },
  get good() {
    return RAY_0_16();
  },
  check: oncePerObject(check),
};
