import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import type { AdmissionStep } from '../../registry/draft.ts';

const SECONDS = 300;

const TROUBLES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

const bears = (toleration: JsonObject, taint: string): boolean => {
  const [key, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
};

/** By default, pods stay for five minutes on a node that is not ready or unreachable. */
export const defaultTolerations: AdmissionStep = (_registry, { resource, object, subresource }) => {
  const isPod = resource.group === '' && resource.plural === 'pods';
  if (!isPod || subresource !== undefined) return object;
  const spec = objectAt(object, 'spec');
  const podTolerations = objectsAt(spec, 'tolerations');
  const missingTaints = TROUBLES.filter(
    (taint) => !podTolerations.some((one) => bears(one, taint)),
  );
  if (missingTaints.length === 0) return object;
  const extraTolerations = missingTaints.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: SECONDS,
  }));
  return { ...object, spec: { ...spec, tolerations: [...podTolerations, ...extraTolerations] } };
};
