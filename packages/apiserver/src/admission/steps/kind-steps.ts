import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import type { AdmissionStep } from '../../registry/draft.ts';
import { oneDefaultClass, podPriority } from './pod-priority.ts';
import { signingRequestFacts } from './signing-request-facts.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new node takes no pods before a controller has found it ready. */
const newNodeTaint: AdmissionStep = (_registry, { resource, object, old }) => {
  const isNode = resource.group === '' && resource.plural === 'nodes';
  if (!isNode || old !== undefined) return object;
  const spec = objectAt(object, 'spec');
  const taints = objectsAt(spec, 'taints');
  const { key, effect } = NOT_READY;
  if (taints.some((taint) => taint.key === key && taint.effect === effect)) return object;
  return { ...object, spec: { ...spec, taints: [...taints, NOT_READY] } };
};

const SECONDS = 300;

const TROUBLES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

const bears = (toleration: JsonObject, taint: string): boolean => {
  const [key, effect] = [textAt(toleration, 'key'), textAt(toleration, 'effect')];
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
};

/** By default, pods stay for five minutes on a node that is not ready or unreachable. */
const defaultTolerations: AdmissionStep = (_registry, { resource, object, subresource }) => {
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

/** Built-in admission of built-in kinds that needs more than the object itself. */
export const KIND_STEPS: readonly AdmissionStep[] = [
  defaultTolerations,
  newNodeTaint,
  podPriority,
  oneDefaultClass,
  signingRequestFacts,
];
