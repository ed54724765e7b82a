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
  const given = objectsAt(spec, 'tolerations');
  const missing = TROUBLES.filter((taint) => !given.some((one) => bears(one, taint)));
  if (missing.length === 0) return object;
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: SECONDS,
  }));
  return { ...object, spec: { ...spec, tolerations: [...given, ...added] } };
};
