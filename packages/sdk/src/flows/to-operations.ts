import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import {
  FLOW,
  OPERATION_KINDS,
  type Operation,
  type OperationKind,
  SIMULATE,
} from '@perigee/scheduling/flows/operation';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { DescribedStep, FlowDescription } from './flow.ts';
import type { Predecessor } from './step.ts';

export const kindNamed = (name: string): OperationKind =>
  OPERATION_KINDS.find(({ kind }) => kind === name) as OperationKind;

export const operationName = (flow: string, step: string): string => `${flow}-${step}`;

/** The operation of a step. */
export interface StepOperation {
  readonly step: string;
  readonly operation: Operation;
}

/**
 * The operations of a flow. They have the type of stored objects, so that `packages/scheduling` can read
 * them.
 */
export const toOperations = (
  { name: flow, steps, simulate }: FlowDescription,
  namespace: string,
): readonly StepOperation[] => {
  const kinds = new Map(steps.map((step) => [step.name, step.kind]));
  const referenceOf = (one: Predecessor<string>) => {
    if (typeof one === 'string') return { kind: kinds.get(one), name: operationName(flow, one) };
    if (!('step' in one)) return one;
    const { step, affinityStrategy } = one;
    return { kind: kinds.get(step), name: operationName(flow, step), affinityStrategy };
  };
  return steps.map(({ name, kind, after, spec, labels, annotations }: DescribedStep) => {
    const [first, ...others] = after.map(referenceOf);
    const operation = {
      apiVersion: apiVersionOf(kindNamed(kind)),
      kind,
      metadata: {
        namespace,
        name: operationName(flow, name),
        labels: { ...labels, [FLOW]: flow },
        ...(simulate || Object.keys(annotations).length > 0
          ? { annotations: { ...annotations, ...(simulate ? { [SIMULATE]: 'true' } : {}) } }
          : {}),
      },
      spec: {
        ...spec,
        ...present({ runAfter: first, runAfterAll: unlessEmpty(others) }),
      },
    };
    return { step: name, operation: operation as unknown as Operation };
  });
};
