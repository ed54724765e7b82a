import { objectAt, objectsAt } from '@perigee/schema/json-fields';
import type { AdmissionStep } from '../../registry/draft.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** A new node takes no pods before a controller has found it ready. */
export const newNodeTaint: AdmissionStep = (_registry, { resource, object, old }) => {
  const isNode = resource.group === '' && resource.plural === 'nodes';
  if (!isNode || old !== undefined) return object;
  const spec = objectAt(object, 'spec');
  const taints = objectsAt(spec, 'taints');
  const { key, effect } = NOT_READY;
  if (taints.some((taint) => taint.key === key && taint.effect === effect)) return object;
  return { ...object, spec: { ...spec, taints: [...taints, NOT_READY] } };
};
