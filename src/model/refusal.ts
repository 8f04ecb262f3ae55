import { compareVersions } from '../common/versions';
import type { Decoder } from './parameters';
import { REMOVED_ARCHITECTURES } from './pipeline';

/** What decides whether vLLM takes a model at all. */
export interface Judged {
  readonly architecture: string;
  /** `model_type` of the text model. */
  readonly modelType: string;
  readonly decoder: Decoder;
  /** `quant_method`, of quantized weights. */
  readonly method?: string;
}

/** Why vLLM refuses a model, and from which release on; all releases do when there is none. */
export interface Refusal {
  readonly refused?: string;
  readonly refusedSince?: string;
}

/** The reason that the most releases have to refuse a model. */
export function refusalOf({ architecture, modelType, decoder, method }: Judged): Refusal {
  const since = removedSince(architecture);
  const reasons: Refusal[] = [
    ...(since === undefined
      ? []
      : [{ refused: `vLLM has had no ${architecture} since ${since}`, refusedSince: since }]),
    ...windowRefusal(modelType, decoder),
    ...methodRefusal(method),
  ];
  reasons.sort((a, b) => compareVersions(a.refusedSince ?? '0', b.refusedSince ?? '0'));
  return reasons[0] ?? {};
}

/** Classes that the named release still has, though vLLM says that it does not. Source: the registries of the wheels. */
const REMOVED_LATER: Readonly<Record<string, string>> = {
  BaiChuanForCausalLM: '0.25.0',
  BaichuanForCausalLM: '0.25.0',
  Tarsier2ForConditionalGeneration: '0.25.0',
};

/** First release without a class that older ones have. The registry names the last release with it. */
export function removedSince(architecture: string): string | undefined {
  if (!Object.hasOwn(REMOVED_ARCHITECTURES, architecture)) return undefined;
  const [major, minor] = REMOVED_ARCHITECTURES[architecture]!.split('.').map(Number);
  return Object.hasOwn(REMOVED_LATER, architecture) ? REMOVED_LATER[architecture] : `${major}.${minor! + 1}.0`;
}

/** Text models that vLLM builds by its class of Qwen2, which knows windows on all layers or on none. */
const BUILT_LIKE_QWEN2: ReadonlySet<string> = new Set([
  'qwen2',
  'qwen2_vl',
  'qwen2_vl_text',
  'qwen2_5_vl',
  'qwen2_5_vl_text',
  'qwen2_5_omni_text',
  'qwen3',
  'qwen3_vl',
  'qwen3_vl_text',
  'mimo',
]);

/** Of these, those whose class in transformers lists kinds of layers only when the file does. */
const LISTED_ONLY: ReadonlySet<string> = new Set(['qwen3_vl', 'qwen3_vl_text']);

/**
 * vLLM asserts that `max_window_layers` is the number of layers when `layer_types`, given or made by transformers, has more
 * than one word. Source: Qwen2Model in vllm/model_executor/models/qwen2.py, 0.20.0 to 0.32.0; run in 0.31.0 and 0.32.0.
 */
function windowRefusal(modelType: string, { fields, layers, layerKinds, layerWords }: Decoder): Refusal[] {
  if (!BUILT_LIKE_QWEN2.has(modelType)) return [];
  const words = layerWords ?? (LISTED_ONLY.has(modelType) ? [] : layerKinds);
  if (new Set(words).size < 2 || fields.raw('max_window_layers') === layers) return [];
  return [{ refused: 'some of its layers have a window and others have none (layer_types, max_window_layers)' }];
}

/** Source: `QuantizationMethods` in vllm/model_executor/layers/quantization/__init__.py, 0.20.0 to 0.32.0. */
const METHODS: ReadonlySet<string> = new Set(
  (
    'auto_awq auto_gptq awq awq_marlin compressed-tensors cpu_awq deepseek_v4_fp8 experts_int8 fbgemm_fp8 fp8 ' +
    'fp8_per_block fp8_per_channel fp8_per_tensor fp_quant gpt_oss_mxfp4 gptq gptq_marlin humming inc ' +
    'int8_per_channel_weight_only modelopt modelopt_fp4 modelopt_mixed modelopt_mxfp8 moe_wna16 mxfp4 mxfp8 ' +
    // `inc` takes it for its own.
    'nvfp4_per_token online quark torchao auto-round'
  ).split(' '),
);

/** First releases without methods that older ones have; from the same file. */
const REMOVED_METHODS: Readonly<Record<string, string>> = { gguf: '0.24.0', bitsandbytes: '0.28.0' };

function methodRefusal(method: string | undefined): Refusal[] {
  if (method === undefined || METHODS.has(method)) return [];
  const since = Object.hasOwn(REMOVED_METHODS, method) ? REMOVED_METHODS[method] : undefined;
  return [
    since === undefined
      ? { refused: `vLLM knows no quantization method '${method}' (quant_method)` }
      : { refused: `vLLM has had no quantization method '${method}' since ${since}`, refusedSince: since },
  ];
}
