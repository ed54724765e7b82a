import type { ReconcileContext, ReconcileResult } from '@perigee/kube/controller/define-controller';
import { isAlreadyExists, isConflict } from '@perigee/kube/errors';
import { OverrideError } from '@perigee/scheduling/errors';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { type Refusal, withRefusals } from '@perigee/scheduling/placement/work/works-written';
import { PropagationError, RefusedWorkError } from '../../errors.ts';
import { writeStatus } from '../scheduler/write-status.ts';
import type { Template } from './read-template.ts';

/** The result of writing a binding's Work for one cluster. */
type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'late' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The usual maximum lag of the cache. */
const CACHE_LAG_MS = 50;
/** Retry interval: the deletion of another binding's Work causes no event for this binding. */
const NAME_CHECK_MS = 30_000;

export const outcomeOf = async (
  cluster: string,
  write: () => Promise<unknown>,
): Promise<Outcome> => {
  try {
    await write();
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof OverrideError) {
      const { message } = error;
      return { kind: 'refused', refusal: { cluster, reason: 'OverrideRefused', message } };
    }
    if (error instanceof RefusedWorkError) {
      const { reason, message } = error;
      return { kind: 'refused', refusal: { cluster, reason, message } };
    }
    if (isAlreadyExists(error) || isConflict(error)) return { kind: 'late' };
    return { kind: 'failed', error };
  }
};

/**
 * Reports the results of writing a binding's Works, as condition and events. A refusal lasts until a policy, the
 * template or the binding changes, so it is not retried before.
 */
export const reportWorks = async (
  kind: BindingKind,
  binding: Binding,
  template: Template,
  outcomes: readonly Outcome[],
  { client, clock, events, signal }: ReconcileContext,
): Promise<ReconcileResult> => {
  const refusals = outcomes.flatMap((one) => (one.kind === 'refused' ? [one.refusal] : []));
  const failures = outcomes.flatMap((one) => (one.kind === 'failed' ? [one.error as Error] : []));
  const reasons = [
    ...refusals.map(({ cluster, message }) => `${cluster}: ${message}`),
    ...failures.map(({ message }) => message),
  ];
  for (const subject of reasons.length === 0 ? [] : [binding, template]) {
    events.warning(subject, 'SyncWorkFailed', reasons.join('; '));
  }
  const { conditions: before } = binding.status ?? {};
  if (withRefusals(before, refusals, clock.now()) !== before) {
    await writeStatus(
      kind,
      binding,
      (status) => {
        const conditions = withRefusals(status.conditions, refusals, clock.now());
        return conditions === undefined ? status : { ...status, conditions };
      },
      { client, options: { fieldManager: 'perigee-binding', signal }, note: () => {} },
    );
  }
  if (failures.length > 0) {
    throw new PropagationError(reasons.join('; '), { cause: failures[0] });
  }
  if (outcomes.some((one) => one.kind === 'late')) return { requeueAfterMs: CACHE_LAG_MS };
  const waits = refusals.some(({ reason }) => reason === 'WorkOfAnother');
  return waits ? { requeueAfterMs: NAME_CHECK_MS } : undefined;
};
