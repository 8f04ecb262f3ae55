import { shapeOf } from '../../../model/catalogue';
import type { EngineContainer } from '../../../manifest';
import type { ModelShape } from '../../../model/shape';
import type { EngineAt } from './engines';

const models = new WeakMap<EngineContainer, { readonly model: ModelShape | undefined }>();

/** The model of an engine, where the catalogue knows it and no flag makes another one of it. */
export function modelOf(at: Pick<EngineAt, 'engine' | 'settings'>): ModelShape | undefined {
  let known = models.get(at.engine);
  if (known === undefined) {
    known = { model: findModel(at) };
    models.set(at.engine, known);
  }
  return known.model;
}

function findModel({ engine, settings }: Pick<EngineAt, 'engine' | 'settings'>): ModelShape | undefined {
  const name = settings.model.value;
  const isChanged = ['--hf-overrides', '--hf-config-path', '--model-impl'].some(
    (flag) => engine.command.isSet(flag) === true,
  );
  if (name === undefined || isChanged) {
    return undefined;
  }
  try {
    return shapeOf(name);
  } catch {
    return undefined;
  }
}

/** Whether a model is Gemma 2 or 3; one that the catalogue does not know may say so by its name. */
export function isGemma2Or3(at: EngineAt): boolean {
  const model = modelOf(at);
  return model === undefined
    ? /(^|[/_-])gemma-?[23]-\d+b/i.test(at.settings.model.value ?? '')
    : /^gemma[23](_text)?$/.test(model.modelType);
}
