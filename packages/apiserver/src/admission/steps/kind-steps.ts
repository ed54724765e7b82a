import type { AdmissionStep } from '../../registry/draft.ts';
import { defaultTolerations } from './default-tolerations.ts';
import { newNodeTaint } from './new-node-taint.ts';
import { oneDefaultClass, podPriority } from './pod-priority.ts';
import { signingRequestFacts } from './signing-request-facts.ts';

/** What the server itself does to objects of built-in kinds, and needs more for than the object. */
export const KIND_STEPS: readonly AdmissionStep[] = [
  defaultTolerations,
  newNodeTaint,
  podPriority,
  oneDefaultClass,
  signingRequestFacts,
];
