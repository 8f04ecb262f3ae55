import { NEWEST_RELEASE } from '../../../engine/releases';
import { modelNames, shapeOf } from '../../../model/catalogue';
import type { ModelShape } from '../../../model/shape';
import { isOlder, type Rank } from './engines';

/** A model of the catalogue as vLLM loads it; nothing when it is another one, or when the command changes its shape. */
export function modelOf({ settings, command }: Rank): ModelShape | undefined {
  const name = settings.model.value;
  const isChanged = ['--hf-overrides', '--hf-config-path', '--model-class-overrides', '--model-impl'].some(
    (flag) => command.isSet(flag) !== false,
  );
  if (name === undefined || isChanged) {
    return undefined;
  }
  try {
    return modelNames().includes(name) ? shapeOf(name) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the release is one that the tables were made from, or older: newer ones may have learned more. */
export function isKnownRelease({ engine }: Rank): boolean {
  const { image } = engine;
  return isOlder(image, NEWEST_RELEASE) === true || image?.version === NEWEST_RELEASE;
}
