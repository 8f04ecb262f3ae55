import { SHARED_MEMORY_PATH } from '../../../engine/server';
import { modelNames, shapeOf } from '../../../model/catalogue';
import type { ModelShape } from '../../../model/shape';
import { CPU_GROUP, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { environmentPathOf, type Rank, ranksOf, wordsOf, once } from './engines';

/** Variables with which the files, or the token, come from elsewhere. */
const ELSEWHERE = [
  ...['HF_ENDPOINT', 'HF_HUB_OFFLINE', 'TRANSFORMERS_OFFLINE', 'HF_TOKEN_PATH'],
  ...['VLLM_USE_MODELSCOPE', 'VLLM_MODEL_REDIRECT_PATH'],
];

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, engine, settings } = rank;
    const model = catalogued(settings.model.value);
    if (model?.gated !== true || mayBeLocal(rank)) {
      continue;
    }
    const stand = standInOf(rank);
    if (stand !== undefined || settings.huggingFaceToken.value === false) {
      const role = rank.pod.role === 'single' ? 'engine' : rank.pod.role;
      yield {
        object: group.object,
        path: stand?.path ?? environmentPathOf(engine),
        what:
          stand === undefined
            ? `${model.name} is gated, and the ${role} has no token`
            : `${model.name} is gated, and ${stand.name} is the text '${stand.text}'`,
        ...(rank.pod.role === 'single' && { why: 'the download of its files is refused with 401' }),
        // An image of one's own may hold the weights.
        ...(engine.image?.hasServeEntrypoint !== true && { severity: 'note' }),
      };
    }
  }
}

/** Tokens that were to be filled in: `<your-hf-token>`, `REPLACE_ME`, `hf_xxxx`. */
const STAND_IN = /^<.*>$|^(?:hf_)?x{3,}$|^(?:your|my|replace|change|insert|put)[-_ ]?\w*|token[-_ ]?here$/i;

function standInOf({ engine }: Rank): { name: string; text: string; path: string } | undefined {
  for (const name of ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN']) {
    const variable = engine.variable(name);
    const text = variable?.text.value?.trim() ?? '';
    if (variable !== undefined && STAND_IN.test(text)) {
      return { name, text, path: variable.path };
    }
  }
  return undefined;
}

function catalogued(name: string | undefined): ModelShape | undefined {
  try {
    return name !== undefined && modelNames().includes(name) ? shapeOf(name) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the files may be there already, or the token where nobody sees it. */
function mayBeLocal({ engine, pod, command }: Rank): boolean {
  const mounts = engine.mounts.filter(({ mountPath }) => mountPath !== SHARED_MEMORY_PATH);
  const volumes = mounts.map((mount) => pod.volumes.find(({ name }) => name === mount.name));
  const mayHold = volumes.some((volume) => {
    if (volume === undefined || volume.kind === 'configMap') {
      // Claims of a StatefulSet or of a LeaderWorkerSet are no volumes of the pod.
      return volume === undefined;
    }
    const isFilledFirst = pod.initContainers.some((each) => each.mounts.some(({ name }) => name === volume.name));
    return volume.kind !== 'emptyDir' || isFilledFirst;
  });
  return (
    mayHold ||
    ELSEWHERE.some((name) => engine.variable(name) !== undefined) ||
    /\blogin\b|HF_TOKEN|hf_token|huggingface/i.test(command.isShell ? wordsOf(engine) : '')
  );
}

const GATED = (): string => edit(CPU_GROUP, ['Qwen/Qwen3-8B', 'meta-llama/Llama-3.1-8B-Instruct']);
const ENTRY = '              - { name: VLLM_CPU_KVCACHE_SPACE, value: "4" }\n';

export const gatedModelNoToken: Rule = {
  id: 'vllm/gated-model-no-token',
  severity: 'error',
  title: 'a gated model without a token',
  why: 'every rank downloads its own files: it is refused with 401, and a group never forms',
  fix: 'give every rank HF_TOKEN from a Secret, of an account that has accepted the licence',
  source: 'Hugging Face, gated models; each rank loads its own weights: docs/serving/parallelism_scaling.md of vLLM',
  get bad() {
    return GATED();
  },
  get good() {
    return edit(GATED(), [
      ENTRY,
      `${ENTRY}              - { name: HF_TOKEN, valueFrom: { secretKeyRef: { name: hub, key: token } } }\n`,
    ]);
  },
  check: once(check),
};
