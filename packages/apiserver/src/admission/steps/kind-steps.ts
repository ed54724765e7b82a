import type { AdmissionStep } from '../../registry/draft.ts';
import { defaultTolerations } from './default-tolerations.ts';
import { newNodeTaint } from './new-node-taint.ts';
import { oneDefaultClass, podPriority } from './pod-priority.ts';
import { signingRequestFacts } from './signing-request-facts.ts';

/** Built-in admission of built-in kinds that needs more than the object itself. */
export const KIND_STEPS: readonly AdmissionStep[] = [
  defaultTolerations,
  newNodeTaint,
  podPriority,
  oneDefaultClass,
  signingRequestFacts,
];
